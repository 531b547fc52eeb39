//! Versions of packs: taken up, held, let go and made again.

use domain::{Caller, ContactId, ConversationId, SessionId, VirtualClock, WorkspaceId};
use serde_json::json;
use tools::{Class, Prepared};
use uuid::Uuid;

use super::*;
use crate::ticks::SystemTicks;

const HELD: &str = "tools: [{ name: turno.tomar, class: suggest }]\n";
const CALLS: &str = "http:\n  - { name: envios.cotizar, description: x, system: lejos, \
                     method: GET, path: /x, class: execute }\n";

/// Versions that are at hand beside the current, and for how long.
const MOST: usize = 8;
const KEPT_MS: i64 = 10 * 60 * 1000;

/// A folder of packs with `registro` in it, which has these tools.
fn packs(tools: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let (name, source) = crate::built_in::find("registro").unwrap();
    for (path, text) in source.iter().chain([("tools.yaml", tools)]) {
        let file = folder.path().join(name).join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    folder
}

fn load(packs: &Path) -> Result<PackRoster, HostError> {
    load_at(packs, &VirtualClock::at(Timestamp::from_millis(1_780_000_000_000)))
}

fn load_at(packs: &Path, clock: &VirtualClock) -> Result<PackRoster, HostError> {
    let (clock, ticks) = (Arc::new(clock.clone()), Arc::new(SystemTicks::start()));
    Ok(PackRoster::load(["registro"], packs, Toolbox::indoors(), clock, ticks)?.0)
}

/// Takes up an edit of the pack; the version it makes.
fn edit(roster: &PackRoster, packs: &Path, edit: usize) -> String {
    let text = format!("# {edit}\n{HELD}");
    std::fs::write(packs.join("registro/tools.yaml"), text).unwrap();
    for change in roster.changes() {
        let Change::Read(ready) = change else { panic!("it reads") };
        roster.adopt(ready);
    }
    roster.current("registro").unwrap().version().to_owned()
}

/// Which of these versions are at hand, by their places.
fn at_hand(roster: &PackRoster, versions: &[String]) -> Vec<usize> {
    let agents = roster.agents();
    let places = 0..versions.len();
    places.filter(|place| agents.versions.has("registro", &versions[*place])).collect()
}

fn class(registry: &Registry) -> Class {
    registry.get("turno.tomar").unwrap().spec().class
}

#[test]
fn each_version_keeps_the_tools_it_came_with() {
    let packs = packs(HELD);
    let roster = load(packs.path()).unwrap();
    let first = roster.current("registro").unwrap();
    std::fs::write(packs.path().join("registro/tools.yaml"), "tools: []\n").unwrap();
    let changes = roster.changes();
    let [Change::Read(_)] = &changes[..] else { panic!("it reads") };
    for change in changes {
        let Change::Read(ready) = change else { continue };
        roster.adopt(ready);
    }
    let second = roster.current("registro").unwrap();
    assert_ne!(first.version(), second.version());
    let tools = |agent: &Arc<dyn Agent>| roster.tools("registro", agent.version()).unwrap();
    assert_eq!(class(&tools(&first)), Class::Suggest);
    assert_eq!(class(&tools(&second)), Class::Execute);
    assert!(roster.tools("demo", "").is_none(), "the demo has the engine's own");
    assert!(roster.tools("registro", "otra").is_none());
}

#[test]
fn versions_in_traffic_are_at_hand_and_not_made_again_and_again() {
    let packs = packs(HELD);
    let clock = VirtualClock::at(Timestamp::from_millis(1_780_000_000_000));
    let roster = load_at(packs.path(), &clock).unwrap();
    let mut versions = vec![roster.current("registro").unwrap().version().to_owned()];
    versions.extend((1..=MOST).map(|number| edit(&roster, packs.path(), number)));
    let all: Vec<usize> = (0..=MOST).collect();
    // Sessions of every version write every nine minutes.
    for _ in 0..10 {
        clock.advance_ms(KEPT_MS * 9 / 10);
        for version in &versions {
            assert!(roster.version("registro", version).is_some());
        }
        assert_eq!(roster.sweep(), 0);
        assert_eq!(at_hand(&roster, &versions), all);
    }
}

#[test]
fn of_too_many_versions_those_asked_for_last_and_the_current_are_at_hand() {
    let packs = packs(HELD);
    let roster = load(packs.path()).unwrap();
    let mut versions = vec![roster.current("registro").unwrap().version().to_owned()];
    for number in 1..12 {
        versions.push(edit(&roster, packs.path(), number));
        // A session of the first version goes on.
        assert!(roster.version("registro", &versions[0]).is_some(), "edit {number}");
    }
    assert_eq!(at_hand(&roster, &versions), [0, 4, 5, 6, 7, 8, 9, 10, 11]);
    assert_eq!(roster.agents().tools.len(), MOST + 1);
}

#[test]
fn versions_that_nobody_asked_for_in_ten_minutes_are_let_go_and_can_be_made_again() {
    let packs = packs(HELD);
    let clock = VirtualClock::at(Timestamp::from_millis(1_780_000_000_000));
    let roster = load_at(packs.path(), &clock).unwrap();
    let mut versions = vec![roster.current("registro").unwrap().version().to_owned()];
    let source = roster.current("registro").unwrap().source().unwrap().clone();
    versions.extend((1..5).map(|number| edit(&roster, packs.path(), number)));
    let under_way = roster.version("registro", &versions[1]).unwrap();
    clock.advance_ms(KEPT_MS / 2);
    assert!(roster.version("registro", &versions[2]).is_some());
    clock.advance_ms(KEPT_MS / 2);
    assert_eq!(roster.sweep(), 0, "ten minutes are not over");
    clock.advance_ms(1);
    assert_eq!(roster.sweep(), 3);
    assert_eq!(at_hand(&roster, &versions), [2, 4]);
    assert!(roster.agents().versions.has(DEMO, DemoAgent.version()), "it has no other version");
    // A turn that holds its agent finds its tools to the end.
    assert!(roster.tools("registro", &versions[1]).is_some());
    assert!(roster.tools("registro", &versions[0]).is_none());
    drop(under_way);
    roster.sweep();
    assert!(roster.tools("registro", &versions[1]).is_none());

    let (name, version) = ("registro".to_owned(), versions[0].clone());
    roster.revive("registro", &StoredPack { name, version, source }).unwrap();
    assert_eq!(at_hand(&roster, &versions), [0, 2, 4]);
    clock.advance_ms(KEPT_MS + 1);
    roster.sweep();
    assert_eq!(at_hand(&roster, &versions), [4], "the current stays, asked for or not");
}

#[test]
fn a_version_made_again_is_held_as_it_was_and_reaches_nothing_that_is_gone() {
    let packs = packs("tools: []\n");
    let roster = load(packs.path()).unwrap();
    let mut source: BTreeMap<String, String> =
        roster.current("registro").unwrap().source().unwrap().clone();
    source.insert("tools.yaml".to_owned(), format!("{HELD}{CALLS}"));
    let (name, version) = ("registro".to_owned(), "de-antes".to_owned());
    let revived = roster.revive("registro", &StoredPack { name, version, source }).unwrap();
    // The engine asks by what this build calls the version.
    for version in ["de-antes", revived.version()] {
        let tools = roster.tools("registro", version).unwrap();
        assert_eq!(class(&tools), Class::Suggest, "{version}");
        let caller = Caller {
            workspace: WorkspaceId(Uuid::nil()),
            conversation: ConversationId(Uuid::nil()),
            contact: ContactId(Uuid::nil()),
            session: SessionId(Uuid::nil()),
            authority: domain::Authority::Person,
        };
        let prepared = tools.prepare(&caller, "envios.cotizar", &json!({}));
        assert!(matches!(prepared, Ok(Prepared::Outside(_))), "{version}");
    }
}

#[test]
fn a_pack_that_calls_an_unknown_system_neither_starts_nor_is_taken_up() {
    let error = load(packs(CALLS).path()).err().expect("it does not start");
    let error = with_causes(&error);
    for part in ["`registro`", "`envios.cotizar`", "`lejos`", "`systems:`"] {
        assert!(error.contains(part), "{error}");
    }
    let packs = packs(HELD);
    let roster = load(packs.path()).unwrap();
    std::fs::write(packs.path().join("registro/tools.yaml"), CALLS).unwrap();
    let changes = roster.changes();
    let [Change::Refused { why, .. }] = &changes[..] else { panic!("it is refused") };
    assert!(why.contains("`lejos`"), "{why}");
}
