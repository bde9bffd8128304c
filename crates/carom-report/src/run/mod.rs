//! Simulated runs for programs and for people: tables, a summary, a page that plays the motion.
//!
//! | file | contents |
//! |---|---|
//! | `table` | the columns of a run, the same in every format |
//! | `csv` | as CSV |
//! | `json` | as JSON |
//! | `parquet` | as Parquet |
//! | `keys` | the fields of a run in JSON |
//! | `stored` | runs read back from their files |
//! | `text` | a summary as text |
//! | `log` | the events as text |
//! | `html` | a page that plays a run: its data |
//! | `player` | its scripts in the browser |

pub(crate) mod csv;
mod html;
mod json;
mod keys;
mod log;
#[cfg(feature = "parquet")]
mod parquet;
mod stored;
mod table;
mod text;

pub use csv::{run_csv, run_events_csv};
pub use html::{PageError, run_html};
pub use json::{RunFile, run_json, run_summary_json};
pub use keys::run_schema;
pub use log::EventLog;
#[cfg(feature = "parquet")]
pub use parquet::{run_events_parquet, run_parquet};
pub use stored::{RunComparison, StoredColumn, StoredError, StoredRun, StoredValues, events_file, header_file};
pub use table::{Column, Values, run_columns, run_event_columns};
pub use text::RunText;
