//! Typed graphs of named async nodes over a state: built once, checked, run, drawn and traced.
