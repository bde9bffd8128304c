//! What stands in where events cannot be told apart: the watchdog, windows of Moreau's time stepping, and what devices may do
//! to the energy.

pub(crate) mod device;
pub(crate) mod watchdog;
pub(crate) mod window;
