//! Results for people and for programs: text, tables, figures, pages, and batches of problems as JSON lines.
//!
//! | file | contents |
//! |---|---|
//! | `answer` | the answer to an impact as text |
//! | `text` | its lines for one contact, and those common to all impacts |
//! | `several` | its tables for several contacts |
//! | `comparison` | the comparison of all laws as text |
//! | `run_comparison` | one simulation by every law: text, JSON, paths |
//! | `model` | a robot as text and as JSON |
//! | `map` | a map as JSON and CSV |
//! | `run` | runs: tables, text, pages |
//! | `sweep` | sweeps as files |
//! | `figure` | figures as SVG and PNG |
//! | `batch` | batches of problems as JSON lines |
//! | `error` | any error of this crate |
//! | `printable` | names with control characters escaped |
//!
//! | feature | default | adds |
//! |---|---|---|
//! | `parquet` | yes | runs as Parquet; CSV and JSON are always available |
//! | `png` | yes | figures as PNG; SVG is always available |
#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod answer;
pub mod batch;
mod comparison;
mod error;
pub mod figure;
mod map;
mod model;
mod printable;
mod run;
mod run_comparison;
mod several;
pub mod sweep;
mod text;

pub use answer::AnswerText;
pub use comparison::{ComparisonText, comparison_json};
pub use error::Error;
pub use map::{map_csv, map_json};
pub use model::ModelText;
pub use printable::{printable, printable_json, printable_lines};
pub use run::{
    Column, DrawnRobot, EventGroup, EventLog, PageError, PageHull, RunComparison, RunFile, RunText, StoredColumn,
    StoredError, StoredRun, StoredValues, Train, Values, drawn_robot, event_groups, events_file, header_file,
    player_modules, robot_poses, run_columns, run_csv, run_event_columns, run_events_csv, run_html, run_json,
    run_page_json, run_schema, run_summary_json,
};
#[cfg(feature = "parquet")]
pub use run::{run_events_parquet, run_parquet};
pub use run_comparison::{RunComparisonText, paths, run_comparison_json};

pub use carom_scene::answer::verdict::{verdict, verdict_of_several};
pub use carom_scene::record::{
    ContactRecord, ErrorRecord, Fields, Id, OutcomeRecord, RobotRecord, StruckRecord, UnknownField,
};
