//! Sweeps as files: one file, or a folder of parts that several processes fill and that an interrupted run continues.
//!
//! A part is written to a temporary file, synced and renamed: a part that exists is finished. A manifest, which is
//! written first, identifies the rows. Parts do not depend on threads and shards.
//!
//! | file | contents |
//! |---|---|
//! | `options` | format, threads, shard |
//! | `encode` | tables as CSV and Parquet |
//! | `parquet` | tables as row groups |
//! | `beside` | files that appear when they are complete |
//! | `manifest` | the manifest of a folder of parts |
//! | `folder` | a folder of parts |
//! | `stream` | rows in order: into one output, or into memory |
//! | `file` | one file that appears when it is complete |
//! | `read`, `read_parquet` | the columns of files, read again |
//! | `cells` | some rows of a column |
//! | `picture` | a column over two others, as data for a figure |
//! | `error` | errors |

mod beside;
mod cells;
mod encode;
mod error;
mod file;
mod folder;
mod manifest;
mod options;
#[cfg(feature = "parquet")]
mod parquet;
mod picture;
mod read;
#[cfg(feature = "parquet")]
mod read_parquet;
mod stream;

pub use cells::Cells;
pub use error::SweepFileError;
pub use file::write_file;
pub use folder::{missing_parts, write_folder};
pub use manifest::{MANIFEST, Manifest};
pub use options::{Shard, SweepOptions, TableFormat, Written, default_rows_per_part};
pub(crate) use picture::{Band, Colors, Content, Heat};
pub use picture::{Picture, PictureError, PictureOf};
pub use read::TableFiles;
pub use stream::{collect_rows, write_stream};
