//! Whether passes compiled for AVX2 run: by the environment variable `CAROM_KERNEL`, which is read once, and by the processor.
//! The same rule as that of `carom-law`, which this crate does not know.

/// Whether products and sums are fused, which depends on how the crate was built: results then differ in their last bits.
pub const IS_FUSED: bool = cfg!(all(target_feature = "avx", target_feature = "fma"));

#[cfg(target_arch = "x86_64")]
pub(crate) use x86_64::has_avx2;

#[cfg(target_arch = "x86_64")]
mod x86_64 {
    use std::sync::atomic::{AtomicU8, Ordering};

    const UNKNOWN: u8 = 0;
    const PORTABLE: u8 = 1;
    const AVX2: u8 = 2;

    static IN_USE: AtomicU8 = AtomicU8::new(UNKNOWN);

    #[inline]
    pub(crate) fn has_avx2() -> bool {
        match IN_USE.load(Ordering::Relaxed) {
            UNKNOWN => detect(),
            kernel => kernel == AVX2,
        }
    }

    #[cold]
    fn detect() -> bool {
        let is_portable = std::env::var_os("CAROM_KERNEL").is_some_and(|value| value == "portable");
        let has_avx2 = !is_portable && std::is_x86_feature_detected!("avx2");
        IN_USE.store(if has_avx2 { AVX2 } else { PORTABLE }, Ordering::Relaxed);
        has_avx2
    }
}
