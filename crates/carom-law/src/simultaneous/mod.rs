//! Several contacts of one system that strike at the same instant.

mod coulomb;
mod least_squares;
mod local;
mod newton;
mod splitting;

#[cfg(test)]
mod coulomb_tests;
