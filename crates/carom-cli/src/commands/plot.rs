//! `carom plot`: a column of a sweep over two others, as a figure.

use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;

use carom::report::figure;
use carom::report::sweep::{Picture, PictureOf, TableFiles};

use crate::args::Plot;
use crate::console::{note, timed};
use crate::failure::Failure;
use crate::kind::Kind;
#[cfg(feature = "png")]
use crate::kind::PIXELS;
use crate::output::{Output, check_place};

const KINDS: &[Kind] = &[
    Kind::Svg,
    #[cfg(feature = "png")]
    Kind::Png,
];

pub fn run(arguments: &Plot) -> Result<ExitCode, Failure> {
    let kind = Kind::of(&arguments.output, KINDS)?;
    kind.check_width(arguments.width)?;
    check_place(&arguments.output)?;
    let begun = Instant::now();
    let table = TableFiles::open(&arguments.table).map_err(Failure::SweepFile)?;
    let name = arguments.table.file_stem().unwrap_or(arguments.table.as_os_str()).to_string_lossy();
    let color = arguments.color_by.as_deref();
    let of = match (&arguments.x, &arguments.y) {
        (Some(x), Some(y)) => PictureOf { x, y, color },
        _ => {
            let of = PictureOf::keys(&table).map_err(Failure::Picture)?;
            PictureOf { color: color.or(of.color), ..of }
        }
    };
    let picture = Picture::new(&table, &of, &name).map_err(Failure::Picture)?;
    if table.missing_parts() > 0 {
        note(&format!("{} parts of {} are not there yet", table.missing_parts(), arguments.table.display()));
    }
    timed("reading", begun);
    let bytes = match kind {
        #[cfg(feature = "png")]
        Kind::Png => figure::sweep_png(&picture, arguments.width.unwrap_or(PIXELS)),
        _ => figure::sweep_svg(&picture).map(String::into_bytes),
    };
    let mut output = Output::open(Some(&arguments.output))?;
    output.write_all(&bytes.map_err(Failure::Figure)?).map_err(|error| output.failure(error))?;
    output.finish()?;
    Ok(ExitCode::SUCCESS)
}
