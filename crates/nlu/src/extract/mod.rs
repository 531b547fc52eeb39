//! Values found in a message: all of them, with their spans.
