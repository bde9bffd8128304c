//! When two bodies first touch within a step, by a bound on the rate of their gap: nothing is passed over, whatever the step.
//!
//! The gap of two bodies changes at most at the rate V = |v₁ - v₂| + |ω₁| ρ₁ + |ω₂| ρ₂. In a piece of time Δ with gaps g₀ and g₁ at its ends it
//! is nowhere below (g₀ + g₁ - V Δ)/2. Where that is positive nothing touches; otherwise the piece is halved, until the normal turns so little that the gap falls
//! and rises at most once.
//!
//! Two boxes that nothing connects are one gap, that of the whole bodies. Where some of their parts touch already, this gap is closed: the pieces are
//! halved until nothing moves far, and in each the parts that face each other at one of its ends are followed beyond their ends.

use carom_multibody::PairFeature;

use crate::error::Result;
use crate::setup::pair::BoxesInMotion;
use crate::simulation::Simulation;
use crate::simulation::event::touch::Approach;

/// V inside a piece, over the larger of its values at both ends, at most. Speeds of a step are polynomials that its error control keeps from
/// turning sharply.
const SWELL: f64 = 1.25;
/// A piece in which the bodies move by less than this part of their distance from each other, radii included, is searched for a root: the normal
/// turns by about as much.
const TURN: f64 = 0.2;
/// Halvings of one piece, at most: 2^-40 of a step is below the rounding of its time.
const DEEPEST: usize = 40;
/// Boxes overlap if they are deeper in each other than their closed parts by more than this part of what is near.
const OVERLAPS: f64 = 0.01;
/// Pieces of a step, at most. Beyond, what is left is searched as it is.
const MOST_PIECES: usize = 20_000;

/// What is followed between two places of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Item {
    /// A contact of two bodies.
    Pair(usize),
    /// Two boxes, none of whose parts touch.
    Boxes(usize),
    /// Two boxes, some of whose parts touch.
    Touching(usize),
}

/// Gap, rate and V of pairs at a place of the step.
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
            // What has just parted may have a rate that is negative by rounding.
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

    /// What may touch: open contacts of two bodies, those of two boxes together.
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

    /// How far the cores of a pair are from each other where they touch.
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

    /// The first touch of an open part of two boxes of which others touch, in a piece of the step in which they hardly move. Where a face comes down that is nearly flat, a part may face the other box
    /// inside the piece alone. Then the boxes are deeper in each other at the end of it, or where the next part touches, than the parts that touch already, and the piece is halved.
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

    /// How much deeper two boxes are in each other, at a fraction of the step, than their closed parts: these the dense output holds less well than the
    /// steps do.
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
            // Beyond their ends parts pass each other.
            self.place_at(touch)?;
            if self.system.watch.pair(*k).is_some_and(|pair| pair.facing(&self.system.dynamics).is_some()) {
                earliest = Some(touch);
            }
        }
        Ok(earliest)
    }
}
