//! A shop's tools: finding its goods.

pub mod search;
