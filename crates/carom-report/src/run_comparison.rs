//! One simulation by every law: a table, JSON, and the paths as a figure.

use std::fmt::{self, Display, Formatter};

use carom_sim::Ending;
use carom_sim::number::{signed, significant, tidy};
use carom_study::{LawRun, RunComparison};

use crate::comparison::table;
use crate::printable;
use crate::sweep::{Band, Content, Picture};

/// Digits of positions and times, and of energies.
const DIGITS: usize = 6;
const FEW: usize = 4;
/// Positions below this fraction of the largest are printed as zero.
const ROUNDING: f64 = 1e-9;

/// Runs by all laws, with their title.
#[derive(Debug, Clone, Copy)]
pub struct RunComparisonText<'a> {
    /// The scene or file, and its title.
    pub title: &'a str,
    /// The runs.
    pub comparison: &'a RunComparison,
}

/// The comparison as one line of JSON.
pub fn run_comparison_json(comparison: &RunComparison) -> String {
    carom_scene::record::to_line(comparison)
}

/// The paths of the centre of mass from where they part: z over x or y, whichever varies more, or over time if the motion is
/// vertical.
pub fn paths(title: &str, comparison: &RunComparison) -> Picture {
    let runs: Vec<&LawRun> = comparison.laws.iter().filter(|run| !run.path.is_empty()).collect();
    let begin = parting(&runs);
    let spans = [0, 1, 2].map(|axis| {
        let values = runs.iter().flat_map(|run| run.path[begin..].iter().map(move |at| at[axis]));
        let [low, high] = values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)]);
        high - low
    });
    let is_upright = spans[0].max(spans[1]) <= ROUNDING * spans[2].abs();
    let across = usize::from(spans[1] > spans[0]);
    let band = |run: &&LawRun| {
        let name = match run.ending {
            Ending::Complete => run.law.name().to_owned(),
            _ => format!("{}, to {} s", run.law.name(), significant(run.time, FEW)),
        };
        let point = |(time, at): (&f64, &[f64; 3])| [if is_upright { *time } else { at[across] }, at[2], at[2], at[2]];
        Band { name: Some(name), points: run.times.iter().zip(&run.path).skip(begin).map(point).collect() }
    };
    let label = if is_upright { "time, s" } else { ["x, m", "y, m"][across] };
    let from = runs.first().map_or(0.0, |run| run.times[begin]);
    let [from, until] = [from, comparison.until].map(|time| significant(time, FEW));
    Picture {
        title: title.to_owned(),
        labels: [label.to_owned(), "z, m".to_owned()],
        color: None,
        note: format!("the centre of mass from {from} s to {until} s, by every law"),
        content: Content::Curves(runs.iter().map(band).collect()),
    }
}

/// The last sample that all runs share before they part; the first if they never do.
fn parting(runs: &[&LawRun]) -> usize {
    let shortest = runs.iter().map(|run| run.path.len()).min().unwrap_or(0);
    let is_common = |k: &usize| {
        let at = runs[0].path[*k];
        let size = at.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        runs.iter().all(|run| run.path[*k].iter().zip(&at).all(|(x, y)| (x - y).abs() <= ROUNDING * size))
    };
    let common = (0..shortest).take_while(is_common).count();
    if common < shortest { common.saturating_sub(1) } else { 0 }
}

impl Display for RunComparisonText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let c = self.comparison;
        writeln!(f, "{}", printable(self.title))?;
        writeln!(f, "  one simulation by every law, until {} s\n", significant(c.until, DIGITS))?;
        let head =
            ["law", "time, s", "x, m", "y, m", "z, m", "energy, J", "impacts", "events", "windows", "at rest, s"];
        let mut rows = vec![head.map(str::to_owned).to_vec()];
        rows.extend(c.laws.iter().map(|run| cells(run).to_vec()));
        table(f, &rows)?;
        writeln!(f, "\n  x, y, z: centre of mass at the end; energy: change of kinetic plus potential energy")?;
        for run in c.laws.iter().filter(|run| run.ending != Ending::Complete) {
            let why = run.failure.as_deref().unwrap_or("it was interrupted");
            writeln!(f, "  {} ended early: {}", run.law.name(), printable(why))?;
        }
        Ok(())
    }
}

fn cells(run: &LawRun) -> [String; 10] {
    let end = run.path.last().copied().unwrap_or_default();
    let size = end.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let [x, y, z] = end.map(|x| significant(tidy(x, ROUNDING * size), DIGITS));
    let name = match run.guard {
        Some(guard) => format!("{} ({})", run.law.name(), guard.name()),
        None => run.law.name().to_owned(),
    };
    let energy = run.energy[1] - run.energy[0];
    [
        name,
        significant(run.time, DIGITS),
        x,
        y,
        z,
        signed(energy, DIGITS),
        run.impacts.to_string(),
        run.events.to_string(),
        run.windows.to_string(),
        run.at_rest.map_or_else(|| "moves".to_owned(), |time| significant(time, DIGITS)),
    ]
}
