//! Street addresses: `Av. Corrientes 1234 3° B`, `Calle 45 # 12-34 apto 502`, `San Martín 450`.

use super::candidate::{Candidate, rank};
use super::tokens::{Class, Tokens};
use super::value::Value;
use crate::Normalized;

/// Words after which a street may stand without its kind.
const CUES: [&str; 16] = [
    "vivo en",
    "es para",
    "direccion es",
    "direccion :",
    "domicilio :",
    "domicilio es",
    "envio a",
    "enviar a",
    "envialo a",
    "mandalo a",
    "mandar a",
    "entregar en",
    "estoy en",
    "queda en",
    "es en",
    "i live at",
];

/// Beginnings of verbs of sending something somewhere: `mandamelo a`, `llevá el pedido a`.
const SENDING: [&str; 6] = ["mand", "envi", "llev", "trae", "traig", "entreg"];

/// Words that may stand between such a verb and the destination.
const SENT: [&str; 12] =
    ["todo", "eso", "esto", "lo", "la", "los", "las", "el", "mi", "pedido", "compra", "cosas"];

const UNITS: &str = " piso p depto dpto departamento dto apto apartamento apt ap torre bloque casa oficina of ofi \
    local int interior manzana mz lote unidad timbre pb puerta escalera conjunto barrio ";

const MOST_WORDS: usize = 6;

pub(super) fn find(text: &Normalized<'_>, tokens: &Tokens<'_>, found: &mut Vec<Candidate>) {
    let reader = Reader { text, tokens };
    let mut at = 0;
    while at < tokens.len() {
        let cued = tokens.follow_any(at, &CUES);
        let read = cued
            .and_then(|start| reader.plain(start, true))
            .or_else(|| reader.sent_to(at))
            .or_else(|| reader.typed(at))
            .or_else(|| reader.plain(at, false));
        match read {
            Some((start, end)) => {
                let written = &text.original()[text.original_span(tokens.span(start, end))];
                let address = written.split_whitespace().collect::<Vec<_>>().join(" ");
                let value = Value::Address(address);
                found.push(Candidate::new(tokens.span(start, end), value, rank::ADDRESS));
                at = end;
            }
            None => at += 1,
        }
    }
}

fn is_street(word: &str) -> bool {
    matches!(
        word,
        "av" | "avda"
            | "avenida"
            | "calle"
            | "cll"
            | "cl"
            | "clle"
            | "cra"
            | "carrera"
            | "cr"
            | "kr"
            | "kra"
            | "diagonal"
            | "diag"
            | "dg"
            | "transversal"
            | "tv"
            | "trv"
            | "pasaje"
            | "pje"
            | "boulevard"
            | "bulevar"
            | "bv"
            | "blvd"
            | "ruta"
            | "camino"
            | "calzada"
            | "callejon"
            | "circular"
            | "autopista"
            | "paseo"
    )
}

struct Reader<'r, 't> {
    text: &'r Normalized<'t>,
    tokens: &'r Tokens<'r>,
}

impl Reader<'_, '_> {
    /// An address with the kind of street: `Cra 7 No. 32-16`, `Avenida 9 de Julio 1200`.
    fn typed(&self, at: usize) -> Option<(usize, usize)> {
        if !is_street(self.tokens.text(at)) {
            return None;
        }
        let next = at + 1 + usize::from(self.tokens.text(at + 1) == ".");
        let end = self.grid(next).or_else(|| self.named(next, true))?;
        Some((at, self.with_units(end)))
    }

    /// An address after a verb of sending: `mandame todo a belgrano 1340`. Goods and hours stand
    /// there too (`mandame a casa 2 cocas`, `llevalo a las 8`), so the number must look like a
    /// house's.
    fn sent_to(&self, at: usize) -> Option<(usize, usize)> {
        let word = self.tokens.text(at);
        if !SENDING.iter().any(|verb| word.starts_with(verb)) {
            return None;
        }
        let is_sent = |at: &usize| SENT.contains(&self.tokens.text(*at));
        let to = (at + 1..at + 5).find(|at| !is_sent(at))?;
        if !matches!(self.tokens.text(to), "a" | "en" | "hasta") {
            return None;
        }
        let (start, end) = self.plain(to + 1, true)?;
        let house = (start..end).find(|at| self.tokens.is(*at, Class::Digits))?;
        let digits = self.tokens.text(house).len();
        let named = (start..house).any(|at| self.tokens.text(at).len() > 3);
        let closes = end > house + 1 || !self.tokens.is(end, Class::Word);
        (named && (digits > 2 || digits == 2 && closes)).then_some((start, end))
    }

    /// An address without the kind of street, after words that announce one or with the capitals of
    /// a street's name.
    fn plain(&self, start: usize, cued: bool) -> Option<(usize, usize)> {
        let named = self.tokens.is(start, Class::Word) && self.is_capital(start);
        if is_street(self.tokens.text(start)) || !(named || cued) {
            return None;
        }
        if !cued
            && start > 0
            && self.tokens.is(start - 1, Class::Word)
            && self.is_capital(start - 1)
        {
            return None;
        }
        let end = self.named(start, cued)?;
        // In «vivo en Soacha cra 7 # 12-45» the street begins later, with its kind.
        if (start..end).any(|at| is_street(self.tokens.text(at))) {
            return None;
        }
        let words = (start..end - 1).filter(|at| self.tokens.is(*at, Class::Word)).count();
        let digits = self.tokens.text(end - 1).len();
        let after = self.with_units(end);
        let closes = after > end
            || self.tokens.get(end).is_none()
            || matches!(self.tokens.text(end), "," | "." | ";" | ")")
            || (cued && !self.tokens.glued(end));
        let enough = cued || (words >= 2 && digits >= 2);
        (enough && closes && digits <= 5).then_some((start, after))
    }

    /// The Colombian grid: a number, perhaps with letters, then `#` or `No.`, then two numbers.
    fn grid(&self, at: usize) -> Option<usize> {
        let mut next = self.numbered(at)?;
        while matches!(self.tokens.text(next), "bis" | "sur" | "norte" | "este" | "oeste") {
            next += 1;
        }
        while matches!(
            self.tokens.text(next),
            "#" | "no" | "n" | "nro" | "num" | "numero" | "." | "°" | "o" | "-" | ","
        ) {
            next += 1;
        }
        let second = self.numbered(next)?;
        match self.tokens.text(second) {
            "-" => self.numbered(second + 1),
            _ => self.numbered(second).or(Some(second)),
        }
    }

    /// A number of a street or a house, with a letter that may be glued to it: `45`, `12a`, `7 bis`.
    fn numbered(&self, at: usize) -> Option<usize> {
        let number = self.tokens.is(at, Class::Digits) && self.tokens.text(at).len() <= 4;
        let letter = self.tokens.is(at + 1, Class::Word)
            && (self.tokens.glued(at + 1) || self.is_capital(at + 1))
            && self.tokens.text(at + 1).len() == 1;
        number.then_some(at + 1 + usize::from(letter))
    }

    /// Words of a name and then the number of the house.
    fn named(&self, start: usize, lenient: bool) -> Option<usize> {
        let mut next = start;
        let mut words = 0;
        while words < MOST_WORDS {
            let token = self.tokens.get(next)?;
            match token.class {
                Class::Word => {
                    let joins = matches!(token.text, "de" | "del" | "la" | "las" | "los" | "y");
                    let stop = matches!(
                        token.text,
                        "a" | "con" | "para" | "por" | "que" | "es" | "en" | "quiero" | "mi"
                    );
                    if stop || !(lenient || joins || self.is_capital(next)) {
                        return None;
                    }
                    words += 1;
                }
                Class::Digits => {
                    let date_like =
                        self.tokens.text(next + 1) == "de" && self.tokens.is(next + 2, Class::Word);
                    if words > 0 && !date_like {
                        return Some(next + 1);
                    }
                    if words > 0 || !date_like {
                        return None;
                    }
                    words += 1;
                }
                Class::Symbol => {
                    let number_sign =
                        matches!(token.text, "#" | "°") || token.text == "." && token.glued;
                    if !number_sign {
                        return None;
                    }
                }
            }
            next += 1;
        }
        None
    }

    /// Floor, flat, tower and the like after the number.
    fn with_units(&self, end: usize) -> usize {
        let mut end = end;
        for _ in 0..4 {
            let at = end + usize::from(matches!(self.tokens.text(end), "," | "-"));
            match self.unit(at) {
                Some(next) => end = next,
                None => break,
            }
        }
        end
    }

    fn unit(&self, at: usize) -> Option<usize> {
        let word = self.tokens.text(at);
        if UNITS.contains(&format!(" {word} "))
            && !word.is_empty()
            && self.tokens.is(at, Class::Word)
        {
            let dot = usize::from(matches!(self.tokens.text(at + 1), "." | "°" | ":"));
            let value = at + 1 + dot;
            let short = self.tokens.is(value, Class::Word) && self.tokens.text(value).len() == 1;
            return match self.tokens.is(value, Class::Digits) {
                true => Some(self.after_floor(value)),
                false if short => Some(value + 1),
                false => (word == "pb").then_some(at + 1),
            };
        }
        let floor = self.tokens.is(at, Class::Digits)
            && word.len() <= 2
            && (self.tokens.text(at + 1) == "°"
                || self.tokens.text(at + 1) == "o" && self.tokens.glued(at + 1));
        floor.then(|| self.after_floor(at))
    }

    /// After a number of a floor: its sign and the letter of the flat.
    fn after_floor(&self, at: usize) -> usize {
        let mut end = at + 1;
        if self.tokens.glued(end)
            && matches!(self.tokens.text(end), "°" | "o" | "a" | "er" | "do" | "to")
        {
            end += 1;
        }
        let letter = self.tokens.is(end, Class::Word)
            && self.tokens.text(end).len() == 1
            && (self.is_capital(end) || !matches!(self.tokens.text(end), "y" | "a" | "o" | "e"));
        end + usize::from(letter)
    }

    fn is_capital(&self, at: usize) -> bool {
        let span = self.text.original_span(self.tokens.span(at, at + 1));
        self.text.original()[span].chars().next().is_some_and(char::is_uppercase)
    }
}
