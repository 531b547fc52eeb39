//! Numbered weeks, quarters and half years: `la primera semana de 2015`, `3º trimestre`, `2017-t1`.

use jiff::civil::{Date, ISOWeekDate, Weekday};

use super::Reader;
use super::calendar::{add, date, monday, week_timex};
use super::fragment::Fragment;
use super::words::Unit;
use crate::extract::number;

impl Reader<'_, '_> {
    /// `la primera semana de 2015`, `el tercer trimestre de 2019`, `semana diez`, `2017-t1`.
    pub(super) fn nth_unit(&self, at: usize) -> Option<Fragment> {
        if let Some(fragment) = self.numbered_week(at).or_else(|| self.coded_quarter(at)) {
            return Some(fragment);
        }
        let inner = at + usize::from(matches!(self.tokens.text(at), "la" | "el"));
        let last = matches!(self.tokens.text(inner), "ultima" | "ultimo");
        let (nth, next) = match self.nth(inner) {
            Some((nth, next)) => (i64::from(nth), next),
            None if last => (-1, inner + 1),
            None => return None,
        };
        let (unit, end) = self.unit_at(next)?;
        let of = self
            .tokens
            .follow_any(end, &["del ano", "de el", "de", "del", "-", ","])
            .unwrap_or(end);
        if unit == Unit::HalfYear && inner > at {
            return None;
        }
        match unit {
            Unit::Week => self.nth_week(at, nth, of, end),
            Unit::Quarter | Unit::HalfYear => {
                let months = if unit == Unit::Quarter { 3 } else { 6 };
                if !(1..=12 / months).contains(&nth) {
                    return None;
                }
                let of_the_year = self.tokens.follow(end, "del ano");
                let (years, end) = match (self.year(of), of_the_year) {
                    (Some((year, end)), _) => (vec![year], end),
                    (None, Some(end)) => {
                        let year = i32::from(self.now.year());
                        (vec![year, year + 1], end)
                    }
                    (None, None) => (vec![i32::from(self.now.year())], end),
                };
                let spans: Option<Vec<_>> = years
                    .into_iter()
                    .map(|year| {
                        let start = date(year, i8::try_from((nth - 1) * months + 1).ok()?, 1)?;
                        Some((start, add(start, months, Unit::Month)?))
                    })
                    .collect();
                let spans = spans?;
                let (start, last) = *spans.first()?;
                Some(Fragment::days(at, end, &format!("({start},{last},P{months}M)"), &spans))
            }
            _ => None,
        }
    }

    fn nth_week(&self, at: usize, nth: i64, of: usize, end: usize) -> Option<Fragment> {
        if let Some((year, end)) = self.year(of) {
            let start = match nth {
                -1 => monday(date(year, 12, 28)?)?,
                nth => week_start(year, nth)?,
            };
            return Some(Fragment::days(
                at,
                end,
                &week_timex(start),
                &[(start, add(start, 1, Unit::Week)?)],
            ));
        }
        if let Some((month, year, end)) = self.month_and_year(of) {
            let first = date(year.unwrap_or(self.now.year().into()), month, 1)?;
            // The first week of a month is the week with the month's first Thursday.
            let thursday = add(monday(first)?, 3, Unit::Day)?;
            let ahead = i64::from(thursday.month() != month);
            let start = add(monday(first)?, ahead + nth - 1, Unit::Week)?;
            return Some(Fragment::days(
                at,
                end,
                &week_timex(start),
                &[(start, add(start, 1, Unit::Week)?)],
            ));
        }
        // Alone, `la primera semana` says nothing; `décima semana` does.
        let start = week_start(self.now.year().into(), nth).filter(|_| nth > 4)?;
        Some(Fragment::days(at, end, &week_timex(start), &[(start, add(start, 1, Unit::Week)?)]))
    }

    fn numbered_week(&self, at: usize) -> Option<Fragment> {
        if self.tokens.text(at) != "semana" {
            return None;
        }
        let (number, end) = number::small_whole(self.tokens, at + 1)?;
        let of = self.tokens.follow_any(end, &["de", "del"]).and_then(|next| self.year(next));
        let (year, end) = of.unwrap_or((self.now.year().into(), end));
        let start = week_start(year, number.into()).filter(|_| number > 0)?;
        Some(Fragment::days(at, end, &week_timex(start), &[(start, add(start, 1, Unit::Week)?)]))
    }

    /// `2017-t1`, `2019 t1`.
    fn coded_quarter(&self, at: usize) -> Option<Fragment> {
        let year =
            self.tokens.text(at).parse::<i32>().ok().filter(|_| self.tokens.text(at).len() == 4)?;
        let mark = at + 1 + usize::from(self.tokens.text(at + 1) == "-");
        let quarter: i8 =
            self.tokens.text(mark + 1).parse().ok().filter(|q| (1..=4).contains(q))?;
        if !matches!(self.tokens.text(mark), "t" | "q") || !self.tokens.glued(mark + 1) {
            return None;
        }
        let start = date(year, (quarter - 1) * 3 + 1, 1)?;
        let end = add(start, 1, Unit::Quarter)?;
        Some(Fragment::days(at, mark + 2, &format!("({start},{end},P3M)"), &[(start, end)]))
    }
}

fn week_start(year: i32, week: i64) -> Option<Date> {
    let (year, week) = (i16::try_from(year).ok()?, i8::try_from(week).ok()?);
    ISOWeekDate::new(year, week, Weekday::Monday).ok().map(ISOWeekDate::date)
}
