//! The effort of the solvers: sweeps, steps, and the last method that was needed.

/// The last method that was needed; each includes those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum SimultaneousStage {
    /// Sweeps of exact one-contact answers, or the one-contact law itself.
    #[default]
    Sweeps,
    /// Newton's method on the projection equations.
    Newton,
    /// Lemke's method.
    Pivoting,
    /// Continuation from a relaxed matrix.
    Continuation,
}

/// The effort spent on an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SimultaneousEffort {
    /// The last method that was needed.
    pub stage: SimultaneousStage,
    /// Coulomb problems solved.
    pub solves: u32,
    /// Sweeps over the contacts.
    pub sweeps: u32,
    /// Steps of Newton's method.
    pub newton_steps: u32,
    /// Exchanges of Lemke's method.
    #[cfg_attr(feature = "serde", serde(default))]
    pub exchanges: u32,
}

impl SimultaneousEffort {
    /// One contact alone: the law itself.
    pub(crate) const LAW: Self =
        Self { stage: SimultaneousStage::Sweeps, solves: 1, sweeps: 0, newton_steps: 0, exchanges: 0 };

    /// Sweeps, steps and exchanges together: each takes about a microsecond for a few contacts.
    pub(crate) fn steps(&self) -> u32 {
        self.sweeps.saturating_add(self.newton_steps).saturating_add(self.exchanges)
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.stage = self.stage.max(other.stage);
        self.solves += other.solves;
        self.sweeps += other.sweeps;
        self.newton_steps += other.newton_steps;
        self.exchanges += other.exchanges;
    }
}
