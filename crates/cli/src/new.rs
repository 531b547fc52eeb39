//! `recado new`: a pack to start from, that passes its own tests.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;

use crate::args::{NewKind, NewOptions};
use crate::exit::{Outcome, Usage};

/// What stands for the pack's name in the scaffold.
const NAME: &str = "{NAME}";

const FORM: [(&str, &str); 6] = [
    ("README.md", include_str!("../scaffold/form/README.md")),
    ("pack.yaml", include_str!("../scaffold/form/pack.yaml")),
    ("form.yaml", include_str!("../scaffold/form/form.yaml")),
    ("intents.yaml", include_str!("../scaffold/form/intents.yaml")),
    ("templates.yaml", include_str!("../scaffold/form/templates.yaml")),
    ("tests/conversaciones.yaml", include_str!("../scaffold/form/tests/conversaciones.yaml")),
];

pub(crate) fn new(options: &NewOptions) -> Outcome {
    let folder = Path::new(&options.name);
    let name = folder.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let small = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_".contains(c);
    if !name.starts_with(|c: char| c.is_ascii_lowercase()) || !name.chars().all(small) {
        let mistake = format!(
            "`{name}` cannot name a pack: small letters, digits and dashes, a letter first"
        );
        return Err(Usage(mistake).into());
    }
    if folder.exists() {
        let mistake = format!("{} exists already; nothing was written", folder.display());
        return Err(Usage(mistake).into());
    }
    let files = match options.kind {
        NewKind::Form => FORM,
    };
    for (path, text) in files {
        let file = folder.join(path);
        let parent = file.parent().unwrap_or(folder);
        std::fs::create_dir_all(parent)
            .and_then(|()| std::fs::write(&file, text.replace(NAME, &name)))
            .with_context(|| format!("cannot write {}", file.display()))?;
    }
    let shown = folder.display();
    println!("{shown} is ready. Next:\n");
    println!("  recado chat {shown}     talk to it");
    println!("  recado test {shown}     run the conversations in {shown}/tests");
    println!("  recado check {shown}    look for mistakes after an edit");
    Ok(ExitCode::SUCCESS)
}
