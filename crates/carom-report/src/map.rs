//! Maps as JSON and CSV.

use std::io::{self, Write};

use carom_law::Mode;

use carom_study::{Cell, Map};

/// The whole map as one JSON object on one line.
///
/// # Errors
/// Writing fails.
pub fn map_json(map: &Map, output: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer(&mut *output, map)?;
    output.write_all(b"\n")
}

/// The cells of a map, one per line below a header line.
///
/// # Errors
/// Writing fails.
pub fn map_csv(map: &Map, output: &mut impl Write) -> io::Result<()> {
    let [x, y] = map.axes.map(|axis| axis.quantity.name());
    writeln!(output, "{x},{y},mode,energy_change,solutions,admissible,admissible_any_state")?;
    for Cell { at, mode, energy_change, solutions, admissible, admissible_any_state } in &map.cells {
        let [x, y] = at;
        let mode: &Mode = mode;
        // A number that was not computed is an empty field.
        let solutions = solutions.map_or(String::new(), |count| count.to_string());
        writeln!(output, "{x},{y},{mode},{energy_change},{solutions},{admissible},{admissible_any_state}")?;
    }
    Ok(())
}
