//! The page that `recado show` prints: whole for a small pack, and with everything in it for those that ship.

use std::fs;
use std::path::Path;

use pack::{Agent, Source};

use crate::pedido;

#[test]
#[expect(clippy::disallowed_methods, reason = "it may also write what it compares")]
fn a_small_pack_reads_as_its_page_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/check/pedido.md");
    let page = pack::page(&pedido());
    if std::env::var("UPDATE_DOCS").is_ok() {
        fs::write(&path, &page).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert!(page == expected, "pedido.md differs: run the tests with UPDATE_DOCS=1");
}

#[test]
fn every_mode_timer_template_intent_and_field_of_what_ships_is_on_its_page() {
    for name in ["almacen", "somnio", "registro"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packs").join(name);
        let source = Source::read(&folder).unwrap_or_else(|findings| panic!("{findings}"));
        let pack = pack::read(&source).unwrap_or_else(|findings| panic!("{findings}")).pack;
        let page = pack::page(&source);
        for text in wanted(&pack) {
            assert!(page.contains(&text), "{name}: {text}");
        }
    }
}

fn wanted(pack: &pack::Pack) -> Vec<String> {
    let mut wanted: Vec<String> =
        pack.templates.keys().map(|key| format!("**{key}**: «")).collect();
    let intents = pack.intents.intents.iter().map(|intent| &intent.name);
    let shown = |name: &String| format!("(**{name}**)");
    match &pack.agents[0].agent {
        Agent::Flow(spec) => {
            let flow = &spec.flow;
            wanted.extend(flow.modes.iter().map(|mode| format!("## En {}", mode.name)));
            wanted.extend(flow.timers.iter().map(|timer| shown(&timer.name)));
            wanted.extend(flow.steps.keys().map(|step| format!("«{step}»: ")));
            // An intent that no mode acts on is of no concern to who reads the page.
            let modes = || flow.modes.iter().map(|mode| &mode.intents).chain([&flow.intents]);
            let acted = |name: &&String| modes().any(|all| all.contains_key(*name));
            wanted.extend(intents.filter(acted).map(shown));
        }
        Agent::Form(form) => {
            wanted.extend(intents.map(shown));
            wanted.extend(form.fields.iter().map(|field| format!("**{}**", field.label)));
        }
    }
    wanted
}
