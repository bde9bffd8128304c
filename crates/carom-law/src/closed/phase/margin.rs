//! Whether redundant contacts can stick: how far inside their cones all forces of a phase can be.
//!
//! The forces of a phase are `x₀ + N z`: the minimum-norm forces plus any self-stress. The margin is the largest `s`
//! with `λ_n >= s` for every contact and `|λ_t| <= μ_s λ_n - s` for the sticking ones: a linear program in the plane, a
//! program over second-order cones in space. `phase/barrier` finds it.

use crate::error::{Error, Result};
use crate::numeric::matrix::MatrixView;

use super::{PhaseContact, PhaseForces, PhaseReport};

/// The margin of the forces inside their cones.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct StickMargin {
    /// The largest `s` over `scale`, at most 1; positive if some distribution of forces is inside all cones.
    pub margin: f64,
    /// The largest component of the minimum-norm forces.
    pub scale: f64,
    /// Number of independent self-stresses.
    pub redundancy: usize,
    /// Number of Newton steps.
    pub steps: usize,
    /// Report on the minimum-norm forces.
    pub phase: PhaseReport,
}

impl PhaseForces {
    /// The largest `s` such that some forces of the phase have `λ_n >= s` at every contact and `|λ_t| <= μ_s λ_n - s`
    /// at the sticking ones, relative to the largest component of the minimum-norm forces; `forces` is such a
    /// distribution. `static_friction` has `μ_s` of every contact; that of slipping ones is ignored.
    ///
    /// If it is positive, the contacts can stick even if the minimum-norm forces are outside a cone: the accelerations
    /// are the same for all distributions, and the cones only decide whether an admissible one exists.
    ///
    /// # Errors
    /// As [`PhaseForces::solve`]; also friction that is negative or not finite.
    pub fn stick_margin(
        &mut self,
        delassus: MatrixView,
        free_acceleration: &[f64],
        contacts: &[PhaseContact],
        static_friction: &[f64],
        forces: &mut [f64],
    ) -> Result<StickMargin> {
        check_friction(contacts, static_friction)?;
        let phase = self.solve_whole(delassus, free_acceleration, contacts, forces)?;
        let scale = forces.iter().fold(0.0_f64, |size, x| size.max(x.abs()));
        let redundancy = phase.unknowns - phase.rank;
        let mut answer = StickMargin { margin: 0.0, scale, redundancy, steps: 0, phase };
        if !(scale > 0.0) {
            return Ok(answer);
        }
        let size = self.in_own_units(scale);
        let Self { system, barrier, .. } = self;
        barrier.prepare(system, phase.rank, size, contacts, static_friction);
        (answer.margin, answer.steps) = barrier.maximise();
        if redundancy > 0 {
            for (i, x) in system.answer_mut().iter_mut().enumerate() {
                *x = size * barrier.force(&barrier.point, i);
            }
            self.spread(forces);
        }
        Ok(answer)
    }
}

fn check_friction(contacts: &[PhaseContact], mu_s: &[f64]) -> Result<()> {
    if mu_s.len() != contacts.len() {
        return Err(Error::Shape {
            field: "static_friction".into(),
            found: format!("{} numbers", mu_s.len()),
            expected: format!("{} numbers, one for each contact", contacts.len()),
        });
    }
    match mu_s.iter().position(|mu| !(*mu >= 0.0 && mu.is_finite())) {
        Some(k) => Err(Error::OutOfRange {
            field: format!("static_friction[{k}]").into(),
            value: mu_s[k],
            bound: "[0, inf)".into(),
        }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::closed::phase::Grip;
    use crate::contact::delassus::Dimension;

    #[test]
    fn contacts_that_nothing_presses_have_no_margin() {
        let contacts = [PhaseContact { dimension: Dimension::Planar, grip: Grip::Stick }; 2];
        let w: Vec<f64> = (0..16).map(|k| if k / 4 % 2 == k % 4 % 2 { 1.0 } else { 0.0 }).collect();
        let mut forces = [f64::NAN; 4];
        let margin = |alpha: &[f64], forces: &mut [f64]| {
            let view = MatrixView::row_major(4, 4, &w);
            PhaseForces::new().stick_margin(view, alpha, &contacts, &[0.5; 2], forces).unwrap()
        };
        let found = margin(&[0.0; 4], &mut forces);
        assert_eq!((found.margin, found.scale, found.redundancy, forces), (0.0, 0.0, 2, [0.0; 4]));
        let pressed = margin(&[-1.0, 0.0, -1.0, 0.0], &mut forces);
        assert!((pressed.scale - 0.5).abs() < 1e-15 && pressed.margin > 0.0, "{pressed:?}");
    }
}
