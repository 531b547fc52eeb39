//! The ways in which people write one small whole number, or its place in a row.

use rust_decimal::Decimal;

use super::standing;
use crate::extract::ordinal;
use crate::extract::tokens::Tokens;

/// Amounts in words, of which each number takes those that are read as it.
const AMOUNTS: &[&str] = &[
    "un",
    "uno",
    "una",
    "one",
    "dos",
    "two",
    "un par",
    "a couple",
    "tres",
    "three",
    "cuatro",
    "four",
    "cinco",
    "five",
    "seis",
    "six",
    "media docena",
    "siete",
    "seven",
    "ocho",
    "eight",
    "nueve",
    "nine",
    "diez",
    "ten",
    "once",
    "eleven",
    "doce",
    "twelve",
    "una docena",
    "a dozen",
    "quince",
    "fifteen",
    "veinte",
    "twenty",
    "treinta",
    "thirty",
    "cuarenta",
    "forty",
    "cincuenta",
    "fifty",
    "cien",
    "a hundred",
];

/// Places in words, of which each number takes those that are read as it.
const PLACES: &[&str] = &[
    "primero", "primera", "primer", "first", "segundo", "segunda", "tercero", "tercera", "tercer",
    "third", "cuarto", "cuarta", "fourth", "quinto", "quinta", "fifth", "sexto", "sexta", "sixth",
    "septimo", "septima", "seventh", "octavo", "octava", "eighth", "noveno", "novena", "ninth",
    "decimo", "decima", "tenth",
];

/// Every way to write an amount: `2`, `dos`, `un par`. Words that only stand before what is counted,
/// such as `un` and `una`, are among them if something follows.
pub fn amount_in_words(number: u32, is_followed: bool) -> Vec<String> {
    let wanted = Decimal::from(number);
    let alone = |words: &&&str| is_followed || !matches!(**words, "un" | "una");
    let reads = |words: &&&str| {
        let tokens = Tokens::new(words);
        let read = standing(&tokens, 0, true);
        read.is_some_and(|read| read.value == wanted && tokens.get(read.end).is_none())
    };
    let words = AMOUNTS.iter().filter(alone).filter(reads).map(|words| (*words).to_owned());
    std::iter::once(number.to_string()).chain(words).collect()
}

/// Every word for a place in a row: `segundo`, `segunda`, `second`.
pub fn place_in_words(number: u32) -> Vec<String> {
    let wanted = Decimal::from(number);
    let reads = |word: &&&str| {
        let read = ordinal::read(&Tokens::new(word).marked_with_all(), 0);
        read.is_some_and(|(place, end)| place == wanted && end == 1)
    };
    PLACES.iter().filter(reads).map(|word| (*word).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_written_in_every_way_that_is_read_as_it() {
        assert_eq!(amount_in_words(1, true), ["1", "un", "uno", "una", "one"]);
        assert_eq!(amount_in_words(1, false), ["1", "uno", "one"]);
        let two = amount_in_words(2, false);
        assert!(
            ["2", "dos", "un par"].iter().all(|way| two.iter().any(|one| one == way)),
            "{two:?}"
        );
        assert_eq!(amount_in_words(37, true), ["37"]);
        assert_eq!(place_in_words(3), ["tercero", "tercera", "tercer", "third"]);
    }
}
