//! The engine and the page of `carom explore`.
//!
//! [`Engine::answer`] takes a request and returns an answer; it computes nothing itself, it calls what `carom` offers. The server of the command
//! and the worker of the static page pass the same bytes. Requests carry the whole state of the page, so that answers depend on the request
//! alone; what is expensive to read or to simulate is kept by its content.
//!
#![doc = include_str!("protocol.md")]
//!
//! | file | contents |
//! |---|---|
//! | `engine` | from a request to an answer |
//! | `request` | requests, read and checked |
//! | `source` | what is explored: a built-in scene, the file of the command line, files that were dropped |
//! | `stated` | a document with the changes of a request |
//! | `open` | the description of a document |
//! | `close` | states that close the loops of a robot |
//! | `impact` | the exact answer at a pair of coefficients |
//! | `line` | the command line and the Python lines of an answer |
//! | `study` | maps, the comparison of laws, the impulse diagram |
//! | `motion` | runs, and their impacts |
//! | `save` | files to download |
//! | `words` | names of curves, regions and axes in words |
//! | `envelope` | answers as bytes |
//! | `fault` | errors as answers |
//! | `page` | the files of the page |
//! | `clock` | the clock of the page, for wasm |
//! | `wasm` | the exports of the wasm module |
//!
//! | feature | default | adds |
//! |---|---|---|
//! | `png` | yes | figures as PNG; SVG is always available |
#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod clock;
mod close;
mod engine;
mod envelope;
mod fault;
mod impact;
mod line;
mod motion;
mod open;
// A static page has its files beside the module.
#[cfg(not(target_arch = "wasm32"))]
pub mod page;
mod request;
mod save;
mod source;
mod stated;
mod study;
#[cfg(target_arch = "wasm32")]
mod wasm;
mod words;

pub use engine::Engine;
pub use request::limits;
