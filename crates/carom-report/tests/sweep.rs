//! Sweeps as files: Parquet comes back with its bits, and figures show the rows.
#![cfg(feature = "parquet")]

use std::path::Path;
use std::sync::Arc;

use carom_report::figure;
use carom_report::sweep::{
    Cells, Picture, PictureOf, Shard, SweepOptions, TableFiles, TableFormat, write_folder, write_stream,
};
use carom_study::sweep::{Plan, Sweep, Values};
use parquet::basic::{Compression, Encoding};
use parquet::file::reader::{FileReader, SerializedFileReader};

fn sweep(scene: &str, vary: &[&str], random: &[&str], samples: u64, columns: &str) -> Sweep {
    let mut plan = Plan::new(carom_scene::gallery::find(scene).unwrap().tree().unwrap());
    plan.vary = vary.iter().map(|text| text.parse().unwrap()).collect();
    plan.random = random.iter().map(|text| text.parse().unwrap()).collect();
    plan.samples = samples;
    plan.columns = carom_study::sweep::split_columns(columns);
    plan.prepare(Path::new(""), &Arc::default()).unwrap()
}

fn write(sweep: &Sweep, path: &Path) {
    let format = if path.extension().unwrap() == "csv" { TableFormat::Csv } else { TableFormat::Parquet };
    let mut file = std::fs::File::create(path).unwrap();
    let written =
        write_stream(sweep, &mut file, &SweepOptions::new(format, sweep).threads(2).rows_per_part(4096)).unwrap();
    assert!(written.is_complete() && written.rows == sweep.rows());
}

#[test]
fn parquet_and_csv_come_back_with_their_bits() {
    let folder = tempfile::tempdir().unwrap();
    // Values out of range have an error, and slip has a direction where stick has none.
    let columns = "mode,impulse,direction,admissible,critical_friction";
    let sweep = sweep(
        "arm",
        &["guard=[report,slip]", "restitution=-0.1:1:5"],
        &["friction=uniform(0,1)", "state.velocity.elbow=normal(0,2)"],
        50,
        columns,
    );
    let table = sweep.part(0, 1).unwrap();
    for name in ["table.parquet", "table.csv"] {
        let path = folder.path().join(name);
        write(&sweep, &path);
        let read = TableFiles::open(&path).unwrap();
        let names: Vec<&str> = sweep.columns().iter().map(|header| header.name.as_str()).collect();
        assert_eq!(read.names(), names);
        let mut found: Vec<Vec<Cells>> = Vec::new();
        read.visit(&names, |cells| found.push(cells.to_vec())).unwrap();
        assert_eq!(found.len(), 1);
        for (column, cells) in table.columns.iter().zip(&found[0]) {
            match (&column.values, cells) {
                (Values::Integers(values), Cells::Numbers(found)) => {
                    assert!(values.iter().zip(found).all(|(a, b)| *a as f64 == *b), "{}", column.name);
                }
                (Values::Numbers(values), Cells::Numbers(found)) => {
                    let same = |(a, b): (&f64, &f64)| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
                    assert!(values.len() == found.len() && values.iter().zip(found).all(same), "{}", column.name);
                }
                (Values::Flags(values), Cells::Words(found)) => {
                    let values: Vec<Option<String>> = values.iter().map(|flag| flag.map(|f| f.to_string())).collect();
                    assert_eq!(values, *found, "{}", column.name);
                }
                (Values::Words(values), Cells::Words(found)) => {
                    let values: Vec<Option<String>> =
                        values.iter().map(|w| w.as_ref().map(ToString::to_string)).collect();
                    assert_eq!(values, *found, "{}", column.name);
                }
                (values, cells) => panic!("{}: {values:?} {cells:?}", column.name),
            }
        }
    }
    let nulls = |name: &str| {
        let column = table.columns.iter().find(|column| column.name == name).unwrap();
        match &column.values {
            Values::Numbers(values) => values.iter().filter(|x| x.is_nan()).count(),
            Values::Words(values) => values.iter().filter(|word| word.is_none()).count(),
            _ => 0,
        }
    };
    // The cases that the comparison is about occur.
    assert_eq!(nulls("impulse[0]"), 100);
    assert!(nulls("direction[0]") > 100 && nulls("direction[0]") < 500 && nulls("error") == 400);
}

/// Groups of 65,536 rows, snappy, dictionaries for words only, and the plan in the metadata.
#[test]
fn parquet_has_the_promised_layout() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.parquet");
    let sweep = sweep("kane", &["friction=0:1:70000"], &[], 1, "mode,impulse[0],admissible");
    write(&sweep, &path);
    let reader = SerializedFileReader::new(std::fs::File::open(&path).unwrap()).unwrap();
    let groups: Vec<i64> = reader.metadata().row_groups().iter().map(|group| group.num_rows()).collect();
    assert_eq!(groups, [65_536, 70_000 - 65_536]);
    for column in reader.metadata().row_group(0).columns() {
        let name = column.column_path().string();
        assert_eq!(column.compression(), Compression::SNAPPY, "{name}");
        let is_dictionary = column.encodings().any(|encoding| encoding == Encoding::RLE_DICTIONARY);
        assert_eq!(is_dictionary, ["mode", "error"].contains(&name.as_str()), "{name}");
    }
    let metadata = reader.metadata().file_metadata().key_value_metadata().unwrap();
    let value = |key: &str| metadata.iter().find(|entry| entry.key == key).unwrap().value.clone().unwrap();
    assert_eq!(value("carom.plan"), sweep.document());
    assert_eq!(value("carom.plan_sha256"), sweep.digest());
    assert_eq!(value("carom.instruction_set"), carom_sim::instruction_set());
}

/// The digest is that of the document, by another implementation.
#[test]
fn the_digest_is_the_sha_256_of_the_document() {
    let sweep = sweep("kane", &["friction=0:1:5"], &[], 1, "");
    let mut child = match std::process::Command::new("sha256sum")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
    {
        Ok(child) => child,
        // Not every system has the command.
        Err(_) => return,
    };
    use std::io::Write;
    child.stdin.take().unwrap().write_all(sweep.document().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap().split(' ').next().unwrap(), sweep.digest());
}

fn picture(path: &Path, x: &str, y: &str, color: Option<&str>) -> Picture {
    Picture::new(&TableFiles::open(path).unwrap(), &PictureOf { x, y, color }, "name").unwrap()
}

/// Grids give heat maps, one key alone curves, random keys points; every figure is drawn.
#[test]
fn figures_are_of_the_kind_that_the_rows_are() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("grid.parquet");
    write(&sweep("kane", &["restitution=0:1:21", "friction=1:0:11"], &[], 3, ""), &path);
    for (x, y, color, kind) in [
        ("restitution", "friction", Some("energy.change"), "Heat("),
        ("friction", "restitution", Some("mode"), "Heat("),
        ("restitution", "energy.change", None, "Curves("),
        ("restitution", "energy.change", Some("mode"), "Curves("),
        ("impulse[0]", "energy.change", Some("friction"), "Points {"),
    ] {
        let picture = picture(&path, x, y, color);
        let debug = format!("{picture:?}");
        assert!(debug.contains(&format!("content: {kind}")), "{x} {y} {color:?}: {}", &debug[..200]);
        let svg = figure::sweep_svg(&picture).unwrap();
        assert!(svg.starts_with("<svg") && !svg.contains("NaN") && svg.len() < 200_000, "{x} {y} {color:?}");
        for name in [x, y] {
            assert!(svg.contains(&format!("aria-label=\"{name}\"")), "no label {name}");
        }
    }
    let random = folder.path().join("random.csv");
    write(&sweep("kane", &[], &["restitution=uniform(0,1)", "friction=uniform(0,1)"], 500, ""), &random);
    let debug = format!("{:?}", picture(&random, "restitution", "friction", Some("mode")));
    assert!(debug.contains("content: Points {"), "{}", &debug[..200]);
}

/// A cell is the mean of its samples, in its place.
#[test]
fn a_cell_of_a_heat_map_is_the_mean_of_its_samples() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("sweep");
    let sweep = sweep(
        "kane",
        &["restitution=[0.8,0.1]", "friction=[0.3,0.2,0.9]"],
        &["state.velocity.elbow=normal(0,1)"],
        40,
        "energy.change",
    );
    let options = SweepOptions::new(TableFormat::Parquet, &sweep).rows_per_part(7);
    write_folder(&sweep, &place, Shard::WHOLE, &options).unwrap();
    let table = sweep.part(0, 1).unwrap();
    let Values::Numbers(values) = &table.columns[4].values else { panic!("numbers") };
    let mean = |cell: usize| values[40 * cell..40 * (cell + 1)].iter().sum::<f64>() / 40.0;
    let debug = format!("{:?}", picture(&place, "friction", "restitution", Some("energy.change")));
    // From the bottom, restitution 0.1 first; from the left, friction 0.2, 0.3, 0.9.
    let cells = debug.split("cells: [").nth(1).unwrap().split(']').next().unwrap();
    let cells: Vec<f64> = cells.split(", ").map(|cell| cell.parse().unwrap()).collect();
    assert_eq!(cells.len(), 6);
    for (cell, expected) in cells.iter().zip([4, 3, 5, 1, 0, 2].map(mean)) {
        assert!((cell - expected).abs() <= 1e-14 * expected.abs(), "{cell} {expected}");
    }
}

#[test]
fn what_has_no_figure_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.parquet");
    write(&sweep("kane", &["friction=0:1:9"], &[], 1, ""), &path);
    let error = |path: &Path, x: &str, y: &str, color: Option<&str>| {
        let table = TableFiles::open(path).unwrap();
        Picture::new(&table, &PictureOf { x, y, color }, "name").unwrap_err().to_string()
    };
    assert!(
        error(&path, "frction", "mode", None).contains("--x \"frction\" is not a column (did you mean \"friction\"?)")
    );
    assert!(error(&path, "friction", "mode", None).contains("--y \"mode\" has words, and an axis needs numbers"));
    assert!(error(&path, "friction", "energy.change", Some("mod")).contains("--color-by \"mod\" is not a column"));
    let open = |path: &Path| TableFiles::open(path).unwrap_err().to_string();
    assert!(open(&folder.path().join("none.parquet")).contains("cannot read"));
    assert!(open(folder.path()).contains("has no _manifest.json"));
    let broken = folder.path().join("broken.parquet");
    std::fs::write(&broken, &std::fs::read(&path).unwrap()[..1000]).unwrap();
    assert!(open(&broken).contains("is not a table of a sweep"), "{}", open(&broken));
}
