//! The instruction set of the kernels that are compiled more than once, chosen at run time.

use std::sync::atomic::{AtomicU8, Ordering};

/// The environment variable that chooses the kernels: `portable` for those that every processor has.
pub const KERNEL_VARIABLE: &str = "CAROM_KERNEL";

/// The kernels in use.
///
/// Kernels of different names perform the same operations in the same order, which tests check on this platform. A cluster of
/// different processors that must not depend on this sets `CAROM_KERNEL=portable`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kernel {
    /// What every processor of the architecture has.
    Portable,
    /// Vectors of four numbers on x86-64.
    Avx2,
}

const UNKNOWN: u8 = 0;
const PORTABLE: u8 = 1;
const AVX2: u8 = 2;

static IN_USE: AtomicU8 = AtomicU8::new(UNKNOWN);

impl Kernel {
    /// The kernels of this process: by `CAROM_KERNEL`, which is read once, and by the processor.
    pub fn in_use() -> Self {
        if has_avx2() { Self::Avx2 } else { Self::Portable }
    }

    /// The name used in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Avx2 => "avx2",
        }
    }
}

/// Whether kernels compiled for AVX2 run.
#[inline]
pub(crate) fn has_avx2() -> bool {
    match IN_USE.load(Ordering::Relaxed) {
        UNKNOWN => detect(),
        kernel => kernel == AVX2,
    }
}

#[cold]
fn detect() -> bool {
    let is_portable = std::env::var_os(KERNEL_VARIABLE).is_some_and(|value| value == Kernel::Portable.name());
    let has_avx2 = !is_portable && processor_has_avx2();
    IN_USE.store(if has_avx2 { AVX2 } else { PORTABLE }, Ordering::Relaxed);
    has_avx2
}

#[cfg(target_arch = "x86_64")]
fn processor_has_avx2() -> bool {
    std::is_x86_feature_detected!("avx2")
}

#[cfg(not(target_arch = "x86_64"))]
fn processor_has_avx2() -> bool {
    false
}
