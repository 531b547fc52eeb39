//! Each node and router alone, whole turns, and the model where it may be asked.

mod around;
mod flows;
mod hostile;
mod kit;
mod model;
mod nodes;
mod routers;
