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
//! | `group` | bounces that come faster and faster, as groups of events |
//! | `words` | events and groups in words |
//! | `log` | the events as text |
//! | `touched` | the contacts that closed, and their modes |
//! | `label` | names of contacts that fit into a column |
//! | `html` | a page that plays a run |
//! | `page` | its data |
//! | `thinned` | the samples that it keeps |
//! | `packed` | its numbers in base 64 |
//! | `scripts` | its modules, joined into one script |
//! | `player` | the modules themselves, in the browser |

pub(crate) mod csv;
mod group;
mod html;
mod json;
mod keys;
mod label;
mod log;
mod packed;
mod page;
#[cfg(feature = "parquet")]
mod parquet;
mod scripts;
mod stored;
mod table;
mod text;
mod thinned;
pub(crate) mod touched;
pub(crate) mod words;

pub use csv::{run_csv, run_events_csv};
pub use group::{EventGroup, Train, event_groups};
pub use html::{PageError, run_html, run_page_json};
pub use json::{RunFile, run_json, run_summary_json};
pub use keys::run_schema;
pub use log::EventLog;
pub use page::{DrawnRobot, PageHull, drawn_robot, robot_poses};
#[cfg(feature = "parquet")]
pub use parquet::{run_events_parquet, run_parquet};
pub use scripts::player_modules;
pub use stored::{RunComparison, StoredColumn, StoredError, StoredRun, StoredValues, events_file, header_file};
pub use table::{Column, Values, run_columns, run_event_columns};
pub use text::RunText;
