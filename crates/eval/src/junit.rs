//! Results as JUnit XML, which every CI reads.

use std::fmt::Write;

use crate::CaseResult;

/// The results of packs as one document; `line` says where a case is written.
pub fn junit(packs: &[(&str, &[CaseResult])], line: impl Fn(&CaseResult) -> u64) -> String {
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let all: Vec<&CaseResult> = packs.iter().flat_map(|(_, results)| *results).collect();
    _ = writeln!(xml, "<testsuites {}>", counts(all.iter().copied()));
    for (pack, results) in packs {
        let counts = counts(results.iter());
        _ = writeln!(xml, "  <testsuite name=\"{}\" {counts}>", escaped(pack));
        results.iter().for_each(|result| case(&mut xml, result, line(result)));
        xml.push_str("  </testsuite>\n");
    }
    xml.push_str("</testsuites>\n");
    xml
}

fn counts<'r>(results: impl Iterator<Item = &'r CaseResult>) -> String {
    let (mut tests, mut failures) = (0, 0);
    for result in results {
        tests += 1;
        failures += usize::from(!result.failed.is_empty());
    }
    format!("tests=\"{tests}\" failures=\"{failures}\"")
}

fn case(xml: &mut String, result: &CaseResult, line: u64) {
    let (file, name) = (escaped(&result.file), escaped(&result.name));
    let place = format!("file=\"{file}\" line=\"{line}\"");
    _ = write!(xml, "    <testcase classname=\"{file}\" name=\"{name}\" {place}");
    if result.failed.is_empty() {
        xml.push_str("/>\n");
        return;
    }
    xml.push_str(">\n");
    for failed in &result.failed {
        let keys: Vec<_> = failed.differences.iter().map(|one| one.key).collect();
        let message = format!("step {}: {}", failed.step + 1, keys.join(", "));
        _ = writeln!(xml, "      <failure message=\"{message}\">");
        for one in &failed.differences {
            let key = one.key;
            let text = format!("{key}: expected {}\n{key}: actual {}", one.expected, one.actual);
            _ = writeln!(xml, "{}", escaped(&text));
        }
        xml.push_str("      </failure>\n");
    }
    xml.push_str("    </testcase>\n");
}

/// Text as XML 1.0 allows it.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Difference, FailedStep};
    use serde_json::json;

    #[test]
    fn a_failure_says_what_was_expected_and_no_text_breaks_the_document() {
        let difference =
            Difference { key: "reply", expected: json!("<hola>"), actual: json!("\u{1}&") };
        let failed = vec![FailedStep { step: 1, differences: vec![difference] }];
        let result = CaseResult {
            file: "tests/a.yaml".into(),
            index: 0,
            name: "dice \"hola\"".into(),
            failed,
            turns: 2,
        };
        let xml = junit(&[("registro", &[result])], |_| 7);
        assert!(xml.contains("name=\"dice &quot;hola&quot;\" file=\"tests/a.yaml\" line=\"7\""));
        assert!(xml.contains("reply: expected &quot;&lt;hola&gt;&quot;"), "{xml}");
        assert!(!xml.contains('\u{1}'));
        assert!(xml.contains("&amp;&quot;"), "{xml}");
        assert!(xml.contains("<failure message=\"step 2: reply\">"), "{xml}");
    }

    #[test]
    fn what_holds_is_counted_apart_from_what_fails() {
        let case = |failed: &[usize]| CaseResult {
            file: "tests/a.yaml".into(),
            index: 0,
            name: "saluda".into(),
            failed: failed
                .iter()
                .map(|step| FailedStep { step: *step, differences: Vec::new() })
                .collect(),
            turns: 1,
        };
        let (one, other) = ([case(&[]), case(&[0, 2])], [case(&[])]);
        let xml = junit(&[("uno", &one), ("otro", &other)], |_| 1);
        for expected in [
            "<testsuites tests=\"3\" failures=\"1\">",
            "<testsuite name=\"uno\" tests=\"2\" failures=\"1\">",
            "<testsuite name=\"otro\" tests=\"1\" failures=\"0\">",
        ] {
            assert!(xml.contains(expected), "{xml}");
        }
        assert_eq!(xml.matches("<failure ").count(), 2);
    }
}
