//! `recado new`: a pack to start from, that passes its own tests.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;

use crate::args::{NewKind, NewOptions};
use crate::exit::{Outcome, Usage};

/// The mark that stands for the pack's name in the scaffold.
const NAME: &str = "{NAME}";

const FORM: [(&str, &str); 6] = [
    ("README.md", include_str!("../scaffold/form/README.md")),
    ("pack.yaml", include_str!("../scaffold/form/pack.yaml")),
    ("form.yaml", include_str!("../scaffold/form/form.yaml")),
    ("intents.yaml", include_str!("../scaffold/form/intents.yaml")),
    ("templates.yaml", include_str!("../scaffold/form/templates.yaml")),
    ("tests/conversaciones.yaml", include_str!("../scaffold/form/tests/conversaciones.yaml")),
];

const FLOW: [(&str, &str); 7] = [
    ("README.md", include_str!("../scaffold/flow/README.md")),
    ("pack.yaml", include_str!("../scaffold/flow/pack.yaml")),
    ("flow.yaml", include_str!("../scaffold/flow/flow.yaml")),
    ("datos.yaml", include_str!("../scaffold/flow/datos.yaml")),
    ("intents.yaml", include_str!("../scaffold/flow/intents.yaml")),
    ("templates.yaml", include_str!("../scaffold/flow/templates.yaml")),
    ("tests/conversaciones.yaml", include_str!("../scaffold/flow/tests/conversaciones.yaml")),
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
        NewKind::Form => FORM.as_slice(),
        NewKind::Flow => FLOW.as_slice(),
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

#[cfg(test)]
mod tests {
    use std::num::NonZero;
    use std::sync::Arc;

    use eval::Suite;
    use host::{Place, SystemTicks};
    use tools::Registry;

    use super::*;

    #[test]
    fn every_kind_of_new_pack_has_nothing_to_mend_and_passes_its_own_tests() {
        for kind in [NewKind::Form, NewKind::Flow] {
            let folder = crate::wiring::temporary_folder().unwrap();
            let folder = folder.path().join("almuerzos");
            let options = NewOptions { name: folder.display().to_string(), kind };
            new(&options).unwrap();
            let opened = Place::Folder(folder).open().unwrap();
            assert!(opened.warnings.is_empty(), "{:?}", opened.warnings);
            let cases = pack::load_cases(&opened.source, &opened.nodes()).unwrap();
            let listed = cases.iter().flat_map(pack::Cases::listed);
            let suite = Suite {
                agent: opened.agent("almuerzos", Arc::new(SystemTicks::start())).unwrap(),
                tools: Registry::builtin(),
                cases: listed.collect(),
                stage: Default::default(),
            };
            let results = eval::run(&suite, NonZero::<usize>::MIN);
            assert!(results.len() > 1);
            let failed: Vec<_> = results.iter().filter(|one| !one.failed.is_empty()).collect();
            assert!(failed.is_empty(), "{failed:?}");
            // The folder is not written over.
            assert!(new(&options).is_err());
        }
    }
}
