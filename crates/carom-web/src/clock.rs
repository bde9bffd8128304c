//! The clock of the page, for a module that has none of its own: its only import.

/// The time of the page in which this is a module, s; `None` where the system has a clock.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn page_seconds() -> Option<f64> {
    None
}

/// The time of the page in which this is a module, s.
#[cfg(target_arch = "wasm32")]
pub(crate) fn page_seconds() -> Option<f64> {
    Some(1e-3 * page::now())
}

#[cfg(target_arch = "wasm32")]
#[allow(unsafe_code, reason = "an import has the signature that the page gives it: `module.js`")]
mod page {
    #[link(wasm_import_module = "page")]
    unsafe extern "C" {
        /// Milliseconds since some moment. It has no arguments, reads and writes no memory: it is safe to call.
        pub(super) safe fn now() -> f64;
    }
}
