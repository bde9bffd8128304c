//! Outcomes for people and for programs: text, tables, figures, pages, and batches of problems over a stream of lines.
//!
//! | file | what it has |
//! |---|---|
//! | `answer` | what an impact does, for people |
//! | `text` | its lines for one contact, and those that all impacts have |
//! | `several` | its tables of several contacts |
//! | `comparison` | all laws side by side |
//! | `model` | a robot for people |
//! | `map` | a map as JSON and CSV |
//! | `run` | runs: tables, text, pages |
//! | `figure` | figures as SVG and PNG |
//! | `batch` | problems as lines of JSON |
//! | `printable` | names as text that a terminal shows and does not obey |
#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod answer;
pub mod batch;
mod comparison;
pub mod figure;
mod map;
mod model;
mod printable;
mod run;
mod several;
mod text;

pub use answer::AnswerText;
pub use comparison::{ComparisonText, comparison_json};
pub use map::{map_csv, map_json};
pub use model::ModelText;
pub use printable::{printable, printable_json, printable_lines};
pub use run::{EventLog, PageError, RunText, run_csv, run_events_csv, run_html, run_json, run_summary_json};
#[cfg(feature = "parquet")]
pub use run::{run_events_parquet, run_parquet};

pub use carom_scene::answer::verdict::{verdict, verdict_of_several};
pub use carom_scene::record::{ContactRecord, ErrorRecord, Id, OutcomeRecord, RobotRecord, StruckRecord};
