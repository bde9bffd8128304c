//! Scenes that lines repeat, with other states and coefficients.

use std::collections::VecDeque;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

use carom_law::Outcome;
use carom_multibody::Warning;

use super::reader::{Reader, list, value};
use crate::document::Tree;
use crate::document::cursor::Cursor;
use crate::prepared::{PreparedScene, Sample, StatedBase, Striker};
use crate::record::RobotRecord;
use crate::record::writer::{RobotInState, RobotText};
use crate::scene::{StatedRoot, floating_root};

/// The largest number of scenes that are kept, each with the dynamics of its robot.
const CAPACITY: usize = 32;
/// The number of scenes that are remembered by a hash, to tell whether they are repeated.
const REMEMBERED: usize = 64;

/// Scenes that occurred in two lines or more, the last one used first.
#[derive(Debug, Default)]
pub(super) struct Scenes {
    known: VecDeque<KnownScene>,
    /// Hashes of scenes that occurred once. A scene that is not repeated is not worth keeping.
    remembered: VecDeque<u64>,
}

/// A scene that lines repeat.
#[derive(Debug)]
pub(super) struct KnownScene {
    /// Its keys and values, without those that vary.
    text: Vec<u8>,
    /// The base, verbatim.
    base: Vec<u8>,
    /// The base, if it gives the state of a floating joint: then it may vary.
    root: Option<StatedRoot>,
    /// The state of a line that states none.
    blank: (Vec<f64>, Vec<f64>),
    joints: Vec<Joint>,
    striker: Striker,
    sample: Sample,
    robot: RobotText,
    /// The joint that comes next if a line names them in the order of the model.
    next: usize,
}

/// A joint with a state of its own.
#[derive(Debug)]
struct Joint {
    name: Vec<u8>,
    coordinates: Range<usize>,
    velocities: Range<usize>,
    /// Whether it is the floating joint of the base.
    is_root: bool,
    /// Whether the present list has it.
    is_given: bool,
}

impl Scenes {
    /// The scene of a line, if it is known.
    pub(super) fn find(&mut self, reader: &Reader, line: &[u8]) -> Option<&mut KnownScene> {
        let base = &line[reader.base.clone()];
        let place = self.known.iter().position(|known| known.text == reader.scene && known.is_base(base))?;
        if place > 0 {
            let found = self.known.remove(place)?;
            self.known.push_front(found);
        }
        let known = self.known.front_mut()?;
        known.set_base(base)?;
        Some(known)
    }

    /// Whether the scene of a line occurred before.
    pub(super) fn is_repeated(&mut self, reader: &Reader, line: &[u8]) -> bool {
        let base = &line[reader.base.clone()];
        if self.known.iter().any(|known| known.text == reader.scene && known.is_base(base)) {
            return false;
        }
        let mut hasher = DefaultHasher::new();
        reader.scene.hash(&mut hasher);
        let hash = hasher.finish();
        if self.remembered.contains(&hash) {
            return true;
        }
        if self.remembered.len() >= REMEMBERED {
            self.remembered.pop_back();
        }
        self.remembered.push_front(hash);
        false
    }

    /// Keeps the scene of a line, if the same contact strikes in every state and the base does not depend on joints.
    pub(super) fn keep(&mut self, reader: &Reader, line: &[u8], tree: &Tree, scene: PreparedScene) {
        let base = &line[reader.base.clone()];
        if let Some(known) = KnownScene::new(reader.scene.clone(), base, tree, scene) {
            self.known.truncate(CAPACITY - 1);
            self.known.push_front(known);
        }
    }
}

impl KnownScene {
    fn new(text: Vec<u8>, base: &[u8], tree: &Tree, prepared: PreparedScene) -> Option<Self> {
        let _ = prepared.striking_contact()?;
        // A base that is placed by touch depends on all joints; the impulses of loops depend on the answer.
        if prepared.stated_base() == StatedBase::Touch || !prepared.scene().model().loops().is_empty() {
            return None;
        }
        let model = Arc::clone(prepared.scene().model());
        let floating = floating_root(&model);
        let root = match floating {
            Some(_) => Some(StatedRoot::of_scene(tree)?),
            None => None,
        };
        let blank = match &root {
            Some(root) => root.state(&model).ok()?,
            None => (model.home().to_vec(), vec![0.0; model.nv()]),
        };
        let has_state =
            model.joints().iter().enumerate().filter(|(_, joint)| model.moving_joint(&joint.joint.name).is_ok());
        let joints = has_state.map(|(index, joint)| Joint {
            name: joint.joint.name.clone().into_bytes(),
            coordinates: joint.coordinates.clone(),
            velocities: joint.velocities.clone(),
            is_root: Some(index) == floating,
            is_given: false,
        });
        // Warnings about the state come with each line.
        let mut record = RobotRecord::new(prepared.scene()).ok()?;
        let of_state = model.limit_warnings(prepared.scene().configuration()).len();
        record.warnings.truncate(record.warnings.len().checked_sub(of_state)?);
        let sample = prepared.sample();
        Some(Self {
            text,
            base: base.to_vec(),
            root,
            blank,
            joints: joints.collect(),
            striker: Striker::new(&Arc::new(prepared)),
            sample,
            robot: RobotText::new(&record)?,
            next: 0,
        })
    }

    /// Whether a line's base is that of the scene, or may be set.
    fn is_base(&self, base: &[u8]) -> bool {
        self.base == base || (self.root.is_some() && !base.is_empty() && !self.base.is_empty())
    }

    /// Sets the base; `None` if it is not one of the same robot.
    fn set_base(&mut self, base: &[u8]) -> Option<()> {
        if self.base == base {
            return Some(());
        }
        let root = StatedRoot::of_base(&value(base)?)?;
        if self.root.as_ref()?.is_floating() != root.is_floating() {
            return None;
        }
        self.blank = root.state(self.striker.scene().scene().model()).ok()?;
        self.base.clear();
        self.base.extend_from_slice(base);
        self.root = Some(root);
        Some(())
    }

    /// The outcome of a line; `None` for anything unexpected, and for errors.
    pub(super) fn outcome(&mut self, reader: &Reader, line: &[u8]) -> Option<Outcome> {
        self.sample.coefficients = reader.coefficients()?;
        (self.sample.guard, self.sample.law) = (reader.guard(), reader.law());
        self.sample.configuration.clone_from(&self.blank.0);
        self.sample.velocity.clone_from(&self.blank.1);
        if !reader.state.is_empty() {
            self.read_state(&line[reader.state.clone()])?;
        }
        self.striker.strike_alone(&self.sample)
    }

    fn read_state(&mut self, text: &[u8]) -> Option<()> {
        let mut cursor = Cursor::new(text);
        let mut seen = [false; 2];
        cursor.pass(b'{')?;
        loop {
            let part = match cursor.key()? {
                b"configuration" => 0,
                b"velocity" => 1,
                _ => return None,
            };
            if std::mem::replace(&mut seen[part], true) {
                return None;
            }
            match cursor.peek()? {
                b'{' => self.read_joints(&mut cursor, part)?,
                b'[' if self.base.is_empty() || self.root.is_none() => {
                    let numbers = self.part(part);
                    let length = numbers.len();
                    numbers.clear();
                    list(&mut cursor, numbers)?;
                    if numbers.len() != length {
                        return None;
                    }
                }
                _ => return None,
            }
            if !cursor.continues(b'}')? {
                break;
            }
        }
        cursor.is_at_end().then_some(())
    }

    fn part(&mut self, part: usize) -> &mut Vec<f64> {
        if part == 0 { &mut self.sample.configuration } else { &mut self.sample.velocity }
    }

    /// Numbers by joint name.
    fn read_joints(&mut self, cursor: &mut Cursor<'_>, part: usize) -> Option<()> {
        self.joints.iter_mut().for_each(|joint| joint.is_given = false);
        self.next = 0;
        cursor.pass(b'{')?;
        loop {
            let name = cursor.key()?;
            let place = match self.joints.get(self.next) {
                Some(joint) if joint.name == name => self.next,
                _ => self.joints.iter().position(|joint| joint.name == name)?,
            };
            self.next = place + 1;
            let joint = &mut self.joints[place];
            // The state of the base may not be given twice, and its velocity depends on its pose.
            if std::mem::replace(&mut joint.is_given, true) || (joint.is_root && !self.base.is_empty()) {
                return None;
            }
            let range = if part == 0 { joint.coordinates.clone() } else { joint.velocities.clone() };
            let slots = self.part(part).get_mut(range)?;
            match slots {
                [slot] if cursor.peek()? != b'[' => *slot = cursor.number()?,
                slots => {
                    let mut open = b'[';
                    for slot in slots {
                        cursor.pass(open)?;
                        *slot = cursor.number()?;
                        open = b',';
                    }
                    cursor.pass(b']')?;
                }
            }
            if !cursor.continues(b'}')? {
                return Some(());
            }
        }
    }

    /// Warnings about the state of the last outcome.
    pub(super) fn state_warnings(&self) -> Vec<Warning> {
        self.striker.scene().scene().model().limit_warnings(&self.sample.configuration)
    }

    /// The robot in the state of the last outcome.
    pub(super) fn robot<'a>(&'a self, warnings: &'a [Warning]) -> Option<RobotInState<'a>> {
        let (position, gap) = self.striker.contact_position()?;
        Some(RobotInState { text: &self.robot, position: position.to_array(), gap, warnings })
    }
}
