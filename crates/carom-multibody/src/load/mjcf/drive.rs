//! What actuators do: their force as a function of control, position and velocity.
//!
//! MuJoCo has one kind of actuator with a gain and a bias, `<general>`; the others are ways to write it. Levels are applied one
//! after the other, from the farthest default to the element itself, each as MuJoCo's reader does it.

use super::class::{Classes, Stated};
use super::settings::{Settings, choice};
use super::source::{Part, Sources};
use crate::Model;
use crate::load::LoadError;
use crate::model::{ActuatorLaw, ModelActuator};

/// Attributes that make an actuator something else than a force on a joint.
const OTHER_TARGETS: [&str; 8] =
    ["jointinparent", "tendon", "cranksite", "slidersite", "site", "refsite", "body", "slidejoint"];

/// Gain and bias, as the levels read so far have left them.
struct Drive {
    gain: f64,
    bias: [f64; 3],
    /// Whether gain and bias are of the kinds that are modelled.
    has_fixed_gain: bool,
    has_bias: bool,
    /// Why it is not modelled.
    fault: Option<String>,
}

/// All actuators of a file.
pub(super) fn read(
    sources: &Sources<'_>,
    classes: &Classes<'_>,
    settings: &Settings,
    model: &Model,
) -> Result<Vec<ModelActuator>, LoadError> {
    let one = |part: Part<'_>| {
        let stated = classes.stated(part, "actuator", None)?;
        let mut drive = Drive { gain: 1.0, bias: [0.0; 3], has_fixed_gain: true, has_bias: false, fault: None };
        for level in stated.levels.iter().rev() {
            drive.apply(*level)?;
        }
        // What a <velocity> inherits from a <position> differs between versions of MuJoCo; a <motor> inherits no gain.
        let own = part.name();
        let other = stated.levels.iter().map(|level| level.name()).find(|name| *name != "general" && *name != own);
        if let Some(other) = other.filter(|_| own != "motor") {
            drive.fault = Some(format!("its default is a <{other}>"));
        }
        Ok(ModelActuator {
            name: part.text("name").filter(|name| !name.is_empty()).map(str::to_owned),
            element: part.name().to_owned(),
            law: law(&stated, model, drive)?,
            control_range: range(&stated, settings, "ctrlrange", "ctrllimited")?,
            force_range: range(&stated, settings, "forcerange", "forcelimited")?,
        })
    };
    sources.section("actuator").into_iter().map(one).collect()
}

impl Drive {
    fn apply(&mut self, level: Part<'_>) -> Result<(), LoadError> {
        match level.name() {
            "general" => {
                if let Some(kind) = level.text("gaintype") {
                    self.has_fixed_gain = kind == "fixed";
                }
                if let Some(kind) = level.text("biastype") {
                    self.has_bias = kind == "affine";
                    if !matches!(kind, "none" | "affine") {
                        self.fault = Some(format!("its biastype is {kind}"));
                    }
                }
                if let Some(kind) = level.text("dyntype").filter(|kind| *kind != "none") {
                    self.fault = Some(format!("its dyntype is {kind}"));
                }
                if let Some(list) = level.list("gainprm")? {
                    self.gain = list.first().copied().unwrap_or(self.gain);
                }
                if let Some(list) = level.list("biasprm")? {
                    for (own, given) in self.bias.iter_mut().zip(&list) {
                        *own = *given;
                    }
                }
            }
            "motor" => {
                (self.gain, self.has_fixed_gain, self.has_bias, self.fault) = (1.0, true, false, None);
            }
            "position" => {
                self.gain = level.number("kp")?.unwrap_or(self.gain);
                [self.bias[0], self.bias[1]] = [0.0, -self.gain];
                if let Some(kv) = level.number("kv")?.filter(|kv| *kv != 0.0) {
                    self.bias[2] = -kv;
                }
                (self.has_fixed_gain, self.has_bias) = (true, true);
                for attribute in ["dampratio", "timeconst"] {
                    if level.number(attribute)?.is_some_and(|value| value != 0.0) {
                        self.fault = Some(format!("it has a {attribute}"));
                    }
                }
            }
            "velocity" => {
                self.gain = level.number("kv")?.unwrap_or(self.gain);
                self.bias = [0.0, 0.0, -self.gain];
                (self.has_fixed_gain, self.has_bias, self.fault) = (true, true, None);
            }
            other => self.fault = Some(format!("it is a {other}")),
        }
        for attribute in ["delay", "nsample"] {
            if level.number(attribute)?.is_some_and(|value| value != 0.0) {
                self.fault = Some(format!("it has a {attribute}"));
            }
        }
        Ok(())
    }
}

/// The force on a joint, or why it is not modelled.
fn law(stated: &Stated<'_>, model: &Model, drive: Drive) -> Result<Result<ActuatorLaw, String>, LoadError> {
    let Drive { gain, bias, has_fixed_gain, has_bias, fault } = drive;
    if let Some(fault) = fault {
        return Ok(Err(fault));
    }
    if !has_fixed_gain {
        return Ok(Err("its gaintype is not fixed".to_owned()));
    }
    if let Some(other) = OTHER_TARGETS.iter().find(|other| stated.part.text(other).is_some()) {
        return Ok(Err(format!("it acts on a {other}")));
    }
    let Some(name) = stated.part.text("joint") else { return Ok(Err("it acts on no joint".to_owned())) };
    let Some(joint) = model.joints().iter().position(|joint| joint.joint.name == name) else {
        return Ok(Err(format!("the model has no joint {name:?}")));
    };
    if !model.joints()[joint].joint.kind.is_single() {
        return Ok(Err(format!("joint {name:?} has several coordinates")));
    }
    let [gear, ..] = stated.overlaid("gear", [1.0, 0.0, 0.0, 0.0, 0.0, 0.0])?;
    let bias = if has_bias { bias } else { [0.0; 3] };
    if bias[1] > 0.0 || bias[2] > 0.0 {
        return Ok(Err(format!("its stiffness or damping is negative: biasprm = {bias:?}")));
    }
    Ok(Ok(ActuatorLaw { joint, gear, gain, bias }))
}

/// The bounds, if they act.
fn range(stated: &Stated<'_>, settings: &Settings, range: &str, limited: &str) -> Result<Option<[f64; 2]>, LoadError> {
    let words = [("false", Some(false)), ("true", Some(true)), ("auto", None)];
    let acts = stated.origin(limited).map_or(Ok(None), |origin| choice(origin, limited, &words))?.flatten();
    let bounds: Option<[f64; 2]> = stated.numbers(range)?;
    let bounds = bounds.filter(|[lower, upper]| lower < upper);
    Ok(if acts.unwrap_or(settings.autolimits) { bounds } else { None })
}
