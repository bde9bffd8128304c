//! The exports of the wasm module: the buffer of the request, the call that answers it, and the buffer of the answer.
//!
//! The page writes a request to `request_buffer(length)`, calls `ask()`, and reads `answer_length()` bytes from the address that it returns. Both
//! buffers stay valid until the next request.
#![allow(
    unsafe_code,
    reason = "an export has a name that is not mangled, which is unsafe if two have the same: these are the only ones"
)]

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use crate::Engine;

static REQUEST: Mutex<Vec<u8>> = Mutex::new(Vec::new());
static ANSWER: Mutex<Vec<u8>> = Mutex::new(Vec::new());
static ENGINE: OnceLock<Engine> = OnceLock::new();

fn lock(buffer: &'static Mutex<Vec<u8>>) -> MutexGuard<'static, Vec<u8>> {
    buffer.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The address of a buffer for a request of this length.
#[unsafe(no_mangle)]
pub extern "C" fn request_buffer(length: usize) -> *mut u8 {
    let mut request = lock(&REQUEST);
    request.clear();
    request.resize(length.min(crate::limits::BODY + 1), 0);
    request.as_mut_ptr()
}

/// Answers the request in the buffer; returns the address of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn ask() -> *const u8 {
    let answer = ENGINE.get_or_init(Engine::new).answer(&lock(&REQUEST));
    let mut kept = lock(&ANSWER);
    *kept = answer;
    kept.as_ptr()
}

/// The length of the last answer.
#[unsafe(no_mangle)]
pub extern "C" fn answer_length() -> usize {
    lock(&ANSWER).len()
}
