//! Answers with all the digits of `A` and `M` where `W` is ill-conditioned.
//!
//! What each contact does is taken from impulses found through `W`. With that given, the velocities of some rows are prescribed
//! and the impulses of the others follow from those of their contact: linear equations for the change of the whitened
//! velocity, whose error grows with the root of the condition of `W` in the impulses and not at all in the velocities. If an
//! impulse then pulls or leaves its cone, or a contact penetrates or slides backwards, what that contact does is changed, and the
//! equations are solved again.

use super::strike::{Answer, CERTIFIED, NO_IMPULSE, Strike};
use super::whitened::StrikingRows;
use crate::contact::delassus::Dimension;
use crate::impact::mode::Mode;
use crate::numeric::basis::{Basis, dot, length};
use crate::numeric::plane::{Vec2, add_scaled, cross, norm, scaled};
use crate::numeric::tolerance::ACCURACY;

/// Times that what contacts do is changed, at most, and a few times more for each contact.
const ROUNDS: usize = 12;
const ROUNDS_A_CONTACT: usize = 4;

/// A tangential impulse that fills its cone but for this fraction slides.
const FULL: f64 = 1e-6;

/// A tangential impulse outside its cone by this fraction is inside: a tenth of what the check lets pass.
const EDGE: f64 = 1e-10;

/// A direction of slip is kept that is off by less than this, of the average velocity or as the velocity across that the law lets pass.
const SAME_DIRECTION: f64 = 1e-14;

/// Impulses that miss the change of the whitened velocity by more than this, over the sum of what each of them does, do not do it.
const MISSED: f64 = 0.1 * ACCURACY;

/// The first turn of a direction of slip, at most: where friction is strong, a large one leads far away. Then the secant of the last
/// two, if it is no longer than this.
const FIRST_TURN: f64 = 1e-4;
const LONGEST_TURN: f64 = 0.5;

/// What a contact does.
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

    /// The answer near impulses found through `W`, of contacts whose `W` is ill-conditioned; else `None`.
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

    /// What a contact does, read off its impulse.
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

    /// The impulses with which the contacts do what is given, wherever that leads; and whether there is only one set of them.
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

    /// The answer with its certificate, by what each contact does.
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

    /// What the contacts do instead, where an answer breaks the law: the contact changes that breaks it most; else directions of slip
    /// turn. `None` where nothing is broken.
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
