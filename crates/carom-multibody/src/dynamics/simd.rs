//! The passes used by impacts and integration steps, compiled a second time for processors with AVX2.

use super::Dynamics;
use super::terms::EnergyChange;
use super::terms::{ContactMotion, ContactTerms, Struck};
use crate::Vector;
use crate::error::DynamicsError;
use crate::geometry::ContactPoint;
use crate::rows::Contacts;

/// Runs a method compiled for AVX2 if the processor has it, otherwise the portable version.
macro_rules! dispatch {
    ($name:ident, $inlined:ident, ($($argument:ident: $kind:ty),*) -> $result:ty) => {
        pub(super) fn $name(dynamics: &mut Dynamics, $($argument: $kind),*) -> $result {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2")]
                fn fast(dynamics: &mut Dynamics, $($argument: $kind),*) -> $result {
                    dynamics.$inlined($($argument),*)
                }
                if std::is_x86_feature_detected!("avx2") {
                    #[allow(unsafe_code, reason = "a function compiled for AVX2 may run only where that is available")]
                    // SAFETY: just detected.
                    return unsafe { fast(dynamics, $($argument),*) };
                }
            }
            dynamics.$inlined($($argument),*)
        }
    };
}

dispatch!(place, place, () -> ());
dispatch!(bias, bias_inlined, () -> ());
dispatch!(fall, fall_inlined, (force: &[f64]) -> Result<(), DynamicsError>);
dispatch!(factorize, factorize_inlined, () -> Result<(), DynamicsError>);
dispatch!(contact_terms, contact_terms_inlined, (contacts: &mut Contacts) -> Result<(), DynamicsError>);
dispatch!(single_contact, single_contact_inlined, (contact: &ContactPoint) -> Result<ContactTerms, DynamicsError>);
dispatch!(
    impulse_response,
    impulse_response_inlined,
    (contact: &ContactPoint, impulse: Vector, change: &mut [f64]) -> Result<(), DynamicsError>
);
dispatch!(
    velocity_after,
    velocity_after_inlined,
    (contact: &ContactPoint, impulse: Vector, velocity: &mut [f64]) -> Result<(), DynamicsError>
);
dispatch!(
    strike,
    strike_inlined,
    (contact: &ContactPoint, impulse: Vector, with_energies: bool, velocity: &mut [f64]) -> Result<Struck, DynamicsError>
);
dispatch!(
    contact_velocity_change,
    contact_velocity_change_inlined,
    (contact: &ContactPoint, velocity: &[f64]) -> [ContactMotion; 2]
);
dispatch!(kinetic_energy_change, kinetic_energy_change_inlined, (velocity: &[f64]) -> EnergyChange);
