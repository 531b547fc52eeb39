//! Checks a flow: the names it uses, its conditions, the ways between its modes, its timers.

mod actions;
mod consent;
mod data;
mod names;
mod reach;
mod scope;
mod sites;
mod timers;
mod worlds;

use crate::actions::Stands;
use crate::finding::Report;
use crate::look::{File, Files};

pub(crate) use names::tool_names;
pub(crate) use scope::{NOT_UNDERSTOOD, OWN_INTENTS, Scope};
pub(super) use sites::{Role, Site, expression, still_known};
pub(crate) use worlds::Uses;

/// A flow with what its checks share.
struct Checked<'a> {
    file: &'a File<'a>,
    files: &'a Files<'a>,
    scope: Scope<'a>,
    stands: Vec<Stands<'a>>,
}

pub(super) fn check<'a>(
    file: &'a File<'a>,
    files: &'a Files<'a>,
    used: &mut Vec<&'a str>,
    report: &mut Report,
) {
    let scope = Scope::of([file], files);
    let flow = Checked { file, files, scope, stands: crate::actions::actions(&file.tree) };
    names::check(&flow, used, report);
    actions::check(&flow, used, report);
    consent::check(&flow, used, report);
    // The later checks take the flow as it was meant; with a wrong name they would blame the rest.
    let sound = !report.has_error(file.name);
    sites::check(&flow, used, report);
    timers::check(&flow, report);
    if sound {
        reach::check(&flow, report);
        consent::reached(&flow, report);
        timers::together(&flow, report);
    }
}

/// The check of a flow that was kept: of all that it was held to, only what may have changed since.
pub(super) fn kept<'a>(file: &'a File<'a>, files: &'a Files<'a>, report: &mut Report) {
    let scope = Scope::of([file], files);
    let flow = Checked { file, files, scope, stands: crate::actions::actions(&file.tree) };
    sites::kept(&flow, report);
}
