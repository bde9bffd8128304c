//! Runs as data: samples, events, the energy book, the summary, poses of links, and sinks.
//!
//! | file | contents |
//! |---|---|
//! | `run` | samples, header and summary |
//! | `event` | events |
//! | `energy` | energies of a state and work since the start |
//! | `book` | the energy book and the bounds on devices |
//! | `motion` | poses of all links at samples |
//! | `sink` | the receiver of samples and events |
//! | `recorder` | a sink that keeps everything |

pub(crate) mod book;
pub(crate) mod energy;
pub(crate) mod event;
pub(crate) mod motion;
pub(crate) mod recorder;
pub(crate) mod run;
pub(crate) mod sink;
