//! What a command is about: an impact or a scene, changes to it, and what to assume of a robot file.

use std::path::PathBuf;

use carom::document::Edit;
use clap::{Args, ValueHint};

/// The impact that a command is about.
#[derive(Debug, Args)]
pub struct Subject {
    /// A built-in scene, a JSON or TOML problem or scene file, a robot file (URDF, MJCF or SDF), or - for standard input
    #[arg(value_name = "SCENE|FILE|ROBOT|-", value_hint = ValueHint::FilePath)]
    #[arg(required_unless_present = "event", conflicts_with = "event")]
    pub problem: Option<PathBuf>,

    /// The impact of an event of a run, counted from 0 as in its list: the state before it, and the contacts that took part
    #[arg(long, value_name = "RUN.json|csv|parquet:N", value_parser = run_event)]
    pub event: Option<RunEvent>,

    /// The robot's file, if it is not where the run of --event had it
    #[arg(id = "robot_file", long = "robot", value_name = "FILE", requires = "event", value_hint = ValueHint::FilePath)]
    pub robot_file: Option<PathBuf>,
}

/// An event of a run in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunEvent {
    pub run: PathBuf,
    pub number: usize,
}

fn run_event(text: &str) -> Result<RunEvent, String> {
    let wrong =
        || format!("{text:?} must be the file of a run, a colon and the number of an event, such as run.json:12");
    let (run, number) = text.rsplit_once(':').filter(|(run, _)| !run.is_empty()).ok_or_else(wrong)?;
    Ok(RunEvent { run: run.into(), number: number.trim().parse().map_err(|_| wrong())? })
}

/// Changes of a problem or scene.
#[derive(Debug, Args)]
pub struct Changes {
    /// Coefficient of restitution, in place of that of the problem
    #[arg(long, value_name = "E", allow_hyphen_values = true, value_parser = number)]
    pub restitution: Option<f64>,

    /// Coefficient of friction, or the static and the dynamic one, in place of that of the problem
    #[arg(long, value_name = "MU|STATIC,DYNAMIC", allow_hyphen_values = true, value_parser = friction)]
    pub friction: Option<Friction>,

    /// Change a value of the problem: friction.dynamic=0.3, state.velocity.elbow=-2
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub edits: Vec<Edit>,
}

/// A coefficient of friction as given; its range is checked with the problem.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Friction {
    One(f64),
    StaticAndDynamic(f64, f64),
}

pub(super) fn number(text: &str) -> Result<f64, String> {
    let number = text.trim().parse().ok().filter(|number: &f64| number.is_finite());
    number.ok_or_else(|| format!("{text:?} must be a finite number, such as 0.5"))
}

fn friction(text: &str) -> Result<Friction, String> {
    let wrong =
        || format!("{text:?} must be a number, or two with a comma between them, static first, such as 0.5,0.4");
    let parts: Result<Vec<f64>, _> = text.split(',').map(number).collect();
    match parts.map_err(|_| wrong())?[..] {
        [one] => Ok(Friction::One(one)),
        [of_stick, of_slip] => Ok(Friction::StaticAndDynamic(of_stick, of_slip)),
        _ => Err(wrong()),
    }
}

/// What to assume of a robot file that is given in place of a scene.
#[derive(Debug, Args)]
#[command(next_help_heading = "Robot files in place of scenes")]
pub struct Robot {
    /// Let the root link move freely [default: unless it is called world or has no mass]
    #[arg(long, conflicts_with = "fixed_base")]
    pub floating_base: bool,

    /// Fix the root link to the world
    #[arg(long)]
    pub fixed_base: bool,

    /// The link that touches, or a pattern such as *_foot [default: every link with a collision shape]
    #[arg(long, value_name = "NAME")]
    pub link: Option<String>,

    /// Height of the lowest point above the surface, in metres [default: 0]
    #[arg(long, value_name = "METRES", allow_hyphen_values = true)]
    pub height: Option<f64>,

    /// Start from this keyframe of an MJCF file [default: its home configuration]
    #[arg(long, value_name = "NAME")]
    pub keyframe: Option<String>,

    /// Let joints move through the limits of the robot's file in a simulation
    #[arg(long)]
    pub no_limits: bool,

    /// Velocity of the floating base in world axes, in m/s [default: 0,0,-1 for an impact, zero for a simulation]
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = triple)]
    pub velocity: Option<[f64; 3]>,

    /// Write the scene that is assumed to a file, to be changed and used in place of the robot
    #[arg(long, value_name = "SCENE.toml")]
    pub save_scene: Option<PathBuf>,
}

fn triple(text: &str) -> Result<[f64; 3], String> {
    let numbers: Option<Vec<f64>> = text.split(',').map(|word| word.trim().parse().ok()).collect();
    let wrong = || format!("{text:?} must be three numbers with commas between them, such as 0.5,0,-1");
    <[f64; 3]>::try_from(numbers.ok_or_else(wrong)?).map_err(|_| wrong())
}
