//! Options to pick in answer to a message: buttons if the channel has them and they fit, otherwise
//! numbered lines.

use std::collections::BTreeSet;

use domain::{ChannelKind, Pii, ReplyOption};

/// The limits of WhatsApp's options below a text: up to three buttons, or a list of up to ten rows.
const BUTTONS: usize = 3;
const BUTTON_TITLE_CHARS: usize = 20;
const ROWS: usize = 10;
const ROW_TITLE_CHARS: usize = 24;
const ROW_DESCRIPTION_CHARS: usize = 72;
const BODY_CHARS: usize = 1024;
const ID_BYTES: usize = 200;

/// A message as its channel can show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offered {
    /// The text to send.
    pub text: Pii,
    /// The options to send; empty if the text already lists them.
    pub options: Vec<ReplyOption>,
    /// The text that the customer sees, for the record.
    pub seen: Pii,
}

/// The layout of options on WhatsApp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    Buttons,
    List,
}

pub fn offered(kind: ChannelKind, text: &Pii, options: &[ReplyOption]) -> Offered {
    if options.is_empty() {
        return Offered { text: text.clone(), options: Vec::new(), seen: text.clone() };
    }
    match kind {
        ChannelKind::Infobip | ChannelKind::WhatsappCloud => match layout(text.reveal(), options) {
            Some(_) => {
                let (text, options) = (text.clone(), options.to_vec());
                let seen = bracketed(text.reveal(), &options);
                Offered { text, options, seen }
            }
            None => {
                let text = numbered(text.reveal(), options);
                Offered { seen: text.clone(), text, options: Vec::new() }
            }
        },
        // The page shows the options as buttons as well; a customer who types has the numbers.
        ChannelKind::Webchat => {
            let text = numbered(text.reveal(), options);
            Offered { seen: text.clone(), text, options: options.to_vec() }
        }
    }
}

/// `None` if WhatsApp would refuse the options, or cut them.
pub(crate) fn layout(text: &str, options: &[ReplyOption]) -> Option<Layout> {
    let chars = |text: &str| text.chars().count();
    let once = |of: fn(&ReplyOption) -> &str| {
        options.iter().map(of).collect::<BTreeSet<_>>().len() == options.len()
    };
    let whole = !text.trim().is_empty()
        && chars(text) <= BODY_CHARS
        && once(|option| &option.title)
        && once(|option| &option.id)
        && options.iter().all(|option| {
            let title = &option.title;
            !title.trim().is_empty()
                && !title.contains('\n')
                && (1..=ID_BYTES).contains(&option.id.len())
        });
    let titles = |most: usize| options.iter().all(|option| chars(&option.title) <= most);
    let described = options.iter().filter_map(|option| option.description.as_deref());
    let fits = |text: &str| !text.is_empty() && chars(text) <= ROW_DESCRIPTION_CHARS;
    let (count, plain) = (options.len(), described.clone().next().is_none());
    match whole {
        true if plain && count <= BUTTONS && titles(BUTTON_TITLE_CHARS) => Some(Layout::Buttons),
        true if count <= ROWS && titles(ROW_TITLE_CHARS) && described.clone().all(fits) => {
            Some(Layout::List)
        }
        _ => None,
    }
}

fn numbered(text: &str, options: &[ReplyOption]) -> Pii {
    let line = |(place, option): (usize, &ReplyOption)| {
        let title = option.title.replace('\n', " ");
        match &option.description {
            Some(description) => {
                format!("{}. {title}: {}", place + 1, description.replace('\n', " "))
            }
            None => format!("{}. {title}", place + 1),
        }
    };
    let lines: Vec<_> = options.iter().enumerate().map(line).collect();
    let parts = [text.to_owned(), lines.join("\n")];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n").into()
}

fn bracketed(text: &str, options: &[ReplyOption]) -> Pii {
    let titles: Vec<_> = options.iter().map(|option| format!("[{}]", option.title)).collect();
    format!("{text}\n{}", titles.join(" ")).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn option(title: &str) -> ReplyOption {
        ReplyOption { id: format!("id-{title}"), title: title.to_owned(), description: None }
    }

    fn options(titles: &[&str]) -> Vec<ReplyOption> {
        titles.iter().copied().map(option).collect()
    }

    #[test]
    fn what_fits_is_laid_out_and_what_does_not_is_numbered() {
        let long = |chars: usize| "ñ".repeat(chars);
        let described = |chars: usize| {
            let description = Some(long(chars));
            vec![ReplyOption { description, ..option("Pan") }]
        };
        let many = |count: usize| (0..count).map(|place| option(&place.to_string())).collect();
        let same_id = vec![option("a"), ReplyOption { id: "id-a".into(), ..option("b") }];
        let same_title = vec![option("a"), ReplyOption { id: "otra".into(), ..option("a") }];
        let no_id = vec![ReplyOption { id: String::new(), ..option("b") }];
        let long_id = vec![ReplyOption { id: long(101), ..option("b") }];
        let cases: Vec<(Vec<ReplyOption>, Option<Layout>)> = vec![
            (options(&["Sí", "No", "Después"]), Some(Layout::Buttons)),
            (options(&["Sí", "No", "Después", "Nunca"]), Some(Layout::List)),
            (vec![option(&long(20))], Some(Layout::Buttons)),
            (vec![option(&long(21))], Some(Layout::List)),
            (vec![option(&long(24))], Some(Layout::List)),
            (vec![option(&long(25))], None),
            (described(72), Some(Layout::List)),
            (described(73), None),
            (described(0), None),
            (many(10), Some(Layout::List)),
            (many(11), None),
            (options(&["Sí", "Sí"]), None),
            (options(&[" "]), None),
            (options(&["a\nb"]), None),
            (same_id, None),
            (same_title, None),
            (no_id, None),
            (long_id, None),
        ];
        for (options, expected) in cases {
            assert_eq!(layout("¿Cuál?", &options), expected, "{options:?}");
        }
        let plain = options(&["Sí"]);
        assert_eq!(layout(&long(1024), &plain), Some(Layout::Buttons));
        assert_eq!(layout(&long(1025), &plain), None);
        assert_eq!(layout(" ", &plain), None);
    }

    #[test]
    fn each_channel_shows_what_it_can_and_the_record_says_what_was_seen() {
        let text = Pii::from("¿Confirma?");
        let few = options(&["Sí", "No"]);
        let numbers = Pii::from("¿Confirma?\n1. Sí\n2. No");
        for kind in [ChannelKind::Infobip, ChannelKind::WhatsappCloud] {
            let seen = "¿Confirma?\n[Sí] [No]".into();
            let expected = Offered { text: text.clone(), options: few.clone(), seen };
            assert_eq!(offered(kind, &text, &few), expected);
            let eleven: Vec<_> = (1..=11).map(|place| option(&format!("o{place}"))).collect();
            let shown = offered(kind, &text, &eleven);
            assert!(shown.options.is_empty() && shown.seen == shown.text);
            assert!(shown.text.reveal().ends_with("\n10. o10\n11. o11"));
        }
        let shown = offered(ChannelKind::Webchat, &text, &few);
        let expected = Offered { text: numbers.clone(), options: few, seen: numbers };
        assert_eq!(shown, expected);
        let bare = offered(ChannelKind::Webchat, &text, &[]);
        assert_eq!(bare, Offered { text: text.clone(), options: vec![], seen: text.clone() });
        let described = ReplyOption { description: Some("la\ngrande".into()), ..option("Pan\nx") };
        let shown = offered(ChannelKind::Webchat, &Pii::from(""), &[described]);
        assert_eq!(shown.text.reveal(), "1. Pan x: la grande");
    }
}
