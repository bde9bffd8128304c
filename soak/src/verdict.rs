//! What was found of an outcome: each condition of the law with its worst residual over its bound.

/// What an outcome must satisfy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Condition {
    /// Every number that must be there is there and finite.
    Finite,
    /// The coefficients reported are those asked for, and a guard never raises the restitution.
    Request,
    /// `contact_velocity.before` is `A q̇⁻`.
    Before,
    /// `contact_velocity.after` is `A q̇⁺`, or `v⁻ + W i`.
    After,
    /// `M (q̇⁺ - q̇⁻) = Aᵀ i`.
    Momentum,
    /// `i_n >= 0`.
    Sign,
    /// `|i_t| <= μ i_n`, with the coefficient of the mode.
    Cone,
    /// Stick keeps its tangential restitution, slip goes along the average velocity, reversal has none.
    Tangential,
    /// `v_n⁺ = -e v_n⁻`, for several contacts complementary to the impulse.
    Restitution,
    /// `v_n⁺ >= 0`.
    Penetration,
    /// The energies reported are those of `M` and `q̇`.
    Ledger,
    /// No energy is created: under a guard, by a law that claims it, and where `admissible` says so.
    Energy,
    /// The problem is valid and was refused.
    Refused,
    /// The answer took too long.
    Time,
    /// The program panicked.
    Panic,
}

impl Condition {
    /// Every condition, in the order of the table.
    pub const ALL: [Self; 15] = [
        Self::Finite,
        Self::Request,
        Self::Before,
        Self::After,
        Self::Momentum,
        Self::Sign,
        Self::Cone,
        Self::Tangential,
        Self::Restitution,
        Self::Penetration,
        Self::Ledger,
        Self::Energy,
        Self::Refused,
        Self::Time,
        Self::Panic,
    ];

    /// The name in tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Finite => "finite",
            Self::Request => "request",
            Self::Before => "before",
            Self::After => "after",
            Self::Momentum => "momentum",
            Self::Sign => "sign",
            Self::Cone => "cone",
            Self::Tangential => "tangential",
            Self::Restitution => "restitution",
            Self::Penetration => "penetration",
            Self::Ledger => "ledger",
            Self::Energy => "energy",
            Self::Refused => "refused",
            Self::Time => "time",
            Self::Panic => "panic",
        }
    }
}

/// The worst residual of each condition over its bound, in the order of [`Condition::ALL`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Verdict([f64; Condition::ALL.len()]);

impl Verdict {
    /// The residual of a condition over its bound; 0 where the condition did not apply.
    pub fn of(&self, condition: Condition) -> f64 {
        self.0[condition as usize]
    }

    /// The conditions that do not hold.
    pub fn failures(&self) -> impl Iterator<Item = Condition> {
        Condition::ALL.into_iter().filter(|condition| !(self.of(*condition) <= 1.0))
    }

    /// Notes a residual over its bound. What is not a number is a failure.
    pub fn note(&mut self, condition: Condition, ratio: f64) {
        let worst = &mut self.0[condition as usize];
        *worst = if ratio.is_nan() { f64::INFINITY } else { worst.max(ratio) };
    }

    /// Notes a condition that holds or does not.
    pub fn require(&mut self, condition: Condition, holds: bool) {
        self.note(condition, if holds { 0.0 } else { f64::INFINITY });
    }
}

/// `residual / bound`, and 0 where both are zero.
pub(crate) fn ratio(residual: f64, bound: f64) -> f64 {
    if residual == 0.0 { 0.0 } else { residual / bound }
}
