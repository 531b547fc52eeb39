//! The words of the calendar and the clock, folded, in Spanish and English.

use jiff::civil::Weekday;

use crate::extract::phrases::Phrases;

pub(super) fn weekday(word: &str) -> Option<Weekday> {
    Some(match word {
        "lunes" | "monday" | "mondays" => Weekday::Monday,
        "martes" | "tuesday" | "tuesdays" => Weekday::Tuesday,
        "miercoles" | "wednesday" | "wednesdays" => Weekday::Wednesday,
        "jueves" | "thursday" | "thursdays" => Weekday::Thursday,
        "viernes" | "friday" | "fridays" => Weekday::Friday,
        "sabado" | "sabados" | "saturday" | "saturdays" => Weekday::Saturday,
        "domingo" | "domingos" | "sunday" | "sundays" => Weekday::Sunday,
        _ => return None,
    })
}

/// Short weekdays, which count only next to a number or before a dot, because they are also other
/// words.
pub(super) fn short_weekday(word: &str) -> Option<Weekday> {
    Some(match word {
        "lun" => Weekday::Monday,
        "mar" => Weekday::Tuesday,
        "mie" => Weekday::Wednesday,
        "jue" => Weekday::Thursday,
        "vie" => Weekday::Friday,
        "sab" => Weekday::Saturday,
        "dom" => Weekday::Sunday,
        _ => return None,
    })
}

pub(super) fn month(word: &str) -> Option<i8> {
    Some(match word {
        "enero" | "january" => 1,
        "febrero" | "february" => 2,
        "marzo" => 3,
        "abril" | "april" => 4,
        "mayo" => 5,
        "junio" | "june" => 6,
        "julio" | "july" => 7,
        "agosto" | "august" => 8,
        "septiembre" | "setiembre" | "september" => 9,
        "octubre" | "october" => 10,
        "noviembre" | "november" => 11,
        "diciembre" | "december" => 12,
        _ => return None,
    })
}

/// Months in full and their short forms, which mean a month only next to a number.
pub(super) fn month_by_number(word: &str) -> Option<i8> {
    month(word).or(match word {
        "ene" | "jan" => Some(1),
        "feb" => Some(2),
        "mar" | "march" => Some(3),
        "abr" | "apr" => Some(4),
        "may" => Some(5),
        "jun" => Some(6),
        "jul" => Some(7),
        "ago" | "aug" => Some(8),
        "sep" | "sept" | "set" => Some(9),
        "oct" => Some(10),
        "nov" => Some(11),
        "dic" | "dec" => Some(12),
        _ => None,
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Second,
    Minute,
    Hour,
    Day,
    BusinessDay,
    Week,
    Weekend,
    Month,
    Quarter,
    HalfYear,
    Year,
}

pub(super) fn unit(word: &str) -> Option<Unit> {
    Some(match word {
        "segundo" | "segundos" | "seg" | "segs" | "second" | "seconds" => Unit::Second,
        "minuto" | "minutos" | "min" | "mins" | "minute" | "minutes" => Unit::Minute,
        "hora" | "horas" | "h" | "hs" | "hr" | "hrs" | "hra" | "hras" | "hour" | "hours" => {
            Unit::Hour
        }
        "dia" | "dias" | "noche" | "noches" | "day" | "days" | "night" | "nights" => Unit::Day,
        "semana" | "semanas" | "week" | "weeks" => Unit::Week,
        "mes" | "meses" | "month" | "months" => Unit::Month,
        "trimestre" | "trimestres" | "quarter" => Unit::Quarter,
        "semestre" | "semestres" => Unit::HalfYear,
        "ano" | "anos" | "year" | "years" => Unit::Year,
        _ => return None,
    })
}

impl Unit {
    pub(super) fn seconds(self) -> i64 {
        match self {
            Self::Second => 1,
            Self::Minute => 60,
            Self::Hour => 3_600,
            Self::Day | Self::BusinessDay => 86_400,
            Self::Weekend => 2 * 86_400,
            Self::Week => 7 * 86_400,
            Self::Month => 30 * 86_400,
            Self::Quarter => 90 * 86_400,
            Self::HalfYear => 182 * 86_400,
            Self::Year => 365 * 86_400,
        }
    }

    pub(super) fn is_clock(self) -> bool {
        matches!(self, Self::Second | Self::Minute | Self::Hour)
    }

    /// A length as TIMEX: `P2W`, `PT15M`.
    pub(super) fn timex(self, amount: &str) -> String {
        let letter = match self {
            Self::Second => "S",
            Self::Minute | Self::Month => "M",
            Self::Hour => "H",
            Self::Day => "D",
            Self::BusinessDay => "BD",
            Self::Week => "W",
            Self::Weekend => "WE",
            Self::Year => "Y",
            Self::Quarter | Self::HalfYear => "M",
        };
        let clock = if self.is_clock() { "T" } else { "" };
        format!("P{clock}{amount}{letter}")
    }
}

/// A part of the day with the hours it is taken to cover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DayPart {
    pub(super) timex: &'static str,
    pub(super) start: i8,
    pub(super) end: i8,
}

pub(super) fn part(word: &str) -> Option<DayPart> {
    let (timex, start, end) = match word {
        "madrugada" => ("TDA", 4, 8),
        "manana" | "mananas" | "morning" => ("TMO", 8, 12),
        "siesta" | "afternoon" => ("TAF", 12, 16),
        "tarde" | "tardes" | "tardecita" | "evening" => ("TEV", 16, 20),
        "noche" | "noches" | "night" | "tonight" => ("TNI", 20, 24),
        _ => return None,
    };
    Some(DayPart { timex, start, end })
}

/// The place in a row that a word points at, from the current one: the one before, this one, the
/// next.
pub(super) fn pointer(word: &str) -> Option<i32> {
    Some(match word {
        "este" | "esta" | "estos" | "estas" | "this" | "presente" | "actual" | "mismo"
        | "misma" => 0,
        "proximo" | "proxima" | "proximos" | "proximas" | "siguiente" | "siguientes" | "next"
        | "entrante" => 1,
        "pasado" | "pasada" | "pasados" | "pasadas" | "ultimo" | "ultima" | "ultimos"
        | "ultimas" | "anterior" | "anteriores" | "last" | "previous" => -1,
        _ => return None,
    })
}

/// Days with a name that fall on the same date every year: month and day.
pub(super) const HOLIDAYS: Phrases<(i8, u32)> = Phrases::new(&[
    ("navidad", (12, 25)),
    ("christmas", (12, 25)),
    ("dia de navidad", (12, 25)),
    ("nochebuena", (12, 24)),
    ("nochevieja", (12, 31)),
    ("fin de ano", (12, 31)),
    ("ano nuevo", (1, 1)),
    ("dia de ano nuevo", (1, 1)),
    ("dia de reyes", (1, 6)),
    ("reyes", (1, 6)),
    ("dia del trabajador", (5, 1)),
    ("dia del trabajo", (5, 1)),
    ("dia de la tierra", (4, 22)),
    ("dia de independencia", (7, 4)),
    ("dia de la independencia", (7, 4)),
    ("san valentin", (2, 14)),
    ("dia de los enamorados", (2, 14)),
    ("halloween", (10, 31)),
    ("dia de los muertos", (11, 2)),
]);

/// Words that can begin a moment, in the order of their letters, besides the names of days and months.
const BEGINNINGS: [&str; 178] = [
    "a",
    "actual",
    "after",
    "afternoon",
    "ahora",
    "al",
    "algunas",
    "algunos",
    "alrededor",
    "an",
    "ano",
    "anoche",
    "anos",
    "another",
    "anteayer",
    "anterior",
    "anteriores",
    "antes",
    "antier",
    "anual",
    "anuales",
    "anualmente",
    "around",
    "at",
    "ayer",
    "before",
    "between",
    "bimensual",
    "bimensuales",
    "bimestral",
    "bimestrales",
    "cada",
    "cerca",
    "christmas",
    "comienzos",
    "daily",
    "day",
    "de",
    "decada",
    "del",
    "dentro",
    "desde",
    "despues",
    "dia",
    "diariamente",
    "dias",
    "durante",
    "el",
    "en",
    "entrante",
    "entre",
    "esta",
    "estas",
    "este",
    "estos",
    "evening",
    "every",
    "fin",
    "final",
    "finales",
    "finde",
    "fines",
    "from",
    "hace",
    "half",
    "halloween",
    "hara",
    "hasta",
    "hoy",
    "in",
    "inicio",
    "inicios",
    "la",
    "las",
    "last",
    "less",
    "los",
    "madrugada",
    "manana",
    "mas",
    "media",
    "mediados",
    "medianoche",
    "medianos",
    "medio",
    "mediodia",
    "menos",
    "mensual",
    "mensuales",
    "mensualmente",
    "mes",
    "meses",
    "midnight",
    "misma",
    "mismo",
    "month",
    "monthly",
    "more",
    "morning",
    "navidad",
    "next",
    "night",
    "noche",
    "nochebuena",
    "noches",
    "nochevieja",
    "noon",
    "now",
    "on",
    "otra",
    "otro",
    "pasada",
    "pasadas",
    "pasado",
    "pasados",
    "pocas",
    "pocos",
    "por",
    "presente",
    "previous",
    "principio",
    "principios",
    "proxima",
    "proximas",
    "proximo",
    "proximos",
    "quarter",
    "quincenal",
    "quincenalmente",
    "reyes",
    "right",
    "san",
    "semana",
    "semanal",
    "semanales",
    "semanalmente",
    "semanas",
    "semestral",
    "semestralmente",
    "semestre",
    "several",
    "siesta",
    "siguiente",
    "siguientes",
    "tan",
    "tarde",
    "tardecita",
    "tardes",
    "temprano",
    "this",
    "todas",
    "today",
    "todos",
    "tomorrow",
    "tonight",
    "trimestral",
    "trimestrales",
    "trimestralmente",
    "trimestre",
    "ultima",
    "ultimas",
    "ultimo",
    "ultimos",
    "un",
    "una",
    "unas",
    "uno",
    "unos",
    "varias",
    "varios",
    "week",
    "weekend",
    "weekly",
    "within",
    "ya",
    "year",
    "yearly",
    "yesterday",
];

/// Whether a word can begin a moment; numbers are checked elsewhere.
pub(super) fn begins(word: &str) -> bool {
    BEGINNINGS.binary_search(&word).is_ok()
        || weekday(word).is_some()
        || short_weekday(word).is_some()
        || month_by_number(word).is_some()
}

/// Whether a word speaks of time, at the beginning of a moment or after linking words.
pub(super) fn tells(word: &str) -> bool {
    begins(word)
        || unit(word).is_some()
        || part(word).is_some()
        || pointer(word).is_some()
        || matches!(word, "am" | "pm" | "p" | "m" | "punto" | "business")
}

/// Whether a word or sign only leads to a word about time.
pub(super) fn links(word: &str) -> bool {
    matches!(
        word,
        "a" | "al"
            | "an"
            | "aqui"
            | "at"
            | "de"
            | "del"
            | "el"
            | "en"
            | "eso"
            | "in"
            | "la"
            | "las"
            | "los"
            | "mas"
            | "of"
            | "on"
            | "partir"
            | "por"
            | "the"
            | "to"
            | "un"
            | "una"
            | "vez"
            | ","
            | "."
            | "-"
            | "/"
            | "~"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_begin_a_moment_are_in_order_and_found_by_halving() {
        assert!(BEGINNINGS.is_sorted());
        assert!(BEGINNINGS.iter().all(|word| begins(word)));
        assert!(!begins("") && !begins("coca") && !begins("zzz"));
    }
}
