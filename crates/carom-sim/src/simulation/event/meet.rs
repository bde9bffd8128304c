//! When two bodies first touch within a step, by a bound on the rate of their gap: no touch is missed, however long the
//! step.
//!
//! The gap of two bodies changes at a rate of at most V = |v₁ - v₂| + |ω₁| ρ₁ + |ω₂| ρ₂. In an interval of length Δ
//! with gaps g₀ and g₁ at its ends it is nowhere below (g₀ + g₁ - V Δ)/2. If that is positive, there is no touch;
//! otherwise the interval is halved, until the normal turns so little that the gap falls and rises at most once.
//!
//! Two boxes without a joint between them have one gap, that of the whole bodies. If some of their parts touch already,
//! this gap is closed: the pieces are halved until the motion in each is small, and in each piece the parts that face
//! each other at one of its ends are followed, also beyond their own ends.

use carom_multibody::PairFeature;

use crate::error::Result;
use crate::setup::pair::BoxesInMotion;
use crate::simulation::Simulation;
use crate::simulation::event::touch::Approach;

/// Bound on V inside a piece, relative to the larger of its values at both ends. Speeds within a step are polynomials,
/// and error control keeps their curvature small.
const SWELL: f64 = 1.25;
/// A piece in which the bodies move by less than this fraction of their distance from each other, radii included, is
/// searched for a root: the normal turns by about the same angle.
const TURN: f64 = 0.2;
/// Maximum halvings of one piece: 2^-40 of a step is below the rounding of its time.
const DEEPEST: usize = 40;
/// Boxes overlap if they penetrate deeper than their closed parts by more than this fraction of the distance that
/// counts as near.
const OVERLAPS: f64 = 0.01;
/// Maximum number of pieces of a step. Beyond it, the remaining pieces are searched without halving.
const MOST_PIECES: usize = 20_000;

/// An item whose gap is followed between two times of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Item {
    /// A contact of two bodies.
    Pair(usize),
    /// Two boxes, none of whose parts touch.
    Boxes(usize),
    /// Two boxes, some of whose parts touch.
    Touching(usize),
}

/// Gap, rate and V of pairs at a time of the step.
#[derive(Debug, Clone)]
struct Sight {
    at: f64,
    seen: Vec<(f64, f64, f64)>,
}

impl Simulation {
    /// The first time before `limit` at which two bodies that are apart touch, as a fraction of the step.
    pub(crate) fn first_touch_of_pairs(&mut self, limit: f64) -> Result<Option<f64>> {
        let open = self.open_items();
        if open.is_empty() {
            return Ok(None);
        }
        self.stepping.stepper.prepare_dense(&mut self.system)?;
        let (mut start, end) = (self.sight(0.0, &open)?, self.sight(limit, &open)?);
        for (&item, (gap, rate, _)) in open.iter().zip(&mut start.seen) {
            // A pair that has just separated may have a rate that is negative by rounding.
            let scales = self.system.scales.of(self.contact_of(item));
            if *rate > -scales.tiny && *gap <= scales.near {
                *rate = rate.max(0.0);
            }
        }
        // Pieces still to be searched, the next one last.
        let mut pieces = vec![(start, end, open, 0)];
        let mut count = 0;
        while let Some((from, to, pairs, depth)) = pieces.pop() {
            count += 1;
            let time = (to.at - from.at) * self.stepping.stepper.step();
            let doubtful: Vec<usize> = (0..pairs.len())
                .filter(|&place| {
                    let ((g_0, _, v_0), (g_1, _, v_1)) = (from.seen[place], to.seen[place]);
                    let acceleration = self.system.scales.of(self.contact_of(pairs[place])).acceleration;
                    let fastest = SWELL * v_0.max(v_1) + acceleration * time;
                    !(g_0 + g_1 - fastest * time > 0.0)
                })
                .collect();
            if doubtful.is_empty() {
                continue;
            }
            let is_smooth = |&place: &usize| {
                let ((g_0, _, v_0), (g_1, _, v_1)) = (from.seen[place], to.seen[place]);
                let sizes = self.sizes(pairs[place]);
                SWELL * v_0.max(v_1) * time <= TURN * (g_0.min(g_1).max(0.0) + sizes)
            };
            let pairs: Vec<Item> = doubtful.iter().map(|&place| pairs[place]).collect();
            let only =
                |sight: &Sight| Sight { at: sight.at, seen: doubtful.iter().map(|&place| sight.seen[place]).collect() };
            let is_last = depth >= DEEPEST || count > MOST_PIECES || doubtful.iter().all(is_smooth);
            let (from, to) = (only(&from), only(&to));
            if !is_last {
                let middle = self.sight(0.5 * (from.at + to.at), &pairs)?;
                pieces.push((middle.clone(), to, pairs.clone(), depth + 1));
                pieces.push((from, middle, pairs, depth + 1));
                continue;
            }
            let mut earliest: Option<f64> = None;
            for (place, &item) in pairs.iter().enumerate() {
                let ends = [&from, &to].map(|sight| (sight.at, sight.seen[place].0, sight.seen[place].1));
                let touch = match item {
                    Item::Pair(k) => self.touch_within(Approach::Contact(k), ends)?,
                    Item::Boxes(boxes) => self.touch_within(Approach::Boxes(boxes), ends)?,
                    Item::Touching(boxes) => self.touch_of_parts(boxes, from.at, to.at, 0)?,
                };
                if let Some(touch) = touch.filter(|touch| earliest.is_none_or(|earliest| *touch < earliest)) {
                    earliest = Some(touch);
                }
            }
            if earliest.is_some() {
                return Ok(earliest);
            }
        }
        Ok(None)
    }

    /// The items that may touch: open contacts of two bodies, with those of two boxes as one item.
    fn open_items(&self) -> Vec<Item> {
        let watch = &self.system.watch;
        let is_part = |k: usize| watch.boxes.iter().any(|boxes| boxes.contacts.contains(&k));
        let single = (watch.first_pair()..self.system.contacts.len()).filter(|&k| self.is_open(k) && !is_part(k));
        let of_boxes = watch.boxes.iter().enumerate().map(|(place, boxes)| {
            match boxes.contacts.clone().any(|k| self.system.contacts[k].mode.is_closed()) {
                true => Item::Touching(place),
                false => Item::Boxes(place),
            }
        });
        single.map(Item::Pair).chain(of_boxes).collect()
    }

    /// A contact whose scales are those of an item.
    fn contact_of(&self, item: Item) -> usize {
        match item {
            Item::Pair(k) => k,
            Item::Boxes(boxes) | Item::Touching(boxes) => self.system.watch.boxes[boxes].contacts.start,
        }
    }

    /// Distance between the cores of a pair when the bodies touch.
    fn sizes(&self, item: Item) -> f64 {
        self.system.watch.pair(self.contact_of(item)).map_or(0.0, |pair| pair.roundness())
    }

    fn sight(&mut self, at: f64, items: &[Item]) -> Result<Sight> {
        self.place_at(at)?;
        let mut seen = Vec::with_capacity(items.len());
        for &item in items {
            let Some(pair) = self.system.watch.pair(self.contact_of(item)) else { continue };
            let dynamics = &mut self.system.dynamics;
            let (gap, rate) = match item {
                Item::Pair(_) => pair.measure(dynamics),
                Item::Boxes(boxes) => self.system.watch.boxes[boxes].measure(dynamics),
                Item::Touching(_) => (0.0, 0.0),
            };
            seen.push((gap, rate, pair.fastest(dynamics)));
        }
        Ok(Sight { at, seen })
    }

    /// The first touch of an open part of two boxes that already touch with other parts, in a piece of the step in
    /// which they hardly move. When a face comes down almost flat, a part may face the other box only inside the piece.
    /// Then, at the end of the piece or where the next part touches, the boxes penetrate deeper than the parts already
    /// in contact, and the piece is halved.
    fn touch_of_parts(&mut self, boxes: usize, from: f64, to: f64, depth: usize) -> Result<Option<f64>> {
        let found = self.touch_of_facing_parts(boxes, from, to)?;
        let end = found.unwrap_or(to);
        let bound = OVERLAPS * self.system.scales.of(self.system.watch.boxes[boxes].contacts.start).near;
        let middle = 0.5 * (from + end);
        if depth >= DEEPEST || !(from < middle && middle < end) {
            return Ok(found);
        }
        if self.overlap_of_open_parts(boxes, from)? > bound || !(self.overlap_of_open_parts(boxes, end)? > bound) {
            return Ok(found);
        }
        let first = self.touch_of_parts(boxes, from, middle, depth + 1)?;
        let touch = if first.is_some() { first } else { self.touch_of_parts(boxes, middle, end, depth + 1)? };
        Ok(touch.or(found))
    }

    /// By how much two boxes penetrate deeper, at a fraction of the step, than their closed parts, whose gaps drift
    /// more in the dense output than over the step.
    fn overlap_of_open_parts(&mut self, boxes: usize, at: f64) -> Result<f64> {
        let (gap, _) = self.approach_at(at, Approach::Boxes(boxes))?;
        let (watch, contacts) = (&self.system.watch, &self.system.contacts);
        let moving = BoxesInMotion::new(&mut self.system.dynamics, &watch.boxes[boxes].bodies);
        let closed = watch.boxes[boxes].contacts.clone().filter(|&k| contacts[k].mode.is_closed());
        let depth_of = |k: usize| watch.pair(k).map_or(0.0, |pair| pair.measure_part_of(&moving).0);
        Ok(closed.map(depth_of).fold(0.0, f64::min) - gap)
    }

    /// The first touch of an open part that faces the other box at one of the ends of a piece of the step.
    fn touch_of_facing_parts(&mut self, boxes: usize, from: f64, to: f64) -> Result<Option<f64>> {
        let mut found: Vec<(usize, PairFeature)> = Vec::new();
        let contacts = self.system.watch.boxes[boxes].contacts.clone();
        for at in [from, to] {
            self.place_at(at)?;
            for k in contacts.clone().filter(|&k| self.is_open(k)) {
                let facing = self.system.watch.pair(k).and_then(|pair| pair.facing(&self.system.dynamics));
                if let Some(facing) = facing
                    && !found.contains(&(k, facing.feature))
                {
                    found.push((k, facing.feature));
                }
            }
        }
        let mut earliest: Option<f64> = None;
        for (k, feature) in &found {
            let approach = Approach::Part(*k, feature);
            let (gap, mut rate) = self.approach_at(from, approach)?;
            let scales = *self.system.scales.of(*k);
            if rate > -scales.tiny && gap <= scales.near {
                rate = rate.max(0.0);
            }
            let (next_gap, next_rate) = self.approach_at(to, approach)?;
            let touch = self.touch_within(approach, [(from, gap, rate), (to, next_gap, next_rate)])?;
            let Some(touch) = touch.filter(|touch| earliest.is_none_or(|earliest| *touch < earliest)) else { continue };
            // Beyond their ends, parts pass each other.
            self.place_at(touch)?;
            if self.system.watch.pair(*k).is_some_and(|pair| pair.facing(&self.system.dynamics).is_some()) {
                earliest = Some(touch);
            }
        }
        Ok(earliest)
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;
    use std::sync::Arc;

    use carom_law::{Coefficients, Restitution};
    use carom_multibody::{BodyPair, LinkId, PairSide, Placement, Solid};

    use super::{Item, Simulation};
    use crate::WatchedPair;
    use crate::simulation::motion::contact::Mode;
    use crate::simulation::tests::{assert_near, attempt, model, one_step, setup, weightless};

    /// A solid that moves along x and turns about y for one step of this length from this position and angle, beside
    /// others at rest. Gravity has no component along x.
    fn beside(
        joint: &str,
        solid: Solid,
        [place, speed, angle, spin]: [f64; 4],
        others: &[(Solid, [f64; 3])],
        step: f64,
    ) -> Simulation {
        let model = model(&format!(
            r#"<body name="body"><joint name="x" type="slide" axis="1 0 0" {joint}/>
            <joint name="turn" type="hinge" axis="0 1 0"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>"#
        ));
        let mut setup = setup(Arc::clone(&model));
        (setup.configuration, setup.velocity) = (vec![place, angle], vec![speed, spin]);
        let link = model.find_link("body").unwrap();
        for (k, (other, at)) in others.iter().enumerate() {
            let moving = PairSide { link, placement: Placement::IDENTITY, solid: solid.clone() };
            let fixed = PairSide { link: LinkId::WORLD, placement: Placement::at(*at), solid: other.clone() };
            setup.pairs.push(WatchedPair {
                name: format!("pair {k}"),
                bodies: BodyPair { sides: [moving, fixed] },
                coefficients: Coefficients { restitution: Restitution::ZERO, friction: None },
            });
        }
        one_step(setup, step)
    }

    fn ball(radius: f64) -> Solid {
        Solid::ball(radius).unwrap()
    }

    /// A ball that passes another in the middle of a step and is far from it at both ends: they touch where x² +
    /// offset² is the square of the sum of their radii.
    #[test]
    fn balls_that_pass_each_other_within_a_step_touch_if_they_come_near_enough() {
        for step in [0.25, 1.0, 4.0] {
            for way in [2.0, -3.0, 800.0] {
                for offset in [0.0, 0.25, 0.2999, 0.3 - 1e-9] {
                    let motion = [-0.5 * way, way / step, 0.0, 0.0];
                    let mut simulation = beside("", ball(0.1), motion, &[(ball(0.2), [0.01, 0.0, offset])], step);
                    let half = (0.09 - offset * offset).sqrt();
                    let wanted = 0.5 + (0.01 - half * way.signum()) / way;
                    let found = simulation.first_touch_of_pairs(1.0).unwrap();
                    let found = found.unwrap_or_else(|| panic!("{step} {way} {offset}: nothing touched"));
                    assert_near(found, wanted, 1e-13 / half);
                    assert_eq!(simulation.first_touch_of_pairs(wanted - 1e-3 / way.abs()).unwrap(), None);
                }
                for offset in [0.3 + 1e-9, 0.31, 10.0] {
                    let motion = [-0.5 * way, way / step, 0.0, 0.0];
                    let mut simulation = beside("", ball(0.1), motion, &[(ball(0.2), [0.01, 0.0, offset])], step);
                    assert_eq!(simulation.first_touch_of_pairs(1.0).unwrap(), None, "{step} {way} {offset}");
                }
            }
        }
    }

    /// A thin rod turns fifty times in a step beside a ball, with and without its tips touching it: they touch at
    /// sin θ = (d² + l² - r²)/(2 d l).
    #[test]
    fn a_tip_that_touches_a_ball_once_in_half_a_turn_is_not_missed_in_a_step_of_many() {
        for radius in [0.001, 0.1] {
            let rod = Solid::capsule(radius, 0.5).unwrap();
            let way = 0.5 + 1.9 * radius;
            for (other, touches) in [(1.1 * radius, true), (0.85 * radius, false)] {
                let reach = radius + other;
                let motion = [0.0, 0.0, 0.3, 100.0 * PI];
                let mut simulation = beside("", rod.clone(), motion, &[(ball(other), [way, 0.0, 0.0])], 1.0);
                let angle = ((way * way + 0.25 - reach * reach) / way).asin();
                let wanted = (angle - 0.3) / (100.0 * PI);
                let found = simulation.first_touch_of_pairs(1.0).unwrap();
                assert_eq!(found.is_some(), touches, "{radius} {other}");
                if let Some(found) = found {
                    assert_near(found, wanted, 1e-13);
                }
            }
        }
    }

    #[test]
    fn the_first_of_all_pairs_that_touch_is_the_one_that_strikes() {
        let [near, far] = [0.5, 0.6].map(|x| (ball(0.1), [x, 0.0, 0.0]));
        for others in [[near.clone(), far.clone()], [far, near]] {
            let mut simulation = beside("", ball(0.1), [0.2, 0.4, 0.0, 0.0], &others, 1.0);
            assert_near(simulation.first_touch_of_pairs(1.0).unwrap().unwrap(), 0.25, 1e-13);
            // A contact that is closed, or that penetrated while it was not armed, is ignored.
            let nearest = if others[0].1[0] < others[1].1[0] { 0 } else { 1 };
            simulation.system.contacts[nearest].is_armed = false;
            assert_near(simulation.first_touch_of_pairs(1.0).unwrap().unwrap(), 0.5, 1e-13);
            assert_eq!(simulation.open_items(), [Item::Pair(1 - nearest)]);
            simulation.system.contacts[1 - nearest].mode = Mode::Stick;
            assert_eq!(simulation.first_touch_of_pairs(1.0).unwrap(), None);
        }
    }

    #[test]
    fn of_two_pairs_that_touch_at_nearly_the_same_time_the_first_one_strikes() {
        let [near, far] = [0.5, 0.501].map(|x| (ball(0.1), [x, 0.0, 0.0]));
        for others in [[near.clone(), far.clone()], [far, near]] {
            let mut simulation = beside("", ball(0.1), [0.2, 0.4, 0.0, 0.0], &others, 1.0);
            assert_near(simulation.first_touch_of_pairs(1.0).unwrap().unwrap(), 0.25, 1e-13);
        }
    }

    /// Approaching more slowly than rounding, and penetrating by a picometre: they separate.
    #[test]
    fn a_pair_that_has_just_parted_does_not_touch_again() {
        let mut simulation = beside("", ball(0.1), [-0.3 + 1e-12, 1.0, 0.0, 0.0], &[(ball(0.2), [0.0; 3])], 1.0);
        let tiny = simulation.system.scales.of(0).tiny;
        for (rate, touches) in [(0.5 * tiny, false), (2.0 * tiny, true)] {
            // A spring pulls it away from the other.
            let joint = r#"stiffness="1" springref="-1""#;
            let motion = [-0.3 + 1e-12, rate, 0.0, 0.0];
            simulation = beside(joint, ball(0.1), motion, &[(ball(0.2), [0.0; 3])], 0.5);
            assert_eq!(simulation.first_touch_of_pairs(1.0).unwrap(), touches.then_some(0.0), "{rate:e}");
        }
    }

    /// The corners of a box that turns as it approaches a wall reach b (|cos θ| + |sin θ|) from its centre.
    #[test]
    fn a_box_that_turns_as_it_comes_to_a_wall_touches_it_with_its_first_corner() {
        let cuboid = |half| Solid::cuboid(half).unwrap();
        let wall = [(cuboid([0.1, 1.0, 1.0]), [0.45, 0.0, 0.0])];
        for k in 0..12 {
            let (speed, spin) = (1.0 + 0.1 * f64::from(k), 1.7 * f64::from(k % 5) - 3.0);
            let mut simulation = beside("", cuboid([0.1; 3]), [-0.4, speed, 0.2, spin], &wall, 1.0);
            assert_eq!(simulation.open_items(), [Item::Boxes(0)]);
            let gap = |t: f64| {
                let angle = 0.2 + spin * t;
                0.35 - (-0.4 + speed * t) - 0.1 * (angle.cos().abs() + angle.sin().abs())
            };
            let first = (0..10_000).map(|k| 1e-4 * f64::from(k)).find(|t| gap(t + 1e-4) < 0.0).unwrap();
            let (mut from, mut to) = (first, first + 1e-4);
            for _ in 0..60 {
                let middle = 0.5 * (from + to);
                if gap(middle) < 0.0 { to = middle } else { from = middle }
            }
            assert_near(simulation.first_touch_of_pairs(1.0).unwrap().unwrap(), to, 1e-12);
        }
    }

    /// A box, 0.2 m wide, that tips about an edge lying on a table of this half width, from this angle above to the
    /// same angle below: its face is flat in the middle of the step.
    fn tipping(angle: f64, half_width: f64) -> Simulation {
        let model = model(
            r#"<body name="box"><joint name="z" type="slide" axis="0 0 1"/><joint name="turn" type="hinge" axis="0 1 0"/>
            <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>"#,
        );
        let side = |link, at: [f64; 3], half| PairSide {
            link,
            placement: Placement::at(at),
            solid: Solid::cuboid(half).unwrap(),
        };
        let upper = side(model.find_link("box").unwrap(), [0.1, 0.0, 0.1], [0.1; 3]);
        let table = side(LinkId::WORLD, [0.0, 0.0, -0.1], [0.5, half_width, 0.1]);
        let mut setup = weightless(setup(model));
        (setup.configuration, setup.velocity) = (vec![0.0, -angle], vec![0.0, 2.0 * angle]);
        setup.pairs.push(WatchedPair {
            name: "box on table".into(),
            bodies: BodyPair { sides: [upper, table] },
            coefficients: Coefficients { restitution: Restitution::ZERO, friction: None },
        });
        let mut simulation = Simulation::new(setup).unwrap();
        for k in 0..simulation.system.contacts.len() {
            if simulation.system.contacts[k].gap.abs() < 1e-12 {
                simulation.set_mode(k, Mode::Stick);
            }
        }
        simulation.system.adopt_modes();
        attempt(&mut simulation, 1.0);
        simulation
    }

    #[test]
    fn the_second_edge_of_a_box_that_turns_down_about_the_first_is_not_missed() {
        for angle in [1e-6, 1e-3, 0.3] {
            let mut simulation = tipping(angle, 0.5);
            assert_eq!(simulation.open_items(), [Item::Touching(0)]);
            let found = simulation.first_touch_of_pairs(1.0).unwrap();
            assert_near(found.unwrap_or(f64::NAN), 0.5, 1e-9);
        }
    }

    /// Also on a table as wide as the box.
    #[test]
    fn a_face_that_comes_down_flush_is_found_in_a_piece_of_any_length() {
        let mut simulation = tipping(1e-3, 0.1);
        assert_near(simulation.touch_of_parts(0, 0.0, 1.0, 0).unwrap().unwrap_or(f64::NAN), 0.5, 1e-6);
        assert_eq!(simulation.touch_of_parts(0, 0.0, 0.4, 0).unwrap(), None);
    }
}
