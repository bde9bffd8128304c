//! Results for people and for programs: text, tables, figures, pages, and batches of problems as JSON lines.
//!
//! | file | contents |
//! |---|---|
//! | `text` | the outcome of one contact as text |
//! | `several` | the outcome of several contacts as text |
//! | `comparison` | the comparison of all laws as text |
//! | `model` | a robot as text |
//! | `map` | a map as JSON and CSV |
//! | `run` | runs: tables, text, pages |
//! | `figure` | figures as SVG and PNG |
//! | `batch` | batches of problems as JSON lines |
//! | `printable` | names with control characters escaped |
#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod batch;
mod comparison;
pub mod figure;
mod map;
mod model;
mod printable;
mod run;
mod several;
mod text;

pub use comparison::{ComparisonText, comparison_json};
pub use map::{map_csv, map_json};
pub use model::ModelText;
pub use printable::{printable, printable_json, printable_lines};
pub use run::{EventLog, PageError, RunText, run_csv, run_events_csv, run_html, run_json, run_summary_json};
#[cfg(feature = "parquet")]
pub use run::{run_events_parquet, run_parquet};
pub use several::SeveralText;
pub use text::Text;

pub use carom_scene::answer::verdict::{verdict, verdict_of_several};
pub use carom_scene::record::{ContactRecord, ErrorRecord, Id, OutcomeRecord, RobotRecord, StruckRecord};
