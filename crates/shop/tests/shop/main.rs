//! The shop's tools and deeds on records in memory.

mod cart;
mod catalogue;
mod commerce;
mod consent;
mod customer;
mod goods;
mod kit;
mod money;
mod operators;
mod orders;
mod reading;
