//! A folder read into a checked pack, with every mistake at its file, line and column.

pub mod files;
