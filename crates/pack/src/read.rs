//! From the text of a folder to a pack, or to everything that is wrong with it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use document::Place;
use sentences::{Explanations, Frames, Hours, Sentences};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json};

use crate::check;
use crate::files::{Commerce, Flow, Form, Intents, Kind, Manifest, Templates, Tools};
use crate::finding::{Finding, Findings, Report};
use crate::look::{File, Files, MANIFEST_FILE, Rules};
use crate::phrases::Words;
use crate::render::{RenderError, Texts};
use crate::sayings;
use crate::source::Source;

/// Everything about an agent that is not code, checked.
#[derive(Clone, Debug)]
pub struct Pack {
    pub manifest: Manifest,
    /// In the order of the manifest; the first one answers.
    pub agents: Vec<AgentSpec>,
    pub intents: Intents,
    pub tools: Tools,
    pub templates: Texts,
    /// The engine's own sentences, as the pack's customers read them.
    pub sentences: Arc<Sentences>,
    /// Why values are refused and what fields ask for, as the pack's customers read it.
    pub explanations: Arc<Explanations>,
    /// The hours of the business in words.
    pub hours: Arc<Hours>,
    /// The frames in which the pack's models are shown a turn.
    pub frames: Arc<Frames>,
    /// `prompts/extraer.md` is under `extraer`.
    pub prompts: BTreeMap<String, String>,
    /// `data/horario.json` is under `horario.json`.
    pub data: BTreeMap<String, String>,
    /// Names the behaviour; see [`Source::version`].
    pub version: String,
}

/// An agent of a pack.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentSpec {
    pub name: String,
    pub agent: Agent,
}

/// The definition of an agent, by its kind.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "a pack has few agents, and each is read once")]
pub enum Agent {
    Form(Form),
    Flow(FlowSpec),
}

/// A flow, with the form it collects by.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowSpec {
    pub flow: Flow,
    /// The one that `collect.file` names.
    pub form: Option<Form>,
    /// The one that `commerce` names.
    pub commerce: Option<Commerce>,
}

/// A pack that can be used, and what is still worth a look.
#[derive(Clone, Debug)]
pub struct Loaded {
    pub pack: Pack,
    pub warnings: Vec<Finding>,
}

impl Pack {
    /// See [`Texts::render`].
    pub fn render(
        &self,
        key: &str,
        wording: usize,
        values: &Map<String, Json>,
    ) -> Result<String, RenderError> {
        self.templates.render(key, wording, values)
    }
}

/// Reads and checks the pack in a folder.
pub fn load(folder: &Path) -> Result<Loaded, Findings> {
    read(&Source::read(folder)?)
}

/// Checks a pack's text, without I/O.
pub fn read(source: &Source) -> Result<Loaded, Findings> {
    let mut report = Report::default();
    let files = Files::open(source, Rules::Writing, &mut report);
    check::all(source, &files, &mut report);
    let mut pack = None;
    if !report.has_errors() {
        pack = build(source, &files, &mut report);
    }
    let warnings = report.settle()?;
    // A pack that is not built has an error.
    let pack = pack.ok_or_else(Findings::default)?;
    Ok(Loaded { pack, warnings })
}

/// Makes a pack of text that was kept when it was current. The release of that time checked it, and a
/// rule that is newer helps whoever writes, so that none is held against sessions under way. The text
/// must still be understood whole: a key or a name that this release does not know is an error, since
/// to pass over it would change what the pack does.
pub fn revive(source: &Source) -> Result<Pack, Findings> {
    let mut report = Report::default();
    let files = Files::open(source, Rules::Kept, &mut report);
    check::kept(&files, &mut report);
    let pack = match report.has_errors() {
        true => None,
        false => build(source, &files, &mut report),
    };
    if pack.is_none() && !report.has_errors() {
        let message = "a file that it needs is not there";
        report.error(MANIFEST_FILE, &Place::default(), message);
    }
    report.settle()?;
    pack.ok_or_else(Findings::default)
}

fn build(source: &Source, files: &Files<'_>, report: &mut Report) -> Option<Pack> {
    let manifest: Manifest = typed(files.manifest.file()?, report)?;
    let mut agents = Vec::new();
    for entry in &manifest.agents {
        let agent = match entry.kind {
            Kind::Form => Agent::Form(form(files, &entry.file, report)?),
            Kind::Flow => Agent::Flow(flow(files, &entry.file, report)?),
        };
        agents.push(AgentSpec { name: entry.name.clone(), agent });
    }
    let intents = match files.intents.file() {
        Some(file) => typed::<Intents>(file, report)?,
        None => Intents::default(),
    };
    let intents = phrased(intents, &files.words(), report)?;
    let tools = match files.tools.file() {
        Some(file) => typed::<Tools>(file, report)?,
        None => Tools::default(),
    };
    let templates: Templates = typed(files.templates.file()?, report)?;
    let templates = Texts::compile(&templates, &manifest.locale, &files.values());
    let templates = match templates {
        Ok(templates) => templates,
        Err(error) => {
            report.error(MANIFEST_FILE, &Place::default(), error.to_string());
            return None;
        }
    };
    let sentences = Sentences::of(&manifest.locale).with(&manifest.sentences);
    let explanations = Explanations::of(&manifest.locale).with(&manifest.explanations);
    let hours = Hours::of(&manifest.locale).with(&manifest.hours);
    let frames = Frames::of(&manifest.locale).with(&manifest.frames);
    let owned = |(name, text): (&str, &str)| (name.to_owned(), text.to_owned());
    Some(Pack {
        manifest,
        agents,
        intents,
        tools,
        templates,
        sentences: Arc::new(sentences),
        explanations: Arc::new(explanations),
        hours: Arc::new(hours),
        frames: Arc::new(frames),
        prompts: source
            .under("prompts/")
            .map(|(name, text)| owned((name.strip_suffix(".md").unwrap_or(name), text)))
            .collect(),
        data: source.under("data/").map(owned).collect(),
        version: source.version(),
    })
}

/// Reports the reason if a phrase that was checked is not understood after all.
fn settled(made: Result<(), String>, report: &mut Report) -> Option<()> {
    made.map_err(|message| report.error(MANIFEST_FILE, &Place::default(), message)).ok()
}

fn phrased(mut intents: Intents, words: &Words<'_>, report: &mut Report) -> Option<Intents> {
    for intent in &mut intents.intents {
        settled(sayings::of_intent(intent, words), report)?;
    }
    Some(intents)
}

fn form(files: &Files<'_>, name: &str, report: &mut Report) -> Option<Form> {
    typed(files.forms().find(|file| file.name == name)?, report)
}

fn flow(files: &Files<'_>, name: &str, report: &mut Report) -> Option<FlowSpec> {
    let mut flow: Flow = typed(files.flows().find(|file| file.name == name)?, report)?;
    for choice in &mut flow.choices {
        settled(sayings::of_choice(choice, &files.words()), report)?;
    }
    let form = match &flow.collect {
        Some(collect) => Some(form(files, &collect.file, report)?),
        None => None,
    };
    let commerce = match &flow.commerce {
        Some(name) => Some(typed(files.commerce(name)?, report)?),
        None => None,
    };
    Some(FlowSpec { flow, form, commerce })
}

/// The file as its type. A text that the schema lets through can be read, but should the two ever
/// differ, that is an error like any other and no panic.
pub(crate) fn typed<T: DeserializeOwned>(file: &File<'_>, report: &mut Report) -> Option<T> {
    match serde_json::from_value(file.tree.to_json()) {
        Ok(value) => Some(value),
        Err(error) => {
            let message = format!("cannot be understood: {error}");
            report.error(file.name, &Place::default(), message);
            None
        }
    }
}
