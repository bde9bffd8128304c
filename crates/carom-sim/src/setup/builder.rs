//! A simulation stated by names: joints, surfaces, contacts.

use std::sync::Arc;

use carom_law::{Coefficients, Guard, Law, Restitution};
use carom_multibody::{ContactPoint, HalfSpace, JointNumbers, Model, ModelJoint, Vector};

use crate::error::{Result, SimulationError};
use crate::setup::{Actuator, CoordinateRange, Settings, Setup, Surface, WatchedContact};

/// A point or ball of the robot that can touch a surface, given by names.
///
/// By default it is the origin of the link or frame of the same name, touches the first surface, and can close at any
/// time.
#[derive(Debug, Clone)]
pub struct ContactSpec {
    name: String,
    place: Option<String>,
    point: [f64; 3],
    radius: Option<f64>,
    surface: Option<String>,
    coefficients: Coefficients,
    enabled: Option<(String, f64, f64)>,
}

impl ContactSpec {
    /// A contact with this name and the restitution and friction of the pair. Without friction it has no tangential
    /// rows.
    pub fn new(name: impl Into<String>, coefficients: Coefficients) -> Self {
        Self {
            name: name.into(),
            place: None,
            point: [0.0; 3],
            radius: None,
            surface: None,
            coefficients,
            enabled: None,
        }
    }

    /// Places it on this link or frame.
    #[must_use]
    pub fn on(mut self, link_or_frame: impl Into<String>) -> Self {
        self.place = Some(link_or_frame.into());
        self
    }

    /// Places it at this point, m, in the axes of the link or frame.
    #[must_use]
    pub fn at(mut self, point: [f64; 3]) -> Self {
        self.point = point;
        self
    }

    /// Makes it a ball of this radius about the point, m, which rolls.
    #[must_use]
    pub fn radius(mut self, radius: f64) -> Self {
        self.radius = Some(radius);
        self
    }

    /// Sets the surface it touches.
    #[must_use]
    pub fn against(mut self, surface: impl Into<String>) -> Self {
        self.surface = Some(surface.into());
        self
    }

    /// Lets it close only while a joint with one coordinate is inside an open range. Once closed, it stays closed until
    /// it lifts off.
    #[must_use]
    pub fn enabled_while(mut self, joint: impl Into<String>, above: f64, below: f64) -> Self {
        self.enabled = Some((joint.into(), above, below));
        self
    }
}

/// Builds a simulation from names. Errors, such as an unknown joint, are reported when it is built: the first one only.
///
/// | setting | default |
/// |---|---|
/// | configuration | the model's home |
/// | velocity | zero |
/// | surfaces, contacts, forces | none |
/// | joint limits | ignored |
/// | law | [`Law::Aghili`] |
/// | guard | [`Guard::Slip`] with that law; others have none |
/// | settings | [`Settings::default`]: until 10 s, samples every 0.01 s, tolerance 1e-10 |
#[derive(Debug, Clone)]
pub struct SimulationBuilder {
    setup: Setup,
    contacts: Vec<ContactSpec>,
    guard: Option<Guard>,
    fault: Option<SimulationError>,
}

impl SimulationBuilder {
    pub(crate) fn new(model: Arc<Model>) -> Self {
        Self { setup: Setup::new(model), contacts: Vec::new(), guard: None, fault: None }
    }

    /// A title for reports.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.setup.title = Some(title.into());
        self
    }

    /// The initial q of all joints.
    #[must_use]
    pub fn configuration(mut self, configuration: &[f64]) -> Self {
        self.setup.configuration = configuration.to_vec();
        self
    }

    /// The initial v of all joints.
    #[must_use]
    pub fn velocity(mut self, velocity: &[f64]) -> Self {
        self.setup.velocity = velocity.to_vec();
        self
    }

    /// The initial position of a joint: rad or m; (x, y, z, qw, qx, qy, qz) for a floating joint, (qw, qx, qy, qz) for
    /// a ball joint.
    #[must_use]
    pub fn joint_position(self, joint: &str, position: impl Into<JointNumbers>) -> Self {
        self.put(
            joint,
            "position",
            position.into().as_slice(),
            |joint| joint.coordinates.clone(),
            |setup| &mut setup.configuration,
        )
    }

    /// The initial velocity of a joint: rad/s or m/s; for floating and ball joints in the link's axes, linear part
    /// first.
    #[must_use]
    pub fn joint_velocity(self, joint: &str, velocity: impl Into<JointNumbers>) -> Self {
        self.put(
            joint,
            "velocity",
            velocity.into().as_slice(),
            |joint| joint.velocities.clone(),
            |setup| &mut setup.velocity,
        )
    }

    fn put(
        self,
        name: &str,
        what: &'static str,
        values: &[f64],
        range: fn(&ModelJoint) -> std::ops::Range<usize>,
        all: fn(&mut Setup) -> &mut Vec<f64>,
    ) -> Self {
        self.attempt(|setup| {
            let joint = setup.model.moving_joint(name).map_err(SimulationError::Joint)?;
            let (range, kind) = (range(joint), joint.joint.kind.name());
            let (found, expected) = (values.len(), range.len());
            let all = all(setup);
            match all.get_mut(range).filter(|slots| slots.len() == found) {
                Some(slots) => {
                    slots.copy_from_slice(values);
                    Ok(())
                }
                None => Err(SimulationError::JointValues { joint: name.to_owned(), kind, what, found, expected }),
            }
        })
    }

    /// Adds a half-space that contacts can touch.
    #[must_use]
    pub fn surface(self, name: impl Into<String>, half_space: HalfSpace) -> Self {
        let name = name.into();
        self.attempt(|setup| {
            if setup.surfaces.iter().any(|surface| surface.name == name) {
                return Err(SimulationError::RepeatedName { what: "surface", name });
            }
            setup.surfaces.push(Surface { name, half_space });
            Ok(())
        })
    }

    /// Adds a contact; its surface may be added later.
    #[must_use]
    pub fn contact(mut self, contact: ContactSpec) -> Self {
        self.contacts.push(contact);
        self
    }

    /// Enforces the joint limits of the robot's file, with this restitution.
    #[must_use]
    pub fn limits(mut self, restitution: Restitution) -> Self {
        self.setup.limits = Some(restitution);
        self
    }

    /// Leaves out the dry friction of the robot's joints.
    #[must_use]
    pub fn without_joint_friction(mut self) -> Self {
        self.setup.joint_friction = false;
        self
    }

    /// Adds a force on a joint with one coordinate, N m or N, as a function of time, its position and its velocity. It
    /// must be smooth: see [`Actuator::Law`].
    #[must_use]
    pub fn joint_force(self, joint: &str, force: impl Fn(f64, f64, f64) -> f64 + Send + Sync + 'static) -> Self {
        self.attempt(|setup| {
            let (coordinate, freedom) = single(&setup.model, joint)?;
            setup.actuators.push(Actuator::law(move |time, q, v, forces| {
                forces[freedom] += force(time, q[coordinate], v[freedom]);
            }));
            Ok(())
        })
    }

    /// Adds a spring and a damper that pull a joint with one coordinate to a target: stiffness in N m/rad or N/m,
    /// damping in N m s/rad or N s/m.
    #[must_use]
    pub fn joint_spring(self, joint: &str, target: f64, stiffness: f64, damping: f64) -> Self {
        self.attempt(|setup| {
            let (coordinate, freedom) = single(&setup.model, joint)?;
            setup.actuators.push(Actuator::Posture { coordinate, freedom, target, stiffness, damping });
            Ok(())
        })
    }

    /// Adds forces on all joints: the law adds to its last argument, given the time, q and v. It must be smooth: see
    /// [`Actuator::Law`].
    #[must_use]
    pub fn forces(mut self, law: impl Fn(f64, &[f64], &[f64], &mut [f64]) + Send + Sync + 'static) -> Self {
        self.setup.actuators.push(Actuator::law(law));
        self
    }

    /// The law of impacts. A law other than [`Law::Aghili`] and [`Law::Chord`] answers one contact: a run ends with
    /// [`SimulationError::Simultaneous`] where several that are coupled strike together.
    #[must_use]
    pub fn law(mut self, law: Law) -> Self {
        self.setup.law = law;
        self
    }

    /// The guard of [`Law::Aghili`]: what an impact does if sticking would create energy.
    #[must_use]
    pub fn guard(mut self, guard: Guard) -> Self {
        self.guard = Some(guard);
        self
    }

    /// End time, s.
    #[must_use]
    pub fn until(mut self, until: f64) -> Self {
        self.setup.settings.until = until;
        self
    }

    /// Time between samples, s.
    #[must_use]
    pub fn interval(mut self, interval: f64) -> Self {
        self.setup.settings.interval = Some(interval);
        self
    }

    /// Relative tolerance of the integration, 1e-14 to 1e-2.
    #[must_use]
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.setup.settings.tolerance = tolerance;
        self
    }

    /// Replaces all settings.
    #[must_use]
    pub fn settings(mut self, settings: Settings) -> Self {
        self.setup.settings = settings;
        self
    }

    /// The setup with all names resolved.
    ///
    /// # Errors
    /// The first of: an unknown joint, surface, link or frame (the error lists the known ones); a number of values that
    /// does not match the joint; a name that occurs twice; an invalid contact; a guard with a law other than
    /// `aghili`.
    pub fn setup(self) -> Result<Setup> {
        let Self { mut setup, contacts, guard, fault } = self;
        if let Some(fault) = fault {
            return Err(fault);
        }
        setup.set_guard(guard)?;
        for spec in contacts {
            if setup.contacts.iter().any(|contact| contact.name == spec.name) {
                return Err(SimulationError::RepeatedName { what: "contact", name: spec.name });
            }
            let contact = resolve(&setup, spec)?;
            setup.contacts.push(contact);
        }
        Ok(setup)
    }

    /// Applies a change that may fail; after the first error nothing more is applied.
    fn attempt(mut self, change: impl FnOnce(&mut Setup) -> Result<()>) -> Self {
        if self.fault.is_none() {
            self.fault = change(&mut self.setup).err();
        }
        self
    }
}

/// Coordinate and velocity indices of a joint that has one of each.
fn single(model: &Model, name: &str) -> Result<(usize, usize)> {
    let joint = model.moving_joint(name).map_err(SimulationError::Joint)?;
    match (joint.coordinates.len(), joint.velocities.len()) {
        (1, 1) => Ok((joint.coordinates.start, joint.velocities.start)),
        (expected, _) => {
            let (joint, kind) = (name.to_owned(), joint.joint.kind.name());
            Err(SimulationError::JointValues { joint, kind, what: "position", found: 1, expected })
        }
    }
}

/// Resolves the names of a contact.
fn resolve(setup: &Setup, spec: ContactSpec) -> Result<WatchedContact> {
    let ContactSpec { name, place, point, radius, surface, coefficients, enabled } = spec;
    let model = &setup.model;
    let place = place.as_deref().unwrap_or(&name);
    let Some((link, placement)) = model.find_place(place) else {
        let links = model.links().iter().skip(1).map(|link| &link.name);
        let known = links.chain(model.frames().iter().map(|frame| &frame.name)).cloned().collect();
        return Err(SimulationError::UnknownName { what: "link or frame", name: place.to_owned(), known });
    };
    let is_meant = |one: &Surface| surface.as_ref().is_none_or(|name| one.name == *name);
    let Some(place) = setup.surfaces.iter().position(is_meant) else {
        let known = setup.surfaces.iter().map(|surface| surface.name.clone()).collect();
        return Err(SimulationError::NoSurface { contact: name, surface, known });
    };
    let half_space = setup.surfaces[place].half_space;
    let point = placement.apply(Vector::from(point));
    let contact = match radius {
        None => ContactPoint::new(model, link, point, half_space.normal),
        Some(radius) => ContactPoint::ball(model, link, point, radius, half_space.normal),
    };
    let point = contact.map_err(|source| SimulationError::Contact { contact: name.clone(), source })?;
    let enabled = enabled.map(|(joint, above, below)| {
        Ok::<_, SimulationError>(CoordinateRange { coordinate: single(model, &joint)?.0, above, below })
    });
    Ok(WatchedContact { name, point, surface: place, coefficients, enabled: enabled.transpose()? })
}
