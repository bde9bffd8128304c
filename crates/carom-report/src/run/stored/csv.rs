//! The samples and events of CSV files, and the header beside them.

use std::path::Path;

use carom_multibody::load::Files;
use serde::Deserialize;

use super::header::{Event, Header, StoredHeader, Summary, check_version, part};
use super::{StoredColumn, StoredError, StoredValues, events_file, header_file, text};

#[derive(Deserialize)]
struct Beside {
    format_version: u32,
    header: Header,
    summary: Summary,
}

/// The columns of events that are read.
const IMPULSE: [&str; 3] = ["impulse.normal", "impulse.tangent1", "impulse.tangent2"];

pub(super) fn read(path: &Path, files: &dyn Files) -> Result<(StoredHeader, Vec<StoredColumn>), StoredError> {
    let mut columns = table(path, files)?;
    // The ending is marked in the last line; the header has it as well.
    columns.retain(|(name, _)| name != "ending");
    let samples = columns.into_iter().map(|(name, cells)| {
        let values = match name.starts_with("contact.") && name.ends_with(".mode") {
            true => StoredValues::Words(cells),
            false => StoredValues::Numbers(numbers(path, &name, &cells)?),
        };
        Ok(StoredColumn { name, values })
    });
    let samples = samples.collect::<Result<Vec<_>, StoredError>>()?;
    let beside = header_file(path);
    let Beside { format_version, header, summary } = part(&beside, &text(&beside, files)?)?;
    check_version(&beside, format_version)?;
    Ok((StoredHeader { header, summary, events: events(&events_file(path), files)? }, samples))
}

fn events(path: &Path, files: &dyn Files) -> Result<Vec<Event>, StoredError> {
    let table = table(path, files)?;
    let column = |name: &str| {
        let found = table.iter().find(|(own, _)| own == name).map(|(_, cells)| cells);
        found.ok_or_else(|| StoredError::NoColumn { path: path.to_owned(), column: name.to_owned() })
    };
    let (kinds, contacts) = (column("kind")?, column("contact")?);
    let times = numbers(path, "time", column("time")?)?;
    let mut impulses = Vec::new();
    for name in IMPULSE {
        impulses.push(numbers(path, name, column(name)?)?);
    }
    let event = |row: usize| Event {
        time: times[row],
        kind: kinds[row].clone(),
        contact: Some(contacts[row].clone()).filter(|name| !name.is_empty()),
        impulse: impulses.iter().map(|column| column[row]).collect(),
    };
    Ok((0..times.len()).map(event).collect())
}

fn numbers(path: &Path, column: &str, cells: &[String]) -> Result<Vec<f64>, StoredError> {
    let number = |cell: &String| {
        let why = || format!("{cell:?} in column {column:?} is not a number");
        cell.parse().map_err(|_| StoredError::NotARun { path: path.to_owned(), why: why() })
    };
    cells.iter().map(number).collect()
}

/// The columns of a table by RFC 4180, all of one length.
fn table(path: &Path, files: &dyn Files) -> Result<Vec<(String, Vec<String>)>, StoredError> {
    let text = text(path, files)?;
    let wrong = |why: String| StoredError::NotARun { path: path.to_owned(), why };
    let mut columns: Vec<(String, Vec<String>)> = Vec::new();
    let mut rest = text.as_str();
    let mut line = 0;
    while !rest.is_empty() {
        line += 1;
        let mut place = 0;
        loop {
            let (cell, ends_line, after) =
                cell(rest).ok_or_else(|| wrong(format!("line {line} ends within quotes, or has text after them")))?;
            rest = after;
            match columns.get_mut(place) {
                _ if line == 1 => columns.push((cell, Vec::new())),
                Some((_, cells)) => cells.push(cell),
                None => return Err(wrong(format!("line {line} has more than {} fields", columns.len()))),
            }
            place += 1;
            if ends_line {
                break;
            }
        }
        if place != columns.len() {
            return Err(wrong(format!("line {line} has {place} fields in place of {}", columns.len())));
        }
    }
    match columns.first() {
        Some((name, _)) if name == "time" => Ok(columns),
        _ => Err(wrong("its first column is not time".to_owned())),
    }
}

/// The first cell of a text, whether it is the last of its line, and the text after it. `None` for quotes that do not close.
fn cell(text: &str) -> Option<(String, bool, &str)> {
    let (content, rest) = match text.strip_prefix('"') {
        None => {
            let end = text.find([',', '\n']).unwrap_or(text.len());
            (text[..end].trim_end_matches('\r').to_owned(), &text[end..])
        }
        Some(mut rest) => {
            let mut content = String::new();
            loop {
                let (before, after) = rest.split_once('"')?;
                content += before;
                match after.strip_prefix('"') {
                    Some(more) => {
                        content.push('"');
                        rest = more;
                    }
                    None => break (content, after),
                }
            }
        }
    };
    let rest = rest.strip_prefix('\r').unwrap_or(rest);
    match rest.strip_prefix(',') {
        Some(rest) => Some((content, false, rest)),
        None if rest.is_empty() => Some((content, true, rest)),
        None => Some((content, true, rest.strip_prefix('\n')?)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_those_of_the_standard() {
        let cells = |mut text: &str| {
            let mut found = Vec::new();
            while !text.is_empty() {
                let (content, ends_line, rest) = cell(text)?;
                found.push((content, ends_line));
                text = rest;
            }
            Some(found)
        };
        let of = |list: &[(&str, bool)]| Some(list.iter().map(|(text, ends)| ((*text).to_owned(), *ends)).collect());
        assert_eq!(cells("a,b\r\n1,\n"), of(&[("a", false), ("b", true), ("1", false), ("", true)]));
        assert_eq!(cells("\"a,\"\"\n\",b"), of(&[("a,\"\n", false), ("b", true)]));
        assert_eq!(cells("\"a"), None);
        assert_eq!(cells("\"a\"b,c"), None);
    }
}
