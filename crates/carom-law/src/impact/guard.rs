//! What to do with a stick that creates energy. Nothing is ever repaired in silence: the outcome
//! says which guard was asked for, whether it acted, and what the law alone would have answered.

/// The caller's choice for a stick that creates energy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Guard {
    /// The law's answer as it is, marked inadmissible. For analysis.
    #[default]
    Report,
    /// The paper's remedy: a smaller coefficient of restitution. Stick at the limit `e*(v)` if that
    /// is in the cone, else slip or reversal at the lower end of the interval in which stick is.
    Limit,
    /// Keep the restitution and take the slip or reversal answer, which always exists and always
    /// dissipates. For simulation.
    Slip,
}

impl Guard {
    /// Every guard, in the order of the documentation.
    pub const ALL: [Guard; 3] = [Guard::Report, Guard::Limit, Guard::Slip];

    /// The name used in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Guard::Report => "report",
            Guard::Limit => "limit",
            Guard::Slip => "slip",
        }
    }
}
