//! Lengths (`dos horas y media`), moments a length away (`en 2 semanas`, `hace un mes`),
//! repetitions.

use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;

use super::Reader;
use super::calendar::{add, add_seconds};
use super::day::Day;
use super::fragment::Fragment;
use super::moment::{At, MomentKind, Point};
use super::words::{Unit, unit};
use crate::extract::number;
use crate::extract::tokens::Class;

/// A length of time: a number of units.
#[derive(Clone, Copy, Debug)]
pub(super) struct Length {
    amount: Decimal,
    unit: Unit,
    pub(super) end: usize,
}

impl Reader<'_, '_> {
    pub(super) fn length(&self, at: usize) -> Option<Length> {
        if self.tokens.is(at, Class::Digits)
            && at > 0
            && self.tokens.glued(at)
            && !matches!(self.tokens.before(at), "(" | "¿")
        {
            return None;
        }
        let (amount, next) = self.count(at)?;
        let working =
            self.tokens.follow_any(next, &["dias habiles", "dias laborables", "dia habil"]);
        let weekend = self.tokens.follow_any(next, &["fines de semana", "fin de semana"]);
        let (unit, end) = match (working, weekend) {
            (Some(end), _) => (Unit::BusinessDay, end),
            (None, Some(end)) => (Unit::Weekend, end),
            (None, None) => (unit(self.tokens.text(next))?, next + 1),
        };
        let ordinal =
            unit == Unit::Second && self.tokens.text(next) == "segundo" && amount == Decimal::ONE;
        if ordinal {
            return None;
        }
        let (extra, end) = match self.tokens.follow_any(end, &["y media", "y medio", "and a half"])
        {
            Some(end) => (Decimal::new(5, 1), end),
            None => match self.tokens.follow(end, "y cuarto") {
                Some(end) => (Decimal::new(25, 2), end),
                None => (Decimal::ZERO, end),
            },
        };
        Some(Length { amount: amount.checked_add(extra)?, unit, end })
    }

    fn count(&self, at: usize) -> Option<(Decimal, usize)> {
        let fixed = match self.tokens.text(at) {
            "media" | "medio" | "half" => Some((
                Decimal::new(5, 1),
                at + 1 + usize::from(matches!(self.tokens.text(at + 1), "a" | "an")),
            )),
            "algunos" | "algunas" | "unos" | "unas" | "varios" | "varias" | "pocos" | "pocas"
            | "several" => Some((3.into(), at + 1)),
            "otro" | "otra" | "another" | "an" => Some((Decimal::ONE, at + 1)),
            "un" | "a" if matches!(self.tokens.text(at + 1), "par" | "couple") => Some((
                2.into(),
                at + 2 + usize::from(matches!(self.tokens.text(at + 2), "de" | "of")),
            )),
            _ => None,
        };
        fixed.or_else(|| {
            number::read(self.tokens, at, self.comma).map(|number| (number.value, number.end))
        })
    }

    pub(super) fn duration(&self, at: usize) -> Option<Fragment> {
        const MORE: [(&str, &str); 4] = [
            ("mas de", "more"),
            ("menos de", "less"),
            ("more than", "more"),
            ("less than", "less"),
        ];
        let modifier =
            MORE.iter().find_map(|(words, name)| Some((self.tokens.follow(at, words)?, *name)));
        let start = modifier.map_or(at, |(next, _)| next);
        let length = self.length(start)?;
        let mut fragment =
            Fragment::new(at, length.end, MomentKind::Duration, vec![length.reading()?]);
        fragment.modifier = modifier.map(|(_, name)| name);
        Some(fragment)
    }

    /// `en 2 semanas`, `dentro de 15 minutos`, `hace dos días`, `30 minutos después`, `3 días a partir de hoy`.
    pub(super) fn away(&self, at: usize) -> Option<Fragment> {
        const AHEAD: [&str; 5] = ["en", "dentro de", "in", "de aqui a", "within"];
        if let Some(next) = self.tokens.follow_any(at, &AHEAD) {
            let length = self.length(next)?;
            let (from, end) = self.origin(length.end).unwrap_or((None, length.end));
            return self.lies(at, end, length, 1, from);
        }
        if let Some(next) = self.tokens.follow_any(at, &["hace", "hara", "desde hace"]) {
            let length = self.length(next)?;
            return self.lies(at, length.end, length, -1, None);
        }
        let length = self.length(at)?;
        if let Some((from, end)) = self.origin(length.end) {
            return self.lies(at, end, length, 1, from);
        }
        if let Some(day) =
            self.tokens.follow(length.end, "antes de").and_then(|next| self.day(next))
        {
            let end = day.end;
            return self.lies(at, end, length, -1, Some(day));
        }
        if let Some(end) = self.tokens.follow_any(length.end, &["atras", "ago", "antes"]) {
            return self.lies(at, end, length, -1, None);
        }
        let end =
            self.tokens.follow_any(length.end, &["despues", "mas tarde", "from now", "later"])?;
        (self.tokens.text(end) != "de").then(|| self.lies(at, end, length, 1, None)).flatten()
    }

    /// The day from which a length is counted: `a partir de mañana`, `después de hoy`, `desde
    /// 2011`.
    fn origin(&self, at: usize) -> Option<(Option<Day>, usize)> {
        let next = self.tokens.follow_any(at, &["a partir de", "despues de", "desde", "from"])?;
        if matches!(self.tokens.text(next), "ahora" | "now") {
            return Some((None, next + 1));
        }
        if let Some(day) = self.day(next) {
            let end = day.end;
            return Some((Some(day), end));
        }
        let (year, end) = self.year(next)?;
        Some((Some(Day::on(super::calendar::date(year, 1, 1)?, end)), end))
    }

    fn lies(
        &self,
        at: usize,
        end: usize,
        length: Length,
        sign: i64,
        from: Option<Day>,
    ) -> Option<Fragment> {
        if from.is_some() && length.unit.is_clock() {
            return None;
        }
        if length.unit.is_clock() || length.amount.scale() > 0 {
            let seconds = (length.amount * Decimal::from(length.unit.seconds())).to_i64()?;
            let point = add_seconds(self.now, sign * seconds)?;
            let at_point = At::Point(Point::DateTime(point));
            return Some(Fragment::new(
                at,
                end,
                MomentKind::DateTime,
                vec![(point.to_string(), at_point)],
            ));
        }
        let count = length.amount.to_i64()?;
        let origin = match &from {
            Some(day) => *day.dates.last()?,
            None => self.now.date(),
        };
        let day = Day::on(add(origin, sign * count, length.unit)?, end);
        Some(Fragment::day(at, &day))
    }

    /// `cada lunes a las 4`, `todos los días`, `semanalmente`, `una vez al año`.
    pub(super) fn repetition(&self, at: usize) -> Option<Fragment> {
        let (timex, end) = self.adverb(at).or_else(|| self.every(at))?;
        Some(Fragment::new(at, end, MomentKind::Set, vec![(timex, At::Unresolved)]))
    }

    fn adverb(&self, at: usize) -> Option<(String, usize)> {
        if let Some(next) =
            self.tokens.follow_any(at, &["una vez al", "una vez por", "una vez a la"])
        {
            let unit = unit(self.tokens.text(next))?;
            return Some((unit.timex("1"), next + 1));
        }
        let word = self.tokens.text(at);
        let stem = word.strip_suffix("mente").or(word.strip_suffix("es")).unwrap_or(word);
        let timex = match stem {
            "diaria" | "daily" => "P1D",
            "semanal" | "weekly" => "P1W",
            "quincenal" => "P15D",
            "mensual" | "monthly" => "P1M",
            "bimensual" | "bimestral" => "P2M",
            "trimestral" => "P3M",
            "semestral" => "P0.5Y",
            "anual" | "yearly" => "P1Y",
            _ => return None,
        };
        Some((timex.to_owned(), at + 1))
    }

    fn every(&self, at: usize) -> Option<(String, usize)> {
        let next = self.tokens.follow_any(at, &["cada", "todos los", "todas las", "every"])?;
        if let Some(day) = super::words::weekday(self.tokens.text(next)) {
            let timex = format!("XXXX-WXX-{}", day.to_monday_one_offset());
            let clock = self
                .tokens
                .follow_any(next + 1, &["a las", "a la", "at"])
                .and_then(|clock| self.clock(clock, true));
            return Some(match clock {
                Some(clock) => {
                    let hour = clock
                        .readings()
                        .first()
                        .map_or_else(String::new, |(timex, _)| timex.clone());
                    (format!("{timex}{hour}"), clock.end)
                }
                None => (timex, next + 1),
            });
        }
        if let Some(end) = self.tokens.follow(next, "dos fines de semana") {
            return Some(("P2WE".to_owned(), end));
        }
        if let Some(unit) = unit(self.tokens.text(next)) {
            let months = match unit {
                Unit::Quarter => "3",
                Unit::HalfYear => "6",
                _ => "1",
            };
            return Some((unit.timex(months), next + 1));
        }
        let length = self.length(next)?;
        Some((length.unit.timex(&length.amount.normalize().to_string()), length.end))
    }
}

impl Length {
    fn reading(&self) -> Option<(String, At)> {
        let seconds = self.amount.checked_mul(Decimal::from(self.unit.seconds()))?;
        let amount = self.amount.normalize().to_string();
        Some((self.unit.timex(&amount), At::Seconds(seconds)))
    }
}
