//! Finding goods in a shop's catalogue: what people order, and how it is told apart.

mod catalogue;
mod pedidos;
mod search;
mod take;
mod taken;
