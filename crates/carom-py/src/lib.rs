//! carom in Python: the extension module `carom._carom`. It converts between Python and Rust, and computes nothing; the package
//! `carom` around it is in `python/carom`.
//!
//! | file | contents |
//! |---|---|
//! | `error` | errors as `carom.CaromError` |
//! | `array` | numpy arrays in and out |
//! | `document` | Python objects as documents, and back |
//! | `record` | the parts of an outcome |
//! | `outcome` | outcomes |
//! | `stated` | a problem that was read, and what it was read from |
//! | `problem` | problems |
//! | `impact` | the impact of a problem, or of matrices |
//! | `struck` | a state in which a robot was struck |
//! | `loaded` | a robot that was read, and the scenes of its contacts |
//! | `convention` | states of MuJoCo and Pinocchio |
//! | `robot` | robots and their impacts |
//! | `batch` | arrays of impacts |
//! | `contact` | the contact of a problem, and the curves of its map |
//! | `study` | maps and comparisons |
//! | `run` | simulations |
//! | `sweep` | sweeps: plans, files and rows in memory |
//!
//! Python's allocator aligns objects to 16 bytes, and PyO3 does not ask for more: a class that contains a robot's dynamics,
//! which are aligned to 32, would crash. So each class asserts that it needs no more than 8; what needs more is in a box.

#![allow(rustdoc::broken_intra_doc_links, reason = "docstrings of Python have shapes in brackets")]

mod array;
mod batch;
mod contact;
mod convention;
mod document;
mod error;
mod impact;
mod loaded;
mod outcome;
mod problem;
mod record;
mod robot;
mod run;
mod stated;
mod struck;
mod study;
mod sweep;

use pyo3::prelude::*;

/// Refuses classes that Python's allocator cannot align.
macro_rules! aligned {
    ($($class:ty),* $(,)?) => {
        $(const _: () = assert!(align_of::<$class>() <= 8, "Python aligns objects to 16 bytes only: use a box");)*
    };
}
pub(crate) use aligned;

#[pymodule]
mod _carom {
    #[pymodule_export]
    use super::batch::{Batch, impact_batch};
    #[pymodule_export]
    use super::contact::Contact;
    #[pymodule_export]
    use super::impact::impact;
    #[pymodule_export]
    use super::outcome::{Outcome, SimultaneousOutcome};
    #[pymodule_export]
    use super::problem::{Problem, gallery, models, problem};
    #[pymodule_export]
    use super::record::{
        ContactOutcome, ContactVelocity, Energy, Friction, Guard, Printed, Restitution, RestitutionLimit, Violation,
    };
    #[pymodule_export]
    use super::robot::{Robot, load};
    #[pymodule_export]
    use super::run::{RunRecord, simulate};
    #[pymodule_export]
    use super::study::{Comparison, Map, compare, map};
    #[pymodule_export]
    use super::sweep::{SweepPlan, sweep_plan, sweep_plan_of};

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
