//! States in the conventions of other engines.
//!
//! | | carom | MuJoCo | Pinocchio |
//! |---|---|---|---|
//! | order of joints | links in the order of the file | the same | by name, siblings sorted |
//! | quaternion | (w, x, y, z) | (w, x, y, z) | (x, y, z, w) |
//! | linear velocity of a free body | in the link's axes | in world axes | in the link's axes |
//! | angular velocity | in the link's axes | in the link's axes | in the link's axes |
//! | angle without limits | the angle | the angle | its cosine and sine |
//! | joint that mimics another | no coordinate | a coordinate and an equality | a coordinate |

use super::{JointKind, Model, ModelJoint, StateError};
use crate::{Quaternion, Vector};

/// Difference between a coordinate and the one that it mimics that counts as rounding, relative to 1 + its size.
const MIMIC_TOLERANCE: f64 = 1e-9;

impl Model {
    /// q and v of a state of MuJoCo, whose model has the same joints in the same order: that of this model's MJCF file.
    /// Quaternions are scaled to unit length, as MuJoCo does.
    ///
    /// # Errors
    /// A vector of another length, or a number that is not finite.
    pub fn read_mujoco_state(&self, qpos: &[f64], qvel: &[f64]) -> Result<(Vec<f64>, Vec<f64>), StateError> {
        self.check_vectors([("qpos", qpos, self.nq()), ("qvel", qvel, self.nv())])?;
        let (mut q, mut v) = (qpos.to_vec(), qvel.to_vec());
        for joint in self.joints() {
            match joint.joint.kind {
                JointKind::Floating => {
                    let turn = unit(&mut q[joint.coordinates.clone()][3..]).to_rotation();
                    let linear = &mut v[joint.velocities.clone()][..3];
                    let own = turn.apply_inverse(Vector::new(linear[0], linear[1], linear[2]));
                    linear.copy_from_slice(&own.to_array());
                }
                JointKind::Ball => {
                    unit(&mut q[joint.coordinates.clone()]);
                }
                _ => {}
            }
        }
        Ok((q, v))
    }

    /// qpos and qvel of MuJoCo for a state: see [`Model::read_mujoco_state`].
    ///
    /// # Errors
    /// A vector of another length, or a number that is not finite.
    pub fn mujoco_state(&self, configuration: &[f64], velocity: &[f64]) -> Result<(Vec<f64>, Vec<f64>), StateError> {
        self.check_vectors([("configuration", configuration, self.nq()), ("velocity", velocity, self.nv())])?;
        let (q, mut v) = (configuration.to_vec(), velocity.to_vec());
        for joint in self.joints().iter().filter(|joint| joint.joint.kind == JointKind::Floating) {
            let turn = quaternion(&q[joint.coordinates.clone()][3..]);
            let linear = &mut v[joint.velocities.clone()][..3];
            let world = turn.to_rotation().apply(Vector::new(linear[0], linear[1], linear[2]));
            linear.copy_from_slice(&world.to_array());
        }
        Ok((q, v))
    }

    fn check_vectors(&self, vectors: [(&'static str, &[f64], usize); 2]) -> Result<(), StateError> {
        for (field, numbers, expected) in vectors {
            check(field, numbers, expected)?;
        }
        Ok(())
    }
}

fn check(field: &'static str, numbers: &[f64], expected: usize) -> Result<(), StateError> {
    if numbers.len() != expected {
        return Err(StateError::Length { field, given: numbers.len(), expected });
    }
    match numbers.iter().position(|number| !number.is_finite()) {
        Some(index) => Err(StateError::NotFinite { field, index, value: numbers[index] }),
        None => Ok(()),
    }
}

fn quaternion(parts: &[f64]) -> Quaternion {
    Quaternion::from_array([parts[0], parts[1], parts[2], parts[3]])
}

/// Scales a quaternion to unit length in place. As in MuJoCo, one without direction is no rotation.
fn unit(parts: &mut [f64]) -> Quaternion {
    let unit = quaternion(parts).normalized().unwrap_or(Quaternion::from_array([1.0, 0.0, 0.0, 0.0]));
    parts.copy_from_slice(&unit.to_array());
    unit
}

/// A joint of a model of Pinocchio: `names[k]`, `idx_qs[k]`, `nqs[k]`, `idx_vs[k]`, `nvs[k]`, without the universe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PinocchioJoint {
    /// Its name.
    pub name: String,
    /// Its first coordinate.
    pub q: usize,
    /// Its number of coordinates.
    pub nq: usize,
    /// Its first velocity.
    pub v: usize,
    /// Its number of velocities.
    pub nv: usize,
}

/// Where the joints of a model of Pinocchio are in this crate's vectors.
#[derive(Debug, Clone, PartialEq)]
pub struct PinocchioLayout {
    entries: Vec<Entry>,
    /// nq and nv of Pinocchio's model, and of this crate's.
    theirs: [usize; 2],
    ours: [usize; 2],
}

#[derive(Debug, Clone, PartialEq)]
struct Entry {
    their: PinocchioJoint,
    q: usize,
    v: usize,
    form: Form,
    /// For a joint that mimics another: its multiplier and offset with respect to the joint that it follows in the end.
    mimic: Option<(f64, f64)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Free,
    Ball,
    Angle,
    /// An angle as a point of the circle.
    Circle,
}

impl PinocchioLayout {
    /// The layout of Pinocchio's model of the same robot. Joints are found by their names; a free-flyer of another name
    /// is the floating base.
    ///
    /// # Errors
    /// A joint that only one of the models has, or that they represent by other coordinates.
    pub fn new(model: &Model, joints: &[PinocchioJoint]) -> Result<Self, StateError> {
        let fault = |joint: &str, reason: String| StateError::OtherJoint { joint: joint.to_owned(), reason };
        let mut entries = Vec::with_capacity(joints.len());
        for their in joints {
            let named = model.find_joint(&their.name).filter(|joint| !joint.velocities.is_empty());
            let base = || {
                let mut floating = model.joints().iter().filter(|joint| joint.joint.kind == JointKind::Floating);
                let first = floating.next().filter(|_| floating.next().is_none());
                first.filter(|_| (their.nq, their.nv) == (7, 6))
            };
            let Some(own) = named.or_else(base) else {
                return Err(fault(&their.name, format!("{} has no moving joint of this name", model.name())));
            };
            let kind = own.joint.kind;
            let form = match (kind, their.nq, their.nv) {
                (JointKind::Floating, 7, 6) => Form::Free,
                (JointKind::Ball, 4, 3) => Form::Ball,
                (JointKind::Revolute | JointKind::Continuous | JointKind::Prismatic, 1, 1) => Form::Angle,
                (JointKind::Revolute | JointKind::Continuous, 2, 1) => Form::Circle,
                (_, nq, nv) => {
                    let reason = format!(
                        "it is {} here, and has {nq} coordinates and {nv} velocities in Pinocchio's model",
                        kind.name()
                    );
                    return Err(fault(&their.name, reason));
                }
            };
            let mimic = own.joint.mimic.is_some().then(|| coupling(model, own));
            entries.push(Entry {
                their: their.clone(),
                q: own.coordinates.start,
                v: own.velocities.start,
                form,
                mimic,
            });
        }
        let is_own = |joint: &&ModelJoint| joint.joint.mimic.is_none() && !joint.velocities.is_empty();
        for joint in model.joints().iter().filter(is_own) {
            let is_there = |entry: &&Entry| entry.mimic.is_none() && entry.v == joint.velocities.start;
            match entries.iter().filter(is_there).count() {
                1 => {}
                0 => return Err(fault(&joint.joint.name, "Pinocchio's model does not have it".to_owned())),
                _ => return Err(fault(&joint.joint.name, "Pinocchio's model has it twice".to_owned())),
            }
        }
        let end = |range: fn(&PinocchioJoint) -> usize| joints.iter().map(range).max().unwrap_or(0);
        let theirs = [end(|joint| joint.q + joint.nq), end(|joint| joint.v + joint.nv)];
        Ok(Self { entries, theirs, ours: [model.nq(), model.nv()] })
    }

    /// q and v of a state of Pinocchio. Angles given by cosine and sine are in (-π, π].
    ///
    /// # Errors
    /// A vector of another length, a number that is not finite, or a joint that does not follow the one that it mimics.
    pub fn read(&self, their_q: &[f64], their_v: &[f64]) -> Result<(Vec<f64>, Vec<f64>), StateError> {
        check("q", their_q, self.theirs[0])?;
        check("v", their_v, self.theirs[1])?;
        let (mut q, mut v) = (vec![0.0; self.ours[0]], vec![0.0; self.ours[1]]);
        for entry in self.entries.iter().filter(|entry| entry.mimic.is_none()) {
            let (from_q, from_v) = (&their_q[entry.their.q..], &their_v[entry.their.v..]);
            let (to_q, to_v) = (&mut q[entry.q..], &mut v[entry.v..]);
            to_v[..entry.their.nv].copy_from_slice(&from_v[..entry.their.nv]);
            match entry.form {
                Form::Free => {
                    to_q[..3].copy_from_slice(&from_q[..3]);
                    to_q[3..7].copy_from_slice(&[from_q[6], from_q[3], from_q[4], from_q[5]]);
                    unit(&mut to_q[3..7]);
                }
                Form::Ball => {
                    to_q[..4].copy_from_slice(&[from_q[3], from_q[0], from_q[1], from_q[2]]);
                    unit(&mut to_q[..4]);
                }
                Form::Angle => to_q[0] = from_q[0],
                Form::Circle => to_q[0] = from_q[1].atan2(from_q[0]),
            }
        }
        for entry in &self.entries {
            let Some((multiplier, offset)) = entry.mimic else { continue };
            let (position, speed) = (multiplier * q[entry.q] + offset, multiplier * v[entry.v]);
            let from = &their_q[entry.their.q..];
            let (found, expected) = match entry.form {
                Form::Circle => {
                    let (sin, cos) = position.sin_cos();
                    (position + (from[1] * cos - from[0] * sin).atan2(from[0] * cos + from[1] * sin), position)
                }
                _ => (from[0], position),
            };
            let missed = [(found, expected), (their_v[entry.their.v], speed)];
            if let Some(&(found, expected)) = missed
                .iter()
                .find(|(found, expected)| !((found - expected).abs() <= MIMIC_TOLERANCE * (1.0 + expected.abs())))
            {
                let reason = format!("it mimics another joint here and should be {expected}, but is {found}");
                return Err(StateError::OtherJoint { joint: entry.their.name.clone(), reason });
            }
        }
        Ok((q, v))
    }

    /// q and v of Pinocchio for a state.
    ///
    /// # Errors
    /// A vector of another length, or a number that is not finite.
    pub fn write(&self, configuration: &[f64], velocity: &[f64]) -> Result<(Vec<f64>, Vec<f64>), StateError> {
        check("configuration", configuration, self.ours[0])?;
        check("velocity", velocity, self.ours[1])?;
        let (mut q, mut v) = (vec![0.0; self.theirs[0]], vec![0.0; self.theirs[1]]);
        for entry in &self.entries {
            let (from_q, from_v) = (&configuration[entry.q..], &velocity[entry.v..]);
            let (to_q, to_v) = (&mut q[entry.their.q..], &mut v[entry.their.v..]);
            let (multiplier, offset) = entry.mimic.unwrap_or((1.0, 0.0));
            for (to, from) in to_v.iter_mut().zip(from_v).take(entry.their.nv) {
                *to = multiplier * from;
            }
            match entry.form {
                Form::Free => {
                    to_q[..3].copy_from_slice(&from_q[..3]);
                    to_q[3..7].copy_from_slice(&[from_q[4], from_q[5], from_q[6], from_q[3]]);
                }
                Form::Ball => to_q[..4].copy_from_slice(&[from_q[1], from_q[2], from_q[3], from_q[0]]),
                Form::Angle => to_q[0] = multiplier * from_q[0] + offset,
                Form::Circle => {
                    let angle = multiplier * from_q[0] + offset;
                    to_q[..2].copy_from_slice(&[angle.cos(), angle.sin()]);
                }
            }
        }
        Ok((q, v))
    }
}

/// Multiplier and offset of a joint with respect to the one that it follows in the end. Cycles are refused when a model is
/// built.
fn coupling(model: &Model, joint: &ModelJoint) -> (f64, f64) {
    let (mut multiplier, mut offset) = (1.0, 0.0);
    let mut mimic = joint.joint.mimic.as_ref();
    while let Some(one) = mimic {
        offset += multiplier * one.offset;
        multiplier *= one.multiplier;
        mimic = model.find_joint(&one.leader).and_then(|leader| leader.joint.mimic.as_ref());
    }
    (multiplier, offset)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::{self, Options};
    use crate::{Dynamics, LinkId};

    const ROBOT: &str = r#"<robot name="two">
        <link name="base"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <joint name="wheel" type="continuous"><parent link="base"/><child link="b"/><axis xyz="0 1 0"/></joint>
        <joint name="arm" type="prismatic"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/>
        <mimic joint="wheel" multiplier="-2" offset="0.5"/></joint></robot>"#;

    fn model() -> Model {
        load::text(ROBOT, "two.urdf".as_ref(), &Options::new().floating_base(true)).unwrap()
    }

    fn joint(name: &str, q: usize, nq: usize, v: usize, nv: usize) -> PinocchioJoint {
        PinocchioJoint { name: name.into(), q, nq, v, nv }
    }

    #[test]
    fn a_state_there_and_back_is_itself() {
        let model = model();
        let layout = [joint("root_joint", 0, 7, 0, 6), joint("arm", 7, 1, 6, 1), joint("wheel", 8, 2, 7, 1)];
        let layout = PinocchioLayout::new(&model, &layout).unwrap();
        let q = [0.1, -0.2, 0.3, 0.5, -0.5, 0.5, 0.5, 2.5];
        let v = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, -0.3];
        let (theirs, rates) = layout.write(&q, &v).unwrap();
        assert_eq!(theirs[3..7], [-0.5, 0.5, 0.5, 0.5]);
        assert_eq!((theirs[7], rates[6]), (-2.0 * 2.5 + 0.5, 0.6));
        assert_eq!(theirs[8..], [2.5_f64.cos(), 2.5_f64.sin()]);
        let (back, speed) = layout.read(&theirs, &rates).unwrap();
        assert!(back.iter().zip(&q).all(|(a, b)| (a - b).abs() < 1e-15), "{back:?}");
        assert_eq!(speed, v);
        let mut broken = theirs.clone();
        broken[7] += 1e-3;
        let error = layout.read(&broken, &rates).unwrap_err().to_string();
        assert!(error.contains("\"arm\"") && error.contains("mimics"), "{error}");
    }

    #[test]
    fn mujoco_has_the_linear_velocity_in_world_axes() {
        let model = model();
        let q = [0.0, 0.0, 0.0, 0.5, -0.5, 0.5, 0.5, 0.4];
        let v = [1.0, 2.0, 3.0, 0.4, 0.5, 0.6, -0.3];
        let (qpos, qvel) = model.mujoco_state(&q, &v).unwrap();
        let mut dynamics = Dynamics::new(model.clone());
        dynamics.set_state(&q, &v).unwrap();
        let (world, _) = dynamics.point_velocity(LinkId::from_index(1), Vector::ZERO);
        for k in 0..3 {
            assert!((qvel[k] - world.to_array()[k]).abs() < 1e-14);
        }
        assert_eq!(qvel[3..], v[3..]);
        // A quaternion of another length is scaled.
        let twice: Vec<f64> =
            qpos.iter().enumerate().map(|(k, x)| if (3..7).contains(&k) { 2.0 * x } else { *x }).collect();
        let (back, speed) = model.read_mujoco_state(&twice, &qvel).unwrap();
        assert_eq!(back, q);
        assert!(speed.iter().zip(&v).all(|(a, b)| (a - b).abs() < 1e-14), "{speed:?}");
        let error = model.read_mujoco_state(&q, &[f64::NAN; 7]).unwrap_err().to_string();
        assert_eq!(error, "qvel[0] = NaN is not finite");
        assert!(model.mujoco_state(&q[1..], &v).unwrap_err().to_string().contains("configuration has 7 numbers"));
    }

    #[test]
    fn other_joints_are_refused_by_name() {
        let model = model();
        let refused = |joints: &[PinocchioJoint]| PinocchioLayout::new(&model, joints).unwrap_err().to_string();
        let base = joint("root_joint", 0, 7, 0, 6);
        assert!(refused(std::slice::from_ref(&base)).contains("\"wheel\""));
        assert!(refused(&[base.clone(), joint("elbow", 7, 1, 6, 1)]).contains("\"elbow\""));
        assert!(refused(&[base.clone(), joint("wheel", 7, 4, 6, 3)]).contains("continuous"));
        assert!(refused(&[base.clone(), base, joint("wheel", 14, 1, 12, 1)]).contains("twice"));
    }
}
