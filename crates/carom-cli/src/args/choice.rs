//! Values of options that several commands have.

use clap::ValueEnum;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Text for people
    Text,
    /// One JSON object, for programs
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Guard {
    /// Return the law's answer, marked inadmissible
    Report,
    /// Lower the restitution to its limit
    Limit,
    /// Keep the restitution and slip
    Slip,
}

impl Guard {
    /// The name used in problems.
    pub fn name(self) -> &'static str {
        match self {
            Guard::Report => "report",
            Guard::Limit => "limit",
            Guard::Slip => "slip",
        }
    }
}
