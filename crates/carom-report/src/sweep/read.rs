//! The columns of a sweep's files, a group of rows at a time.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use super::cells::{Cells, Planned, not_a_sweep, places};
use super::error::SweepFileError;
use super::manifest::Manifest;
#[cfg(feature = "parquet")]
use super::read_parquet::{read_names, read_plan, read_rows};

/// Rows of CSV that are passed on together.
const ROWS_A_BLOCK: usize = 1 << 14;

/// A table in files: one, or the parts of a folder.
#[derive(Debug, Clone)]
pub struct TableFiles {
    files: Vec<PathBuf>,
    plan: Planned,
    names: Vec<String>,
    /// The number of missing parts of a folder.
    missing: u64,
}

impl TableFiles {
    /// The table of a folder or file.
    ///
    /// # Errors
    /// The files cannot be read, or are not a table.
    pub fn open(path: &Path) -> Result<Self, SweepFileError> {
        let (files, missing, plan) = if path.is_dir() {
            let manifest = Manifest::read(path)?;
            let manifest = manifest.ok_or_else(|| not_a_sweep(path, "the folder has no _manifest.json"))?;
            let all = (0..manifest.parts).map(|part| path.join(manifest.part_name(part)));
            let files: Vec<PathBuf> = all.filter(|file| file.exists()).collect();
            let missing = manifest.parts - files.len() as u64;
            (files, missing, Some(Planned::of(manifest.plan.get())))
        } else {
            (vec![path.to_owned()], 0, None)
        };
        let first = files.first().ok_or_else(|| not_a_sweep(path, "the folder has no parts yet"))?;
        let (names, own) = if is_csv(first) {
            let mut reader = open(first)?;
            (fields(&next_line(&mut reader, first)?.unwrap_or_default()), Planned::default())
        } else {
            (read_names(first)?, read_plan(first)?)
        };
        Ok(Self { names, plan: plan.unwrap_or(own), missing, files })
    }

    /// The names of the columns.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The title of the scene, if the files have it.
    pub fn title(&self) -> Option<&str> {
        self.plan.title.as_deref()
    }

    /// The keys that vary, then those with random values, if the files have the plan: one file of CSV does not.
    pub fn keys(&self) -> &[String] {
        &self.plan.keys
    }

    /// The number of missing parts.
    pub fn missing_parts(&self) -> u64 {
        self.missing
    }

    /// Passes the rows of some columns on, group by group and in order.
    ///
    /// # Errors
    /// A file cannot be read, or does not have the columns.
    pub fn visit(&self, columns: &[&str], mut take: impl FnMut(&[Cells])) -> Result<(), SweepFileError> {
        for file in &self.files {
            match is_csv(file) {
                true => visit_csv(file, columns, &mut take)?,
                false => read_rows(file, columns, &mut take)?,
            }
        }
        Ok(())
    }
}

#[cfg(not(feature = "parquet"))]
mod without_parquet {
    use super::*;

    fn refuse<T>(path: &Path) -> Result<T, SweepFileError> {
        // A file that does not exist has no format to refuse.
        std::fs::metadata(path).map_err(|error| SweepFileError::read(path, error))?;
        Err(not_a_sweep(path, "this carom was built without the feature parquet, and reads .csv only"))
    }

    pub(super) fn read_plan(path: &Path) -> Result<Planned, SweepFileError> {
        refuse(path)
    }

    pub(super) fn read_names(path: &Path) -> Result<Vec<String>, SweepFileError> {
        refuse(path)
    }

    pub(super) fn read_rows(path: &Path, _: &[&str], _: &mut dyn FnMut(&[Cells])) -> Result<(), SweepFileError> {
        refuse(path)
    }
}
#[cfg(not(feature = "parquet"))]
use without_parquet::{read_names, read_plan, read_rows};

fn is_csv(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv"))
}

fn open(path: &Path) -> Result<BufReader<File>, SweepFileError> {
    File::open(path).map(BufReader::new).map_err(|error| SweepFileError::read(path, error))
}

/// The next record: a line, and those after it while a quotation is open.
fn next_line(reader: &mut impl BufRead, path: &Path) -> Result<Option<String>, SweepFileError> {
    let mut line = String::new();
    loop {
        let read = reader.read_line(&mut line).map_err(|error| SweepFileError::read(path, error))?;
        let is_open = line.bytes().filter(|byte| *byte == b'"').count() % 2 == 1;
        if read == 0 && is_open {
            return Err(not_a_sweep(path, "a quotation has no end"));
        }
        if !is_open {
            let end = line.trim_end_matches(['\n', '\r']).len();
            let is_end = line.is_empty();
            line.truncate(end);
            return Ok((!is_end).then_some(line));
        }
    }
}

/// The fields of a record, without their quotes.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut is_quoted = false;
    let mut signs = line.chars().peekable();
    while let Some(sign) = signs.next() {
        let Some(field) = fields.last_mut() else { break };
        match sign {
            '"' if is_quoted && signs.peek() == Some(&'"') => {
                signs.next();
                field.push('"');
            }
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => fields.push(String::new()),
            sign => field.push(sign),
        }
    }
    fields
}

fn visit_csv(path: &Path, columns: &[&str], take: &mut dyn FnMut(&[Cells])) -> Result<(), SweepFileError> {
    let mut reader = open(path)?;
    let names = fields(&next_line(&mut reader, path)?.unwrap_or_default());
    let places = places(path, &names, columns)?;
    let mut rows: Vec<Vec<String>> = vec![Vec::new(); places.len()];
    loop {
        let line = next_line(&mut reader, path)?;
        if let Some(line) = &line {
            let mut row = fields(line);
            if row.len() != names.len() {
                return Err(not_a_sweep(path, format!("a row has {} fields, and not {}", row.len(), names.len())));
            }
            for (column, place) in rows.iter_mut().zip(&places) {
                column.push(std::mem::take(&mut row[*place]));
            }
        }
        let count = rows.first().map_or(0, Vec::len);
        if count >= ROWS_A_BLOCK || (line.is_none() && count > 0) {
            let cells: Vec<Cells> = rows.iter_mut().map(|column| cells(std::mem::take(column))).collect();
            take(&cells);
        }
        if line.is_none() {
            return Ok(());
        }
    }
}

/// Numbers if all fields that are not empty are numbers.
fn cells(fields: Vec<String>) -> Cells {
    let number = |field: &String| if field.is_empty() { Some(f64::NAN) } else { field.parse().ok() };
    match fields.iter().map(number).collect() {
        Some(numbers) => Cells::Numbers(numbers),
        None => Cells::Words(fields.into_iter().map(|field| (!field.is_empty()).then_some(field)).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_is_read_as_it_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        std::fs::write(&path, "x,\"a,b\",error\r\n1,stick,\n-2e-3,,\"said \"\"no\"\",\ntwice\"\n").unwrap();
        let table = TableFiles::open(&path).unwrap();
        assert_eq!(table.names(), ["x", "a,b", "error"]);
        let mut read = Vec::new();
        table.visit(&["error", "x", "a,b"], |cells| read.push(cells.to_vec())).unwrap();
        let word = |text: &str| Some(text.to_owned());
        assert_eq!(
            read,
            [vec![
                Cells::Words(vec![None, word("said \"no\",\ntwice")]),
                Cells::Numbers(vec![1.0, -2e-3]),
                Cells::Words(vec![word("stick"), None]),
            ]]
        );
        std::fs::write(&path, "x,y\n1\n").unwrap();
        let error = TableFiles::open(&path).unwrap().visit(&["x"], |_| {}).unwrap_err().to_string();
        assert!(error.contains("a row has 1 fields, and not 2"), "{error}");
    }
}
