//! Turns of a small flow: what models may do to it, what they are shown, and what it does without.

mod conditions;
mod detector;
mod history;
mod kit;
mod moves;
mod orchestrator;
mod own_words;
mod silence;
mod texts;
mod timers;
mod tools;
mod values;
