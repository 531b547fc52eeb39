//! Stretches of days with a name: weeks, months, quarters, years, decades, `los próximos tres días`.

use jiff::civil::{Date, Weekday};

use super::Reader;
use super::calendar::{add, add_seconds, date, monday, week_timex};
use super::fragment::Fragment;
use super::moment::{At, MomentKind, Point};
use super::words::{Unit, month, month_by_number, pointer, unit};
use super::written::century;
use crate::extract::number;
use crate::extract::tokens::Class;

impl Reader<'_, '_> {
    pub(super) fn period(&self, at: usize) -> Option<Fragment> {
        self.counted_units(at)
            .or_else(|| self.nth_unit(at))
            .or_else(|| self.pointed_unit(at))
            .or_else(|| self.month_period(at))
            .or_else(|| self.decade(at))
            .or_else(|| self.year_period(at))
            .or_else(|| self.bare_unit(at))
    }

    pub(super) fn unit_at(&self, at: usize) -> Option<(Unit, usize)> {
        if let Some(end) =
            self.tokens.follow_any(at, &["fin de semana", "fines de semana", "finde", "weekend"])
        {
            return Some((Unit::Weekend, end));
        }
        if let Some(end) = self
            .tokens
            .follow_any(at, &["dias habiles", "dias laborables", "dia habil", "business days"])
        {
            return Some((Unit::BusinessDay, end));
        }
        unit(self.tokens.text(at)).map(|unit| (unit, at + 1))
    }

    /// The whole unit that lies `away` units from the present one.
    fn whole_unit(&self, unit: Unit, away: i64) -> Option<(String, Date, Date)> {
        let today = self.now.date();
        let start = match unit {
            Unit::Week => add(monday(today)?, away, Unit::Week)?,
            Unit::Weekend => add(add(monday(today)?, away, Unit::Week)?, 5, Unit::Day)?,
            Unit::Month => add(today.first_of_month(), away, Unit::Month)?,
            Unit::Quarter => {
                let first = date(today.year().into(), (today.month() - 1) / 3 * 3 + 1, 1)?;
                add(first, away, Unit::Quarter)?
            }
            Unit::HalfYear => {
                let first = date(today.year().into(), (today.month() - 1) / 6 * 6 + 1, 1)?;
                add(first, away, Unit::HalfYear)?
            }
            Unit::Year => add(today.first_of_year(), away, Unit::Year)?,
            Unit::Day | Unit::BusinessDay | Unit::Second | Unit::Minute | Unit::Hour => {
                return None;
            }
        };
        let end = match unit {
            Unit::Weekend => add(start, 2, Unit::Day)?,
            unit => add(start, 1, unit)?,
        };
        let timex = match unit {
            Unit::Week => week_timex(start),
            Unit::Weekend => format!("{}-WE", week_timex(start)),
            Unit::Month => format!("{:04}-{:02}", start.year(), start.month()),
            Unit::Year => format!("{:04}", start.year()),
            _ => format!("({start},{end},P{}M)", if unit == Unit::Quarter { 3 } else { 6 }),
        };
        Some((timex, start, end))
    }

    /// `la semana pasada`, `próximo mes`, `semana que viene`, `este fin de semana`.
    fn pointed_unit(&self, at: usize) -> Option<Fragment> {
        let inner = at + usize::from(self.tokens.text(at) == "la");
        let (unit, away, end) = self.unit_and_pointer(inner)?;
        if inner > at && (unit != Unit::Week || self.weekday_with_week(inner).is_some()) {
            return None;
        }
        if unit.is_clock() && away != 0 {
            return self.stretch_of_clock(at, end, unit, away, 1);
        }
        let (timex, start, last) = self.whole_unit(unit, away)?;
        Some(Fragment::days(at, end, &timex, &[(start, last)]))
    }

    fn unit_and_pointer(&self, at: usize) -> Option<(Unit, i64, usize)> {
        if let Some(away) = pointer(self.tokens.text(at)) {
            let (unit, end) = self.unit_at(at + 1)?;
            return Some((unit, away.into(), end));
        }
        let (unit, end) = self.unit_at(at)?;
        if let Some(end) = self.tokens.follow_any(end, &["que viene", "entrante"]) {
            return Some((unit, 1, end));
        }
        if let Some(end) =
            self.tokens.follow_any(end, &["despues de la proxima", "despues del proximo"])
        {
            return Some((unit, 2, end));
        }
        let away = pointer(self.tokens.text(end))?;
        // `el año anterior a la revolución` counts from something else.
        (self.tokens.text(end + 1) != "a").then_some((unit, away.into(), end + 1))
    }

    /// `el mes`, `la semana`, `del año`: the current one.
    fn bare_unit(&self, at: usize) -> Option<Fragment> {
        let unit = unit(self.tokens.text(at))?;
        let named = matches!(self.tokens.text(at), "semana" | "mes" | "ano");
        if !named || !matches!(self.tokens.before(at), "el" | "la" | "del") {
            return None;
        }
        let (timex, start, end) = self.whole_unit(unit, 0)?;
        Some(Fragment { weak: true, ..Fragment::days(at, at + 1, &timex, &[(start, end)]) })
    }

    /// `próximos tres días`, `2 próximos meses`, `4 días hábiles siguientes`, `últimos 5 minutos`.
    fn counted_units(&self, at: usize) -> Option<Fragment> {
        let (direction, count, unit, end) = if let Some(direction) = pointer(self.tokens.text(at)) {
            let (count, next) = number::small_whole(self.tokens, at + 1)?;
            let (unit, end) = self.unit_at(next)?;
            (direction, count, unit, end)
        } else {
            let (count, next) = number::small_whole(self.tokens, at)?;
            if let Some(direction) = pointer(self.tokens.text(next)) {
                let (unit, end) = self.unit_at(next + 1)?;
                (direction, count, unit, end)
            } else {
                let (unit, end) = self.unit_at(next)?;
                let direction = pointer(self.tokens.text(end)).filter(|_| {
                    self.tokens.text(end + 1) != "a" && self.tokens.text(end + 1) != "de"
                })?;
                (direction, count, unit, end + 1)
            }
        };
        let count = i64::from(count);
        let today = self.now.date();
        if unit.is_clock() {
            return self.stretch_of_clock(at, end, unit, direction.into(), count);
        }
        let (from, to) = match direction {
            -1 => (add(today, -count, unit)?, today),
            1 if unit == Unit::BusinessDay => {
                let tomorrow = add(today, 1, Unit::Day)?;
                (tomorrow, business_days_after(tomorrow, count)?)
            }
            1 => {
                let tomorrow = add(today, 1, Unit::Day)?;
                (tomorrow, add(tomorrow, count, unit)?)
            }
            _ => return None,
        };
        let timex = format!("({from},{to},{})", unit.timex(&count.to_string()));
        Some(Fragment::days(at, end, &timex, &[(from, to)]))
    }

    /// A number of hours, minutes or seconds before now or after it.
    fn stretch_of_clock(
        &self,
        at: usize,
        end: usize,
        unit: Unit,
        direction: i64,
        count: i64,
    ) -> Option<Fragment> {
        let other = add_seconds(self.now, unit.seconds() * count * direction)?;
        let (from, to) = if direction < 0 { (other, self.now) } else { (self.now, other) };
        let between =
            At::Between { start: Some(Point::DateTime(from)), end: Some(Point::DateTime(to)) };
        let timex = format!("({from},{to},{})", unit.timex(&count.to_string()));
        Some(Fragment::new(at, end, MomentKind::DateTimeRange, vec![(timex, between)]))
    }

    /// `abril`, `este septiembre`, `marzo de 2015`, `dic 2008`.
    fn month_period(&self, at: usize) -> Option<Fragment> {
        let away =
            pointer(self.tokens.text(at)).filter(|_| month(self.tokens.text(at + 1)).is_some());
        let inner = at + usize::from(away.is_some());
        let (value, year, end) = match self.month_and_year(inner) {
            Some(read) => read,
            None => {
                let value = month_by_number(self.tokens.text(inner))?;
                let mark =
                    usize::from(matches!(self.tokens.text(inner + 1), "-" | "/" | "." | "de"));
                let (year, end) = self.year(inner + 1 + mark)?;
                (value, Some(year), end)
            }
        };
        let this = i32::from(self.now.year());
        let over = value < self.now.month() || (value == self.now.month() && self.now.day() > 1);
        let years = match (year, away) {
            (Some(year), _) => vec![year],
            (None, Some(0)) => vec![this],
            (None, Some(1)) => vec![if value > self.now.month() { this } else { this + 1 }],
            (None, Some(_)) => vec![if value < self.now.month() { this } else { this - 1 }],
            (None, None) if over => vec![this, this + 1],
            (None, None) => vec![this - 1, this],
        };
        let spans: Option<Vec<_>> = years
            .iter()
            .map(|year| {
                let start = date(*year, value, 1)?;
                Some((start, add(start, 1, Unit::Month)?))
            })
            .collect();
        let timex = match years.as_slice() {
            [year] => format!("{year:04}-{value:02}"),
            _ => format!("XXXX-{value:02}"),
        };
        Some(Fragment::days(at, end, &timex, &spans?))
    }

    /// `año 2008`, `2018`; alone it is more often a number.
    fn year_period(&self, at: usize) -> Option<Fragment> {
        if let Some(next) = self.tokens.follow_any(at, &["ano fiscal", "ano escolar"]) {
            let (timex, end) = self
                .year(next)
                .map_or(("FYXXXX".to_owned(), next), |(year, end)| (format!("FY{year}"), end));
            return Some(Fragment::new(
                at,
                end,
                MomentKind::DateRange,
                vec![(timex, At::Unresolved)],
            ));
        }
        let named = self.tokens.follow_any(at, &["ano calendario", "ano", "year"]);
        let (year, end) = match named {
            Some(next) => self.year(next).or_else(|| {
                let (short, end) = number::small_whole(self.tokens, next)?;
                ((10..100).contains(&short) && self.tokens.text(next).len() == 2)
                    .then_some((century(short), end))
            })?,
            None if self.tokens.is(at, Class::Digits) => self.year(at)?,
            None => return None,
        };
        let before = self.tokens.before(at);
        let touched = |near: usize| {
            self.tokens.glued(near)
                && matches!(self.tokens.text(near), "-" | "/" | "." | ":" | "$" | "#" | ",")
        };
        let part = named.is_none()
            && (at > 0
                && self.tokens.glued(at)
                && !matches!(before, "(" | "¿" | "\"" | "~" | "-" | "=")
                || at > 0 && self.tokens.glued(at) && before == "-" && self.tokens.glued(at - 1)
                || touched(end)
                    && self.tokens.is(end + 1, Class::Digits)
                    && self.tokens.glued(end + 1));
        if part || matches!(before, "$" | "+" | "no" | "nro" | "#") {
            return None;
        }
        let (start, last) = (date(year, 1, 1)?, date(year + 1, 1, 1)?);
        let cued = named.is_some() || matches!(before, "en" | "in" | "desde" | "hasta" | "del");
        let fragment = Fragment::days(at, end, &format!("{year:04}"), &[(start, last)]);
        Some(Fragment { weak: !cued, ..fragment })
    }

    /// `los años 90`, `década de 1990`.
    fn decade(&self, at: usize) -> Option<Fragment> {
        if let Some(next) = self.tokens.follow_any(at, &["decada de", "decada del"]) {
            let (year, end) = self.year(next).filter(|(year, _)| year % 10 == 0)?;
            let (start, last) = (date(year, 1, 1)?, date(year + 10, 1, 1)?);
            return Some(Fragment::days(
                at,
                end,
                &format!("({start},{last},P10Y)"),
                &[(start, last)],
            ));
        }
        let next = self.tokens.follow_any(at, &["los anos", "anos"])?;
        let (tens, end) = number::small_whole(self.tokens, next)?;
        if tens % 10 != 0 || !(10..100).contains(&tens) {
            return None;
        }
        let tens = i32::try_from(tens).ok()?;
        let spans: Option<Vec<_>> = [1_900, 2_000]
            .into_iter()
            .map(|century| Some((date(century + tens, 1, 1)?, date(century + tens + 10, 1, 1)?)))
            .collect();
        Some(Fragment::days(at, end, &format!("(XX{tens}-01-01,P10Y)"), &spans?))
    }
}

/// The day after `count` working days, the first of which is on or after `start`.
fn business_days_after(start: Date, count: i64) -> Option<Date> {
    let mut day = start;
    let mut left = count.min(1_000);
    while left > 0 {
        if !matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday) {
            left -= 1;
        }
        day = add(day, 1, Unit::Day)?;
    }
    Some(day)
}
