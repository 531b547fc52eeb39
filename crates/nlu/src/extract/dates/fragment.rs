//! A fragment of a message about time, on its way to a moment: its place and its possible readings.

use jiff::civil::{Date, DateTime, Time};

use super::clock::Clock;
use super::day::Day;
use super::moment::{At, Moment, MomentKind, Point, Reading};
use super::words::DayPart;

#[derive(Clone, Debug)]
pub(super) struct Fragment {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) kind: MomentKind,
    pub(super) readings: Vec<(String, At)>,
    pub(super) modifier: Option<&'static str>,
    /// Whether the fragment is more often something else, such as a bare `2018`.
    pub(super) weak: bool,
}

impl Fragment {
    pub(super) fn new(
        start: usize,
        end: usize,
        kind: MomentKind,
        readings: Vec<(String, At)>,
    ) -> Self {
        Self { start, end, kind, readings, modifier: None, weak: false }
    }

    pub(super) fn day(start: usize, day: &Day) -> Self {
        let mut readings: Vec<_> = day
            .dates
            .iter()
            .map(|date| (day.timex.clone(), At::Point(Point::Date(*date))))
            .collect();
        if readings.is_empty() {
            readings.push((day.timex.clone(), At::Unresolved));
        }
        Self { weak: day.weak, ..Self::new(start, day.end, MomentKind::Date, readings) }
    }

    pub(super) fn clock(start: usize, clock: &Clock) -> Self {
        let readings =
            clock.readings().into_iter().map(|(timex, time)| (timex, At::Point(Point::Time(time))));
        Self::new(start, clock.end, MomentKind::Time, readings.collect())
    }

    pub(super) fn day_and_clock(start: usize, end: usize, day: &Day, clock: &Clock) -> Self {
        let mut readings = Vec::new();
        for (timex, time) in clock.readings() {
            for date in &day.dates {
                let at = At::Point(Point::DateTime(date.to_datetime(time)));
                readings.push((format!("{}{timex}", day.timex), at));
            }
        }
        if readings.is_empty() {
            let time =
                clock.readings().first().map_or_else(String::new, |(timex, _)| timex.clone());
            readings.push((format!("{}{time}", day.timex), At::Unresolved));
        }
        Self::new(start, end, MomentKind::DateTime, readings)
    }

    pub(super) fn part(start: usize, end: usize, part: DayPart) -> Self {
        let (from, to) = hours_of(part);
        let at = At::Between { start: Some(Point::Time(from)), end: Some(Point::Time(to)) };
        Self::new(start, end, MomentKind::TimeRange, vec![(part.timex.to_owned(), at)])
    }

    pub(super) fn day_and_part(start: usize, end: usize, day: &Day, part: DayPart) -> Self {
        let (from, to) = hours_of(part);
        let reading = |date: &Date| {
            let (from, to) = (date.to_datetime(from), date.to_datetime(to));
            let at =
                At::Between { start: Some(Point::DateTime(from)), end: Some(Point::DateTime(to)) };
            (format!("{}{}", day.timex, part.timex), at)
        };
        Self::new(start, end, MomentKind::DateTimeRange, day.dates.iter().map(reading).collect())
    }

    pub(super) fn days(start: usize, end: usize, timex: &str, spans: &[(Date, Date)]) -> Self {
        let reading = |(from, to): &(Date, Date)| {
            let at = At::Between { start: Some(Point::Date(*from)), end: Some(Point::Date(*to)) };
            (timex.to_owned(), at)
        };
        Self::new(start, end, MomentKind::DateRange, spans.iter().map(reading).collect())
    }

    /// Hours of a day, for each day it can be.
    pub(super) fn day_and_hours(
        start: usize,
        end: usize,
        day: &Day,
        hours: &[(String, String, Time, Time)],
    ) -> Self {
        let mut readings = Vec::new();
        for (first, last, from, to) in hours {
            for date in &day.dates {
                let (from, to) = (date.to_datetime(*from), date.to_datetime(*to));
                let at = At::Between {
                    start: Some(Point::DateTime(from)),
                    end: Some(Point::DateTime(to)),
                };
                readings.push((format!("({0}{first},{0}{last})", day.timex), at));
            }
        }
        Self::new(start, end, MomentKind::DateTimeRange, readings)
    }

    /// Opens the fragment to one side: all before it, or all after it.
    pub(super) fn open(self, start: usize, modifier: &'static str) -> Option<Self> {
        let opened = |at: &At| {
            let (first, last) = match at {
                At::Point(point) => (Some(*point), Some(*point)),
                At::Between { start, end } => (*start, *end),
                At::Seconds(_) | At::Unresolved => return None,
            };
            Some(match modifier {
                "before" | "until" => At::Between { start: None, end: first },
                "after" => At::Between { start: last, end: None },
                _ => At::Between { start: first, end: None },
            })
        };
        let readings: Option<Vec<_>> =
            self.readings.iter().map(|(timex, at)| Some((timex.clone(), opened(at)?))).collect();
        let kind = match self.kind {
            MomentKind::Date | MomentKind::DateRange => MomentKind::DateRange,
            MomentKind::Time | MomentKind::TimeRange => MomentKind::TimeRange,
            MomentKind::DateTime | MomentKind::DateTimeRange => MomentKind::DateTimeRange,
            MomentKind::Duration | MomentKind::Set => return None,
        };
        Some(Self {
            start,
            kind,
            readings: readings?,
            modifier: Some(modifier),
            weak: false,
            ..self
        })
    }

    pub(super) fn into_moment(self, now: DateTime) -> Moment {
        let Self { kind, modifier, .. } = self;
        let readings =
            self.readings.into_iter().map(|(timex, at)| Reading { timex, kind, modifier, at });
        Moment::new(kind, readings.collect(), now)
    }
}

/// The hours of a part of the day; the night ends with the last second of the day.
fn hours_of(part: DayPart) -> (Time, Time) {
    let end = if part.end == 24 { Time::constant(23, 59, 59, 0) } else { hour(part.end) };
    (hour(part.start), end)
}

fn hour(hour: i8) -> Time {
    Time::new(hour, 0, 0, 0).unwrap_or(Time::midnight())
}
