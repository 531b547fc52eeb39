//! Folders on the disk: what is read, what is refused, and when a pack is another one.

use std::fs;

use pack::Source;
use tempfile::TempDir;

use crate::{broken, folder, source};

fn copy() -> TempDir {
    let copy = TempDir::new().unwrap();
    for (path, text) in source().iter() {
        let path = copy.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    copy
}

#[track_caller]
fn refused(pack: &TempDir, expected: &str) {
    let findings = pack::load(pack.path()).err().map(|findings| findings.to_string());
    assert_eq!(findings.as_deref(), Some(expected));
}

#[test]
fn a_folder_is_loaded_with_its_prompts_and_data() {
    let pack = pack::load(&folder()).unwrap_or_else(|findings| panic!("{findings}")).pack;
    assert_eq!(pack.manifest.name, "visita");
    assert_eq!(pack.agents.len(), 1);
    let pack::Agent::Form(form) = &pack.agents[0].agent else { panic!("a form") };
    assert_eq!(form.fields.len(), 4);
    assert_eq!(pack.prompts["extraer"], "Extrae los datos de la visita.\n");
    assert!(pack.data["horario.json"].contains("lunes"));
    assert_eq!(pack.intents.intents.len(), 2);
}

#[test]
fn a_stored_version_is_the_same_pack() {
    let stored = serde_json::to_string(&source().behaviour()).unwrap();
    let revived: Source = serde_json::from_str(&stored).unwrap();
    assert_eq!(revived.version(), source().version());
    assert!(pack::read(&revived).is_ok());
    assert!(revived.get("tests/agenda.yaml").is_none() && revived.get("README.md").is_none());
}

#[test]
fn the_version_follows_the_behaviour_and_not_the_tests() {
    let version = source().version();
    assert_eq!(version.len(), 16);
    for (path, same) in [
        ("tests/agenda.yaml", true),
        ("evals/mensajes.jsonl", true),
        ("README.md", true),
        ("form.yaml", false),
        ("templates.yaml", false),
        ("prompts/extraer.md", false),
        ("data/horario.json", false),
    ] {
        let changed = broken(&[(path, "*", "# otra cosa")]).version();
        assert_eq!(changed == version, same, "{path}");
    }
    let apart = Source::new([("data/a", "bc"), ("data/d", "")]).version();
    assert_ne!(apart, Source::new([("data/a", "b"), ("data/cd", "")]).version());
}

#[test]
fn what_is_no_part_of_a_pack_is_noted_and_not_read() {
    let pack = copy();
    fs::write(pack.path().join("foto.png"), [0xff, 0xd8]).unwrap();
    fs::write(pack.path().join("tests/notas.txt"), "x").unwrap();
    fs::write(pack.path().join(".DS_Store"), [0xff]).unwrap();
    let loaded = pack::load(pack.path()).unwrap_or_else(|findings| panic!("{findings}"));
    let warnings: Vec<String> = loaded.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        [
            "foto.png: warning: no part of a pack, and not read",
            "tests/notas.txt: warning: no part of a pack, and not read",
        ]
    );
}

#[test]
fn files_that_are_no_text_too_large_or_elsewhere_are_refused() {
    let pack = copy();
    fs::write(pack.path().join("data/precios.csv"), b"uno\ndos \xff").unwrap();
    fs::write(pack.path().join("data/grande.csv"), vec![b'x'; 1_000_001]).unwrap();
    refused(
        &pack,
        "data/grande.csv: error: larger than 1000000 bytes\n\
         data/precios.csv:2:5: error: not UTF-8 text; save the file as UTF-8",
    );
}

#[test]
fn a_pack_as_a_whole_has_a_limit() {
    let pack = copy();
    for part in 0..11 {
        fs::write(pack.path().join(format!("data/parte{part:02}.csv")), vec![b'x'; 950_000])
            .unwrap();
    }
    refused(&pack, "data/parte10.csv: error: with this file the pack is over 10000000 bytes");
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_folder_is_refused_and_one_within_is_followed() {
    let pack = copy();
    let link = |to: &str, name: &str| {
        std::os::unix::fs::symlink(to, pack.path().join(name)).unwrap();
    };
    link("horario.json", "data/copia.json");
    assert!(pack::load(pack.path()).is_ok());
    link("/etc/hostname", "data/ajeno.txt");
    link("nada", "data/roto.txt");
    link("..", "data/circulo");
    refused(
        &pack,
        "data/ajeno.txt: error: a link that leads out of the pack\n\
         data/circulo: error: a link to a folder; put the files themselves here\n\
         data/roto.txt: error: cannot be read: No such file or directory (os error 2)",
    );
}

#[test]
fn a_folder_that_is_not_there_is_an_error() {
    let findings = pack::load(std::path::Path::new("/nada/de/eso")).err().unwrap();
    assert!(findings.to_string().contains("/nada/de/eso: error: cannot be read"), "{findings}");
}

#[test]
fn the_stamp_changes_with_the_files_and_only_then() {
    let pack = copy();
    let before = Source::stamp(pack.path());
    assert_eq!(before, Source::stamp(pack.path()));
    fs::write(pack.path().join("templates.yaml"), "otra: cosa más larga").unwrap();
    let changed = Source::stamp(pack.path());
    assert_ne!(before, changed);
    fs::write(pack.path().join("data/nuevo.csv"), "").unwrap();
    assert_ne!(changed, Source::stamp(pack.path()));
}
