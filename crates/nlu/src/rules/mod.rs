//! Keywords and patterns, found in one pass.
