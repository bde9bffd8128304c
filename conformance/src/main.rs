//! Answers requests about robot files and impacts: one JSON request per line in, one JSON answer per line out.
//!
//! A request names a `file`, and may ask for a `floating_base` or for `free_mimics`. Without `states` the answer
//! describes the model. With them (`q`, `v`, and `tau` where it is not zero) it contains the terms of each state,
//! including those of a `contact` (`place`, `point`, `normal`). A file that carom does not load is `refused`; an
//! invalid request gives an `error`. Terms that need the inverse of a singular M are null, and `singular` gives the
//! reason.
//!
//! Terms are those of the tree alone. A request with `loops` and states closes the loops from each of them, with the joints
//! in `held` staying where they are, and answers with the closed state and the terms there ([`loops`]).
//!
//! A request with a `drop` lets the robot fall onto a floor ([`drop`]). One with a `flight` simulates its free flight
//! ([`flight`]). One with a `delassus` has no file: it is a simultaneous impact ([`impact`]).
#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod description;
mod drop;
mod flight;
mod impact;
mod loops;
mod request;
mod terms;

use std::io::{self, BufRead, Write};

use carom_multibody::load;
use serde_json::{Value, json};

use request::{Request, given};

fn main() -> io::Result<()> {
    let mut output = io::stdout().lock();
    // Not by lines(): a line that is not UTF-8 is an invalid request, not the end.
    for line in io::stdin().lock().split(b'\n') {
        let answer = answer(&String::from_utf8_lossy(&line?)).unwrap_or_else(|message| json!({ "error": message }));
        writeln!(output, "{answer}")?;
        // The other side waits for each line.
        output.flush()?;
    }
    Ok(())
}

/// The answer to one request, or the error in the request.
fn answer(line: &str) -> Result<Value, String> {
    let value: Value = serde_json::from_str(line).map_err(|error| format!("the request is not JSON: {error}"))?;
    if given(&value, "delassus").is_some() {
        return impact::of(&value);
    }
    let request = Request::read(&value)?;
    let model = match load::file(&request.file, &request.options) {
        Ok(model) => model,
        // Without the path, which belongs to the other side.
        Err(error) => return Ok(json!({ "refused": { "kind": error.kind.name(), "message": error.message } })),
    };
    if let Some(flight) = given(&value, "flight") {
        return flight::of(model.without_loops(), flight);
    }
    if let Some(fall) = given(&value, "drop") {
        return drop::of(model.without_loops(), fall);
    }
    match &request.states {
        None => Ok(description::of(&model)),
        Some(states) if request.loops => loops::of(model, states, &request),
        Some(states) => terms::of(model.without_loops(), states, request.contact.as_ref()),
    }
}
