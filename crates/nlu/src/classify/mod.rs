//! A local intent classifier trained from examples.
