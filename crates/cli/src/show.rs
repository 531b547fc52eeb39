//! `recado show`: a pack as a page of sentences, in its own language.

use std::process::ExitCode;

use crate::args::ShowOptions;
use crate::exit::Outcome;
use crate::packs;

/// As wide as lines are in a terminal.
const WIDTH: usize = 100;

pub(crate) fn show(options: &ShowOptions) -> Outcome {
    let opened = packs::named(&options.pack, &options.config)?.open()?;
    let page = pack::page(&opened.source);
    let page = if options.markdown { page } else { plain(&page) };
    print!("{page}");
    Ok(ExitCode::SUCCESS)
}

/// The page for a terminal: lines that fit it, headings underlined, no other signs of Markdown.
fn plain(page: &str) -> String {
    let mut plain = String::new();
    for line in page.lines() {
        let level = line.bytes().take_while(|byte| *byte == b'#').count();
        let text = line[level..].trim_start_matches(if level > 0 { " " } else { "" });
        let text = text.replace("**", "");
        if level > 0 {
            let rule = if level == 1 { "=" } else { "-" };
            plain.push_str(&format!("{text}\n{}\n", rule.repeat(text.chars().count())));
            continue;
        }
        let within = text.len() - text.trim_start().len();
        let hanging = if text.trim_start().starts_with("- ") { within + 2 } else { within };
        wrapped(&text, hanging, &mut plain);
    }
    plain
}

/// A line broken between words, the rest of it so many columns in.
fn wrapped(line: &str, hanging: usize, out: &mut String) {
    let mut column = 0;
    let indent = line.len() - line.trim_start().len();
    out.push_str(&" ".repeat(indent));
    for (at, word) in line.split_whitespace().enumerate() {
        let length = word.chars().count();
        if at == 0 {
            column = indent;
        } else if column + 1 + length > WIDTH {
            out.push_str(&format!("\n{}", " ".repeat(hanging)));
            column = hanging;
        } else {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += length;
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_fits_the_terminal_and_has_no_signs_of_markdown() {
        let long = "palabra ".repeat(20);
        let page = format!("# Título\n\n- **dato**: {long}\n  - otra\n");
        let shown = plain(&page);
        assert!(shown.starts_with("Título\n======\n\n- dato: palabra "), "{shown}");
        assert!(shown.lines().all(|line| line.chars().count() <= WIDTH), "{shown}");
        assert!(shown.contains("\n  palabra") && shown.ends_with("\n  - otra\n"), "{shown}");
    }
}
