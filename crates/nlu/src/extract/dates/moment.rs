//! A date, a time, a stretch or a length as it was said, with every way it can be read.

use std::fmt;

use jiff::civil::{Date, DateTime, Time};
use rust_decimal::Decimal;

/// A moment as it was said, and its readings; a bare weekday has two, the last one and the next
/// one.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    pub kind: MomentKind,
    pub readings: Vec<Reading>,
    /// The reading that a customer most likely means: the first that is not over yet, by day
    /// rather than by night.
    preferred: usize,
}

/// The hour from which a time with two readings is taken for one of the day.
const FIRST_HOUR: i8 = 7;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MomentKind {
    Date,
    Time,
    DateTime,
    DateRange,
    TimeRange,
    DateTimeRange,
    Duration,
    /// Something that repeats: `cada lunes`.
    Set,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// The words as TIMEX, with `X` for the parts that were not said: `XXXX-WXX-2`.
    pub timex: String,
    pub kind: MomentKind,
    /// `before`, `after`, `since`, `until`, `approx`, `start`, `mid`, `end`, `more` or `less`.
    pub modifier: Option<&'static str>,
    pub at: At,
}

#[derive(Clone, Debug, PartialEq)]
pub enum At {
    Point(Point),
    Between {
        start: Option<Point>,
        /// The first instant that is no longer inside.
        end: Option<Point>,
    },
    Seconds(Decimal),
    Unresolved,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    Date(Date),
    Time(Time),
    DateTime(DateTime),
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Date(date) => write!(f, "{date}"),
            Self::Time(time) => write!(f, "{}", clock(*time)),
            Self::DateTime(at) => write!(f, "{} {}", at.date(), clock(at.time())),
        }
    }
}

fn clock(time: Time) -> String {
    format!("{:02}:{:02}:{:02}", time.hour(), time.minute(), time.second())
}

impl Moment {
    pub(super) fn new(kind: MomentKind, readings: Vec<Reading>, now: DateTime) -> Self {
        let ahead = |reading: &Reading| reading.is_ahead(now);
        let awake = readings.iter().position(|reading| ahead(reading) && reading.at.is_by_day());
        let preferred = awake.or_else(|| readings.iter().position(ahead)).unwrap_or(0);
        Self { kind, readings, preferred }
    }

    /// The reading that a customer most likely means.
    pub fn preferred(&self) -> Option<&Reading> {
        self.readings.get(self.preferred)
    }

    /// The preferred reading as ISO text; a stretch as `start/end`.
    pub fn canonical(&self) -> String {
        let text = |point: &Option<Point>| point.map_or_else(|| "..".to_owned(), |p| p.to_string());
        match self.preferred().map(|reading| (&reading.at, &reading.timex)) {
            None => String::new(),
            Some((At::Unresolved, timex)) => timex.clone(),
            Some((At::Point(point), _)) => point.to_string(),
            Some((At::Between { start, end }, _)) => format!("{}/{}", text(start), text(end)),
            Some((At::Seconds(seconds), _)) => seconds.normalize().to_string(),
        }
    }
}

impl At {
    /// Whether the reading is by day, because nobody who says `a las 5` to a shop means five in the
    /// morning.
    fn is_by_day(&self) -> bool {
        let hour = |point: &Point| match point {
            Point::Date(_) => FIRST_HOUR,
            Point::Time(time) => time.hour(),
            Point::DateTime(at) => at.hour(),
        };
        match self {
            Self::Point(point) => hour(point) >= FIRST_HOUR,
            Self::Between { start: Some(start), .. } => hour(start) >= FIRST_HOUR,
            Self::Between { start: None, .. } | Self::Seconds(_) | Self::Unresolved => true,
        }
    }
}

impl Reading {
    fn is_ahead(&self, now: DateTime) -> bool {
        let ahead = |point: &Point| match point {
            Point::Date(date) => *date >= now.date(),
            Point::Time(time) => *time >= now.time(),
            Point::DateTime(at) => *at >= now,
        };
        match &self.at {
            At::Point(point) => ahead(point),
            At::Between { end: Some(end), .. } => ahead(end),
            At::Between { end: None, .. } | At::Seconds(_) | At::Unresolved => true,
        }
    }
}

impl MomentKind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Date => "date",
            Self::Time => "time",
            Self::DateTime => "datetime",
            Self::DateRange => "daterange",
            Self::TimeRange => "timerange",
            Self::DateTimeRange => "datetimerange",
            Self::Duration => "duration",
            Self::Set => "set",
        }
    }
}
