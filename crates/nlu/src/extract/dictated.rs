//! Telephone numbers dictated in words: `tres diez, cuatro cincuenta y seis, setenta y ocho noventa`.

use super::candidate::{Candidate, rank};
use super::country::Country;
use super::number;
use super::phone::{Cue, Phone, cue};
use super::tokens::{Class, Tokens};
use super::value::Value;

/// The digits of a telephone number: fewer are an amount or an hour, more are two numbers or an
/// account.
const DIGITS: std::ops::RangeInclusive<usize> = 7..=13;

/// The least words of a dictation; fewer are a large number left unfinished.
pub(super) const LEAST_WORDS: usize = 3;

pub(super) fn find(tokens: &Tokens<'_>, country: Country, found: &mut Vec<Candidate>) {
    let mut at = 0;
    while at < tokens.len() {
        let run = run(tokens, at);
        if run.words >= LEAST_WORDS && DIGITS.contains(&run.digits.len()) {
            let span = tokens.span(at, run.end);
            if cue(tokens, span.start) != Cue::Other {
                let phone = Value::Phone(Phone::read(&run.digits, country));
                found.push(Candidate::new(span, phone, rank::DICTATED));
            }
        }
        at = run.end.max(at + 1);
    }
}

#[derive(Default)]
struct Run {
    digits: String,
    words: usize,
    end: usize,
}

/// The numbers below a thousand that follow each other, with at most a pause between them.
fn run(tokens: &Tokens<'_>, at: usize) -> Run {
    let mut run = Run { end: at, ..Run::default() };
    let mut next = at;
    while let Some((digits, end)) = piece(tokens, next) {
        run.words += usize::from(tokens.is(next, Class::Word));
        run.digits.push_str(&digits);
        run.end = end;
        let pause = matches!(tokens.text(end), "," | "-" | "." | "…");
        next = end + usize::from(pause);
    }
    run
}

/// A number said in one go, in digits: `tres`, `cincuenta y seis`, `doble cero`, `310`.
fn piece(tokens: &Tokens<'_>, at: usize) -> Option<(String, usize)> {
    if tokens.is(at, Class::Digits) {
        return Some((tokens.text(at).to_owned(), at + 1));
    }
    let times = match tokens.text(at) {
        "doble" => 2,
        "triple" => 3,
        _ => 1,
    };
    let (value, end) = number::small_whole(tokens, at + usize::from(times > 1))?;
    // `tres mil` and `dos millones` are amounts.
    let amount = number::scale_word(tokens, end).is_some() || number::factor(tokens, end).is_some();
    (!amount && (times == 1 || value < 10)).then(|| (value.to_string().repeat(times), end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_put_together_as_they_are_said() {
        for (text, digits) in [
            ("tres diez cuatro cinco seis siete ocho nueve cero", Some("3104567890")),
            ("tres uno cero, cuatro cincuenta y seis, setenta y ocho noventa", Some("3104567890")),
            ("trescientos diez cuatrocientos cincuenta y seis 78 noventa", Some("3104567890")),
            ("mi cel es el tres quince doble cero seis cuatro tres dos uno", Some("3150064321")),
            ("mi cédula es uno cero dos cero tres cuatro cinco", None),
            ("dos mil quinientos", None),
            ("uno dos tres", None),
            ("310 456 7890", None),
            ("diez veinte treinta cuarenta cincuenta sesenta setenta ochenta", None),
        ] {
            let folded = crate::Normalized::new(text);
            let mut found = Vec::new();
            find(&Tokens::new(folded.folded()), Country::CO, &mut found);
            let written = found.first().map(|candidate| match &candidate.value {
                Value::Phone(phone) => phone.written.as_str(),
                _ => "",
            });
            assert_eq!(written, digits, "{text}");
        }
    }
}
