//! What the kernels in use are compiled for, in one line: results of one line and one version of carom have the same bits.

use carom_law::Kernel;

/// Architecture, kernels, and whether the build fuses products and sums: `x86_64 avx2`, `x86_64 portable`,
/// `x86_64 avx2 fused`.
///
/// The kernels follow the processor; the environment variable [`KERNEL_VARIABLE`](carom_law::KERNEL_VARIABLE) with the value
/// `portable` chooses those that every processor of the architecture has.
pub fn instruction_set() -> String {
    let fused = if carom_multibody::IS_FUSED { " fused" } else { "" };
    format!("{} {}{fused}", std::env::consts::ARCH, Kernel::in_use().name())
}
