//! The inertia of a body: given explicitly or computed from its geoms, and kept within bounds.

use super::class::Stated;
use super::notes::check_attributes;
use super::pose::{Pose, orientation};
use super::settings::Settings;
use super::source::Part;
use crate::load::LoadError;
use crate::{Inertia, Quaternion, Rotation, Symmetric, Vector};

const KNOWN: &str = "axisangle diaginertia euler fullinertia mass pos quat xyaxes zaxis";

/// Mass and moments about the principal axes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Principal {
    mass: f64,
    center: Vector,
    moments: [f64; 3],
    axes: Rotation,
}

impl Principal {
    /// The inertia given by `<inertial>`.
    pub(super) fn stated(part: Part<'_>, frame: Pose, settings: &Settings) -> Result<Self, LoadError> {
        check_attributes(part, KNOWN)?;
        let stated = Stated::alone(part);
        part.required("pos")?;
        part.required("mass")?;
        let position = Vector::from(part.numbers::<3>("pos")?.unwrap_or_default());
        let mass = part.number("mass")?.unwrap_or(0.0);
        let turn = orientation(&stated, settings)?;
        let (moments, turn) = match (part.numbers::<6>("fullinertia")?, part.numbers::<3>("diaginertia")?) {
            (Some(_), Some(_)) => {
                return Err(part.value("<inertial> has both diaginertia and fullinertia; give only one"));
            }
            (Some(_), None) if turn.is_some() => {
                return Err(part.value("<inertial> with fullinertia cannot have an orientation"));
            }
            (Some(entries), None) => Symmetric::new(entries).principal_axes(),
            (None, moments) => (moments.unwrap_or_default(), turn.unwrap_or(Quaternion::IDENTITY).to_rotation()),
        };
        let frame = frame.placement();
        Ok(Self { mass, center: frame.apply(position), moments, axes: frame.rotation * turn })
    }

    /// The inertia of a body without `<inertial>` and without massive geoms: MuJoCo uses the body's pose on its parent.
    pub(super) fn nothing(body: Pose) -> Self {
        Self { mass: 0.0, center: body.position, moments: [0.0; 3], axes: body.turn.to_rotation() }
    }

    pub(super) fn of(inertia: &Inertia) -> Self {
        let (moments, axes) = inertia.rotational.principal_axes();
        Self { mass: inertia.mass, center: inertia.center, moments, axes }
    }

    /// Raised to the smallest mass and moments that the settings allow, and balanced if they require it.
    pub(super) fn bounded(mut self, settings: &Settings) -> Self {
        // Without bounds, negative values are kept, so that a warning is given.
        if settings.least_mass > 0.0 {
            self.mass = self.mass.max(settings.least_mass);
        }
        if settings.least_moment > 0.0 {
            self.moments = self.moments.map(|moment| moment.max(settings.least_moment));
        }
        let [a, b, c] = self.moments;
        if settings.balance && (a + b < c || a + c < b || b + c < a) {
            self.moments = [(a + b + c) / 3.0; 3];
        }
        self
    }

    pub(super) fn inertia(&self) -> Inertia {
        let rotational = Symmetric::diagonal(self.moments).rotated(&self.axes);
        Inertia { mass: self.mass, center: self.center, rotational }
    }
}
