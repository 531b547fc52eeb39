//! Single days: `mañana`, `el lunes que viene`, `3 de marzo de 2019`, `martes 11/02`, `el día 18`.

use jiff::civil::{Date, Weekday};

use super::Reader;
use super::calendar::{
    add, date, nearest_months, nearest_weekdays, nearest_years, weekday_of_week,
};
use super::words::{HOLIDAYS, Unit, pointer, short_weekday, weekday};
use super::written::Written;
use crate::extract::ordinal;
use crate::extract::phrases::Phrases;
use crate::extract::tokens::Class;

/// A day as it was said; two dates if the year or the week was not said.
#[derive(Clone, Debug)]
pub(super) struct Day {
    pub(super) timex: String,
    pub(super) dates: Vec<Date>,
    pub(super) end: usize,
    /// Whether this is two numbers with a dash, which are more often something else.
    pub(super) weak: bool,
}

impl Day {
    pub(super) fn on(date: Date, end: usize) -> Self {
        Self { timex: date.to_string(), dates: vec![date], end, weak: false }
    }
}

impl Reader<'_, '_> {
    pub(super) fn day(&self, at: usize) -> Option<Day> {
        self.relative_day(at)
            .or_else(|| self.weekday_with_week(at))
            .or_else(|| self.pointed_day(at))
            .or_else(|| self.weekday_day(at))
            .or_else(|| self.nth_day(at))
            .or_else(|| self.written(at).map(|written| self.resolve(written)))
            .or_else(|| self.day_of_month(at))
            .or_else(|| self.holiday(at))
    }

    fn relative_day(&self, at: usize) -> Option<Day> {
        const PHRASES: Phrases<i64> = Phrases::new(&[
            ("antes de ayer", -2),
            ("day before yesterday", -2),
            ("day after tomorrow", 2),
            ("pasado manana", 2),
            ("el dia siguiente", 1),
            ("dia siguiente", 1),
            ("el dia anterior", -1),
            ("dia de hoy", 0),
            ("dia de manana", 1),
            ("anteayer", -2),
            ("antier", -2),
            ("antes ayer", -2),
            ("anoche", -1),
            ("hoy", 0),
            ("hoy dia", 0),
            ("ayer", -1),
            ("manana", 1),
            ("today", 0),
            ("tomorrow", 1),
            ("yesterday", -1),
            ("hoy mismo", 0),
            ("manana mismo", 1),
        ]);
        // `la mañana` and `esta mañana` are a part of the day.
        let part = self.tokens.text(at) == "manana"
            && matches!(self.tokens.before(at), "la" | "esta" | "las" | "una" | "buena");
        if part {
            return None;
        }
        let (end, days) = PHRASES.longest(self.tokens, at)?;
        Some(Day::on(add(self.now.date(), days, Unit::Day)?, end))
    }

    /// A weekday, in full, or abbreviated before a number or a dot; returns the index after it.
    fn weekday_at(&self, at: usize) -> Option<(Weekday, usize)> {
        let word = self.tokens.text(at);
        if let Some(weekday) = weekday(word) {
            return Some((weekday, at + 1));
        }
        let weekday = short_weekday(word)?;
        let dot = self.tokens.text(at + 1) == "." && self.tokens.glued(at + 1);
        let after = at + 1 + usize::from(dot);
        let counted = self.tokens.is(after, Class::Digits) && word != "mar";
        (dot && word != "mar" || counted).then_some((weekday, after))
    }

    /// `lunes`, `lunes que viene`, `lunes, 4 de diciembre`, `viernes(6/7)`, `lunes 21`.
    fn weekday_day(&self, at: usize) -> Option<Day> {
        let (weekday, end) = self.weekday_at(at)?;
        if let Some(date) = self.date_after_weekday(end) {
            return Some(date);
        }
        if let Some(end) =
            self.tokens.follow_any(end, &["que viene", "que viene ahora", "entrante"])
        {
            let next = nearest_weekdays(self.now.date(), weekday).pop()?;
            let next = if next == self.now.date() { add(next, 1, Unit::Week)? } else { next };
            return Some(Day::on(next, end));
        }
        if let Some(weeks) = pointer(self.tokens.text(end)).filter(|weeks| *weeks != 0) {
            return Some(Day::on(
                weekday_of_week(self.now.date(), weekday, weeks.into())?,
                end + 1,
            ));
        }
        if let Some(day) = self.weekday_and_number(weekday, end) {
            return Some(day);
        }
        let timex = format!("XXXX-WXX-{}", weekday.to_monday_one_offset());
        Some(Day { timex, dates: nearest_weekdays(self.now.date(), weekday), end, weak: false })
    }

    fn date_after_weekday(&self, end: usize) -> Option<Day> {
        let open = match self.tokens.text(end) {
            "," | "(" | "el" => 1,
            _ => 0,
        };
        let written = self.written(end + open).filter(|written| !written.weak || open == 1)?;
        let close =
            usize::from(self.tokens.text(end) == "(" && self.tokens.text(written.end) == ")");
        Some(self.resolve(Written { end: written.end + close, ..written }))
    }

    fn weekday_and_number(&self, weekday: Weekday, end: usize) -> Option<Day> {
        let skip = self.tokens.follow_any(end, &["el dia", "el", "dia"]).unwrap_or(end);
        let (number, after) = self.day_number(skip)?;
        let glued = self.tokens.glued(after)
            && matches!(self.tokens.text(after), ":" | "/" | "-" | ".")
            && self.tokens.is(after + 1, Class::Digits);
        let clock =
            self.is_half_of_day(after) || matches!(self.tokens.text(after), "h" | "hs" | "hrs");
        // In `el lunes 2 cocas` the number counts the noun after it.
        let counts = self.tokens.is(after, Class::Word)
            && !matches!(
                self.tokens.text(after),
                "a" | "de" | "y" | "o" | "por" | "en" | "con" | "al" | "tipo" | "at"
            );
        if glued || clock || counts {
            return None;
        }
        let today = self.now.date();
        let this =
            date(today.year().into(), today.month(), number).filter(|d| d.weekday() == weekday);
        if let Some(this) = this {
            return Some(Day::on(this, after));
        }
        let timex = format!("XXXX-WXX-{}", weekday.to_monday_one_offset());
        let dates = nearest_months(self.now, number, |date| date.weekday() == weekday);
        (!dates.is_empty()).then_some(Day { timex, dates, end: after, weak: false })
    }

    /// `lunes de la próxima semana`, `próxima semana el martes`, `la semana anterior - lunes`.
    pub(super) fn weekday_with_week(&self, at: usize) -> Option<Day> {
        if let Some((weekday, end)) = self.weekday_at(at) {
            let start = self.tokens.follow_any(end, &["de la", "de", "la", "en la"]).unwrap_or(end);
            let (weeks, end) = self.pointed_week(start)?;
            return Some(Day::on(weekday_of_week(self.now.date(), weekday, weeks)?, end));
        }
        // `la` belongs to `la semana anterior - lunes`, not to `la próxima semana el martes`.
        let start = at + usize::from(self.tokens.follow(at, "la semana").is_some());
        let (weeks, end) = self.pointed_week(start)?;
        let next = self.tokens.follow_any(end, &["el", "-", ", el", ","]).unwrap_or(end);
        let (weekday, end) = self.weekday_at(next)?;
        Some(Day::on(weekday_of_week(self.now.date(), weekday, weeks)?, end))
    }

    pub(super) fn pointed_week(&self, at: usize) -> Option<(i64, usize)> {
        match (self.tokens.text(at), self.tokens.text(at + 1)) {
            ("semana" | "week", next) => {
                if let Some(end) = self.tokens.follow(at + 1, "que viene") {
                    return Some((1, end));
                }
                pointer(next).map(|weeks| (weeks.into(), at + 2))
            }
            (word, "semana" | "week") => pointer(word).map(|weeks| (weeks.into(), at + 2)),
            _ => None,
        }
    }

    /// `este viernes 12/5`, `próximo lunes`, `próximo 6 de abril`, `este 12/05`.
    fn pointed_day(&self, at: usize) -> Option<Day> {
        let weeks = pointer(self.tokens.text(at))?;
        let today = self.now.date();
        let weekday = self.weekday_at(at + 1);
        let next =
            weekday.map_or(at + 1, |(_, end)| end + usize::from(self.tokens.text(end) == ","));
        let written = self.written(next).filter(|written| written.year.is_none());
        if let Some(written) = written.filter(|written| !written.weak || weekday.is_none()) {
            let dates = nearest_years(self.now, written.month, written.day);
            let chosen = match weeks {
                0 => date(today.year().into(), written.month, written.day),
                1 if weekday.is_some() => date(today.year().into(), written.month, written.day),
                1 => dates.last().copied(),
                _ => dates.first().copied(),
            };
            let timex = format!("XXXX-{:02}-{:02}", written.month, written.day);
            return Some(Day { timex, dates: vec![chosen?], end: written.end, weak: false });
        }
        let (weekday, end) = weekday?;
        Some(Day::on(weekday_of_week(today, weekday, weeks.into())?, end))
    }

    /// `primer lunes de octubre`, `primer día de enero de 2015`, `primera semana de octubre el viernes`.
    fn nth_day(&self, at: usize) -> Option<Day> {
        let (nth, end) = self.nth(at)?;
        if !(1..=31).contains(&nth) {
            return None;
        }
        let (weekday, mut end) = match self.weekday_at(end) {
            Some((weekday, end)) => (Some(weekday), end),
            None => (None, self.tokens.follow_any(end, &["dia", "day"])?),
        };
        end = self.tokens.follow_any(end, &["de el", "del", "de", "of"])?;
        let (month, year, end) = match self.month_and_year(end) {
            Some(read) => read,
            None => {
                let (months, end) = self.pointed_month(end)?;
                let first = add(self.now.date().first_of_month(), months, Unit::Month)?;
                (first.month(), Some(first.year().into()), end)
            }
        };
        let in_year = |year: i32| {
            let first = date(year, month, 1)?;
            let Some(weekday) = weekday else { return date(year, month, nth) };
            let ahead = (7 + i64::from(weekday.to_monday_zero_offset())
                - i64::from(first.weekday().to_monday_zero_offset()))
                % 7;
            add(first, ahead + 7 * (i64::from(nth) - 1), Unit::Day)
        };
        let dates: Vec<Date> = match year {
            Some(year) => in_year(year).into_iter().collect(),
            None => {
                let year = i32::from(self.now.year());
                let this = in_year(year)?;
                let past = if this < self.now.date() { Some(this) } else { in_year(year - 1) };
                let next = if this < self.now.date() { in_year(year + 1) } else { Some(this) };
                past.into_iter().chain(next).collect()
            }
        };
        let timex = match (weekday, dates.as_slice()) {
            (None, [date]) => date.to_string(),
            _ => format!(
                "XXXX-{month:02}-WXX-{}-#{nth}",
                weekday.map_or(0, Weekday::to_monday_one_offset)
            ),
        };
        (!dates.is_empty()).then_some(Day { timex, dates, end, weak: false })
    }

    /// `próximo mes`, `mes que viene`: the number of months away, and the index after it.
    fn pointed_month(&self, at: usize) -> Option<(i64, usize)> {
        match (self.tokens.text(at), self.tokens.text(at + 1)) {
            ("mes", _) if self.tokens.follow(at + 1, "que viene").is_some() => Some((1, at + 3)),
            ("mes", next) => pointer(next).map(|months| (months.into(), at + 2)),
            (word, "mes") => pointer(word).map(|months| (months.into(), at + 2)),
            _ => None,
        }
    }

    pub(super) fn nth(&self, at: usize) -> Option<(u32, usize)> {
        let (place, end) = ordinal::read(self.tokens, at)?;
        Some((u32::try_from(place).ok()?, end))
    }

    /// `el día 18`, and `el 15` before a time; alone the latter is as often something else.
    fn day_of_month(&self, at: usize) -> Option<Day> {
        if self.tokens.before(at) == "el"
            && let Some((number, end)) = self.day_number(at)
            && self.tokens.follow_any(end, &["a las", "a la", "por la", "al mediodia"]).is_some()
        {
            return self.nth_of_month(number, end);
        }
        let after = self.tokens.follow_any(at, &["el dia", "dia", "los dias", "dias"])?;
        if let Some(written) = self.written(after) {
            return Some(self.resolve(written));
        }
        let (number, end) = self.day_number(after)?;
        let clash =
            self.tokens.glued(end) && !matches!(self.tokens.text(end), "," | "." | "?" | "!" | ")");
        (!clash).then(|| self.nth_of_month(number, end)).flatten()
    }

    pub(super) fn nth_of_month(&self, number: u32, end: usize) -> Option<Day> {
        let dates = nearest_months(self.now, number, |_| true);
        let timex = format!("XXXX-XX-{number:02}");
        (!dates.is_empty()).then_some(Day { timex, dates, end, weak: false })
    }

    fn holiday(&self, at: usize) -> Option<Day> {
        let (end, (month, day)) = HOLIDAYS.longest(self.tokens, at)?;
        let skip = self.tokens.follow_any(end, &["de", "del"]).unwrap_or(end);
        match self.year(skip) {
            Some((year, end)) => Some(Day::on(date(year, month, day)?, end)),
            None => Some(self.resolve(Written { year: None, month, day, end, weak: false })),
        }
    }

    pub(super) fn resolve(&self, written: Written) -> Day {
        let Written { year, month, day, end, weak } = written;
        match year {
            Some(year) => Day {
                timex: format!("{year:04}-{month:02}-{day:02}"),
                dates: date(year, month, day).into_iter().collect(),
                end,
                weak,
            },
            None => Day {
                timex: format!("XXXX-{month:02}-{day:02}"),
                dates: nearest_years(self.now, month, day),
                end,
                weak,
            },
        }
    }
}
