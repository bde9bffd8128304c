//! `carom-arrows [--draw]` in the workspace's folder.

use std::process::ExitCode;

use carom_arrows::Workspace;

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

/// How many cycles there are.
fn run() -> Result<usize, String> {
    let workspace = Workspace::read(std::path::Path::new("."))?;
    let cycles = workspace.cycles();
    println!("{workspace}");
    cycles.iter().for_each(|cycle| println!("{cycle}"));
    Ok(cycles.len())
}
