//! The JSON Schemas of a pack's files, for the checks here and for editors.

use std::sync::LazyLock;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

use crate::files::Commerce;
use crate::files::{CaseFile, Flow, Form, Intents, Manifest, Script, Templates, Tools};

/// Begins the identity of each schema; no address, since editors read the files themselves.
const BASE: &str = "urn:recado:schema:";

/// A schema that the checks hold files against.
pub(crate) type Schema = LazyLock<Value>;

pub(crate) static MANIFEST: Schema = LazyLock::new(|| schema::<Manifest>("pack", "pack.yaml"));
pub(crate) static FORM: Schema = LazyLock::new(|| schema::<Form>("form", "form.yaml"));
pub(crate) static FLOW: Schema = LazyLock::new(|| schema::<Flow>("flow", "flow.yaml"));
pub(crate) static COMMERCE: Schema =
    LazyLock::new(|| schema::<Commerce>("commerce", "data/comercio.yaml"));
pub(crate) static INTENTS: Schema = LazyLock::new(|| schema::<Intents>("intents", "intents.yaml"));
pub(crate) static TEMPLATES: Schema =
    LazyLock::new(|| schema::<Templates>("templates", "templates.yaml"));
pub(crate) static TOOLS: Schema = LazyLock::new(|| schema::<Tools>("tools", "tools.yaml"));
pub(crate) static SCRIPT: Schema = LazyLock::new(|| schema::<Script>("script", "script.yaml"));
pub(crate) static CASES: Schema = LazyLock::new(|| schema::<CaseFile>("tests", "tests/*.yaml"));

/// Each schema with the name of its file, as checked in under `packs/schema`.
pub fn schemas() -> Vec<(&'static str, Value)> {
    vec![
        ("pack.schema.json", MANIFEST.clone()),
        ("form.schema.json", FORM.clone()),
        ("flow.schema.json", FLOW.clone()),
        ("commerce.schema.json", COMMERCE.clone()),
        ("intents.schema.json", INTENTS.clone()),
        ("templates.schema.json", TEMPLATES.clone()),
        ("tools.schema.json", TOOLS.clone()),
        ("script.schema.json", SCRIPT.clone()),
        ("tests.schema.json", CASES.clone()),
    ]
}

fn schema<T: JsonSchema>(name: &str, title: &str) -> Value {
    let generator = SchemaSettings::draft2020_12().into_generator();
    let mut schema = generator.into_root_schema_for::<T>();
    schema.insert("$id".to_owned(), json!(format!("{BASE}{name}")));
    schema.insert("title".to_owned(), json!(title));
    schema.to_value()
}
