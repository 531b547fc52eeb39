//! The words people put before and after a value, taken off: «mi empresa se llama … , gracias».

use regex::Regex;

pub(super) struct LeadIns {
    after_label: Regex,
    answer: Regex,
    trailing: Regex,
    dangling: Regex,
}

impl LeadIns {
    pub(super) fn new() -> Self {
        let regex = |pattern: &str| Regex::new(pattern).expect("a constant pattern");
        Self {
            // «empresa» ► «es …», «se llama …», «: …»
            after_label: regex(
                r"(?i)^(?:(?:es|son|ser[ií]a|se llama|le dicen|queda(?:r[ií]a)?(?: como)?|is|called)\b|[:=])\s*(?:es\b|[:=])?\s*",
            ),
            answer: regex(
                r"(?ix)^(?:
                    (?:hola+|buenas(?:\ (?:tardes|noches))?|buen(?:os)?\ d[ií]as?|claro|s[ií]|bueno|ok|dale|listo|pues|eh+|mmm+|ah+|no|perd[oó]n|uy|ups|disculpa|hi|hello|yes|sure|well)[\ ,.!:]+
                  | (?:(?:soy|me\ llamo|mi\ nombre\ es|habla|aqu[ií]|i\ am|i'm|my\ name\ is)\ +)
                  | (?:(?:se\ llama|trabajo\ (?:en|para)|somos|es|ser[ií]a|(?:en\ realidad|mejor|corrijo|quise\ decir)[\ ,:]*(?:es\ )?|called|it's|it\ is)\ +)
                )+",
            ),
            trailing: regex(
                r"(?i)[\s,.;:!¡¿?]*(?:,?\s*(?:por favor|gracias|porfa|please|thanks))?[\s,.;:!¡¿?]*$",
            ),
            // What is left of «…, y mi» when the next label was cut off.
            dangling: regex(
                r"(?i)[\s,;.]+(?:y|e|and)?\s*(?:(?:el|la|mi|mis|nuestra|nuestro|con|the|my|de|del|por)\s*)*$",
            ),
        }
    }

    /// What follows a field's name, if something says that it is its value.
    pub(super) fn after_label<'t>(&self, rest: &'t str) -> Option<&'t str> {
        let lead = self.after_label.find(rest)?;
        let value = &rest[lead.end()..];
        (!value.trim().is_empty()).then_some(value)
    }

    /// A value cut out of a sentence; `cut` if more of the sentence followed.
    pub(super) fn clean(&self, value: &str, cut: bool) -> Option<String> {
        let value = if cut { self.dangling.replace(value, "") } else { value.into() };
        let sentence = value.split(['\n', ',', ';']).next().unwrap_or_default();
        let value = self.trailing.replace(sentence, "");
        let value = value.trim();
        (!value.is_empty()).then(|| value.to_owned())
    }

    /// A whole message as a value.
    pub(super) fn answer(&self, text: &str) -> Option<String> {
        let text = text.trim();
        let rest = match self.answer.find(text) {
            Some(lead) if lead.end() < text.len() => &text[lead.end()..],
            _ => text,
        };
        let value = self.trailing.replace(rest, "");
        let value = value.trim_matches(|c: char| c.is_whitespace() || "\"«»“”*_".contains(c));
        (!value.is_empty()).then(|| value.to_owned())
    }
}
