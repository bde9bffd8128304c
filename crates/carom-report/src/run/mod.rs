//! Runs of the simulation for programs and for people: tables, a summary, a page that plays the motion.

mod csv;
mod html;
mod json;
mod log;
#[cfg(feature = "parquet")]
mod parquet;
mod table;
mod text;

pub use csv::{run_csv, run_events_csv};
pub use html::{PageError, run_html};
pub use json::{run_json, run_summary_json};
pub use log::EventLog;
#[cfg(feature = "parquet")]
pub use parquet::{run_events_parquet, run_parquet};
pub use text::RunText;
