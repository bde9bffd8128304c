//! Guards against sticks that create energy. No guard acts silently: the outcome states which one was requested,
//! whether it acted, and the solution of the law without it.

/// What to do with a stick that creates energy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Guard {
    /// Keep the law's solution, marked inadmissible. For analysis.
    #[default]
    Report,
    /// The paper's remedy: a smaller coefficient of restitution. Stick at the limit `e*(v)` if that impulse is in the
    /// cone, otherwise slip or reversal at the lower end of the interval of restitutions that stick.
    Limit,
    /// Keep the restitution and take the slip or reversal, which always exists and always dissipates. For simulation.
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
