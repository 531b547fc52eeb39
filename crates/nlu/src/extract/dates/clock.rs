//! Times of the day: `10:30 hs`, `a las 5 y media de la tarde`, `seis menos cinco`, `al mediodía`.

use jiff::civil::Time;

use super::Reader;
use super::words::{DayPart, part};
use crate::extract::number;
use crate::extract::tokens::Class;

/// A time as it was said; two readings if nothing tells morning from evening.
#[derive(Clone, Debug)]
pub(super) struct Clock {
    pub(super) hour: i8,
    pub(super) minute: Option<i8>,
    second: Option<i8>,
    /// Whether twelve hours more are possible too.
    pub(super) ambiguous: bool,
    /// Whether this is a number alone, which is a time only if a neighbour says so.
    pub(super) bare: bool,
    pub(super) end: usize,
}

impl Clock {
    /// The possible times, each with its TIMEX.
    pub(super) fn readings(&self) -> Vec<(String, Time)> {
        let other = if self.hour == 12 { 0 } else { self.hour + 12 };
        let hours = [Some(self.hour), self.ambiguous.then_some(other)];
        hours.into_iter().flatten().filter_map(|hour| self.at(hour)).collect()
    }

    fn at(&self, hour: i8) -> Option<(String, Time)> {
        let time = Time::new(hour, self.minute.unwrap_or(0), self.second.unwrap_or(0), 0).ok()?;
        let mut timex = format!("T{hour:02}");
        for part in [self.minute, self.second].into_iter().flatten() {
            timex.push_str(&format!(":{part:02}"));
        }
        Some((timex, time))
    }

    /// Reads the hour as the half of the day demands.
    pub(super) fn in_half(mut self, half: Half) -> Self {
        let twelve = self.hour == 12;
        self.hour = match half {
            Half::Morning if twelve => 0,
            Half::Evening if self.hour < 12 => self.hour + 12,
            // Midnight is the twelve of the night; noon stays noon.
            Half::Night if twelve => 0,
            Half::Night if (5..12).contains(&self.hour) => self.hour + 12,
            _ => self.hour,
        };
        self.ambiguous = false;
        self.bare = false;
        self
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Half {
    Morning,
    Evening,
    Night,
}

impl Reader<'_, '_> {
    /// A time at an index. With `cued`, after `las` or `a las`, a bare number is a time too.
    pub(super) fn clock(&self, at: usize, cued: bool) -> Option<Clock> {
        if let Some(clock) = self.noon(at) {
            return Some(clock);
        }
        let iso = self.tokens.before(at) == "t" && self.tokens.glued(at.saturating_sub(1));
        if at > 0
            && !iso
            && self.tokens.glued(at)
            && (self.tokens.is(at - 1, Class::Word)
                || matches!(self.tokens.before(at), "/" | "." | "$" | "," | ":" | "#"))
        {
            return None;
        }
        let clock = self.digital(at, cued).or_else(|| self.spoken(at))?;
        let clock = self.with_suffix(clock);
        let hour_fits = clock.hour <= 24;
        (hour_fits && (cued || !clock.bare)).then_some(Clock { hour: clock.hour % 24, ..clock })
    }

    /// A bare number as an hour, for ranges and after a day: `3-8`.
    pub(super) fn bare_hour(&self, at: usize) -> Option<Clock> {
        self.clock(at, true).filter(|clock| clock.hour <= 24)
    }

    fn noon(&self, at: usize) -> Option<Clock> {
        let (hour, length) = match self.tokens.text(at) {
            "mediodia" | "noon" => (12, 1),
            "medianoche" | "midnight" => (0, 1),
            "medio" if self.tokens.text(at + 1) == "dia" => (12, 2),
            "media" if self.tokens.text(at + 1) == "noche" => (0, 2),
            _ => return None,
        };
        Some(Clock {
            hour,
            minute: None,
            second: None,
            ambiguous: false,
            bare: false,
            end: at + length,
        })
    }

    fn digital(&self, at: usize, cued: bool) -> Option<Clock> {
        let hour = self.two_digits(at, 24)?;
        let mark = self.tokens.text(at + 1);
        let glued = |at: usize| self.tokens.glued(at) && self.tokens.glued(at + 1);
        let minute = self
            .two_digits(at + 2, 59)
            .filter(|_| glued(at + 1) && self.tokens.text(at + 2).len() == 2);
        let colon = mark == ":" && minute.is_some();
        let point = mark == "." && minute.is_some() && (cued || self.is_half_of_day(at + 3));
        if !(colon || point) {
            return self.hour_with_unit(at, hour);
        }
        let second = self
            .two_digits(at + 4, 59)
            .filter(|_| self.tokens.text(at + 3) == ":" && glued(at + 3));
        let mut end = at + 3 + 2 * usize::from(second.is_some());
        if matches!(self.tokens.text(end), "h" | "hs" | "hrs" | "horas" | "hras") {
            end += 1;
        }
        let padded = self.tokens.text(at).starts_with('0');
        let ambiguous = (1..=12).contains(&hour) && !padded;
        Some(Clock { hour, minute, second, ambiguous, bare: false, end })
    }

    /// `14h`, `10 hs`, or a number alone.
    fn hour_with_unit(&self, at: usize, hour: i8) -> Option<Clock> {
        let unit = matches!(self.tokens.text(at + 1), "h" | "hs" | "hrs");
        if !unit
            && self.tokens.glued(at + 1)
            && (self.tokens.is(at + 1, Class::Word) && !self.is_half_of_day(at + 1))
        {
            return None;
        }
        let fraction = matches!(self.tokens.text(at + 1), "/" | "," | "." | "%" | ":")
            && self.tokens.glued(at + 1)
            && (self.tokens.is(at + 2, Class::Digits) && self.tokens.glued(at + 2)
                || self.tokens.text(at + 1) == "%");
        if fraction {
            return None;
        }
        let clock = Clock {
            hour,
            minute: None,
            second: None,
            ambiguous: (1..=12).contains(&hour) && !unit,
            bare: !unit,
            end: at + 1 + usize::from(unit),
        };
        Some(if unit { clock } else { self.with_minutes(clock) })
    }

    fn two_digits(&self, at: usize, most: i8) -> Option<i8> {
        let text = self.tokens.text(at);
        let fits = self.tokens.is(at, Class::Digits) && text.len() <= 2;
        text.parse().ok().filter(|value| fits && *value <= most)
    }

    /// An hour in words with its minutes: `siete y media`, `seis menos cinco`, `dos treinta`.
    fn spoken(&self, at: usize) -> Option<Clock> {
        if !self.tokens.is(at, Class::Word) {
            return None;
        }
        let (hour, end) = number::small_whole(self.tokens, at)?;
        let hour = i8::try_from(hour).ok().filter(|hour| *hour <= 24 && end == at + 1)?;
        let clock = Clock {
            hour,
            minute: None,
            second: None,
            ambiguous: (1..=12).contains(&hour),
            bare: true,
            end,
        };
        Some(self.with_minutes(clock))
    }

    fn with_minutes(&self, clock: Clock) -> Clock {
        let end = clock.end;
        if let Some(end) = self.tokens.follow(end, "en punto") {
            return Clock { bare: false, end, ..clock };
        }
        let minutes = |at: usize| match self.tokens.text(at) {
            "media" => Some((30, at + 1)),
            "cuarto" => Some((15, at + 1)),
            "un" if self.tokens.text(at + 1) == "cuarto" => Some((15, at + 2)),
            _ => {
                let (value, end) = number::small_whole(self.tokens, at)?;
                let short = !self.tokens.is(at, Class::Digits) || self.tokens.text(at).len() == 2;
                Some((i8::try_from(value).ok().filter(|value| *value < 60 && short)?, end))
            }
        };
        let joint = self.tokens.text(end);
        let read = match joint {
            "y" | "menos" => minutes(end + 1),
            _ if self.tokens.is(end - 1, Class::Word) && self.tokens.is(end, Class::Word) => {
                minutes(end).filter(|(value, _)| *value >= 10)
            }
            _ => None,
        };
        let Some((minute, end)) = read else { return clock };
        let whole =
            matches!(minute, 15 | 30) && !self.tokens.is(end - 1, Class::Digits) || minute >= 5;
        match joint {
            "menos" if (1..=24).contains(&clock.hour) => {
                let hour = if clock.hour == 1 { 12 } else { clock.hour - 1 };
                Clock { hour, minute: Some(60 - minute), bare: false, end, ..clock }
            }
            "menos" => clock,
            _ => Clock {
                minute: Some(minute),
                bare: !whole || joint == "y" && !matches!(minute, 15 | 30),
                end,
                ..clock
            },
        }
    }

    /// `am`, `p.m.`, `de la tarde`, `hs` after a time.
    fn with_suffix(&self, clock: Clock) -> Clock {
        let end = clock.end;
        if let Some((half, end)) = self.half_of_day(end) {
            return Clock { end, ..clock.in_half(half) };
        }
        let Some(next) = self.tokens.follow_any(
            end,
            &["de la", "por la", "en la", "a la", "de esta", ", de la", "of the", "in the"],
        ) else {
            return match self.tokens.follow(end, "del mediodia") {
                Some(end) => Clock { end, ..clock.in_half(Half::Evening) },
                None => clock,
            };
        };
        match part(self.tokens.text(next)) {
            Some(part) => Clock { end: next + 1, ..clock.in_half(half_of(part)) },
            None => clock,
        }
    }

    pub(super) fn is_half_of_day(&self, at: usize) -> bool {
        self.half_of_day(at).is_some()
    }

    fn half_of_day(&self, at: usize) -> Option<(Half, usize)> {
        let half = |letter: &str| if letter == "a" { Half::Morning } else { Half::Evening };
        match self.tokens.text(at) {
            "am" => Some((Half::Morning, at + 1)),
            "pm" => Some((Half::Evening, at + 1)),
            letter @ ("a" | "p") => {
                let dot = usize::from(self.tokens.text(at + 1) == ".");
                let m = at + 1 + dot;
                if self.tokens.text(m) != "m" || (dot == 0 && !self.tokens.glued(m)) {
                    return None;
                }
                let last = usize::from(
                    dot == 1 && self.tokens.text(m + 1) == "." && self.tokens.glued(m + 1),
                );
                Some((half(letter), m + 1 + last))
            }
            _ => None,
        }
    }

    /// `por la mañana`, `de la tarde`, `a la noche`; gives the index of its own words' start.
    pub(super) fn part_of_day(&self, at: usize) -> Option<(DayPart, usize)> {
        let next = self.tokens.follow_any(
            at,
            &[
                "por la",
                "en la",
                "a la",
                "de la",
                "a ultima hora de la",
                "a primera hora de la",
                "la",
                "durante la",
                "in the",
                "at",
            ],
        )?;
        let end = next + 1;
        let named = part(self.tokens.text(next))?;
        Some((named, end))
    }
}

pub(super) fn half_of(part: DayPart) -> Half {
    match part.timex {
        "TDA" | "TMO" => Half::Morning,
        "TNI" => Half::Night,
        _ => Half::Evening,
    }
}
