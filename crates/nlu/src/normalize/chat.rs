//! Chat spelling written out ("xq" → "porque"), each only where it can mean nothing else.

use Placement::*;

/// Where a spelling may be written out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Placement {
    Anywhere,
    /// Not after a number, where the spelling is a unit ("1 tb", "5 k"), and not alone, which is
    /// too little to go by.
    NotAUnit,
    /// A single letter: only a small one, before a word, and not where letters are labels.
    BeforeAWord,
    /// As `BeforeAWord`, but the letter may also close a sentence ("no sé q").
    AsAWord,
    /// Only as the first word, with nothing or the rest of a greeting behind.
    AsAGreeting,
    /// Only as the first word.
    First,
    /// Only if the word before shows that a Spanish noun follows.
    AsASpanishNoun,
    /// Only beside a word that makes it English.
    AmongEnglish,
}

/// The spellings, sorted so that they can be searched.
const SPELLINGS: &[(&str, &str, Placement)] = &[
    ("ahra", "ahora", Anywhere),
    ("aki", "aqui", Anywhere),
    ("aora", "ahora", Anywhere),
    ("aveces", "a veces", Anywhere),
    ("bn", "bien", Anywhere),
    ("bnas", "buenas", Anywhere),
    ("bno", "bueno", Anywhere),
    ("bnos", "buenos", Anywhere),
    ("btw", "by the way", Anywhere),
    ("cdo", "cuando", Anywhere),
    ("cmo", "como", Anywhere),
    ("cndo", "cuando", Anywhere),
    ("d", "de", BeforeAWord),
    ("dnd", "donde", Anywhere),
    ("dnde", "donde", Anywhere),
    ("dps", "despues", Anywhere),
    ("dsp", "despues", Anywhere),
    ("dspues", "despues", Anywhere),
    ("graciass", "gracias", Anywhere),
    ("graciaz", "gracias", Anywhere),
    ("grasias", "gracias", Anywhere),
    ("grax", "gracias", Anywhere),
    ("graxias", "gracias", Anywhere),
    ("grcs", "gracias", Anywhere),
    ("grx", "gracias", Anywhere),
    ("guasap", "whatsapp", Anywhere),
    ("hla", "hola", Anywhere),
    ("idk", "i dont know", Anywhere),
    ("k", "que", NotAUnit),
    ("ke", "que", Anywhere),
    ("kien", "quien", Anywhere),
    ("kiere", "quiere", Anywhere),
    ("kieres", "quieres", Anywhere),
    ("kiero", "quiero", Anywhere),
    ("komo", "como", Anywhere),
    ("kual", "cual", Anywhere),
    ("kuando", "cuando", Anywhere),
    ("kuanto", "cuanto", Anywhere),
    ("m", "me", BeforeAWord),
    ("mjr", "mejor", Anywhere),
    ("mnn", "manana", Anywhere),
    ("mnna", "manana", Anywhere),
    ("mnsj", "mensaje", Anywhere),
    ("msj", "mensaje", Anywhere),
    ("msjs", "mensajes", Anywhere),
    ("nd", "nada", Anywhere),
    ("nose", "no se", First),
    ("nse", "no se", Anywhere),
    ("ntp", "no te preocupes", Anywhere),
    ("ola", "hola", AsAGreeting),
    ("osea", "o sea", Anywhere),
    ("pf", "por favor", Anywhere),
    ("pfa", "por favor", Anywhere),
    ("pfv", "por favor", Anywhere),
    ("pfvr", "por favor", Anywhere),
    ("plis", "por favor", Anywhere),
    ("pls", "please", Anywhere),
    ("plz", "please", Anywhere),
    ("porfa", "por favor", Anywhere),
    ("porfavor", "por favor", Anywhere),
    ("porfis", "por favor", Anywhere),
    ("porke", "porque", Anywhere),
    ("porq", "porque", Anywhere),
    ("pq", "porque", Anywhere),
    ("q", "que", AsAWord),
    ("r", "are", AmongEnglish),
    ("sldos", "saludos", Anywhere),
    ("slds", "saludos", Anywhere),
    ("stoy", "estoy", Anywhere),
    ("t", "te", BeforeAWord),
    ("talvez", "tal vez", Anywhere),
    ("tambn", "tambien", Anywhere),
    ("tb", "tambien", NotAUnit),
    ("tbn", "tambien", Anywhere),
    ("thnx", "thanks", Anywhere),
    ("thx", "thanks", Anywhere),
    ("tmb", "tambien", Anywhere),
    ("tmbien", "tambien", Anywhere),
    ("tmbn", "tambien", Anywhere),
    ("tmrw", "tomorrow", Anywhere),
    ("tnx", "thanks", Anywhere),
    ("tqm", "te quiero mucho", Anywhere),
    ("u", "you", AmongEnglish),
    ("ur", "your", Anywhere),
    ("vdd", "verdad", Anywhere),
    ("wapp", "whatsapp", Anywhere),
    ("wasap", "whatsapp", Anywhere),
    ("wasapp", "whatsapp", Anywhere),
    ("wassap", "whatsapp", Anywhere),
    ("watsap", "whatsapp", Anywhere),
    ("wenas", "buenas", Anywhere),
    ("weno", "bueno", Anywhere),
    ("whasap", "whatsapp", Anywhere),
    ("whats", "whatsapp", AsASpanishNoun),
    ("whatsap", "whatsapp", Anywhere),
    ("wpp", "whatsapp", Anywhere),
    ("wsp", "whatsapp", Anywhere),
    ("x", "por", BeforeAWord),
    ("xa", "para", Anywhere),
    ("xfa", "por favor", Anywhere),
    ("xfavor", "por favor", Anywhere),
    ("xfis", "por favor", Anywhere),
    ("xk", "porque", Anywhere),
    ("xke", "porque", Anywhere),
    ("xq", "porque", Anywhere),
    ("xque", "porque", Anywhere),
    ("yama", "llama", Anywhere),
    ("yamo", "llamo", Anywhere),
];

/// The length of the longest spelling in the table.
const LONGEST: usize = 8;

/// Words after which a letter is a name: a size, a street, a flat, a multiple choice.
const LABELS: &[&str] = &[
    "apartamento",
    "apto",
    "av",
    "avenida",
    "bloque",
    "calle",
    "carrera",
    "casa",
    "cl",
    "clase",
    "cll",
    "cra",
    "depto",
    "diagonal",
    "dpto",
    "eje",
    "grupo",
    "interior",
    "iphone",
    "kra",
    "letra",
    "local",
    "lote",
    "manzana",
    "modelo",
    "mr",
    "mz",
    "opcion",
    "option",
    "plan",
    "puerta",
    "rayos",
    "respuesta",
    "seccion",
    "serie",
    "size",
    "sr",
    "sra",
    "talla",
    "tipo",
    "torre",
    "transversal",
    "unidad",
    "vitamina",
];

const ARTICLES: &[&str] = &["el", "la", "los", "las", "un", "una", "the"];

const AFTER_A_GREETING: &[&str] = &[
    "a", "amiga", "amigo", "buen", "buena", "buenas", "bueno", "buenos", "como", "disculpa",
    "disculpe", "necesito", "q", "que", "queria", "quiero", "quisiera", "soy", "tengo", "todo",
    "una", "ke", "k",
];

const BEFORE_A_NOUN: &[&str] =
    &["al", "de", "del", "el", "este", "mi", "numero", "por", "su", "tu", "un", "x"];

const ENGLISH: &[&str] = &[
    "are", "can", "could", "did", "do", "for", "guys", "have", "help", "how", "if", "is", "know",
    "love", "need", "r", "see", "should", "tell", "thank", "thanks", "the", "to", "u", "want",
    "what", "when", "where", "who", "why", "will", "with", "would", "you",
];

/// The surroundings of a word.
pub(super) struct Surroundings<'a> {
    pub(super) before: Option<&'a str>,
    pub(super) after: Option<&'a str>,
    /// Whether the word is part of an address, a code or an abbreviation ("x.com", "@q", "t/c",
    /// "d.").
    pub(super) glued: bool,
    /// Whether the word begins with a written capital.
    pub(super) capital: bool,
    pub(super) capital_after: bool,
}

/// A word that stands for another one if its surroundings allow that.
pub(super) struct Spelling {
    meaning: &'static str,
    place: Placement,
}

/// Looks a word up. This comes before anything else about a word is worked out, because few words
/// are in the table.
pub(super) fn spelling(word: &str) -> Option<Spelling> {
    if word.len() > LONGEST {
        return None;
    }
    let at = SPELLINGS.binary_search_by(|(spelling, ..)| (*spelling).cmp(word)).ok()?;
    let (_, meaning, place) = SPELLINGS[at];
    Some(Spelling { meaning, place })
}

impl Spelling {
    /// The meaning of the word, possibly several words.
    pub(super) fn written_out(&self, seen: &Surroundings<'_>) -> Option<&'static str> {
        // Addresses of every kind are made of short pieces without another meaning.
        (!seen.glued && allows(self.place, seen)).then_some(self.meaning)
    }
}

fn allows(place: Placement, seen: &Surroundings<'_>) -> bool {
    let after_number = seen.before.is_some_and(starts_with_digit);
    let before_word =
        seen.after.is_some_and(|after| after.starts_with(|c: char| c.is_alphabetic()));
    let among = |list: &[&str], word: Option<&str>| word.is_some_and(|word| list.contains(&word));
    let label = after_number || among(LABELS, seen.before);
    // A capital inside a sentence marks an initial, as does one before another capital.
    let initial = seen.capital && (seen.before.is_some() || seen.capital_after);
    match place {
        Anywhere => true,
        NotAUnit => !after_number && (seen.before.is_some() || seen.after.is_some()),
        AsAWord => !label && (!initial || seen.capital_after),
        BeforeAWord => before_word && !label && !initial && !among(ARTICLES, seen.before),
        First => seen.before.is_none(),
        AsAGreeting => {
            seen.before.is_none() && (seen.after.is_none() || among(AFTER_A_GREETING, seen.after))
        }
        AsASpanishNoun => among(BEFORE_A_NOUN, seen.before),
        AmongEnglish => among(ENGLISH, seen.before) || among(ENGLISH, seen.after),
    }
}

fn starts_with_digit(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, SPELLINGS};

    #[test]
    fn the_spellings_are_in_order_and_none_is_listed_twice() {
        assert!(SPELLINGS.iter().all(|(spelling, ..)| spelling.len() <= LONGEST));
        for pair in SPELLINGS.windows(2) {
            assert!(pair[0].0 < pair[1].0, "{} before {}", pair[0].0, pair[1].0);
        }
    }
}
