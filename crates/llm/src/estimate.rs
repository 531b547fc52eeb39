//! Estimates the tokens of a request, before or without the provider's count.

use std::io;

use domain::{ModelPart, ModelRequest};
use serde_json::Value;

/// Characters per token, about, in the languages spoken here.
const CHARS_PER_TOKEN: usize = 4;
/// The tokens of a large image, about which the length of its base64 says nothing.
const IMAGE_TOKENS: usize = 1_600;

/// The tokens of the request and the longest answer that it allows.
pub fn estimate(request: &ModelRequest) -> u32 {
    input(request).saturating_add(request.max_tokens)
}

/// The tokens of the request itself.
pub(crate) fn input(request: &ModelRequest) -> u32 {
    let tools = request
        .tools
        .iter()
        .map(|tool| chars(&tool.name) + chars(&tool.description) + written(&tool.input));
    let output = request.output.iter().map(|output| written(&output.schema));
    let parts = request.messages.iter().flat_map(|message| &message.parts).map(part);
    let all: usize = tools.chain(output).chain(parts).sum();
    tokens(chars(&request.system) + all)
}

fn part(part: &ModelPart) -> usize {
    match part {
        ModelPart::Text { text } => chars(text),
        ModelPart::Image { .. } => IMAGE_TOKENS * CHARS_PER_TOKEN,
        ModelPart::ToolCall { name, input, .. } => chars(name) + written(input),
        ModelPart::ToolResult { content, .. } => chars(content),
    }
}

/// The tokens of so many characters, rounded up.
pub(crate) fn tokens(chars: usize) -> u32 {
    u32::try_from(chars.div_ceil(CHARS_PER_TOKEN)).unwrap_or(u32::MAX)
}

pub(crate) fn chars(text: &str) -> usize {
    text.chars().count()
}

/// The characters of a value as JSON, counted without storing the text.
fn written(value: &Value) -> usize {
    let mut count = Count(0);
    // Counting cannot fail.
    let _ = serde_json::to_writer(&mut count, value);
    count.0
}

struct Count(usize);

impl io::Write for Count {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // A byte that continues a character is not counted.
        self.0 += bytes.iter().filter(|byte| *byte & 0xc0 != 0x80).count();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::{ModelMessage, OutputSchema, Speaker, ToolSpec};
    use serde_json::json;

    #[test]
    fn everything_in_the_request_counts_and_the_longest_answer_too() {
        let mut request = ModelRequest {
            system: "ñ".repeat(8).into(),
            messages: vec![ModelMessage::user("x".repeat(4))],
            max_tokens: 100,
            ..ModelRequest::default()
        };
        assert_eq!(estimate(&request), 2 + 1 + 100);
        request.tools.push(ToolSpec {
            name: "n".repeat(8),
            description: "d".repeat(10),
            input: json!({}),
        });
        assert_eq!(estimate(&request), 3 + 5 + 100);
        request.output = Some(OutputSchema { name: "o".into(), schema: json!("12345678") });
        assert_eq!(estimate(&request), 3 + 5 + 3 + 100);
        let image = ModelPart::Image { media_type: "image/png".into(), data: "A".repeat(9_000) };
        let call = ModelPart::ToolCall { id: "1".into(), name: "abcd".into(), input: json!(1234) };
        let result =
            ModelPart::ToolResult { id: "1".into(), content: "abcd".into(), is_error: false };
        for (part, more) in [(image, 1_600), (call, 2), (result, 1)] {
            let before = estimate(&request);
            request.messages.push(ModelMessage { role: Speaker::User, parts: vec![part] });
            assert_eq!(estimate(&request) - before, more);
        }
    }
}
