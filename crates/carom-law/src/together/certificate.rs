//! Whether impulses satisfy the law, and the mode of each contact: from the impulses and velocities alone, independent of the
//! solver.

use super::strike::{Answer, CERTIFIED, Request, Strike};
use crate::contact::delassus::Dimension;
use crate::coulomb::local;
use crate::coulomb::{Block, tangential_residual};
use crate::impact::mode::Mode;
use crate::numeric::plane::{Vec2, dot, norm, scaled};

/// A contact that slides could have stuck if that needs less friction than it has by this fraction.
const MARGIN: f64 = 1e-9;

/// A contact's part of an answer.
struct Part<'a> {
    block: &'a Block,
    contact: &'a Request,
    impulse: [f64; 3],
    before: [f64; 3],
    after: [f64; 3],
    /// Bounds on the violations of the normal and tangential conditions, over the bound by the largest speed alone.
    allowed: [f64; 2],
}

impl Part<'_> {
    /// How far the contact is from sticking.
    fn sticking_error(&self) -> f64 {
        let (i, w_t) = (&self.impulse, self.block.w_t);
        let e_t = self.contact.e_t;
        let left = norm([self.after[1] + e_t * self.before[1], self.after[2] + e_t * self.before[2]]);
        let outside = w_t * (norm([i[1], i[2]]) - self.contact.mu_s * i[0]).max(0.0);
        left.max(outside)
    }

    /// How far it is from Coulomb's law on the average velocity.
    fn sliding_error(&self) -> f64 {
        tangential_residual(self.block.w_t, self.contact.mu_d, &self.impulse, self.sum())
    }

    /// `2 v̄_t`
    fn sum(&self) -> Vec2 {
        [self.before[1] + self.after[1], self.before[2] + self.after[2]]
    }

    fn mode(&self, speed: f64) -> Mode {
        let speed = speed * self.allowed[1];
        if self.impulse[0] == 0.0 {
            Mode::Separating
        } else if self.block.dimension == Dimension::Normal || self.sticking_error() <= CERTIFIED * speed {
            Mode::Stick
        } else if norm(self.sum()) <= CERTIFIED * speed {
            Mode::Reversal
        } else {
            Mode::Slip
        }
    }
}

impl Strike {
    fn parts<'a>(&'a self, answer: &'a Answer) -> impl Iterator<Item = Part<'a>> {
        let contacts = self.system.blocks.iter().zip(&self.contacts).zip(&self.allowed);
        contacts.map(|((block, contact), &allowed)| Part {
            block,
            contact,
            impulse: block.of(&answer.impulse),
            before: block.of(&self.before),
            after: block.of(&answer.after),
            allowed,
        })
    }

    /// The largest violation of the law at any contact, as a velocity over the largest speed.
    pub(crate) fn certificate(&self, answer: &Answer) -> f64 {
        let of = |(k, part): (usize, Part<'_>)| {
            let target = self.target(k, answer.factor);
            let [allowed_n, allowed_t] = part.allowed;
            let (pressed, beyond) = (part.block.w_nn * part.impulse[0], part.after[0] - target);
            let normal = pressed.min(beyond).abs() / allowed_n;
            let tangential = part.sticking_error().min(part.sliding_error()) / allowed_t;
            // Minima and maxima ignore NaN.
            let is_nan = part.impulse.iter().chain(&part.after).any(|x| x.is_nan());
            if is_nan { f64::INFINITY } else { normal.max(tangential) / self.speed }
        };
        self.parts(answer).enumerate().map(of).fold(0.0, f64::max)
    }

    /// The mode of each contact.
    pub(crate) fn modes(&self, answer: &Answer) -> Vec<Mode> {
        match &answer.modes {
            Some(modes) => modes.to_vec(),
            None => self.parts(answer).map(|part| part.mode(self.speed)).collect(),
        }
    }

    /// `u` of contact `k`, if it slips: against its friction or along its average velocity, whichever is larger.
    pub(crate) fn direction(&self, k: usize, answer: &Answer) -> Option<Vec2> {
        let block = &self.system.blocks[k];
        let (i, before, after) = (block.of(&answer.impulse), block.of(&self.before), block.of(&answer.after));
        let sum = [before[1] + after[1], before[2] + after[2]];
        let friction = [i[1], i[2]];
        let along = if block.w_t * norm(friction) > norm(sum) { scaled(-1.0, friction) } else { sum };
        let length = norm(along);
        (length > 0.0).then(|| scaled(1.0 / length, along))
    }

    /// Whether no sliding contact could stick instead, the others unchanged.
    pub(crate) fn is_strong(&self, answer: &Answer) -> bool {
        !self.could_stick(answer).contains(&true)
    }

    /// The contacts that slide but could stick, the others unchanged.
    pub(crate) fn could_stick(&self, answer: &Answer) -> Vec<bool> {
        let modes = self.modes(answer);
        let could = |(k, part): (usize, Part<'_>)| match modes[k] {
            Mode::Separating | Mode::Stick => false,
            Mode::Slip | Mode::Reversal => {
                let Part { block, contact, impulse, before, after, .. } = part;
                let target = self.target(k, answer.factor);
                let mut q = [after[0] - target, after[1] + contact.e_t * before[1], after[2] + contact.e_t * before[2]];
                for r in 0..block.dimension.rows() {
                    let row = &self.system.matrix.row(block.start + r)[block.range()];
                    q[r] -= row.iter().zip(&impulse).map(|(w, i)| w * i).sum::<f64>();
                }
                local::can_rest(&block.delassus, q, contact.mu_s * (1.0 - MARGIN))
            }
        };
        self.parts(answer).enumerate().map(could).collect()
    }

    /// The normal and tangential work of contact `k`, `v̄·i`.
    pub(crate) fn work(&self, k: usize, answer: &Answer) -> (f64, f64) {
        let block = &self.system.blocks[k];
        let (i, before, after) = (block.of(&answer.impulse), block.of(&self.before), block.of(&answer.after));
        let tangential = dot([before[1] + after[1], before[2] + after[2]], [i[1], i[2]]);
        (0.5 * (before[0] + after[0]) * i[0], 0.5 * tangential)
    }

    /// `K⁺ - K⁻`
    pub(crate) fn energy_change(&self, answer: &Answer) -> f64 {
        if let Some((rows, change)) = self.rows.as_ref().zip(answer.change.as_ref()) {
            return rows.energy_change(change);
        }
        (0..self.contacts.len()).map(|k| self.work(k, answer)).map(|(normal, tangential)| normal + tangential).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;
    use fastrand::Rng;

    fn hypot(a: &[f64]) -> f64 {
        a.iter().fold(0.0_f64, |length, x| length.hypot(*x))
    }

    /// A contact's part of a stacked vector: the normal, and the tangents.
    fn part<'a>(stacked: &'a [f64], block: &Block) -> (f64, &'a [f64]) {
        (stacked[block.start], &stacked[block.start + 1..block.start + block.dimension.rows()])
    }

    /// What stick and Coulomb's law on the average leave at a contact, by their definitions.
    fn violations(strike: &Strike, answer: &Answer, k: usize) -> [f64; 2] {
        let (block, contact) = (&strike.system.blocks[k], &strike.contacts[k]);
        let ((i_n, i_t), (_, v)) = (part(&answer.impulse, block), part(&strike.before, block));
        let after = part(&answer.after, block).1;
        let held: Vec<f64> = after.iter().zip(v).map(|(after, v)| after + contact.e_t * v).collect();
        let outside = block.w_t * (hypot(i_t) - contact.mu_s * i_n).max(0.0);
        // The distance to the projection onto the disk.
        let point: Vec<f64> = i_t.iter().zip(after.iter().zip(v)).map(|(i, (a, v))| i - (a + v) / block.w_t).collect();
        let (length, radius) = (hypot(&point), contact.mu_d * i_n);
        let share = if length > radius { radius / length } else { 1.0 };
        let off: Vec<f64> = i_t.iter().zip(&point).map(|(i, p)| i - share * p).collect();
        [hypot(&held).max(outside), block.w_t * hypot(&off)]
    }

    #[test]
    fn the_certificate_is_the_worst_violation_of_the_law() {
        let mut rng = Rng::with_seed(1);
        for _ in 0..500 {
            let count = rng.usize(1..=3);
            let dimensions = samples::dimensions(&mut rng, count);
            let strike = samples::strike(&mut rng, &dimensions, 7);
            let mut answer = samples::answer(&mut rng, &strike);
            answer.factor = rng.f64();
            let of = |k: usize| {
                let (block, contact, [allowed_n, allowed_t]) =
                    (&strike.system.blocks[k], &strike.contacts[k], strike.allowed[k]);
                let target =
                    if contact.is_at_rest { 0.0 } else { -answer.factor * contact.e * strike.before[block.start] };
                let normal = (block.w_nn * answer.impulse[block.start]).min(answer.after[block.start] - target).abs();
                let [stick, slide] = violations(&strike, &answer, k);
                (normal / allowed_n).max(stick.min(slide) / allowed_t) / strike.speed
            };
            let expected = (0..count).map(of).fold(0.0, f64::max);
            let found = strike.certificate(&answer);
            assert!((found - expected).abs() <= 1e-12 * expected, "{found} {expected}");
        }
    }

    /// Impulses that stick, reverse, slip or are zero, by construction; a contact does what its own conditions say, whoever else
    /// does what.
    #[test]
    fn each_contact_does_what_its_velocities_say() {
        let mut rng = Rng::with_seed(2);
        for _ in 0..300 {
            let mut strike = samples::strike(&mut rng, &[Dimension::Spatial; 2], 7);
            strike.contacts.iter_mut().for_each(|contact| contact.mu_s = 100.0);
            let mut answer = samples::answer(&mut rng, &strike);
            let modes = [Mode::Stick, Mode::Reversal, Mode::Slip, Mode::Separating];
            let wanted = [modes[rng.usize(0..4)], modes[rng.usize(0..4)]];
            for (k, mode) in wanted.into_iter().enumerate() {
                let (rows, e_t) = (strike.system.blocks[k].range(), strike.contacts[k].e_t);
                answer.impulse[rows.start] = if mode == Mode::Separating { 0.0 } else { 1.0 };
                // By 90 % of what counts as nothing.
                let off = 0.9 * CERTIFIED * strike.speed * strike.allowed[k][1];
                for (place, r) in rows.skip(1).enumerate() {
                    let v = strike.before[r];
                    let exact = match mode {
                        Mode::Stick => -e_t * v,
                        Mode::Reversal => -v,
                        Mode::Slip | Mode::Separating => v + 1.0,
                    };
                    answer.after[r] = exact + if place == 0 { off } else { 0.0 };
                }
            }
            assert_eq!(strike.modes(&answer), wanted);
            // Beyond that it slips.
            for (k, mode) in wanted.into_iter().enumerate() {
                if mode == Mode::Stick || mode == Mode::Reversal {
                    let first = strike.system.blocks[k].start + 1;
                    answer.after[first] += 0.2 * CERTIFIED * strike.speed * strike.allowed[k][1];
                    assert_eq!(strike.modes(&answer)[k], Mode::Slip);
                }
            }
        }
    }

    #[test]
    fn the_direction_is_that_of_the_larger_of_friction_and_average_velocity() {
        let mut rng = Rng::with_seed(3);
        for _ in 0..300 {
            let strike = samples::strike(&mut rng, &[Dimension::Spatial; 2], 7);
            let answer = samples::answer(&mut rng, &strike);
            for (k, block) in strike.system.blocks.iter().enumerate() {
                let ((_, i), (_, v), (_, a)) =
                    (part(&answer.impulse, block), part(&strike.before, block), part(&answer.after, block));
                let sum = [v[0] + a[0], v[1] + a[1]];
                let along = if block.w_t * hypot(i) > hypot(&sum) { [-i[0], -i[1]] } else { sum };
                let u = strike.direction(k, &answer).unwrap();
                assert!((hypot(&u) - 1.0).abs() < 1e-14);
                assert!((u[0] * along[1] - u[1] * along[0]).abs() < 1e-14 && dot(u, along) > 0.0);
            }
        }
    }

    /// The impulse with which contact `k` alone would come to rest, the other held: `i_k - W_kk⁻¹ y`.
    fn resting(strike: &Strike, answer: &Answer, k: usize) -> Vec<f64> {
        let (block, contact) = (&strike.system.blocks[k], &strike.contacts[k]);
        let d = block.dimension.rows();
        let own = nalgebra::DMatrix::from_fn(d, d, |i, j| strike.system.matrix[(block.start + i, block.start + j)]);
        let y = nalgebra::DVector::from_fn(d, |i, _| {
            let r = block.start + i;
            let target = if i == 0 { strike.target(k, answer.factor) } else { -contact.e_t * strike.before[r] };
            answer.after[r] - target
        });
        let change = own.cholesky().unwrap().solve(&y);
        (0..d).map(|i| answer.impulse[block.start + i] - change[i]).collect()
    }

    #[test]
    fn a_slip_could_stick_where_its_own_friction_allows_it() {
        let mut rng = Rng::with_seed(4);
        let mut counts = [0; 2];
        for _ in 0..500 {
            let mut strike = samples::strike(&mut rng, &[Dimension::Spatial, Dimension::Planar], 7);
            strike.contacts.iter_mut().for_each(|contact| contact.mu_s *= 2.0);
            let answer = samples::answer(&mut rng, &strike);
            for (k, could) in strike.could_stick(&answer).into_iter().enumerate() {
                if answer.impulse[strike.system.blocks[k].start] == 0.0 {
                    assert!(!could, "an open contact");
                    continue;
                }
                let i = resting(&strike, &answer, k);
                let room = strike.contacts[k].mu_s * i[0] - hypot(&i[1..]);
                if room.abs() > 1e-6 {
                    assert_eq!(could, i[0] > 0.0 && room > 0.0, "{i:?}");
                    counts[usize::from(could)] += 1;
                }
            }
        }
        assert!(counts.iter().all(|count| *count > 100), "{counts:?}");
    }

    #[test]
    fn the_work_of_all_contacts_is_the_change_of_the_kinetic_energy() {
        let mut rng = Rng::with_seed(5);
        for _ in 0..300 {
            let count = rng.usize(1..=3);
            let dimensions = samples::dimensions(&mut rng, count);
            let strike = samples::strike(&mut rng, &dimensions, 7);
            let mut answer = samples::answer(&mut rng, &strike);
            let rows = strike.rows.as_ref().unwrap();
            let change = rows.pushed(&answer.impulse);
            let square = |s: &mut dyn Iterator<Item = f64>| s.map(|s| 0.5 * s * s).sum::<f64>();
            let after = square(&mut rows.velocity.iter().zip(&change).map(|(s, x)| s + x));
            let expected = after - square(&mut rows.velocity.iter().copied());
            assert!((strike.energy_change(&answer) - expected).abs() < 1e-13 * (1.0 + after));
            // By the change of the whitened velocity, if that is known.
            answer.change = Some(change.into());
            assert!((strike.energy_change(&answer) - expected).abs() < 1e-13 * (1.0 + after));
        }
    }

    #[test]
    fn what_is_not_a_number_is_no_answer() {
        let mut rng = Rng::with_seed(6);
        let strike = samples::strike(&mut rng, &[Dimension::Spatial; 2], 7);
        for row in 0..strike.system.rows {
            let mut answer = samples::answer(&mut rng, &strike);
            answer.after[row] = f64::NAN;
            assert_eq!(strike.certificate(&answer), f64::INFINITY);
        }
    }
}
