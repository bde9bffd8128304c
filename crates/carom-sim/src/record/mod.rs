//! Runs as data: samples, events, the energy book, the summary, where every link is, and where all of it goes.

pub(crate) mod book;
pub(crate) mod energy;
pub(crate) mod event;
pub(crate) mod motion;
pub(crate) mod recorder;
pub(crate) mod run;
pub(crate) mod sink;
