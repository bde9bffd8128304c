//! The passes used by impacts and integration steps, compiled a second time for processors with AVX2.

use super::Dynamics;
use super::terms::EnergyChange;
use super::terms::{ContactMotion, ContactTerms, ImpulseEffect};
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
                if crate::kernel::has_avx2() {
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
    (contact: &ContactPoint, impulse: Vector, with_energies: bool, velocity: &mut [f64]) -> Result<ImpulseEffect, DynamicsError>
);
dispatch!(
    contact_velocity_change,
    contact_velocity_change_inlined,
    (contact: &ContactPoint, velocity: &[f64]) -> [ContactMotion; 2]
);
dispatch!(kinetic_energy_change, kinetic_energy_change_inlined, (velocity: &[f64]) -> EnergyChange);

#[cfg(test)]
mod tests {
    use crate::{ContactPoint, Dynamics, Inertia, Joint, JointKind, LinkId, LinkSpec, ModelBuilder, Vector};

    /// The passes compiled for AVX2 do the same operations in the same order: no bit differs. (Where the processor has no
    /// AVX2, both are the same code.)
    #[test]
    fn processors_with_and_without_avx2_give_the_same_bits() {
        let mut builder = ModelBuilder::new("chain");
        let trunk = LinkSpec::new("trunk").joint(Joint::new("free", JointKind::Floating));
        let mut last = builder.link(LinkId::WORLD, trunk.inertia(Inertia::ball(3.0, 0.4))).unwrap();
        for (name, axis) in [("a", [0.0, 1.0, 0.0]), ("b", [1.0, 0.0, 0.0]), ("c", [0.0, 0.6, 0.8])] {
            let joint = Joint::new(name, JointKind::Revolute).along(axis).through([0.1, -0.2, 0.3]);
            let link = LinkSpec::new(name).joint(joint).inertia(Inertia::ball(0.7, 0.15));
            last = builder.link(last, link).unwrap();
        }
        let model = builder.build().unwrap();
        let contact = ContactPoint::new(&model, last, [0.2, 0.1, -0.3], [0.1, -0.2, 1.0]).unwrap();
        let (nq, nv) = (model.nq(), model.nv());
        let mut rng = fastrand::Rng::with_seed(3);
        let mut dispatched = Dynamics::new(model);
        for _ in 0..100 {
            let mut q: Vec<f64> = (0..nq).map(|_| 2.0 * rng.f64() - 1.0).collect();
            dispatched.model().normalize(&mut q);
            let v: Vec<f64> = (0..nv).map(|_| 2.0 * rng.f64() - 1.0).collect();
            dispatched.set_state(&q, &v).unwrap();
            let mut baseline = dispatched.clone();

            super::place(&mut dispatched);
            baseline.place();
            super::bias(&mut dispatched);
            baseline.bias_inlined();
            assert_eq!(bits(&dispatched.vector), bits(&baseline.vector));
            let terms = super::single_contact(&mut dispatched, &contact).unwrap();
            let expected = baseline.single_contact_inlined(&contact).unwrap();
            assert_eq!(bits(terms.delassus.as_flattened()), bits(expected.delassus.as_flattened()));
            assert_eq!(bits(&terms.velocity), bits(&expected.velocity));
            let (mut after, mut expected) = (vec![0.0; nv], vec![0.0; nv]);
            let impulse = Vector::from([1.0, 0.2, -0.3]);
            super::strike(&mut dispatched, &contact, impulse, true, &mut after).unwrap();
            baseline.strike_inlined(&contact, impulse, true, &mut expected).unwrap();
            assert_eq!(bits(&after), bits(&expected));
        }
    }

    fn bits(numbers: &[f64]) -> Vec<u64> {
        numbers.iter().map(|x| x.to_bits()).collect()
    }
}
