//! Dates as written: `3 de marzo de 2019`, `05-ago-2016`, `27/11`, `2026-03-05`, and the years in them.

use super::Reader;
use super::words::{month, month_by_number};
use crate::extract::number;
use crate::extract::tokens::Class;

/// A date with its parts as written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Written {
    pub(super) year: Option<i32>,
    pub(super) month: i8,
    pub(super) day: u32,
    pub(super) end: usize,
    /// Whether the date is two numbers with a dash, which are more often something else.
    pub(super) weak: bool,
}

impl Reader<'_, '_> {
    /// A day of a month, from 1 to 31, in digits, in words or as an ordinal.
    pub(super) fn day_number(&self, at: usize) -> Option<(u32, usize)> {
        let place = self.nth(at).filter(|(_, end)| *end > at);
        let (number, end) = place.or_else(|| number::small_whole(self.tokens, at))?;
        let short = !self.tokens.is(at, Class::Digits) || self.tokens.text(at).len() <= 2;
        ((1..=31).contains(&number) && short).then_some((number, end))
    }

    pub(super) fn written(&self, at: usize) -> Option<Written> {
        if self.tokens.is(at, Class::Digits) && self.touches_digits(at) {
            return None;
        }
        self.written_here(at)
    }

    /// A written date regardless of the digits before it, for the second date of `28/2-1/3`.
    pub(super) fn written_here(&self, at: usize) -> Option<Written> {
        self.iso(at)
            .or_else(|| self.named_month(at))
            .or_else(|| self.numeric(at))
            .or_else(|| self.said_in_numbers(at))
    }

    /// `9 de 8 de 1971`, `el 21 del 3`.
    fn said_in_numbers(&self, at: usize) -> Option<Written> {
        let day = self.short_number(at).filter(|day| (1..=31).contains(day))?;
        let of = self.tokens.text(at + 1);
        let month = self.short_number(at + 2).filter(|month| (1..=12).contains(month))?;
        let month = i8::try_from(month).ok()?;
        let year = self.tokens.follow_any(at + 3, &["de", "del"]).and_then(|next| self.year(next));
        let whole =
            !self.tokens.glued(at + 3) || matches!(self.tokens.text(at + 3), "," | "." | "?" | "!");
        match (of, year) {
            ("de" | "del", Some((year, end))) => {
                Some(Written { year: Some(year), month, day, end, weak: false })
            }
            ("del", None) if whole && self.tokens.before(at) == "el" => {
                Some(Written { year: None, month, day, end: at + 3, weak: false })
            }
            _ => None,
        }
    }

    /// Whether digits or their marks are glued before the index, so that the number there is the
    /// middle of something else.
    pub(super) fn touches_digits(&self, at: usize) -> bool {
        let mark = at > 0
            && self.tokens.glued(at)
            && matches!(self.tokens.before(at), "/" | "-" | "." | "," | ":");
        let digits = at > 1 && self.tokens.glued(at - 1) && self.tokens.is(at - 2, Class::Digits);
        mark && digits || at > 0 && self.tokens.glued(at) && self.tokens.is(at - 1, Class::Word)
    }

    fn iso(&self, at: usize) -> Option<Written> {
        let year = self.tokens.text(at);
        let mark = self.tokens.text(at + 1);
        if year.len() != 4 || !matches!(mark, "-" | "/") || self.tokens.text(at + 3) != mark {
            return None;
        }
        let month: i8 = self.short_number(at + 2)?.try_into().ok()?;
        let day = self.short_number(at + 4)?;
        let glued = (1..5).all(|ahead| self.tokens.glued(at + ahead));
        let fits = glued && (1..=12).contains(&month) && (1..=31).contains(&day);
        fits.then_some(Written {
            year: Some(year.parse().ok()?),
            month,
            day,
            end: at + 5,
            weak: false,
        })
    }

    fn short_number(&self, at: usize) -> Option<u32> {
        let text = self.tokens.text(at);
        if !self.tokens.is(at, Class::Digits) || text.len() > 2 { None } else { text.parse().ok() }
    }

    /// `3 de marzo de 2019`, `05-ago-2016`, `9 mayo`, `march 3rd, 2019`.
    fn named_month(&self, at: usize) -> Option<Written> {
        if let Some((day, end)) = self.day_number(at) {
            let next = self
                .tokens
                .follow_any(end, &["de", "del mes de", "del", "-", "/", "of"])
                .unwrap_or(end);
            let (month, end) = self.month_with_dot(next)?;
            let (year, end) = self.year_after(end);
            return Some(Written { year, month, day, end, weak: false });
        }
        let (month, end) = self.month_with_dot(at)?;
        let (day, end) = self.day_number(end).filter(|(_, after)| {
            self.tokens.is(end, Class::Digits)
                && !(self.tokens.glued(*after)
                    && matches!(self.tokens.text(*after), ":" | "/" | "-"))
        })?;
        let (year, end) = self.year_after(end);
        Some(Written { year, month, day, end, weak: false })
    }

    /// A month next to a number, with the dot of a short form.
    fn month_with_dot(&self, at: usize) -> Option<(i8, usize)> {
        let word = self.tokens.text(at);
        let value = month_by_number(word)?;
        let dot =
            month(word).is_none() && self.tokens.text(at + 1) == "." && self.tokens.glued(at + 1);
        Some((value, at + 1 + usize::from(dot)))
    }

    fn year_after(&self, end: usize) -> (Option<i32>, usize) {
        let next = self
            .tokens
            .follow_any(end, &["del ano", "de el", "de", "del", ",", "-", "/", "en"])
            .unwrap_or(end);
        let short_year = matches!(self.tokens.text(end), "-" | "/") && self.tokens.glued(next);
        if let Some((year, end)) = self.year(next) {
            return (Some(year), end);
        }
        match self.short_number(next).filter(|_| short_year && self.tokens.text(next).len() == 2) {
            Some(year) => (Some(century(year)), next + 1),
            None => (None, end),
        }
    }

    /// `27/11`, `1/1/2015`, `1-10-2018`; the month first in countries that write so.
    fn numeric(&self, at: usize) -> Option<Written> {
        let first = self.short_number(at)?;
        let mark = self.tokens.text(at + 1);
        let second = self.short_number(at + 2)?;
        let glued = self.tokens.glued(at + 1) && self.tokens.glued(at + 2);
        if !glued || !matches!(mark, "/" | "-" | ".") {
            return None;
        }
        let full = self.tokens.text(at + 3) == mark
            && self.tokens.glued(at + 3)
            && self.tokens.glued(at + 4);
        let third = self.tokens.text(at + 4);
        let year = match third.len() {
            4 if full => Some(third.parse().ok()?),
            2 if full => Some(century(third.parse().ok()?)),
            _ if full && self.tokens.is(at + 4, Class::Digits) => return None,
            _ => None,
        };
        let end = if year.is_some() { at + 5 } else { at + 3 };
        let decimals = self.tokens.glued(end)
            && matches!(self.tokens.text(end), "." | "," | "/" | "-" | "%")
            && (self.tokens.is(end + 1, Class::Digits)
                && self.tokens.glued(end + 1)
                && self.tokens.text(end) != "-"
                || self.tokens.text(end) == "%");
        if (mark == "." && year.is_none()) || decimals || self.measures(end) {
            return None;
        }
        let (day, month) = match (self.month_first, first, second) {
            (true, month, day) if month <= 12 => (day, month),
            (false, day, month) if month > 12 && day <= 12 => (month, day),
            (_, day, month) => (day, month),
        };
        let fits = (1..=31).contains(&day) && (1..=12).contains(&month);
        let weak = mark == "-" && year.is_none();
        fits.then_some(Written { year, month: i8::try_from(month).ok()?, day, end, weak })
    }

    /// Whether a fraction measures something: `1/2 kilo` is half of one.
    fn measures(&self, at: usize) -> bool {
        matches!(
            self.tokens.text(at),
            "kilo"
                | "kilos"
                | "kg"
                | "litro"
                | "litros"
                | "l"
                | "docena"
                | "taza"
                | "hora"
                | "gr"
                | "g"
        )
    }

    /// A year in four digits, or said from `mil novecientos` on.
    pub(super) fn year(&self, at: usize) -> Option<(i32, usize)> {
        if self.tokens.is(at, Class::Digits) {
            let text = self.tokens.text(at);
            let runs_on = self.tokens.glued(at + 1) && self.tokens.is(at + 1, Class::Word);
            let decimals = self.tokens.glued(at + 1)
                && matches!(self.tokens.text(at + 1), "." | ",")
                && self.tokens.is(at + 2, Class::Digits)
                && self.tokens.glued(at + 2);
            let year: i32 = text.parse().ok()?;
            return (text.len() == 4 && (1500..2200).contains(&year) && !runs_on && !decimals)
                .then_some((year, at + 1));
        }
        let (value, end) = number::cardinal(self.tokens, at)?;
        let year = i32::try_from(value).ok()?;
        ((1800..2100).contains(&year) && end > at + 1).then_some((year, end))
    }

    /// A month in full with its year, if one follows.
    pub(super) fn month_and_year(&self, at: usize) -> Option<(i8, Option<i32>, usize)> {
        let value = month(self.tokens.text(at))?;
        let (year, end) = self.year_after(at + 1);
        Some((value, year, end))
    }
}

/// A year of two digits: this century up to 40, the last one above.
pub(super) fn century(year: u32) -> i32 {
    let year = i32::try_from(year).unwrap_or_default();
    if year < 40 { 2_000 + year } else { 1_900 + year }
}
