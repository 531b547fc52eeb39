//! The eight nodes of the form, one file each.

mod check_correction;
mod check_escalation;
mod check_off_topic;
mod complete;
mod escalate;
mod extract_field;
mod prompt_next;
mod validate;

pub(crate) use check_correction::{check_correction, is_plain};
pub(crate) use check_escalation::check_escalation;
pub(crate) use check_off_topic::check_off_topic;
pub(crate) use complete::complete;
pub(crate) use escalate::escalate;
pub(crate) use extract_field::extract_field;
pub(crate) use prompt_next::prompt_next;
pub(crate) use validate::{field_type, validate};
