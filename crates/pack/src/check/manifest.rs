//! Checks `pack.yaml`: its time zone, its agents and their files.

use document::{Node, Place, Value, nearest, suggestion};
use jiff::tz::TimeZoneDatabase;
use sentences::{Explanations, Frames, Hours, Sentences};

use crate::finding::Report;
use crate::look::{File, MANIFEST_FILE, Opened, SHARED, Seen};
use crate::source::Source;

/// Components whose prompt is a pack's to write.
const PROMPTED: [&str; 3] = ["detector", "orchestrator", "writer"];

pub(super) fn check(source: &Source, manifest: &Opened<'_>, report: &mut Report) {
    let file = match manifest {
        Opened::File(file) => file,
        Opened::Broken => return,
        Opened::Absent => {
            let message = "the file is missing; it names the pack and its agents";
            return report.error(MANIFEST_FILE, &Place::default(), message);
        }
    };
    if let Some((zone, at)) = file.tree.text("time_zone") {
        time_zone(zone, at, report);
    }
    let mut seen = Seen::default();
    for agent in file.tree.list("agents") {
        if let Some((name, at)) = agent.text("name")
            && let Some(first) = seen.before(name, at)
        {
            let message = format!("the agent `{name}` is already on line {}", first.line);
            report.error(file.name, at, message);
        }
        if let Some((name, at)) = agent.text("file") {
            agent_file(name, at, source, report);
        }
    }
    prompts(source, file, report);
    wordings("sentences", Sentences::fault, file, report);
    wordings("explanations", Explanations::fault, file, report);
    wordings("hours", Hours::fault, file, report);
    wordings("frames", Frames::fault, file, report);
}

/// Holds the pack's own wordings of a group against the values that each must say.
fn wordings(
    group: &str,
    fault: fn(&str, &str) -> Option<String>,
    file: &File<'_>,
    report: &mut Report,
) {
    for entry in file.tree.get(group).map_or(&[][..], Node::entries) {
        if let Value::Text(text) = &entry.node.value
            && let Some(fault) = fault(&entry.key, text)
        {
            report.error(file.name, &entry.node.at, fault);
        }
    }
}

/// A component without its prompt works with one that knows nothing of the business.
fn prompts(source: &Source, file: &File<'_>, report: &mut Report) {
    let models = file.tree.get("models").map_or(&[][..], Node::entries);
    for entry in models.iter().filter(|entry| PROMPTED.contains(&entry.key.as_str())) {
        let prompt = format!("prompts/{}.md", entry.key);
        if source.get(&prompt).is_none() {
            let message = format!("there is no `{prompt}`: a general one is used");
            report.warning(file.name, &entry.at, message);
        }
    }
}

fn time_zone(zone: &str, at: &Place, report: &mut Report) {
    let zones = TimeZoneDatabase::bundled();
    if zones.get(zone).is_ok() {
        return;
    }
    let known: Vec<String> = zones.available().map(|name| name.to_string()).collect();
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    // `Bogota` and `America/Bogota` are far apart by letters.
    let city = |name: &'_ str| name.rsplit('/').next().unwrap_or_default().to_lowercase();
    let place = known.iter().copied().find(|name| city(name) == city(&zone.replace(' ', "_")));
    let hint = match nearest(zone, known).or(place) {
        Some(meant) => format!(", did you mean `{meant}`?"),
        None => "; write a region and a city, such as America/Bogota".to_owned(),
    };
    report.error(MANIFEST_FILE, at, format!("there is no time zone `{zone}`{hint}"));
}

fn agent_file(name: &str, at: &Place, source: &Source, report: &mut Report) {
    if SHARED.contains(&name) {
        let message = format!("`{name}` is the pack's; an agent has a file of its own");
        return report.error(MANIFEST_FILE, at, message);
    }
    if source.get(name).is_some() {
        return;
    }
    let files = source.iter().map(|(path, _)| path);
    let files = files.filter(|path| !path.contains('/') && !SHARED.contains(path));
    let hint = suggestion(name, files).unwrap_or_default();
    report.error(MANIFEST_FILE, at, format!("there is no file `{name}`{hint}"));
}
