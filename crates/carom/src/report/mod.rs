//! Outcomes for people and for programs.

mod comparison;
pub mod figure;
mod id;
mod json;
mod map;
mod model;
mod printable;
mod robot;
mod run;
mod several;
mod text;

pub use comparison::{ComparisonText, comparison_json};
pub use id::Id;
pub use json::{ErrorRecord, OutcomeRecord};
pub use map::{map_csv, map_json};
pub use model::ModelText;
pub use printable::{printable, printable_json, printable_lines};
pub use robot::{ContactRecord, RobotRecord, StruckRecord};
pub use run::{EventLog, PageError, RunText, run_csv, run_events_csv, run_html, run_json, run_summary_json};
#[cfg(feature = "parquet")]
pub use run::{run_events_parquet, run_parquet};
pub use several::SeveralText;
pub use text::Text;

pub use crate::verdict::{verdict, verdict_of_several};
