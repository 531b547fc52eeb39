//! Every text of a pack.

use super::quote::all;
use super::{Pack, Page};

pub(super) fn write(pack: &Pack, page: &mut Page) {
    page.heading(2, pack.say("Todo lo que dice", "Everything it says"));
    page.paragraph(pack.say(
        "Lo que está entre ‹› lo pone el sistema. Lo que está entre [ ] sale solo a veces.",
        "What stands in ‹› is filled in. What stands in [ ] is said only at times.",
    ));
    for entry in pack.templates.entries() {
        let mut wordings = all(&entry.node).into_iter();
        page.item(&format!("**{}**: «{}»", entry.key, wordings.next().unwrap_or_default()));
        for other in wordings {
            page.detail(&format!("{}: «{other}»", pack.say("otra vez", "again")));
        }
        if let Some((name, _)) = entry.node.get("approved").and_then(|own| own.text("name")) {
            let instead =
                pack.say("pasadas 24 horas sale la plantilla", "after 24 hours as the template");
            page.detail(&format!("{instead} `{name}`"));
        }
    }
}
