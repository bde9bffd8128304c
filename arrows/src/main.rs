//! `carom-arrows [--draw]` in the workspace's folder prints layers and cycles, or draws the picture.

use std::path::Path;
use std::process::ExitCode;

use carom_arrows::{PICTURE, Workspace, picture};

fn main() -> ExitCode {
    match run() {
        Ok(0) => ExitCode::SUCCESS,
        Ok(count) => {
            eprintln!("arrows: {count} cycles");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("arrows: {error}");
            ExitCode::from(2)
        }
    }
}

/// The number of cycles.
fn run() -> Result<usize, String> {
    let workspace = Workspace::read(Path::new("."))?;
    match std::env::args().nth(1).as_deref() {
        None => {}
        Some("--draw") => {
            std::fs::write(PICTURE, picture(&workspace)).map_err(|error| format!("{PICTURE}: {error}"))?;
            println!("{PICTURE}");
            return Ok(0);
        }
        Some(other) => return Err(format!("unknown option {other}: the only option is --draw")),
    }
    let cycles = workspace.cycles();
    println!("{workspace}");
    cycles.iter().for_each(|cycle| println!("{cycle}"));
    Ok(cycles.len())
}
