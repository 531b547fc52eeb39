//! Cuts a word to its stem, lightly, for Spanish and English alike.

/// The shortest stem, because shorter stems join unrelated words.
const SHORTEST: usize = 3;

/// The endings, longer before shorter if one ends with another.
const ENDINGS: &[&str] = &[
    "amientos", "imientos", "amiento", "imiento", "aciones", "iciones", "uciones", "adoras",
    "adores", "ancias", "encias", "acion", "icion", "ucion", "adora", "ador", "ancia", "encia",
    "mente", "idades", "idad", "ando", "iendo", "arlas", "arlos", "erlos", "irlos", "arles",
    "arla", "arlo", "erlo", "irlo", "erla", "irla", "arme", "erme", "irme", "arte", "erte", "arse",
    "erse", "irse", "arle", "erle", "irle", "aron", "ieron", "amos", "emos", "imos", "adas",
    "ados", "idas", "idos", "abas", "aban", "aria", "eria", "iria", "ada", "ado", "ida", "ido",
    "aba", "ing", "ies", "ar", "er", "ir", "as", "es", "os", "an", "en", "ed", "a", "e", "o", "s",
];

/// The stem of a folded word.
pub(super) fn stem(word: &str) -> &str {
    ENDINGS
        .iter()
        .filter_map(|ending| word.strip_suffix(ending))
        .find(|stem| stem.len() >= SHORTEST)
        .unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::stem;

    #[test]
    fn inflections_of_a_word_share_a_stem() {
        for (one, other) in [
            ("compra", "comprar"),
            ("comprado", "comprando"),
            ("cancelacion", "cancelar"),
            ("tiendas", "tienda"),
            ("enviarlo", "enviarme"),
            ("orders", "ordered"),
        ] {
            assert_eq!(stem(one), stem(other), "{one} and {other}");
        }
    }

    #[test]
    fn a_short_word_stays_whole() {
        for word in ["", "a", "no", "las", "ver"] {
            assert_eq!(stem(word), word);
        }
    }
}
