//! What a simulation tells: samples, events, the energy book, the summary, and where every link is.

pub(crate) mod energy;
pub(crate) mod event;
pub(crate) mod motion;
pub(crate) mod observe;
pub(crate) mod run;
pub(crate) mod unwatched;
