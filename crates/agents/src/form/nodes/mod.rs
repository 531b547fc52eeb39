//! The eight nodes of the form, one file each.

mod check_correction;
mod check_escalation;
mod check_off_topic;
mod complete;
mod escalate;
mod extract_field;
mod prompt_next;
mod validate;

pub(super) use check_correction::check_correction;
pub(super) use check_escalation::check_escalation;
pub(super) use check_off_topic::check_off_topic;
pub(super) use complete::complete;
pub(super) use escalate::escalate;
pub(super) use extract_field::extract_field;
pub(super) use prompt_next::prompt_next;
pub(super) use validate::validate;
