//! Graphs as their users see them: what is refused, what is walked, recorded and drawn.

mod building;
mod drawing;
mod form;
mod running;
mod timing;
