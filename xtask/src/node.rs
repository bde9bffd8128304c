//! Node.js, for the tests of pages and of wasm.

use crate::python::install;
use crate::run::program;

/// Node.js and npm, which are installed if missing.
pub fn node() -> Result<(), String> {
    match (program("node"), program("npm")) {
        (Some(_), Some(_)) => Ok(()),
        _ => install(&["nodejs", "npm"]),
    }
}
