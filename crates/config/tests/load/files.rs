//! The messages about a file, or a variable, that cannot be read at all.

use std::path::Path;

use config::{Environment, load};

use crate::refused;

#[test]
fn a_file_that_was_named_must_be_there() {
    let error = load(Some(Path::new("/nada/recado.yaml")), &Environment::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "/nada/recado.yaml: cannot read the configuration: No such file or directory (os error 2)"
    );
    assert!(load(Some(Path::new("/")), &Environment::default()).is_err());
}

#[test]
fn what_is_not_a_configuration_is_refused_where_it_stops_being_one() {
    let deep_keys: String = (0..500).map(|n| format!("{}a:\n", " ".repeat(n))).collect();
    let cases: &[(&[u8], &str)] = &[
        (b"log: text\npacks: \xff\n", "2:8: not UTF-8 text"),
        (b"- listen\n", "1:1: the file is a group of keys, as in `listen: …`, not a list"),
        (b"hola", "1:1: the file is a group of keys, as in `listen: …`, not text"),
        (b"listen: a\nlisten: b\n", "2:1: the key `listen` is written twice"),
        (b"notify:\n\turl: x\n", "2:2: there is a tab; indent with spaces"),
        (b"a: b: c\n", "1:5: text with `: ` in it has to be in quotes"),
        (b"a: 'b\n", "2:1: invalid indentation in multiline quoted scalar"),
        (b"a: 1\n---\nb: 2\n", "3:1: a second document begins; the file holds one"),
        (b"a: *nada\n", "1:4: reference to unknown value"),
        (b"? [a]\n: b\n", "1:3: expected string scalar"),
        (&b"[".repeat(100_000), "1:34: recursion limit exceeded"),
        (&b"a: {".repeat(100_000), "1:128: nested more than 32 deep"),
        (&b"- ".repeat(100_000), "1:65: nested more than 32 deep"),
        (deep_keys.as_bytes(), "33:33: nested more than 32 deep"),
    ];
    for (yaml, expected) in cases {
        refused(yaml, &[], &format!("recado.yaml:{expected}"));
    }
    refused(
        "#".repeat(2_000_000),
        &[],
        "recado.yaml: the file is larger than 1048576 bytes; name the configuration",
    );
}

#[cfg(unix)]
#[test]
fn a_variable_that_is_not_text_is_refused() {
    use std::os::unix::ffi::OsStringExt;
    let bytes = std::ffi::OsString::from_vec(vec![0xff]);
    let env = Environment::from_iter([("RECADO_PACKS", bytes)]);
    let errors = load(None, &env).unwrap_err();
    assert_eq!(errors.to_string(), "RECADO_PACKS: the variable's value is not UTF-8 text");
}
