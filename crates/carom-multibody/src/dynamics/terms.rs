//! What a state comes to at one contact, as data.

/// Kinetic energies of two velocities in one configuration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EnergyChange {
    /// K of the state's velocity.
    pub before: f64,
    /// K of the other one.
    pub after: f64,
    /// No less than the size of the terms that `after` is a sum of.
    pub after_size: f64,
}

/// What the law needs of one contact; rows and columns beyond its dimension are zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactTerms {
    /// W = A M⁻¹ Aᵀ.
    pub delassus: [[f64; 3]; 3],
    /// A v.
    pub velocity: [f64; 3],
}

/// A contact's velocity for a velocity of the robot.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct ContactMotion {
    /// A v; zero beyond the contact's dimension.
    pub velocity: [f64; 3],
    /// The size of the terms that the rows of A v are sums of: |A||v|, or somewhat more.
    pub size: f64,
}

/// A robot's velocity after an impulse, as far as an answer is checked by it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Struck {
    /// Of the contact, after.
    pub after: ContactMotion,
    /// The size of the terms that the rows of A v are sums of before.
    pub before_size: f64,
    /// The kinetic energies, if asked for.
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
