//! Files to download.

use carom::report::figure::{self, FigureOptions};
use carom::report::{RunFile, comparison_json, map_csv, map_json, run_csv, run_html};
use carom::study::{Comparison, Over};
use serde_json::json;

use crate::envelope::Answer;
use crate::fault::Fault;
use crate::motion::{Run, provenance};
use crate::request::Request;
use crate::source::SCENE_OF_RUN;
use crate::stated::Stated;
use crate::{impact, study};

/// Width of a PNG in pixels.
#[cfg(feature = "png")]
const PIXELS: u32 = 1200;

/// The requested file. `run` computes the run, for files of a run.
pub(crate) fn save(
    stated: &Stated,
    request: &Request,
    run: impl FnOnce() -> Result<std::sync::Arc<Run>, Fault>,
) -> Result<Answer, Fault> {
    let what = request.what.as_deref().unwrap_or_default();
    let stem = stated.source.stem();
    let title = stated.title();
    let options = FigureOptions { admissible_set: request.admissible_set };
    let over = if what.starts_with("states.") { Over::State } else { Over::Coefficients };
    let map = || study::map(stated, request, over);
    // A map's name has a prefix for what it is over.
    let named = |ending: &'static str| match (over, ending) {
        (Over::Coefficients, "svg") => "map.svg",
        (Over::Coefficients, "png") => "map.png",
        (Over::Coefficients, "csv") => "map.csv",
        (Over::Coefficients, _) => "map.json",
        (Over::State, "svg") => "states.svg",
        (Over::State, "png") => "states.png",
        (Over::State, "csv") => "states.csv",
        (Over::State, _) => "states.json",
    };
    let mut bytes = Vec::new();
    let ending = match what {
        "scene" if stated.source.run.is_none() && stated.edits.is_empty() => {
            bytes = stated.source.text.clone().into_bytes();
            if stated.source.text.trim_start().starts_with('{') { "json" } else { "toml" }
        }
        "scene" => {
            bytes = format!("{:#}\n", serde_json::to_value(&stated.tree).unwrap_or_default()).into_bytes();
            if stated.source.run.is_some() { SCENE_OF_RUN } else { "json" }
        }
        "outcome" => {
            let answer = impact::answer(stated)?;
            bytes = format!("{}\n", answer.header.get("outcome").cloned().unwrap_or_default()).into_bytes();
            "outcome.json"
        }
        "map.svg" | "states.svg" => {
            bytes = figure::svg(&map()?, &options)?.into_bytes();
            named("svg")
        }
        #[cfg(feature = "png")]
        "map.png" | "states.png" => {
            bytes = figure::png(&map()?, &options, PIXELS)?;
            named("png")
        }
        "map.csv" | "states.csv" => {
            map_csv(&map()?, &mut bytes)?;
            named("csv")
        }
        "map.json" | "states.json" => {
            map_json(&map()?, &mut bytes)?;
            named("json")
        }
        "laws.json" => {
            bytes = (comparison_json(&Comparison::new(&stated.problem)?) + "\n").into_bytes();
            "laws.json"
        }
        "diagram.svg" => {
            bytes = figure::impulses_svg(&title, &Comparison::new(&stated.problem)?)?.into_bytes();
            "laws.svg"
        }
        "run.json" => {
            let run = run()?;
            RunFile { record: &run.record, provenance: provenance(stated).as_ref() }.json(&mut bytes)?;
            "run.json"
        }
        "run.csv" => {
            run_csv(&run()?.record, &mut bytes)?;
            "run.csv"
        }
        "run.html" => {
            run_html(&run()?.record, &title, &mut bytes)?;
            "html"
        }
        "run.svg" => {
            bytes = figure::run_svg(&run()?.record, &title)?.into_bytes();
            "run.svg"
        }
        other => return Err(Fault::request("what", format!("what = {other:?} is not a file that can be saved here"))),
    };
    let kind = match ending.rsplit('.').next() {
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("html") => "text/html",
        Some("json") => "application/json",
        _ => "text/plain",
    };
    Ok(Answer::new(json!({ "name": format!("{stem}.{ending}"), "type": kind })).bytes("bytes", bytes))
}
