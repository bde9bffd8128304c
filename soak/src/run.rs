//! Runs many random problems on all cores, each with a time limit, and collects the results.

use std::collections::BTreeMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use carom::law::{Guard, Law};

use crate::condition::{delassus_condition, is_definite, mass_condition};
use crate::judge::judge;
use crate::problem::{Problem, Refusal, Terms};
use crate::random::{self, Family, Kind};
use crate::verdict::{Condition, Verdict};

/// Time limit of a single impact, with a margin. An answer that takes longer counts as missing, and its thread is
/// abandoned.
pub const MOST_SECONDS: f64 = 10.0;

/// Beyond this product of the condition numbers of W and M, with the diagonals brought to order one, an answer that was
/// solved through W may fail its check: a seventh of the digits of 1e-9 is left.
const ILL: f64 = 1e6;

/// Beyond this condition number of M, or the root of W's, an answer for one contact may fail its check: three digits are left.
const LOST: f64 = 1e13;

/// The result of a problem.
pub struct Examined {
    /// The conditions of its outcome or error.
    pub verdict: Verdict,
    /// The error, if there is one.
    pub refusal: Option<Refusal>,
    /// The time it took.
    pub seconds: f64,
}

/// Solves a problem and judges the outcome.
pub fn examine(kind: &Kind, problem: &Problem) -> Examined {
    let start = Instant::now();
    let answer = catch_unwind(AssertUnwindSafe(|| problem.answer()));
    let seconds = start.elapsed().as_secs_f64();
    let mut examined = match answer {
        Ok(Ok(outcome)) => Examined { verdict: judge(problem, &outcome), refusal: None, seconds },
        Ok(Err(refusal)) => {
            let mut verdict = Verdict::default();
            verdict.require(Condition::Refused, is_excused(kind, problem, &refusal));
            Examined { verdict, refusal: Some(refusal), seconds }
        }
        Err(_) => {
            let mut verdict = Verdict::default();
            verdict.require(Condition::Panic, false);
            Examined { verdict, refusal: None, seconds }
        }
    };
    examined.verdict.note(Condition::Time, seconds / MOST_SECONDS);
    examined
}

/// Whether the problem gives a reason for the error.
fn is_excused(kind: &Kind, problem: &Problem, refusal: &Refusal) -> bool {
    let is_bad_input = match &problem.terms {
        Terms::Generalized { mass, jacobian, .. } => {
            let offsets = problem.offsets();
            let is_zero = |k: usize| jacobian[offsets[k]].iter().all(|x| *x == 0.0);
            !is_definite(mass) || (0..problem.contacts.len()).any(is_zero)
        }
        Terms::ContactSpace { .. } => !kind.must_be_answered(),
    };
    is_bad_input
        || match refusal.kind.as_str() {
            // Several contacts can wedge.
            "not_converged" => problem.contacts.len() > 1 || problem.law != Law::Aghili && is_ill(kind, problem),
            "check_failed" => is_honest(kind, problem, refusal),
            "overflow" => kind.family == Family::Units,
            // The claims of laws are about regular matrices.
            "unsupported" => {
                let is_regular = matches!(kind.family, Family::Regular | Family::Units);
                problem.law != Law::Aghili && !(is_regular && problem.law.claims().always_answers)
            }
            _ => false,
        }
}

/// Whether an answer could fail its check for a reason that the problem gives.
fn is_honest(kind: &Kind, problem: &Problem, refusal: &Refusal) -> bool {
    // Without a guard the energy may grow beyond the accepted bound.
    let may_grow = problem.guard == Guard::Report && !problem.law.claims().dissipates;
    if may_grow && refusal.message.contains("energy grows") {
        return true;
    }
    if problem.law != Law::Aghili || problem.contacts.len() > 1 {
        return is_ill(kind, problem);
    }
    // One contact keeps its precision, unless nearly all digits of M or A are lost.
    mass_condition(problem) > LOST || delassus_condition(problem) > LOST * LOST
}

/// Rival laws and several contacts are solved through W, and lose precision if W or M is nearly singular.
fn is_ill(kind: &Kind, problem: &Problem) -> bool {
    !matches!(kind.family, Family::Regular | Family::Units)
        && delassus_condition(problem) * mass_condition(problem) > ILL
}

/// The worst residual over its bound, and the problem it belongs to.
#[derive(Debug, Clone, Copy, Default)]
struct Worst {
    ratio: f64,
    seed: u64,
    failures: u64,
}

#[derive(Debug, Clone, Default)]
struct KindTally {
    problems: u64,
    refused: BTreeMap<String, u64>,
    worst: [Worst; Condition::ALL.len()],
}

/// The results by kind of problem.
#[derive(Debug, Clone, Default)]
pub struct Tally(BTreeMap<String, KindTally>);

/// A violated condition.
#[derive(Debug, Clone)]
pub struct Finding {
    /// The kind of problem.
    pub kind: String,
    /// The violated condition.
    pub condition: Condition,
    /// Number of occurrences.
    pub count: u64,
    /// The worst residual over its bound.
    pub ratio: f64,
    /// The seed of the worst.
    pub seed: u64,
}

impl KindTally {
    fn note(&mut self, seed: u64, verdict: &Verdict) {
        for condition in Condition::ALL {
            let ratio = verdict.of(condition);
            let worst = &mut self.worst[condition as usize];
            worst.failures += u64::from(!(ratio <= 1.0));
            if ratio > worst.ratio {
                (worst.ratio, worst.seed) = (ratio, seed);
            }
        }
    }

    fn merge(&mut self, other: &Self) {
        self.problems += other.problems;
        for (kind, count) in &other.refused {
            *self.refused.entry(kind.clone()).or_default() += count;
        }
        for (own, other) in self.worst.iter_mut().zip(&other.worst) {
            own.failures += other.failures;
            // Of equal ones the lower seed, whatever thread it was on.
            let is_first = other.ratio == own.ratio && other.ratio > 0.0 && other.seed < own.seed;
            if other.ratio > own.ratio || is_first {
                (own.ratio, own.seed) = (other.ratio, other.seed);
            }
        }
    }
}

impl Tally {
    fn note(&mut self, kind: &Kind, seed: u64, examined: &Examined) {
        let tally = self.0.entry(kind.name()).or_default();
        tally.problems += 1;
        if let Some(refusal) = &examined.refusal {
            *tally.refused.entry(refusal.kind.clone()).or_default() += 1;
        }
        tally.note(seed, &examined.verdict);
    }

    /// Every condition that is violated for some kind of problem.
    pub fn findings(&self) -> Vec<Finding> {
        let of_kind = |(kind, tally): (&String, &KindTally)| {
            let found = Condition::ALL.into_iter().map(|condition| (condition, tally.worst[condition as usize]));
            let found = found.filter(|(_, worst)| worst.failures > 0);
            found
                .map(|(condition, Worst { ratio, seed, failures })| Finding {
                    kind: kind.clone(),
                    condition,
                    count: failures,
                    ratio,
                    seed,
                })
                .collect::<Vec<_>>()
        };
        self.0.iter().flat_map(of_kind).collect()
    }

    /// Number of problems run.
    pub fn problems(&self) -> u64 {
        self.0.values().map(|tally| tally.problems).sum()
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (kind, tally) in &self.0 {
            let refused: u64 = tally.refused.values().sum();
            write!(f, "{kind}: {} problems, {refused} refused", tally.problems)?;
            let kinds: Vec<String> = tally.refused.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
            writeln!(f, "{}", if kinds.is_empty() { String::new() } else { format!(" ({})", kinds.join(", ")) })?;
            for condition in Condition::ALL {
                let Worst { ratio, seed, failures } = tally.worst[condition as usize];
                if ratio > 0.0 {
                    let mark = if failures > 0 { format!("  {failures} FAIL") } else { String::new() };
                    writeln!(f, "    {:<12} {ratio:9.2e}  seed {seed}{mark}", condition.name())?;
                }
            }
        }
        Ok(())
    }
}

/// A worker thread.
struct Worker {
    tally: Mutex<Tally>,
    /// Its current problem, counted from 1, and the time it started.
    present: Mutex<Option<(u64, Instant)>>,
    is_abandoned: AtomicBool,
}

struct Queue {
    first: u64,
    count: u64,
    next: AtomicU64,
    done: AtomicU64,
}

/// A poisoned lock can be used, because its content is always written completely.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn spawn(queue: &Arc<Queue>) -> Arc<Worker> {
    let tally = Mutex::new(Tally::default());
    let worker = Arc::new(Worker { tally, present: Mutex::new(None), is_abandoned: AtomicBool::new(false) });
    let (queue, own) = (Arc::clone(queue), Arc::clone(&worker));
    thread::spawn(move || {
        loop {
            let index = queue.next.fetch_add(1, Ordering::Relaxed);
            if index >= queue.count {
                return;
            }
            let seed = queue.first.wrapping_add(index);
            let (kind, problem) = random::problem(seed);
            *lock(&own.present) = Some((seed, Instant::now()));
            let examined = examine(&kind, &problem);
            let mut present = lock(&own.present);
            if own.is_abandoned.load(Ordering::Relaxed) {
                return;
            }
            *present = None;
            lock(&own.tally).note(&kind, seed, &examined);
            queue.done.fetch_add(1, Ordering::Relaxed);
        }
    });
    worker
}

/// Runs the problems of `count` seeds starting at `first`. `on_progress` receives the number completed.
pub fn soak(first: u64, count: u64, threads: usize, mut on_progress: impl FnMut(u64)) -> Tally {
    let queue = Arc::new(Queue { first, count, next: AtomicU64::new(0), done: AtomicU64::new(0) });
    let mut workers: Vec<Arc<Worker>> = (0..threads.max(1)).map(|_| spawn(&queue)).collect();
    let mut total = Tally::default();
    while queue.done.load(Ordering::Relaxed) < count {
        thread::sleep(Duration::from_millis(20));
        on_progress(queue.done.load(Ordering::Relaxed));
        for worker in &mut workers {
            let present = lock(&worker.present);
            let Some((seed, since)) = *present else { continue };
            if since.elapsed().as_secs_f64() > MOST_SECONDS {
                worker.is_abandoned.store(true, Ordering::Relaxed);
                drop(present);
                let mut verdict = Verdict::default();
                verdict.require(Condition::Time, false);
                let (kind, _) = random::problem(seed);
                total.note(&kind, seed, &Examined { verdict, refusal: None, seconds: f64::INFINITY });
                merge(&mut total, &lock(&worker.tally));
                queue.done.fetch_add(1, Ordering::Relaxed);
                *worker = spawn(&queue);
            }
        }
    }
    workers.iter().for_each(|worker| merge(&mut total, &lock(&worker.tally)));
    total
}

fn merge(total: &mut Tally, part: &Tally) {
    for (kind, tally) in &part.0 {
        total.0.entry(kind.clone()).or_default().merge(tally);
    }
}
