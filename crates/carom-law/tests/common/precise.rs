//! Reads `reference/precise/cases.json`.
