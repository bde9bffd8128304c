//! The terms of one contact in a state, as data.

/// Kinetic energies of two velocities in one configuration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EnergyChange {
    /// K of the state's velocity.
    pub before: f64,
    /// K of the other velocity.
    pub after: f64,
    /// An upper bound on the sum of the absolute values of the terms of `after`.
    pub after_size: f64,
}

/// The input of the law for one contact; rows and columns beyond its dimension are zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactTerms {
    /// W = A M⁻¹ Aᵀ.
    pub delassus: [[f64; 3]; 3],
    /// A v.
    pub velocity: [f64; 3],
}

/// The velocity of a contact for a velocity of the robot.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactMotion {
    /// A v; zero beyond the contact's dimension.
    pub velocity: [f64; 3],
    /// The size of the terms in the sums A v: |A||v|, or somewhat more.
    pub size: f64,
}

/// The quantities of a robot after an impulse with which an outcome is checked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Struck {
    /// The contact's velocity after the impulse.
    pub after: ContactMotion,
    /// The size of the terms in the sums A v before the impulse.
    pub before_size: f64,
    /// The kinetic energies, if requested.
    pub energy: Option<EnergyChange>,
}

impl ContactTerms {
    pub(super) const ZERO: Self = Self { delassus: [[0.0; 3]; 3], velocity: [0.0; 3] };

    pub(super) fn cut(&mut self, dimension: usize) {
        for i in 0..3 {
            for j in 0..3 {
                if i >= dimension || j >= dimension {
                    self.delassus[i][j] = 0.0;
                }
            }
            if i >= dimension {
                self.velocity[i] = 0.0;
            }
        }
    }
}
