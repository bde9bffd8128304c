//! Answers with all the digits of `A` and `M` where `W` is ill-conditioned.
//!
//! The action of each contact is taken from impulses found through `W`. With the actions given, the velocities of some rows are
//! prescribed and the impulses of the others follow from those of their contact: linear equations for the change of the whitened
//! velocity, whose error grows with the root of the condition of `W` in the impulses and not at all in the velocities. If an
//! impulse is then tensile or leaves its cone, or a contact penetrates or slides backwards, the action of that contact is changed, and
//! the equations are solved again.

use super::strike::{Answer, CERTIFIED, NO_IMPULSE, Strike};
use super::whitened::StrikingRows;
use crate::contact::delassus::Dimension;
use crate::impact::mode::Mode;
use crate::numeric::basis::{Basis, dot, length};
use crate::numeric::plane::{Vec2, add_scaled, cross, norm, scaled};
use crate::numeric::tolerance::ACCURACY;

/// Largest number of changes of actions, and how many more for each contact.
const ROUNDS: usize = 12;
const ROUNDS_A_CONTACT: usize = 4;

/// A tangential impulse that fills its cone but for this fraction slides.
const FULL: f64 = 1e-6;

/// A tangential impulse outside its cone by up to this fraction counts as inside: a tenth of the tolerance of the check.
const EDGE: f64 = 1e-10;

/// A direction of slip is kept if the velocity across it is below this fraction of the average velocity, or of the largest speed.
const SAME_DIRECTION: f64 = 1e-14;

/// Impulses are rejected if they miss the prescribed change of the whitened velocity by more than this fraction of the sum of the
/// absolute changes that they cause.
const MISSED: f64 = 0.1 * ACCURACY;

/// The first turn of a direction of slip, at most: where friction is strong, a large one leads far away. Then the secant of the last
/// two, if it is no longer than this.
const FIRST_TURN: f64 = 1e-4;
const LONGEST_TURN: f64 = 0.5;

/// The action of a contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Action {
    Open,
    Stick,
    Reversal,
    /// Along a unit vector.
    Slip(Vec2),
}

impl Action {
    fn mode(self) -> Mode {
        match self {
            Action::Open => Mode::Separating,
            Action::Stick => Mode::Stick,
            Action::Reversal => Mode::Reversal,
            Action::Slip(_) => Mode::Slip,
        }
    }
}

/// A direction of slip and the velocity across it, for the secant method.
#[derive(Debug, Clone, Copy)]
struct Turned {
    angle: f64,
    across: f64,
}

impl Strike {
    /// The rows of contacts whose `W` is ill-conditioned.
    pub(super) fn ill_conditioned(&self) -> Option<&StrikingRows> {
        self.rows.as_ref().filter(|rows| rows.is_ill)
    }

    /// The answer near impulses found through `W`; `None` unless `W` is ill-conditioned.
    pub(super) fn precise(&self, near: &[f64], may_stick: &[bool], factor: f64) -> Option<Answer> {
        let rows = self.ill_conditioned()?;
        let mut actions: Vec<Action> = (0..self.contacts.len()).map(|k| self.action(k, near, may_stick[k])).collect();
        let mut turned: Vec<Option<Turned>> = vec![None; actions.len()];
        let mut best: Option<Answer> = None;
        for _ in 0..ROUNDS + ROUNDS_A_CONTACT * actions.len() {
            let (answer, _) = self.act(rows, &actions, factor)?;
            let next = self.changed(&actions, &answer, may_stick, factor, &mut turned);
            if best.as_ref().is_none_or(|best| answer.residual < best.residual) {
                best = Some(answer);
            }
            match next {
                Some(next) => actions = next,
                None => break,
            }
        }
        best
    }

    /// The action of a contact, from its impulse.
    fn action(&self, k: usize, impulse: &[f64], may_stick: bool) -> Action {
        let (block, contact) = (&self.system.blocks[k], &self.contacts[k]);
        let [i_n, i_1, i_2] = block.of(impulse);
        let friction = norm([i_1, i_2]);
        if block.w_nn * i_n <= NO_IMPULSE * self.speed {
            Action::Open
        } else if block.dimension == Dimension::Normal
            || friction < (1.0 - FULL) * i_n * if may_stick { contact.mu_s } else { contact.mu_d }
        {
            if may_stick || block.dimension == Dimension::Normal { Action::Stick } else { Action::Reversal }
        } else if friction > 0.0 {
            Action::Slip(scaled(-1.0 / friction, [i_1, i_2]))
        } else {
            let [_, x, y] = block.of(&self.before);
            Action::Slip(unit([x, y]).unwrap_or([1.0, 0.0]))
        }
    }

    /// The impulses that produce the given actions, whether or not these are consistent; and whether they are unique.
    pub(super) fn act(&self, rows: &StrikingRows, actions: &[Action], factor: f64) -> Option<(Answer, bool)> {
        let columns = rows.velocity.len();
        // The rows whose velocities are prescribed, by how much these change, and what a unit of impulse does there.
        let (mut held, mut products, mut pushes) = (Vec::new(), Vec::new(), Vec::new());
        let mut has_friction = false;
        for (k, (block, contact)) in self.system.blocks.iter().zip(&self.contacts).enumerate() {
            let n = block.start;
            let mut push = rows.rows[n].clone();
            match actions[k] {
                Action::Open => continue,
                Action::Slip(u) => {
                    for (r, u) in block.range().skip(1).zip(u) {
                        push.iter_mut().zip(&rows.rows[r]).for_each(|(push, y)| *push -= contact.mu_d * u * y);
                    }
                    has_friction |= contact.mu_d > 0.0;
                }
                Action::Stick | Action::Reversal => {}
            }
            held.push(rows.rows[n].clone());
            products.push(self.target(k, factor) - self.before[n]);
            pushes.push(push);
            let share = match actions[k] {
                Action::Stick => contact.e_t,
                Action::Reversal => 1.0,
                Action::Open | Action::Slip(_) => continue,
            };
            for r in block.range().skip(1) {
                held.push(rows.rows[r].clone());
                products.push(-(1.0 + share) * self.before[r]);
                pushes.push(rows.rows[r].clone());
            }
        }
        let basis = Basis::new(&held, columns);
        let coordinates = basis.coordinates(&products);
        // The impulses: of those that do this, the shortest.
        let reduced: Vec<Vec<f64>> =
            basis.vectors().iter().map(|vector| pushes.iter().map(|push| dot(vector, push)).collect()).collect();
        let shortest = Basis::new(&reduced, pushes.len());
        let amounts = shortest.combined(&shortest.coordinates(&coordinates));
        let mut change = basis.combined(&coordinates);
        let (mut all, mut size) = (vec![0.0; columns], 0.0);
        for (push, amount) in pushes.iter().zip(&amounts) {
            all.iter_mut().zip(push).for_each(|(x, y)| *x += amount * y);
            size += amount.abs() * length(push);
        }
        let along: Vec<f64> = basis.vectors().iter().map(|vector| dot(vector, &all)).collect();
        // Where pushes depend on each other, there may be no impulses that do what is prescribed.
        let missed = along.iter().zip(&coordinates).map(|(along, wanted)| (along - wanted).abs()).fold(0.0, f64::max);
        if has_friction {
            // Friction also changes what no row prescribes.
            let inside = basis.combined(&along);
            change.iter_mut().zip(all.iter().zip(inside)).for_each(|(x, (all, inside))| *x += all - inside);
        }
        let is_unique = shortest.rank() == pushes.len();
        let impulse = self.distributed(actions, &amounts);
        let is_finite = change.iter().chain(&impulse).all(|x| x.is_finite());
        if !is_finite {
            return None;
        }
        let mut answer = self.acted(rows, actions, impulse, change, factor);
        if missed > MISSED * size {
            answer.residual = f64::INFINITY;
        }
        Some((answer, is_unique))
    }

    /// The impulses of all rows from those of the contacts that are not open.
    fn distributed(&self, actions: &[Action], amounts: &[f64]) -> Vec<f64> {
        let mut impulse = vec![0.0; self.system.rows];
        let mut amounts = amounts.iter().copied();
        for ((block, contact), action) in self.system.blocks.iter().zip(&self.contacts).zip(actions) {
            let own = &mut impulse[block.range()];
            match *action {
                Action::Open => {}
                Action::Slip(u) => {
                    own[0] = amounts.next().unwrap_or_default();
                    let friction = contact.mu_d * own[0];
                    own[1..].iter_mut().zip(u).for_each(|(i, u)| *i = -friction * u);
                }
                Action::Stick | Action::Reversal => own.fill_with(|| amounts.next().unwrap_or_default()),
            }
        }
        impulse
    }

    /// The answer with its certificate, according to the action of each contact.
    fn acted(
        &self,
        rows: &StrikingRows,
        actions: &[Action],
        mut impulse: Vec<f64>,
        change: Vec<f64>,
        factor: f64,
    ) -> Answer {
        let changes = rows.rows.iter().map(|row| dot(row, &change));
        let after: Vec<f64> = self.before.iter().zip(changes).map(|(v, change)| v + change).collect();
        let mut residual: f64 = 0.0;
        for (k, (block, contact)) in self.system.blocks.iter().zip(&self.contacts).enumerate() {
            let (i, v, v_after) = (block.of(&impulse), block.of(&self.before), block.of(&after));
            let [allowed_n, allowed_t] = self.allowed[k];
            let friction = norm([i[1], i[2]]);
            let beyond = |mu: f64| (friction - (1.0 + EDGE) * mu * i[0]).max(0.0) * block.w_t;
            let missing = v_after[0] - self.target(k, factor);
            let normal = match actions[k] {
                Action::Open => (-missing).max(0.0),
                _ => missing.abs().max(block.w_nn * (-i[0]).max(0.0)),
            };
            let sum = [v[1] + v_after[1], v[2] + v_after[2]];
            let tangential = match actions[k] {
                Action::Open => 0.0,
                Action::Stick => {
                    norm([v_after[1] + contact.e_t * v[1], v_after[2] + contact.e_t * v[2]]).max(beyond(contact.mu_s))
                }
                Action::Reversal => norm(sum).max(beyond(contact.mu_d)),
                Action::Slip(u) => cross(u, sum).abs().max(-(u[0] * sum[0] + u[1] * sum[1])).max(0.0),
            };
            residual = residual.max(normal / allowed_n).max(tangential / allowed_t);
            // Outside of its cone by rounding.
            let most = i[0].max(0.0) * if actions[k] == Action::Stick { contact.mu_s } else { contact.mu_d };
            if friction > most && friction <= (1.0 + EDGE) * most {
                impulse[block.range()][1..].iter_mut().for_each(|i| *i *= most / friction);
            }
        }
        let residual = if residual.is_nan() { f64::INFINITY } else { residual / self.speed };
        let may_stick = actions.iter().map(|action| *action == Action::Stick).collect();
        let modes = Some(actions.iter().map(|action| action.mode()).collect());
        Answer { impulse, after, may_stick, factor, residual, change: Some(change.into()), modes }
    }

    /// The next actions if an answer violates the law: the contact with the largest violation changes its action; without one,
    /// directions of slip are turned. `None` if nothing is violated.
    fn changed(
        &self,
        actions: &[Action],
        answer: &Answer,
        may_stick: &[bool],
        factor: f64,
        turned: &mut [Option<Turned>],
    ) -> Option<Vec<Action>> {
        let largest = answer.impulse.iter().fold(0.0_f64, |largest, i| largest.max(i.abs()));
        let mut worst: Option<(f64, usize, Action)> = None;
        let mut note = |by: f64, k: usize, action: Action| {
            if by > 0.0 && worst.is_none_or(|(most, ..)| by > most) {
                worst = Some((by, k, action));
            }
        };
        for (k, (block, contact)) in self.system.blocks.iter().zip(&self.contacts).enumerate() {
            let (i, v, after) = (block.of(&answer.impulse), block.of(&self.before), block.of(&answer.after));
            let sum = [v[1] + after[1], v[2] + after[2]];
            let friction = norm([i[1], i[2]]);
            // Impulses over the largest, and velocities over the fastest.
            let beyond = |mu: f64| (friction - (1.0 + EDGE) * mu * i[0]) / (1.0 + mu) / largest;
            let [allowed_n, allowed_t] = self.allowed[k];
            let slip = || Action::Slip(unit([-i[1], -i[2]]).or_else(|| unit(sum)).unwrap_or([1.0, 0.0]));
            match actions[k] {
                Action::Open => {
                    let short = (self.target(k, factor) - after[0]) / self.speed;
                    let has_friction = block.dimension != Dimension::Normal;
                    let action = match unit(sum) {
                        Some(u) if has_friction && !may_stick[k] => Action::Slip(u),
                        _ => Action::Stick,
                    };
                    note(short - 0.1 * CERTIFIED * allowed_n, k, action);
                }
                _ if i[0] < 0.0 => note(-i[0] / largest, k, Action::Open),
                Action::Stick if block.dimension != Dimension::Normal => note(beyond(contact.mu_s), k, slip()),
                Action::Reversal => note(beyond(contact.mu_d), k, slip()),
                Action::Slip(u) => {
                    let back = -(u[0] * sum[0] + u[1] * sum[1]) / self.speed;
                    note(back - 0.1 * CERTIFIED * allowed_t, k, Action::Reversal);
                }
                Action::Stick => {}
            }
        }
        let mut next = actions.to_vec();
        if let Some((_, k, action)) = worst {
            (next[k], turned[k]) = (action, None);
            return Some(next);
        }
        let mut has_turned = false;
        for (k, block) in self.system.blocks.iter().enumerate() {
            let Action::Slip(u) = actions[k] else { continue };
            let (v, after) = (block.of(&self.before), block.of(&answer.after));
            let sum = [v[1] + after[1], v[2] + after[2]];
            let across = cross(u, sum);
            let speed = norm(sum);
            if block.dimension != Dimension::Spatial || across.abs() <= SAME_DIRECTION * speed.max(self.speed) {
                continue;
            }
            let (angle, off) = (u[1].atan2(u[0]), across.atan2(u[0] * sum[0] + u[1] * sum[1]));
            let step = turned[k].map(|last| -across * (angle - last.angle) / (across - last.across));
            let step = step.filter(|step| step.is_finite() && step.abs() <= LONGEST_TURN);
            let step = step.unwrap_or_else(|| off.clamp(-FIRST_TURN, FIRST_TURN));
            turned[k] = Some(Turned { angle, across });
            let (sine, cosine) = step.sin_cos();
            next[k] = Action::Slip(unit(add_scaled(scaled(cosine, u), sine, [-u[1], u[0]])).unwrap_or(u));
            has_turned = true;
        }
        has_turned.then_some(next)
    }
}

/// `a / |a|`
fn unit(a: Vec2) -> Option<Vec2> {
    let length = norm(a);
    (length > 0.0).then(|| scaled(1.0 / length, a))
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;
    use fastrand::Rng;

    /// A random strike whose answers are found by the change of its whitened velocity.
    fn strike(rng: &mut Rng, dimensions: &[Dimension]) -> Strike {
        let mut strike = samples::strike(rng, dimensions, 9);
        strike.rows.iter_mut().for_each(|rows| rows.is_ill = true);
        strike
    }

    fn action(rng: &mut Rng, dimension: Dimension) -> Action {
        let angle = samples::between(rng, 0.0, 6.0);
        let u = if dimension == Dimension::Planar { [angle.cos().signum(), 0.0] } else { [angle.cos(), angle.sin()] };
        match (dimension, rng.u8(0..4)) {
            (_, 0) => Action::Open,
            (Dimension::Normal, _) | (_, 1) => Action::Stick,
            (_, 2) => Action::Reversal,
            _ => Action::Slip(u),
        }
    }

    #[test]
    fn contacts_do_what_they_are_told() {
        let mut rng = Rng::with_seed(1);
        for _ in 0..500 {
            let dimensions = samples::dimensions(&mut rng, 3);
            let strike = strike(&mut rng, &dimensions);
            let actions: Vec<Action> = dimensions.iter().map(|dimension| action(&mut rng, *dimension)).collect();
            let factor = rng.f64();
            let rows = strike.ill_conditioned().unwrap();
            let Some((answer, is_unique)) = strike.act(rows, &actions, factor) else { panic!("no impulses") };
            assert!(is_unique);
            // Impulses, velocities and the change of the whitened velocity are of each other.
            let size = 1.0 + answer.impulse.iter().map(|i| i.abs()).fold(0.0, f64::max);
            let mut after = vec![0.0; strike.system.rows];
            strike.system.velocity(&strike.before, &answer.impulse, &mut after);
            after.iter().zip(&answer.after).for_each(|(a, b)| assert!((a - b).abs() < 1e-8 * size));
            let pushed = rows.pushed(&answer.impulse);
            pushed.iter().zip(answer.change.iter().flatten()).for_each(|(a, b)| assert!((a - b).abs() < 1e-8 * size));
            for (k, (block, contact)) in strike.system.blocks.iter().zip(&strike.contacts).enumerate() {
                let (i, v, after) = (block.of(&answer.impulse), block.of(&strike.before), block.of(&answer.after));
                if actions[k] == Action::Open {
                    assert_eq!(i, [0.0; 3]);
                    continue;
                }
                let target = if contact.is_at_rest { 0.0 } else { -factor * contact.e * v[0] };
                assert!((after[0] - target).abs() < 1e-9 * size, "{after:?}");
                for t in 1..block.dimension.rows() {
                    let off = match actions[k] {
                        Action::Stick => after[t] + contact.e_t * v[t],
                        Action::Reversal => after[t] + v[t],
                        Action::Slip(u) => i[t] + contact.mu_d * i[0] * u[t - 1],
                        Action::Open => 0.0,
                    };
                    assert!(off.abs() < 1e-9 * size, "{:?}: {off}", actions[k]);
                }
            }
        }
    }

    /// What an answer by actions misses, by its definition: of open contacts the velocity they are short of, of closed ones tension and
    /// friction beyond the cone, and of slips the velocity across or against their direction.
    fn missed(strike: &Strike, answer: &Answer, actions: &[Action]) -> f64 {
        let of = |k: usize| {
            let (block, contact, [allowed_n, allowed_t]) =
                (&strike.system.blocks[k], &strike.contacts[k], strike.allowed[k]);
            let (i, v, after) = (block.of(&answer.impulse), block.of(&strike.before), block.of(&answer.after));
            let target = if contact.is_at_rest { 0.0 } else { -answer.factor * contact.e * v[0] };
            let friction = i[1].hypot(i[2]);
            let outside = |mu: f64| (block.w_t * (friction - (1.0 + EDGE) * mu * i[0])).max(0.0);
            let sum = [v[1] + after[1], v[2] + after[2]];
            let (normal, tangential) = match actions[k] {
                Action::Open => return (target - after[0]).max(0.0) / allowed_n,
                Action::Stick => {
                    let held = (after[1] + contact.e_t * v[1]).hypot(after[2] + contact.e_t * v[2]);
                    (0.0, held.max(outside(contact.mu_s)))
                }
                Action::Reversal => (0.0, sum[0].hypot(sum[1]).max(outside(contact.mu_d))),
                Action::Slip(u) => {
                    let (along, across) = (u[0] * sum[0] + u[1] * sum[1], u[0] * sum[1] - u[1] * sum[0]);
                    (0.0, across.abs().max(-along))
                }
            };
            let pulls = (-block.w_nn * i[0]).max(0.0).max((after[0] - target).abs()).max(normal);
            (pulls / allowed_n).max(tangential / allowed_t)
        };
        (0..actions.len()).map(of).fold(0.0, f64::max) / strike.speed
    }

    #[test]
    fn the_residual_is_the_worst_that_any_contact_misses() {
        let mut rng = Rng::with_seed(2);
        for _ in 0..500 {
            let dimensions = samples::dimensions(&mut rng, 3);
            let strike = strike(&mut rng, &dimensions);
            let actions: Vec<Action> = dimensions.iter().map(|dimension| action(&mut rng, *dimension)).collect();
            let (answer, _) = strike.act(strike.ill_conditioned().unwrap(), &actions, 1.0).unwrap();
            let expected = missed(&strike, &answer, &actions);
            assert!((answer.residual - expected).abs() < 1e-9 * (1.0 + expected), "{} {expected}", answer.residual);
            let modes: Vec<Mode> = actions.iter().map(|action| action.mode()).collect();
            assert_eq!(answer.modes.as_deref(), Some(&modes[..]));
            let sticks: Vec<bool> = actions.iter().map(|action| *action == Action::Stick).collect();
            assert_eq!(answer.may_stick, sticks);
        }
    }

    #[test]
    fn friction_outside_of_its_cone_by_rounding_is_cut_to_it() {
        let mut rng = Rng::with_seed(3);
        for _ in 0..200 {
            let strike = strike(&mut rng, &[Dimension::Spatial]);
            let change = vec![0.0; 9];
            let angle = samples::between(&mut rng, 0.0, 6.0);
            for (action, mu) in [(Action::Stick, strike.contacts[0].mu_s), (Action::Reversal, strike.contacts[0].mu_d)]
            {
                for (off, is_cut) in [(-1e-12, false), (0.5 * EDGE, true), (2.0 * EDGE, false)] {
                    let friction = mu * 0.7 * (1.0 + off);
                    let impulse = vec![0.7, friction * angle.cos(), friction * angle.sin()];
                    let rows = strike.ill_conditioned().unwrap();
                    let answer = strike.acted(rows, &[action], impulse.clone(), change.clone(), 1.0);
                    assert_eq!(answer.impulse != impulse, is_cut, "{off}");
                    let length = answer.impulse[1].hypot(answer.impulse[2]);
                    assert!(!is_cut || (length - mu * 0.7).abs() < 1e-15);
                }
            }
        }
    }

    #[test]
    fn what_contacts_do_is_read_off_their_impulses() {
        let mut rng = Rng::with_seed(4);
        for _ in 0..200 {
            let strike = strike(&mut rng, &[Dimension::Spatial, Dimension::Normal]);
            let (contact, block) = (strike.contacts[0], &strike.system.blocks[0]);
            let read =
                |impulse: [f64; 3], may_stick: bool| strike.action(0, &[&impulse[..], &[0.0]].concat(), may_stick);
            let nothing = NO_IMPULSE * strike.speed / block.w_nn;
            assert_eq!(read([0.9 * nothing, 0.0, 0.0], true), Action::Open);
            for (may_stick, mu, within) in
                [(true, contact.mu_s, Action::Stick), (false, contact.mu_d, Action::Reversal)]
            {
                assert_eq!(read([1.1 * nothing, 0.0, 0.0], may_stick), within);
                let filled = |share: f64| read([2.0, 0.6 * share * 2.0 * mu, -0.8 * share * 2.0 * mu], may_stick);
                assert_eq!(filled(1.0 - 2.0 * FULL), within);
                let Action::Slip(u) = filled(1.0 - 0.5 * FULL) else { panic!("a full cone slides") };
                assert!((u[0] + 0.6).abs() < 1e-12 && (u[1] - 0.8).abs() < 1e-12, "against the friction: {u:?}");
            }
            // Without tangents, what presses is held; without friction, the slip is that before.
            let normal = |i: f64| strike.action(1, &[0.0, 0.0, 0.0, i], false);
            assert_eq!((normal(1.0), normal(0.0)), (Action::Stick, Action::Open));
            let mut smooth = strike;
            (smooth.contacts[0].mu_s, smooth.contacts[0].mu_d) = (0.0, 0.0);
            let Action::Slip(u) = smooth.action(0, &[1.0, 0.0, 0.0, 0.0], true) else { panic!("it cannot stick") };
            let speed = smooth.before[1].hypot(smooth.before[2]);
            assert!((u[0] - smooth.before[1] / speed).abs() < 1e-14);
        }
    }

    /// One contact alone, each of whose conditions is broken by construction.
    #[test]
    fn a_contact_that_breaks_the_law_does_something_else() {
        let mut rng = Rng::with_seed(5);
        for _ in 0..200 {
            let mut strike = strike(&mut rng, &[Dimension::Spatial, Dimension::Spatial]);
            strike.contacts.iter_mut().for_each(|contact| contact.is_at_rest = true);
            let base = samples::answer(&mut rng, &strike);
            let mu = strike.contacts[0].mu_d;
            let sum = |u: Vec2| [0.0, u[0] - strike.before[1], u[1] - strike.before[2]];
            let changed = |action: Action, impulse: [f64; 3], after: [f64; 3], may_stick: bool| {
                // The second contact is open and leaves.
                let impulse = [&impulse[..], &[0.0; 3]].concat();
                let after = [&after[..], &[1.0, 0.0, 0.0]].concat();
                let answer = Answer { impulse, after, ..base.clone() };
                let next = strike.changed(&[action, Action::Open], &answer, &[may_stick, true], 1.0, &mut [None; 2]);
                next.map(|next| {
                    assert_eq!(next[1], Action::Open);
                    next[0]
                })
            };
            let enough = 0.1 * CERTIFIED * strike.allowed[0][0] * strike.speed;
            // An open contact that enters presses: it sticks if it may, else it slips along its average velocity.
            let along = sum([0.6, -0.8]);
            assert_eq!(changed(Action::Open, [0.0; 3], [-0.9 * enough, 0.0, 0.0], true), None);
            assert_eq!(changed(Action::Open, [0.0; 3], [-1.1 * enough, 0.0, 0.0], true), Some(Action::Stick));
            let Some(Action::Slip(u)) = changed(Action::Open, [0.0; 3], [-1.0, along[1], along[2]], false) else {
                panic!("it slips")
            };
            assert!((u[0] - 0.6).abs() < 1e-12 && (u[1] + 0.8).abs() < 1e-12, "{u:?}");
            // One that pulls opens.
            assert_eq!(changed(Action::Stick, [-1e-9, 0.0, 0.0], [0.0; 3], true), Some(Action::Open));
            assert_eq!(changed(Action::Reversal, [-1e-9, 0.0, 0.0], [0.0; 3], true), Some(Action::Open));
            // Friction beyond the cone slips against itself.
            for (action, mu) in [(Action::Stick, strike.contacts[0].mu_s), (Action::Reversal, mu)] {
                let filled = |share: f64| changed(action, [1.0, -0.6 * share * mu, 0.8 * share * mu], [0.0; 3], true);
                assert_eq!(filled(1.0 + 0.9 * EDGE), None);
                let Some(Action::Slip(u)) = filled(1.0 + 2.0 * EDGE) else { panic!("it slips") };
                assert!((u[0] - 0.6).abs() < 1e-9 && (u[1] + 0.8).abs() < 1e-9, "{u:?}");
            }
            // A slip backwards reverses; along its direction it stays.
            let slip = |back: f64| {
                let after = sum([-0.6 * back, 0.8 * back]);
                changed(Action::Slip([0.6, -0.8]), [1.0, -0.6 * mu, 0.8 * mu], after, true)
            };
            let enough = 0.1 * CERTIFIED * strike.allowed[0][1] * strike.speed;
            assert_eq!(slip(1.2 * enough), Some(Action::Reversal));
            assert_eq!(slip(-1.0), None);
        }
    }

    /// The first turn is a small one towards the velocity, the next the secant's.
    #[test]
    fn a_slip_with_velocity_across_turns_towards_it() {
        let mut rng = Rng::with_seed(6);
        for _ in 0..100 {
            let strike = strike(&mut rng, &[Dimension::Spatial]);
            let mu = strike.contacts[0].mu_d;
            let base = samples::answer(&mut rng, &strike);
            let turn = |angle: f64, across: f64, turned: &mut [Option<Turned>]| {
                let u = [angle.cos(), angle.sin()];
                // Slips at speed one, but for what goes across.
                let sum = [u[0] - across * u[1], u[1] + across * u[0]];
                let after = vec![0.0, sum[0] - strike.before[1], sum[1] - strike.before[2]];
                let impulse = vec![1.0, -mu * u[0], -mu * u[1]];
                let answer = Answer { impulse, after, ..base.clone() };
                let next = strike.changed(&[Action::Slip(u)], &answer, &[false], 1.0, turned)?;
                let Action::Slip(next) = next[0] else { panic!("{next:?}") };
                assert!((next[0].hypot(next[1]) - 1.0).abs() < 1e-14);
                Some((next[1] * u[0] - next[0] * u[1]).asin())
            };
            let mut turned = [None];
            let first = turn(0.3, 0.2, &mut turned).unwrap();
            assert!((first - FIRST_TURN).abs() < 1e-9, "{first}");
            // The velocity across fell from 0.2 to 0.15 over 0.1 of angle: 0.3 more bring it to zero.
            let second = turn(0.4, 0.15, &mut turned).unwrap();
            assert!((second - 0.3).abs() < 1e-9, "{second}");
            // A secant that is too long is left for another small turn.
            let third = turn(0.5, 0.1499, &mut turned).unwrap();
            assert!((third - FIRST_TURN).abs() < 1e-9, "{third}");
            assert_eq!(turn(0.5, 0.0, &mut turned), None);
            assert!((turn(0.5, -1e-5, &mut [None]).unwrap() + 1e-5).abs() < 1e-9);
        }
    }

    /// Contacts with an answer by construction, found from impulses near it.
    #[test]
    fn answers_near_impulses_satisfy_the_law() {
        let mut rng = Rng::with_seed(7);
        let mut found = 0;
        for _ in 0..300 {
            let strike = strike(&mut rng, &[Dimension::Spatial, Dimension::Planar]);
            let near = samples::answer(&mut rng, &strike).impulse;
            let Some(answer) = strike.precise(&near, &[true; 2], 1.0) else { continue };
            if answer.residual <= CERTIFIED {
                found += 1;
                assert!(strike.certificate(&answer) <= 2.0 * CERTIFIED, "{}", strike.certificate(&answer));
            }
        }
        assert!(found > 200, "{found}");
    }
}
