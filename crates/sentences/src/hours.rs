//! The hours of a business in words: its week, today, and when it opens next.

use crate::table::wordings;

wordings! {
    /// All wordings of hours, as the customers of one pack read them.
    Hours,
    /// The wordings of hours that are said otherwise: by a locale than by its language, or by a pack.
    ReplacedHours,
    &[
        ("es", include_str!("../locales/hours/es.yaml")),
        ("en", include_str!("../locales/hours/en.yaml")),
        ("es-AR", include_str!("../locales/hours/es-AR.yaml")),
    ];
    /// A day of the week, in a span of days or as the next one.
    monday(), up to 20;
    /// As `monday`, of Tuesday.
    tuesday(), up to 20;
    /// As `monday`, of Wednesday.
    wednesday(), up to 20;
    /// As `monday`, of Thursday.
    thursday(), up to 20;
    /// As `monday`, of Friday.
    friday(), up to 20;
    /// As `monday`, of Saturday.
    saturday(), up to 20;
    /// As `monday`, of Sunday.
    sunday(), up to 20;
    /// A day of every week.
    mondays(), up to 20;
    /// As `mondays`, of Tuesdays.
    tuesdays(), up to 20;
    /// As `mondays`, of Wednesdays.
    wednesdays(), up to 20;
    /// As `mondays`, of Thursdays.
    thursdays(), up to 20;
    /// As `mondays`, of Fridays.
    fridays(), up to 20;
    /// As `mondays`, of Saturdays.
    saturdays(), up to 20;
    /// As `mondays`, of Sundays.
    sundays(), up to 20;
    /// Two days after each other with the same hours.
    two_days(first, last), up to 60;
    /// A span of days with the same hours.
    span_of_days(first, last), up to 60;
    /// Days, and the hours they have.
    days_with_hours(days, hours), up to 60;
    /// A time on the hour; any other is written as 17:30.
    on_the_hour(hour), up to 20;
    /// From an opening to a closing.
    stretch(opens, closes), up to 60;
    /// The stretches of a day, already listed.
    stretches(listed), up to 60;
    /// The day it is.
    today(), up to 20;
    /// The day after.
    tomorrow(), up to 20;
    /// The day it is, when it is a holiday.
    holiday(name), up to 60;
    /// The day it is, and its hours.
    open(day, hours), up to 60;
    /// The day it is, without hours.
    closed(day), up to 60;
    /// A day within the next seven, as the next one with hours.
    this_week(day), up to 60;
    /// A later day, as the next one with hours.
    next_week(day), up to 60;
    /// The day and time of the next opening.
    opens_at(day, time), up to 60;
    /// As `opens_at`, at one o'clock or some minutes past.
    opens_at_one(day, time), up to 60;
}

impl Hours {
    /// A day of the week, counted from Monday.
    pub fn weekday(&self, day: usize) -> String {
        match day {
            0 => self.monday(),
            1 => self.tuesday(),
            2 => self.wednesday(),
            3 => self.thursday(),
            4 => self.friday(),
            5 => self.saturday(),
            _ => self.sunday(),
        }
    }

    /// A day of every week, counted from Monday.
    pub fn every(&self, day: usize) -> String {
        match day {
            0 => self.mondays(),
            1 => self.tuesdays(),
            2 => self.wednesdays(),
            3 => self.thursdays(),
            4 => self.fridays(),
            5 => self.saturdays(),
            _ => self.sundays(),
        }
    }
}
