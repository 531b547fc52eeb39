//! Loads configurations as a person would write them.

mod files;
mod mistakes;
mod outside;
mod values;

use config::{Config, load};

type Variables<'a> = &'a [(&'a str, &'a str)];

/// A correct channel, for tests of everything else.
const TIENDA: &str = "channels:
  - id: tienda-1
    kind: infobip
    workspace: demo
    agent: demo
    api_base: https://xyz.api.infobip.com/
    api_key: ${INFOBIP_KEY}
    sender: \"573001112233\"
    auth: { hmac: { secret: s3creto } }
";

fn try_load(yaml: &[u8], env: Variables<'_>) -> Result<Config, String> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("recado.yaml");
    std::fs::write(&file, yaml).unwrap();
    load(Some(&file), &env.iter().copied().collect())
        .map_err(|errors| errors.to_string().replace(&format!("{}/", folder.path().display()), ""))
}

fn loaded(yaml: &str, env: Variables<'_>) -> Config {
    try_load(yaml.as_bytes(), env).unwrap_or_else(|errors| panic!("{yaml}\n{errors}"))
}

#[track_caller]
fn refused(yaml: impl AsRef<[u8]>, env: Variables<'_>, expected: &str) {
    match try_load(yaml.as_ref(), env) {
        Ok(config) => panic!("accepted: {config:?}"),
        Err(errors) => assert_eq!(errors, expected),
    }
}
