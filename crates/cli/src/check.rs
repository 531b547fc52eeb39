//! `recado check`: every static finding of a pack and of its tests.

use std::process::ExitCode;

use anyhow::Result;
use host::Place;
use pack::Finding;
use serde_json::json;

use crate::args::CheckOptions;
use crate::exit::{FAILED_CHECK, Outcome};
use crate::output::print;
use crate::packs;

pub(crate) fn check(options: &CheckOptions) -> Outcome {
    let mut all = Vec::new();
    for name in &options.packs {
        let place = packs::named(name, &options.config)?;
        let found = findings(&place)?;
        all.push((place.folder(), found));
    }
    let errors = all.iter().flat_map(|(_, found)| found).filter(|one| one.is_error()).count();
    let report: Vec<_> = all
        .iter()
        .map(|(folder, found)| json!({ "pack": folder.display().to_string(), "findings": found }))
        .collect();
    print(options.json, &report, |_| {
        let lines = |(folder, found): &(std::path::PathBuf, Vec<Finding>)| {
            let lines = found.iter().map(|one| host::packs::line(folder, one)).collect::<Vec<_>>();
            match lines.is_empty() {
                true => format!("{}: nothing to mend", folder.display()),
                false => lines.join("\n"),
            }
        };
        all.iter().map(lines).collect::<Vec<_>>().join("\n")
    })?;
    Ok(if errors > 0 { ExitCode::from(FAILED_CHECK) } else { ExitCode::SUCCESS })
}

/// The findings of a pack and of its tests, together.
fn findings(place: &Place) -> Result<Vec<Finding>> {
    let source = match place.source() {
        Ok(source) => source,
        Err(bad) => return Ok(bad.findings),
    };
    // Which nodes a path may have is known once it is known what sort of agent it is.
    let (mut found, nodes) = match place.open() {
        Ok(opened) => (opened.warnings.clone(), opened.nodes()),
        Err(bad) => (bad.findings, Vec::new()),
    };
    if let Err(tests) = pack::load_cases(&source, &nodes) {
        found.extend(tests.into_vec());
    }
    found.sort();
    found.dedup();
    Ok(found)
}
