//! The clock of the page: the only import of the wasm module, which has no clock of its own.

/// The time of the page, s, in wasm; `None` where the system has a clock.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn page_seconds() -> Option<f64> {
    None
}

/// The time of the page, s.
#[cfg(target_arch = "wasm32")]
pub(crate) fn page_seconds() -> Option<f64> {
    Some(1e-3 * page::now())
}

#[cfg(target_arch = "wasm32")]
#[allow(unsafe_code, reason = "an import has the signature that the page gives it: `module.js`")]
mod page {
    #[link(wasm_import_module = "page")]
    unsafe extern "C" {
        /// Milliseconds from an arbitrary origin. It takes no arguments and touches no memory, so it is safe to call.
        pub(super) safe fn now() -> f64;
    }
}
