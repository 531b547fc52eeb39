//! A question to a model as the journal keeps it: what it shares with others is named by its digest,
//! and kept once.

use std::collections::HashSet;
use std::fmt::Write;
use std::sync::{Arc, Mutex, PoisonError};

use agents::ModelAsk;
use domain::{ModelMessage, ModelRequest, OutputSchema, Prompt, ToolUseMode, WorkspaceId};
use serde::Serialize;
use sha2::{Digest, Sha256};
use store::KeptText;

/// Digests remembered at most; whoever is forgotten is only asked to be kept again.
const MOST: usize = 10_000;

/// Texts that are known to be kept already.
#[derive(Default)]
pub(crate) struct Kept(Mutex<HashSet<(WorkspaceId, Arc<str>)>>);

impl Kept {
    fn knows(&self, workspace: WorkspaceId, text: &KeptText) -> bool {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.contains(&(workspace, Arc::clone(&text.digest)))
    }

    /// To be told once their commit is durable.
    pub(crate) fn add(&self, workspace: WorkspaceId, texts: &[KeptText]) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() + texts.len() > MOST {
            kept.clear();
        }
        kept.extend(texts.iter().map(|text| (workspace, Arc::clone(&text.digest))));
    }
}

#[derive(Serialize)]
struct Question<'a> {
    models: &'a [String],
    request: Request<'a>,
}

/// The request with its long parts perhaps elsewhere.
#[derive(Serialize)]
struct Request<'a> {
    system: Part<'a>,
    messages: &'a [ModelMessage],
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<Part<'a>>,
    tool_use: ToolUseMode,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: &'a Option<OutputSchema>,
    max_tokens: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f32>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Part<'a> {
    Whole(&'a Prompt),
    Elsewhere { sha256: &'a str },
}

/// A question written out, and those of the texts it names that may not be kept yet. A question
/// that cannot be written is an error: as nothing, all such questions would have one key and one answer.
pub(crate) fn written(
    ask: &ModelAsk,
    workspace: WorkspaceId,
    kept: &Kept,
) -> Result<(Arc<str>, Vec<KeptText>), serde_json::Error> {
    let ModelRequest { system, messages, tools, tool_use, output, max_tokens, temperature } =
        &ask.request;
    let shared = system.is_shared().then(|| text_of(system)).transpose()?;
    let offered = (!tools.is_empty()).then(|| text_of(tools)).transpose()?;
    let question = Question {
        models: &ask.models,
        request: Request {
            system: shared.as_ref().map_or(Part::Whole(system), elsewhere),
            messages,
            tools: offered.as_ref().map(elsewhere),
            tool_use: *tool_use,
            output,
            max_tokens: *max_tokens,
            temperature: *temperature,
        },
    };
    let input = serde_json::to_string(&question)?;
    let new = |text: &KeptText| !kept.knows(workspace, text);
    Ok((input.into(), shared.into_iter().chain(offered).filter(new).collect()))
}

fn elsewhere(text: &KeptText) -> Part<'_> {
    Part::Elsewhere { sha256: &text.digest }
}

fn text_of(part: &impl Serialize) -> Result<KeptText, serde_json::Error> {
    let text = serde_json::to_string(part)?;
    let mut digest = String::with_capacity(64);
    for byte in Sha256::digest(text.as_bytes()) {
        // Writing to a string cannot fail.
        let _ = write!(digest, "{byte:02x}");
    }
    Ok(KeptText { digest: digest.into(), text: text.into() })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn a_part_that_cannot_be_written_down_is_an_error_and_not_an_empty_text() {
        assert!(text_of(&BTreeMap::from([((1, 2), 3)])).is_err());
        let kept = text_of(&["hola"]).unwrap();
        assert_eq!((&*kept.text, kept.digest.len()), ("[\"hola\"]", 64));
    }
}
