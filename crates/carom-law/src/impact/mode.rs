//! Modes of a contact in an impact.

/// The mode of an impact. The documentation of each mode gives its conditions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Mode {
    /// `v_n⁻ >= 0`: there is no impact and no impulse.
    Separating,
    /// `v_c⁺ = -E v_c⁻` in all directions, with `i_n > 0` and `|i_t| <= μ_s i_n`.
    Stick,
    /// `i_t = -μ_d u i_n` with `u` the direction of the average tangential velocity.
    Slip,
    /// The average tangential velocity vanishes, `v_t⁺ = -v_t⁻`, with `i_n > 0` and `|i_t| <= μ_d i_n`.
    Reversal,
}

impl Mode {
    /// The name used in files.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Separating => "separating",
            Mode::Stick => "stick",
            Mode::Slip => "slip",
            Mode::Reversal => "reversal",
        }
    }
}

impl std::fmt::Display for Mode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
