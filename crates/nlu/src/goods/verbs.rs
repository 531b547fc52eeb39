//! The verbs of an order: the act that each asks for, in the forms in which they are typed.

use super::ask::Act;

/// The act that a verb asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OrderVerb {
    pub(super) act: Act,
    /// Whether the verb carries a clitic for the goods last named: `sacala`.
    pub(super) refers: bool,
}

/// Verbs in `-ar` by their stems.
const REGULAR: &[(&str, Act)] = &[
    ("agreg", Act::Add),
    ("anot", Act::Add),
    ("anul", Act::Remove),
    ("apart", Act::Add),
    ("borr", Act::Remove),
    ("cambi", Act::Replace),
    ("cancel", Act::Remove),
    ("descart", Act::Remove),
    ("dej", Act::Set),
    ("elimin", Act::Remove),
    ("encarg", Act::Add),
    ("envi", Act::Add),
    ("guard", Act::Add),
    ("mand", Act::Add),
    ("prepar", Act::Add),
    ("quit", Act::Remove),
    ("reemplaz", Act::Replace),
    ("remplaz", Act::Replace),
    ("reserv", Act::Add),
    ("sac", Act::Remove),
    ("separ", Act::Add),
    ("sum", Act::Add),
    ("tach", Act::Remove),
];

const ENDINGS: &[&str] =
    &["a", "ar", "as", "aria", "arias", "an", "e", "en", "es", "o", "ue", "uen", "ues", "ando"];

/// Other verbs, in every form that is used without a clitic.
const IRREGULAR: &[(&str, Act)] = &[
    ("anadi", Act::Add),
    ("compro", Act::Add),
    ("da", Act::Add),
    ("das", Act::Add),
    ("darias", Act::Add),
    ("falta", Act::Add),
    ("faltan", Act::Add),
    ("falto", Act::Add),
    ("inclui", Act::Add),
    ("llevo", Act::Add),
    ("llevamos", Act::Add),
    ("mete", Act::Add),
    ("necesitamos", Act::Add),
    ("necesitaria", Act::Add),
    ("necesito", Act::Add),
    ("olvidate", Act::Remove),
    ("olvide", Act::Add),
    ("pido", Act::Add),
    ("pone", Act::Add),
    ("poner", Act::Add),
    ("pones", Act::Add),
    ("pondrias", Act::Add),
    ("ponga", Act::Add),
    ("pongan", Act::Add),
    ("pongas", Act::Add),
    ("preciso", Act::Add),
    ("queremos", Act::Add),
    ("queria", Act::Add),
    ("queriamos", Act::Add),
    ("quiero", Act::Add),
    ("quisiera", Act::Add),
    ("quisieramos", Act::Add),
    ("quita", Act::Remove),
    ("sustitui", Act::Replace),
    ("trae", Act::Add),
    ("traer", Act::Add),
    ("traerias", Act::Add),
    ("traes", Act::Add),
    ("traigan", Act::Add),
    ("traigas", Act::Add),
];

/// Verbs that mean something else without a clitic: `hace`, `pasas`, `carga`.
const WITH_CLITIC: &[(&str, Act)] = &[
    ("baja", Act::Remove),
    ("busca", Act::Add),
    ("carga", Act::Add),
    ("da", Act::Add),
    ("de", Act::Add),
    ("hace", Act::Add),
    ("marca", Act::Add),
    ("pasa", Act::Add),
    ("subi", Act::Add),
    ("tira", Act::Add),
    ("vende", Act::Add),
];

/// The clitics, the longest first.
const CLITICS: &[&str] = &[
    "melas", "melos", "selas", "selos", "mela", "melo", "sela", "selo", "las", "les", "los", "nos",
    "la", "le", "lo", "me", "te",
];

/// Forms that look like a verb of an order and are none.
const OTHERWISE: &[&str] = &["aparte", "dale", "dele", "envio", "guarda", "saco", "sumo"];

/// The act that a folded word asks for.
pub(super) fn order_verb(word: &str) -> Option<OrderVerb> {
    if OTHERWISE.contains(&word) {
        return None;
    }
    if let Some(act) = bare(word) {
        return Some(OrderVerb { act, refers: false });
    }
    let (stem, clitic) =
        CLITICS.iter().find_map(|clitic| Some((word.strip_suffix(clitic)?, *clitic)))?;
    let refers = clitic.ends_with("lo")
        || clitic.ends_with("la")
        || clitic.ends_with("los")
        || clitic.ends_with("las");
    let with = WITH_CLITIC.iter().find(|(form, _)| *form == stem).map(|(_, act)| *act);
    let act = with.or_else(|| bare(stem))?;
    // In `hacelo 6`, `subilo a 4` and `ponelo en 3` the number is the final one.
    let act = match (act, refers) {
        (Act::Add, true) => Act::Set,
        (Act::Remove, true) if stem == "baja" => Act::Set,
        (act, _) => act,
    };
    Some(OrderVerb { act, refers })
}

fn bare(word: &str) -> Option<Act> {
    let irregular = IRREGULAR.iter().find(|(form, _)| *form == word);
    if let Some((_, act)) = irregular {
        return Some(*act);
    }
    let ending = |stem: &str| word.strip_prefix(stem).is_some_and(|rest| ENDINGS.contains(&rest));
    REGULAR.iter().find(|(stem, _)| ending(stem)).map(|(_, act)| *act)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_are_known_in_the_forms_people_type() {
        for (act, words) in [
            (Act::Add, "agrega agregame agregale agregas agregar mandame mandarias sumale sumá"),
            (
                Act::Add,
                "poneme ponele pone dame danos quiero traeme traes anotame reservame haceme",
            ),
            (Act::Remove, "saca sacame sacale quita quitame borra elimina cancela sacala"),
            (Act::Replace, "cambia cambiame cambiala reemplaza"),
            (Act::Set, "deja dejame hacelo subilo bajalo ponelas"),
        ] {
            for word in words.split(' ') {
                let folded = word.replace('á', "a");
                assert_eq!(order_verb(&folded).map(|verb| verb.act), Some(act), "{word}");
            }
        }
        for word in ["dale", "hace", "pasas", "coca", "mandarina", "saco", "pan", "la", ""] {
            assert_eq!(order_verb(word), None, "{word}");
        }
        assert!(order_verb("sacala").is_some_and(|verb| verb.refers));
        assert!(order_verb("sacale").is_some_and(|verb| !verb.refers));
    }
}
