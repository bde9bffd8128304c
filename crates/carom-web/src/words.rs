//! Names of curves, regions, axes and laws in words.

use carom::law::Law;
use carom::study::{CurveName, EnergyUnit, LocusName, Quantity, RegionKind};

/// What a curve is, and its label in a plot.
pub(crate) fn curve(name: CurveName) -> [&'static str; 2] {
    match name {
        CurveName::CriticalFriction => ["sticks above: critical friction", "μ_cr"],
        CurveName::PrintedCriticalFriction => ["critical friction as the paper prints it", "μ_cr, printed"],
        CurveName::CriticalReversal => ["reverses above", "μ_rev"],
        CurveName::RestitutionLimitState => {
            ["largest restitution that creates no energy in this state", "e* of this state"]
        }
        CurveName::RestitutionLimitConfiguration => {
            ["largest restitution that creates no energy in any state", "e* of every state"]
        }
        CurveName::FrictionLimit => ["the paper's limit of friction", "μ*"],
    }
}

pub(crate) fn region(kind: RegionKind) -> &'static str {
    match kind {
        RegionKind::Stick => "sticks",
        RegionKind::Slip => "slips",
        RegionKind::Reversal => "reverses",
        RegionKind::Several => "several answers",
        RegionKind::Creation => "sticks and creates energy",
        RegionKind::AdmissibleSet => {
            "the paper's set [41]: sticks with e below e* of every state, or slips with mu below mu*"
        }
    }
}

pub(crate) fn axis(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::Restitution => "coefficient of restitution e",
        Quantity::Friction => "coefficient of friction μ",
        Quantity::VelocityRatio => "tangential over normal velocity before",
        Quantity::VelocityRatio1 => "first tangential over normal velocity before",
        Quantity::VelocityRatio2 => "second tangential over normal velocity before",
    }
}

pub(crate) fn energy(unit: EnergyUnit) -> &'static str {
    match unit {
        EnergyUnit::KineticEnergy => "energy change in % of the kinetic energy before",
        EnergyUnit::ContactEnergy => "energy change in % of the energy accessible to the contact",
        EnergyUnit::Absolute => "energy change in the problem's units",
    }
}

pub(crate) fn locus(name: LocusName) -> &'static str {
    match name {
        LocusName::Sticking => "sticking",
        LocusName::TangentialRestitution => "tangential restitution",
        LocusName::MaximumCompression => "maximum compression",
        LocusName::Restitution => "restitution",
    }
}

pub(crate) fn law(law: Law) -> &'static str {
    match law {
        Law::Aghili => "Aghili's law, corrected and completed",
        Law::AghiliPrinted => "Aghili's law with the mode decided as printed",
        Law::Newton => "Newton's restitution, friction against the slip before",
        Law::Moreau => "Newton's restitution, friction against the slip after",
        Law::Poisson => "Poisson's restitution of impulse, friction at every instant",
        Law::Stronge => "Stronge's restitution of energy, friction at every instant",
        Law::NewtonRouth => "Newton's restitution, friction at every instant",
        Law::ChatterjeeRuina => "the algebraic law of Chatterjee and Ruina",
        Law::Chord => "Poisson's law in closed form",
        Law::HuntCrossley => "a compliant contact, Hunt and Crossley",
        _ => "",
    }
}
