//! The files of a run: tables, a figure, a page.

use std::io::Write;
use std::path::{Path, PathBuf};

use carom::provenance::Provenance;
use carom::report::{RunFile, events_file, figure, header_file, run_csv, run_events_csv, run_html};
use carom::sim::Record;

use crate::args::{RunFormat, RunOutputs};
use crate::failure::Failure;
#[cfg(feature = "png")]
use crate::kind::PIXELS;
use crate::kind::{Kind, STDOUT};
use crate::output::{Output, check_place};

/// The requested files.
pub struct Files {
    table: Option<(PathBuf, Kind)>,
    plot: Option<(PathBuf, Kind)>,
    page: Option<PathBuf>,
}

const TABLES: &[Kind] = &[
    #[cfg(feature = "parquet")]
    Kind::Parquet,
    Kind::Csv,
    Kind::Json,
];

const PICTURES: &[Kind] = &[
    Kind::Svg,
    #[cfg(feature = "png")]
    Kind::Png,
];

/// The table on standard output, if it is asked for there: its format is given by `--format`. CSV and Parquet have the
/// samples only, without their second file.
fn table_on_stdout(arguments: &RunOutputs, format: Option<RunFormat>) -> Result<Option<(PathBuf, Kind)>, Failure> {
    let Some(path) = arguments.output.as_ref().filter(|path| path.as_path() == Path::new(STDOUT)) else {
        return Ok(None);
    };
    let kind = match format {
        Some(RunFormat::Json) => Kind::Json,
        Some(RunFormat::Csv) => Kind::Csv,
        #[cfg(feature = "parquet")]
        Some(RunFormat::Parquet) => Kind::Parquet.for_stdout()?,
        None | Some(RunFormat::Text) => Kind::of(path, TABLES)?,
    };
    Ok(Some((path.clone(), kind)))
}

impl Files {
    pub fn of(arguments: &RunOutputs, format: Option<RunFormat>) -> Result<Self, Failure> {
        let kind = |path: &Option<PathBuf>, offered| {
            path.as_ref().map(|path| Kind::of(path, offered).map(|kind| (path.clone(), kind))).transpose()
        };
        let files = Self {
            table: table_on_stdout(arguments, format)?
                .map_or_else(|| kind(&arguments.output, TABLES), |table| Ok(Some(table)))?,
            plot: kind(&arguments.plot, PICTURES)?,
            page: kind(&arguments.render, &[Kind::Html])?.map(|(path, _)| path),
        };
        for path in [&arguments.output, &arguments.plot, &arguments.render].into_iter().flatten() {
            check_place(path)?;
        }
        if let Some((path, kind)) = &files.table
            && *kind != Kind::Json
            && path != Path::new(STDOUT)
        {
            check_place(&events_file(path))?;
            if *kind == Kind::Csv {
                check_place(&header_file(path))?;
            }
        }
        Ok(files)
    }

    /// Writes all files, and returns the errors.
    pub fn write(&self, record: &Record, provenance: &Provenance, title: &str) -> Vec<Failure> {
        let run = RunFile { record, provenance: Some(provenance) };
        let mut written = Vec::new();
        if let Some((path, kind)) = &self.table {
            let has_name = path != Path::new(STDOUT);
            match kind {
                Kind::Json => written.push(write_file(path, |output| run.json(output))),
                #[cfg(feature = "parquet")]
                Kind::Parquet => {
                    let events = |bytes: &mut Vec<u8>| carom::report::run_events_parquet(record, bytes);
                    written.push(write_file(path, |output| write_all(output, |bytes| run.parquet(bytes))));
                    if has_name {
                        written.push(write_file(&events_file(path), |output| write_all(output, events)));
                    }
                }
                _ => {
                    written.push(write_file(path, |output| run_csv(record, output)));
                    if has_name {
                        written.push(write_file(&events_file(path), |output| run_events_csv(record, output)));
                        written.push(write_file(&header_file(path), |output| run.header_json(output)));
                    }
                }
            }
        }
        if let Some((path, kind)) = &self.plot {
            let bytes = match kind {
                #[cfg(feature = "png")]
                Kind::Png => figure::run_png(record, title, PIXELS),
                _ => figure::run_svg(record, title).map(String::into_bytes),
            };
            let bytes = bytes.map_err(Failure::Figure);
            written.push(bytes.and_then(|bytes| write_file(path, |output| output.write_all(&bytes))));
        }
        if let Some(path) = &self.page {
            let mut page = Vec::new();
            let made = run_html(record, title, &mut page).map_err(Failure::Page);
            written.push(made.and_then(|()| write_file(path, |output| output.write_all(&page))));
        }
        written.into_iter().filter_map(Result::err).collect()
    }
}

/// Writes a file that appears when it is complete.
fn write_file(path: &Path, write: impl FnOnce(&mut Output) -> std::io::Result<()>) -> Result<(), Failure> {
    let mut output = Output::open(Some(path))?;
    write(&mut output).map_err(|error| output.failure(error))?;
    output.finish()
}

/// Writes content that has to be generated in memory first.
#[cfg(feature = "parquet")]
fn write_all(output: &mut Output, make: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> std::io::Result<()> {
    let mut bytes = Vec::new();
    make(&mut bytes)?;
    output.write_all(&bytes)
}
