//! Runs as data: samples, events, the energy book, the summary, where every link is, and where all of it goes.
//!
//! | file | what it has |
//! |---|---|
//! | `run` | samples, header and summary |
//! | `event` | what happened |
//! | `energy` | where the energy is, and where it went |
//! | `book` | the energy book, and what devices may do to it |
//! | `motion` | where every link is at every sample |
//! | `sink` | where samples and events go |
//! | `recorder` | a sink that keeps everything |

pub(crate) mod book;
pub(crate) mod energy;
pub(crate) mod event;
pub(crate) mod motion;
pub(crate) mod recorder;
pub(crate) mod run;
pub(crate) mod sink;
