//! Triggers: marks on each token for the values that can begin there, set once per text, and the
//! marks that a text must have for a reader to find anything.

use std::ops::BitOr;

use super::tokens::{Class, Tokens};
use super::value::ValueKind;
use super::{dates, dictated, document, money, number, ordinal, phone};

/// The values that can begin at a token. A mark too many costs a look; a mark too few would lose a
/// value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Marks(u8);

impl Marks {
    pub(super) const DIGITS: Self = Self(1);
    /// A number or an amount, in digits, words or slang, with its sign.
    pub(super) const NUMBER: Self = Self(1 << 1);
    /// A place in a row, or a word that points along it.
    pub(super) const PLACE: Self = Self(1 << 2);
    /// The sign or the code of a currency, or the words before two amounts.
    pub(super) const MONEY: Self = Self(1 << 3);
    /// A word about time, or a word that leads to one.
    pub(super) const MOMENT: Self = Self(1 << 4);
    /// The `@` of an address, also in words.
    pub(super) const AT: Self = Self(1 << 5);
    /// The dot inside an address on the web, or the end of its scheme.
    pub(super) const WEB: Self = Self(1 << 6);

    pub(super) fn meets(self, others: Self) -> bool {
        self.0 & others.0 != 0
    }

    pub(super) const ALL: Self = Self(u8::MAX);
}

impl BitOr for Marks {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// Whether a text has the marks or digits that every value of a kind needs.
pub(super) fn is_set_off(kind: ValueKind, tokens: &Tokens<'_>) -> bool {
    match kind {
        ValueKind::Email => tokens.have(Marks::AT),
        ValueKind::Phone => {
            tokens.digits() >= phone::LEAST_DIGITS || tokens.numerals() >= dictated::LEAST_WORDS
        }
        ValueKind::Url => tokens.have(Marks::WEB),
        ValueKind::Number | ValueKind::Percent | ValueKind::Money | ValueKind::Quantity => {
            tokens.have(Marks::NUMBER)
        }
        ValueKind::Ordinal => tokens.have(Marks::NUMBER | Marks::PLACE),
        ValueKind::Moment => tokens.have(Marks::MOMENT),
        ValueKind::Address => tokens.have(Marks::DIGITS),
        ValueKind::Document => tokens.digits() >= document::LEAST_DIGITS,
        // These readers ask little of most tokens, and no mark is common to all their values.
        ValueKind::Name | ValueKind::City | ValueKind::Boolean => true,
    }
}

/// The marks of a token, once the tokens behind it have theirs.
pub(super) fn marks(tokens: &Tokens<'_>, at: usize) -> Marks {
    let when = |mark: Marks, can_begin: bool| if can_begin { mark } else { Marks::default() };
    let marks = when(Marks::DIGITS, tokens.is(at, Class::Digits))
        | when(Marks::NUMBER, number::can_begin(tokens, at))
        | when(Marks::PLACE, ordinal::can_begin(tokens.text(at)))
        | when(Marks::MONEY, money::can_begin(tokens, at))
        | when(Marks::AT, is_at_sign(tokens, at))
        | when(Marks::WEB, is_of_the_web(tokens, at));
    marks | when(Marks::MOMENT, dates::leads(tokens, at, marks))
}

fn is_at_sign(tokens: &Tokens<'_>, at: usize) -> bool {
    match tokens.text(at) {
        "@" | "arroba" => true,
        "at" => tokens.before(at) == "(",
        _ => false,
    }
}

fn is_of_the_web(tokens: &Tokens<'_>, at: usize) -> bool {
    match tokens.text(at) {
        "." => tokens.glued(at) && tokens.glued(at + 1) && tokens.is(at + 1, Class::Word),
        ":" => tokens.follow(at, ": / /").is_some(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;
    use proptest::prelude::*;

    use super::*;
    use crate::Normalized;
    use crate::extract::{City, Country, Extractor, Locale};

    fn extractor(country: Country) -> Extractor {
        Extractor::new(&Locale {
            country,
            time_zone: TimeZone::UTC,
            cities: vec![City { name: "Bogotá".to_owned(), aliases: Vec::new() }],
            products: Vec::new(),
        })
    }

    /// Whether readers that look everywhere find no more than readers that follow their triggers.
    fn loses_nothing(extractor: &Extractor, text: &str) -> Result<(), TestCaseError> {
        let now = "2026-03-04T13:00:00Z".parse().unwrap();
        let text = Normalized::new(text);
        let everywhere = Tokens::new(text.folded()).marked_with_all();
        for kind in ValueKind::ALL {
            let mut all = Vec::new();
            extractor.read(kind, &text, &everywhere, now, &mut all);
            let found = extractor.candidates(&text, now, &[kind]);
            prop_assert_eq!(format!("{found:?}"), format!("{all:?}"), "{}", text.original());
        }
        Ok(())
    }

    /// The triggers of all readers, each in as little text as it needs, and the words between.
    const SAID: &str = "a partir de;a partir de las 5;a partir de mañana;a la una;a las;de la tarde;\
        una y media;una pm;una a.m.;en punto;un tercio hora;un par de días;a couple of weeks;an hour;\
        una vez al;de aquí a;a eso de las;dentro de;en un mes;más de;más tarde;antes del último;por la;\
        desde;hasta;entre;el uno a las;el;del;al;el próximo;la última semana;el primer lunes de;hoy;\
        mañana;lunes;marzo;2019;15;11/02;10:30;cada;fin de;dosmilésimo;vigésimo;tercero;21ro;mil;\
        dos;tres mil;cien doscientos trescientos;media docena;½;3/4;-5;menos;con;coma;y medio;1.500;\
        %;por ciento;cuarto de kilo;kilo y medio;litro;2 panes;$;u$s;s/ 20;usd;€;pesos;dólar;lucas;\
        palo y medio;de 100 a 200 mil;entre 100 y 200 mil;doble cero;tel 123456;+54 9 11 4444-5555;\
        dni 123456;20-12345678-6;900.123.456-7;calle 5;San Martín 450;mandame todo a;piso 3;\
        ana@x.co;juan arroba gmail punto com;juan (at) gmail.com;x.co;http://localhost;Bogotá;\
        me llamo Ana;soy;sí;👍;no;taller;que;.;,;-;/;(;@;:";

    fn rows() -> impl Strategy<Value = String> {
        let said: Vec<&str> = SAID.split(';').collect();
        let piece = (prop::sample::select(said), prop::sample::select(vec![" ", " ", " ", ""]));
        prop::collection::vec(piece, 0..7)
            .prop_map(|row| row.iter().map(|(said, gap)| format!("{said}{gap}")).collect())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn no_row_of_what_sets_readers_off_loses_a_value(text in rows()) {
            loses_nothing(&extractor(Country::CO), &text)?;
            loses_nothing(&extractor(Country::US), &text)?;
        }
    }

    #[test]
    fn nothing_that_sets_a_reader_off_needs_more_to_do_so() {
        for said in SAID.split(';') {
            loses_nothing(&extractor(Country::CO), said).unwrap();
        }
    }

    #[test]
    fn no_line_of_the_packs_messages_loses_a_value() {
        let files = [
            include_str!("../../../../packs/almacen/evals/ciegos.jsonl"),
            include_str!("../../../../packs/almacen/evals/pedidos.jsonl"),
            include_str!("../../../../packs/almacen/tests/datos.yaml"),
            include_str!("../../../../packs/registro/evals/mensajes.jsonl"),
            include_str!("../../../../packs/registro/tests/varios_datos.yaml"),
            include_str!("../../../../packs/somnio/evals/injections.jsonl"),
        ];
        let extractor = extractor(Country::CO);
        for line in files.into_iter().flat_map(str::lines) {
            loses_nothing(&extractor, line).unwrap();
        }
    }
}
