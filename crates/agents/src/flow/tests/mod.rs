//! Turns of a small flow: what models may do to it, what they are shown, and what it does without.

mod detector;
mod history;
mod kit;
mod moves;
mod texts;
mod timers;
