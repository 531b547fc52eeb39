//! The making of a group of wordings from its rows: the texts of a locale, a pack's changes to them, what
//! holds those changes, and the group's table for people.

use std::collections::BTreeMap;

use crate::fill::named;

/// A wording's name, the values that it says, the most characters it may have, and when it is said.
pub(crate) struct Rule {
    pub(crate) name: &'static str,
    pub(crate) values: &'static [&'static str],
    pub(crate) longest: usize,
    pub(crate) meaning: &'static str,
}

/// A group's files, the languages before the countries that change something in them.
pub(crate) type Files = &'static [(&'static str, &'static str)];

/// The text of the file for a locale or a language, if there is one.
pub(crate) fn file(files: Files, locale: &str) -> Option<&'static str> {
    files.iter().find(|(name, _)| *name == locale).map(|(_, text)| *text)
}

/// All wordings of a file, by their names.
pub(crate) fn wordings_of(files: Files, locale: &str) -> Option<BTreeMap<String, String>> {
    serde_saphyr::from_str(file(files, locale)?).ok()
}

/// Why a text cannot stand for the wording of this name, if it cannot. An unknown name is left to the
/// schema.
pub(crate) fn fault(rules: &[Rule], files: Files, name: &str, text: &str) -> Option<String> {
    let rule = rules.iter().find(|rule| rule.name == name)?;
    let missing = rule.values.iter().find(|value| !named(text).any(|said| said == **value));
    if let Some(value) = missing {
        return Some(format!("`{name}` must say `{{{value}}}`"));
    }
    if let Some(value) = named(text).find(|value| !rule.values.contains(value)) {
        return Some(format!("`{name}` knows no value `{{{value}}}`"));
    }
    let base = wordings_of(files, "es").and_then(|mut all| all.remove(name))?;
    let bare = |value: &&&str| is_marked(&base, value) && !is_marked(text, value);
    let value = rule.values.iter().find(bare)?;
    Some(format!(
        "`{name}` must have `{{{value}}}` between marks, as `<mark>{{{value}}}</mark>` has, because only \
         marks tell a model what others wrote from what it is told to do"
    ))
}

/// Whether a value stands between an opening mark and a closing one wherever it is said.
fn is_marked(text: &str, value: &str) -> bool {
    let value = format!("{{{value}}}");
    let pieces: Vec<&str> = text.split(&value).map(str::trim).collect();
    let closes = |piece: &&str| piece.starts_with("</");
    pieces.windows(2).all(|beside| beside[0].ends_with('>') && closes(&beside[1]))
}

/// The rows as docs/packs.md lists them, each with its wording in the language of that page.
pub(crate) fn table(rules: &[Rule]) -> String {
    let row = |rule: &Rule| {
        let values = rule.values.iter().map(|value| format!("`{{{value}}}`"));
        let values = values.collect::<Vec<_>>().join(", ");
        format!("| `{}` | {values} | {} | {} |\n", rule.name, rule.longest, rule.meaning.trim())
    };
    let rows: String = rules.iter().map(row).collect();
    format!("| name | values | most characters | when it is said |\n|---|---|---|---|\n{rows}")
}

/// Makes a group from its rows. Each row is a method that fills the values into the wording, so that no
/// caller can forget one; a pack's changes are a type of its own, which its schema comes from.
macro_rules! wordings {
    (
        $(#[doc = $all:literal])+ $Group:ident,
        $(#[doc = $some:literal])+ $Replaced:ident,
        $files:expr;
        $(#[doc = $doc:literal] $name:ident($($value:ident),*), up to $longest:literal;)*
    ) => {
        $(#[doc = $all])+
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $Group {
            $($name: String,)*
        }

        $(#[doc = $some])+
        #[derive(
            Clone, Debug, Default, PartialEq, Eq,
            serde::Deserialize, serde::Serialize, schemars::JsonSchema,
        )]
        #[serde(deny_unknown_fields, default)]
        pub struct $Replaced {
            $(
                #[doc = $doc]
                #[schemars(length(min = 1, max = $longest))]
                #[serde(skip_serializing_if = "Option::is_none")]
                pub $name: Option<String>,
            )*
        }

        const RULES: &[crate::table::Rule] = &[$(crate::table::Rule {
            name: stringify!($name),
            values: &[$(stringify!($value)),*],
            longest: $longest,
            meaning: $doc,
        },)*];

        const FILES: crate::table::Files = $files;

        impl $Group {
            $(
                #[doc = $doc]
                pub fn $name(&self $(, $value: &str)*) -> String {
                    crate::fill::filled(&self.$name, &[$((stringify!($value), $value)),*])
                }
            )*

            /// The wordings of a locale such as `es-CO`; those of `es` for a language without a file.
            pub fn of(locale: &str) -> Self {
                let language = locale.split('-').next().unwrap_or_default();
                let all = $Replaced::of(language).or_else(|| $Replaced::of("es"));
                let all = all.and_then(Self::complete);
                let all = all.expect("a test reads the files, which are part of the program");
                match $Replaced::of(locale) {
                    Some(country) => all.with(&country),
                    None => all,
                }
            }

            /// `None` if a wording is missing.
            fn complete(all: $Replaced) -> Option<Self> {
                Some(Self { $($name: all.$name?,)* })
            }

            /// The wordings with a pack's own in place of some.
            #[must_use]
            pub fn with(mut self, replaced: &$Replaced) -> Self {
                $(if let Some(text) = &replaced.$name {
                    self.$name.clone_from(text);
                })*
                self
            }

            /// Why a text cannot stand for the wording of this name, if it cannot. An unknown name is
            /// left to the schema.
            pub fn fault(name: &str, text: &str) -> Option<String> {
                crate::table::fault(RULES, FILES, name, text)
            }

            /// The group's table in docs/packs.md.
            pub fn table() -> String {
                crate::table::table(RULES)
            }
        }

        impl $Replaced {
            fn of(locale: &str) -> Option<Self> {
                serde_saphyr::from_str(crate::table::file(FILES, locale)?).ok()
            }
        }

        #[cfg(test)]
        mod files {
            use super::*;

            #[test]
            fn every_file_is_read_and_every_wording_of_it_is_sound() {
                for (locale, _) in FILES {
                    let read = $Replaced::of(locale).expect(locale);
                    if !locale.contains('-') {
                        assert!($Group::complete(read).is_some(), "{locale} lacks a wording");
                    }
                    for (name, said) in &crate::table::wordings_of(FILES, locale).expect(locale) {
                        assert_eq!($Group::fault(name, said), None, "{locale}");
                        let rule = RULES.iter().find(|rule| rule.name == name).expect(name);
                        assert!(said.chars().count() <= rule.longest, "{locale}: {name}");
                    }
                }
            }
        }
    };
}

pub(crate) use wordings;

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: &[Rule] = &[
        Rule { name: "too_long", values: &["most"], longest: 9, meaning: " A message is long." },
        Rule { name: "apology", values: &[], longest: 9, meaning: " Sorry." },
        Rule { name: "message", values: &["text"], longest: 9, meaning: " A message." },
    ];

    const FILES: Files = &[(
        "es",
        "too_long: \"muy largo, {most}\"\napology: perdón\nmessage: \"<mensaje>{text}</mensaje>\"",
    )];

    #[test]
    fn a_wording_says_all_its_values_and_no_other() {
        let fault = |name, text| fault(RULES, FILES, name, text);
        assert_eq!(fault("too_long", "muy largo").as_deref(), Some("`too_long` must say `{most}`"));
        assert_eq!(fault("too_long", "hasta {most}"), None);
        let unknown = fault("apology", "perdón, {nombre}");
        assert_eq!(unknown.as_deref(), Some("`apology` knows no value `{nombre}`"));
        assert_eq!(fault("nothing", "of ours"), None);
    }

    #[test]
    fn what_others_wrote_stays_between_marks() {
        let fault = |text| fault(RULES, FILES, "message", text);
        for sound in ["<cliente>{text}</cliente>", "Dice:\n<m>\n{text}\n</m>\nContesta."] {
            assert_eq!(fault(sound), None, "{sound}");
        }
        for bare in ["Dice: {text}", "<m>{text}", "{text}</m>", "<m>{text}</m> {text}"] {
            assert!(fault(bare).is_some_and(|why| why.contains("between marks")), "{bare}");
        }
    }

    #[test]
    fn a_table_has_a_row_for_each_wording() {
        let expected = "| name | values | most characters | when it is said |\n|---|---|---|---|\n\
                        | `too_long` | `{most}` | 9 | A message is long. |\n\
                        | `apology` |  | 9 | Sorry. |\n";
        assert_eq!(table(&RULES[..2]), expected);
    }
}
