//! The number words of Spanish and English, folded, with the value of each.

/// Zero to twenty-nine, in one word.
pub(super) fn small(word: &str) -> Option<u64> {
    Some(match word {
        "cero" | "zero" => 0,
        "un" | "uno" | "una" | "one" => 1,
        "dos" | "two" => 2,
        "tres" | "three" => 3,
        "cuatro" | "four" => 4,
        "cinco" | "five" => 5,
        "seis" | "six" => 6,
        "siete" | "seven" => 7,
        "ocho" | "eight" => 8,
        "nueve" | "nine" => 9,
        "diez" | "ten" => 10,
        "once" | "eleven" => 11,
        "doce" | "twelve" => 12,
        "trece" | "thirteen" => 13,
        "catorce" | "fourteen" => 14,
        "quince" | "fifteen" => 15,
        "dieciseis" | "sixteen" => 16,
        "diecisiete" | "seventeen" => 17,
        "dieciocho" | "eighteen" => 18,
        "diecinueve" | "nineteen" => 19,
        "veinte" | "twenty" => 20,
        "veintiun" | "veintiuno" | "veintiuna" => 21,
        "veintidos" => 22,
        "veintitres" => 23,
        "veinticuatro" => 24,
        "veinticinco" => 25,
        "veintiseis" => 26,
        "veintisiete" => 27,
        "veintiocho" => 28,
        "veintinueve" => 29,
        _ => return None,
    })
}

/// Round tens, which a unit may follow.
pub(super) fn tens(word: &str) -> Option<u64> {
    Some(match word {
        "twenty" => 20,
        "treinta" | "thirty" => 30,
        "cuarenta" | "forty" => 40,
        "cincuenta" | "fifty" => 50,
        "sesenta" | "sixty" => 60,
        "setenta" | "seventy" => 70,
        "ochenta" | "eighty" => 80,
        "noventa" | "ninety" => 90,
        _ => return None,
    })
}

pub(super) fn hundreds(word: &str) -> Option<u64> {
    Some(match word {
        "cien" | "ciento" => 100,
        "doscientos" | "doscientas" => 200,
        "trescientos" | "trescientas" => 300,
        "cuatrocientos" | "cuatrocientas" => 400,
        "quinientos" | "quinientas" => 500,
        "seiscientos" | "seiscientas" => 600,
        "setecientos" | "setecientas" => 700,
        "ochocientos" | "ochocientas" => 800,
        "novecientos" | "novecientas" => 900,
        _ => return None,
    })
}

/// Words that multiply the number before them.
pub(super) fn scale(word: &str) -> Option<u64> {
    Some(match word {
        "mil" | "k" | "thousand" => 1_000,
        "millon" | "millones" | "mill" | "milloncito" | "milloncitos" | "million" | "millions" => {
            1_000_000
        }
        "billion" | "billions" => 1_000_000_000,
        "billon" | "billones" | "trillion" | "trillions" => 1_000_000_000_000,
        "trillon" | "trillones" => 1_000_000_000_000_000_000,
        _ => return None,
    })
}

/// Whether a word is a number word.
pub(super) fn is_numeral(word: &str) -> bool {
    small(word).or_else(|| tens(word)).or_else(|| hundreds(word)).or_else(|| scale(word)).is_some()
        || dozen(word)
}

pub(super) fn dozen(word: &str) -> bool {
    matches!(word, "docena" | "docenas" | "dz" | "dozen" | "dozens")
}

/// The denominator of a fraction: `tercios`, `quintas`, `veintiunavos`, `dosmilesimos`.
pub(super) fn denominator(word: &str) -> Option<Denominator> {
    let exact = match word {
        "medio" | "medios" | "half" | "halves" => 2,
        "tercio" | "tercios" | "thirds" => 3,
        "cuarto" | "cuartos" | "quarters" => 4,
        "quinto" | "quintos" | "quinta" | "quintas" | "fifths" => 5,
        "sexto" | "sextos" | "sexta" | "sextas" | "sixths" => 6,
        "septimo" | "septimos" | "septima" | "septimas" => 7,
        "octavo" | "octavos" | "octava" | "octavas" | "eighths" => 8,
        "noveno" | "novenos" | "novena" | "novenas" => 9,
        "decimo" | "decimos" | "decima" | "decimas" | "tenths" => 10,
        "centesimo" | "centesimos" | "centesima" | "centesimas" => 100,
        "milesimo" | "milesimos" | "milesima" | "milesimas" => 1_000,
        "millonesimo" | "millonesima" | "millonesimas" => 1_000_000,
        "billonesimo" | "billonesima" | "billonesimas" => 1_000_000_000_000,
        _ => 0,
    };
    let plural = word.ends_with('s');
    if exact > 0 {
        // `dos millonesimo` is a place in a row: a singular counts only one part of a whole.
        let only_one = matches!(word, "millonesimo" | "billonesimo") || !plural;
        return Some(Denominator { value: exact, only_one });
    }
    let compound = |suffixes: &[&str]| {
        suffixes.iter().find_map(|suffix| word.strip_suffix(suffix)).filter(|stem| stem.len() > 2)
    };
    if let Some(stem) = compound(&["avos", "avas", "avo", "ava"]) {
        let value = joined(stem).or_else(|| joined(&format!("{stem}a")))?;
        return (value > 10 || value == 5).then_some(Denominator { value, only_one: false });
    }
    let stem = compound(&["milesimos", "milesimas"])?;
    Some(Denominator { value: joined(stem)?.checked_mul(1_000)?, only_one: false })
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Denominator {
    pub(super) value: u64,
    /// Whether the word is singular, so that only one part of it can be meant.
    pub(super) only_one: bool,
}

/// A number below a thousand whose words were written as one, such as `cientocinco`.
pub(in crate::extract) fn joined(stem: &str) -> Option<u64> {
    if let Some(value) = small(stem).or_else(|| tens(stem)).or_else(|| hundreds(stem)) {
        return Some(value);
    }
    // The longest number word is `cuatrocientos`; a stem longer than a few of them is no number.
    if stem.len() > 40 || !stem.is_ascii() {
        return None;
    }
    (1..stem.len()).rev().find_map(|cut| {
        let (head, rest) = stem.split_at(cut);
        if let Some(value) = hundreds(head) {
            return joined(rest).filter(|rest| *rest < 100 && *rest > 0).map(|rest| value + rest);
        }
        let value = tens(head)?;
        let unit = small(rest.strip_prefix(['y', 'i']).unwrap_or(rest))?;
        (1..10).contains(&unit).then_some(value + unit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_written_as_one_are_taken_apart() {
        for (stem, value) in [
            ("cientocinco", Some(105)),
            ("veinticinco", Some(25)),
            ("treintaydos", Some(32)),
            ("xyz", None),
        ] {
            assert_eq!(joined(stem), value, "{stem}");
        }
        for (word, value) in
            [("veintiunavos", 21), ("treintavos", 30), ("dosmilesimos", 2_000), ("cincoavos", 5)]
        {
            assert_eq!(denominator(word).map(|d| d.value), Some(value), "{word}");
        }
        assert!(denominator("centavos").is_none());
    }
}
