//! Graphs as their users see them: what is refused, what runs, what is recorded and drawn.

mod borrowed;
mod building;
mod drawing;
mod form;
mod layout;
mod nesting;
mod parallel;
mod running;
mod timing;
