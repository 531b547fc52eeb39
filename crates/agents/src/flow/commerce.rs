//! The profile of a business at a moment: whether it is open, and when it opens next.

use std::borrow::Cow;

use jiff::civil::{Date, DateTime};
use pack::files::{Commerce, Stretch};
use serde_json::{Value, json};

use super::spec::Spec;
use crate::form::say::join;

/// As far ahead as the next opening is looked for.
const DAYS_AHEAD: i64 = 14;

const DAYS: [&str; 7] = ["lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo"];

/// The profile of a business, with the facts of it that no moment changes.
pub(super) struct Business {
    profile: Commerce,
    told: Value,
    week: Value,
}

impl Business {
    pub(super) fn new(profile: Commerce) -> Self {
        let told = serde_json::to_value(&profile).unwrap_or_default();
        Self { told, week: json!(week(&profile)), profile }
    }
}

/// The profile at a moment. Most turns ask for one fact or none, so each is made when it is asked for.
pub(super) struct Moment<'a> {
    business: Option<&'a Business>,
    now: DateTime,
}

impl<'a> Moment<'a> {
    pub(super) fn new(spec: &'a Spec, now: domain::Timestamp) -> Self {
        let now = jiff::Timestamp::from_millisecond(now.millis()).unwrap_or_default();
        let now = now.to_zoned(spec.time_zone.clone()).datetime();
        Self { business: spec.business.as_ref(), now }
    }

    /// A fact of the moment; nothing is closed that says no hours.
    pub(super) fn fact(&self, name: &str) -> Option<Cow<'a, Value>> {
        let Some(Business { profile, told, week }) = self.business else { return unknown(name) };
        Some(match name {
            "abierto" => Cow::Owned(json!(is_open(profile, self.now))),
            "horario" => Cow::Borrowed(week),
            "horario_hoy" => Cow::Owned(json!(today(profile, self.now.date()))),
            "abre" => Cow::Owned(json!(opens_next(profile, self.now))),
            "comercio" => Cow::Borrowed(told),
            _ => return None,
        })
    }
}

fn unknown(name: &str) -> Option<Cow<'static, Value>> {
    Some(Cow::Owned(match name {
        "abierto" => json!(true),
        "horario" | "horario_hoy" | "abre" => json!(""),
        "comercio" => json!({}),
        _ => return None,
    }))
}

fn minute(at: DateTime) -> u16 {
    u16::from(at.hour().unsigned_abs()) * 60 + u16::from(at.minute().unsigned_abs())
}

fn is_open(commerce: &Commerce, now: DateTime) -> bool {
    let minute = minute(now);
    let (stretches, _) = on(commerce, now.date());
    stretches.iter().any(|stretch| (stretch.opens..stretch.closes).contains(&minute))
}

/// The hours of a day, and the holiday it is.
fn on(commerce: &Commerce, date: Date) -> (&[Stretch], Option<&str>) {
    let (every, once) = (date.strftime("%m-%d").to_string(), date.strftime("%Y-%m-%d").to_string());
    let holidays = &commerce.holidays;
    // A holiday of this year goes before the same day of every year.
    let holiday = holidays.iter().find(|day| day.date == once);
    match holiday.or_else(|| holidays.iter().find(|day| day.date == every)) {
        Some(holiday) => (&holiday.hours, Some(&holiday.name)),
        None => {
            let day = usize::try_from(date.weekday().to_monday_zero_offset()).unwrap_or(0);
            (commerce.hours.days()[day], None)
        }
    }
}

/// A week, days with the same hours together: «de lunes a viernes de 9 a 20hs y sábados de 10 a 14hs».
fn week(commerce: &Commerce) -> String {
    let days = commerce.hours.days();
    let mut groups: Vec<(usize, usize)> = Vec::new();
    for day in 0..days.len() {
        match groups.last_mut() {
            Some((_, last)) if days[*last] == days[day] && *last + 1 == day => *last = day,
            _ => groups.push((day, day)),
        }
    }
    let open = groups.into_iter().filter(|(first, _)| !days[*first].is_empty());
    let said = open.map(|(first, last)| {
        let hours = stretches(days[first]);
        match last - first {
            0 => format!("{} {hours}", plural(first)),
            1 => format!("{} y {} {hours}", plural(first), plural(last)),
            _ => format!("de {} a {} {hours}", DAYS[first], DAYS[last]),
        }
    });
    join(&said.collect::<Vec<_>>(), "y")
}

/// «los sábados»: a day of every week.
fn plural(day: usize) -> String {
    let name = DAYS[day];
    if name.ends_with('s') { name.to_owned() } else { format!("{name}s") }
}

/// «de 9 a 13 y de 17 a 21hs».
fn stretches(stretches: &[Stretch]) -> String {
    let said: Vec<String> = stretches
        .iter()
        .map(|stretch| format!("de {} a {}", hour(stretch.opens), hour(stretch.closes)))
        .collect();
    format!("{}hs", join(&said, "y"))
}

fn hour(minutes: u16) -> String {
    match minutes % 60 {
        0 => format!("{}", minutes / 60),
        rest => format!("{}:{rest:02}", minutes / 60),
    }
}

fn today(commerce: &Commerce, date: Date) -> String {
    let (hours, holiday) = on(commerce, date);
    let day = holiday.map_or_else(|| "hoy".to_owned(), |name| format!("hoy, {name},"));
    if hours.is_empty() { format!("{day} cerrado") } else { format!("{day} {}", stretches(hours)) }
}

/// When it opens next: «hoy a las 17», «mañana a las 9», «el lunes a las 9»; empty if it never does.
fn opens_next(commerce: &Commerce, now: DateTime) -> String {
    let minute = minute(now);
    for ahead in 0..DAYS_AHEAD {
        let Ok(date) = now.date().checked_add(jiff::Span::new().days(ahead)) else { break };
        let (hours, _) = on(commerce, date);
        let next =
            hours.iter().map(|stretch| stretch.opens).filter(|opens| ahead > 0 || *opens > minute);
        let Some(opens) = next.min() else { continue };
        let day = match ahead {
            0 => "hoy".to_owned(),
            1 => "mañana".to_owned(),
            _ => {
                let day = usize::try_from(date.weekday().to_monday_zero_offset()).unwrap_or(0);
                let week = if ahead >= 7 { " de la otra semana" } else { "" };
                format!("el {}{week}", DAYS[day])
            }
        };
        let article = if opens / 60 == 1 { "la" } else { "las" };
        return format!("{day} a {article} {}", hour(opens));
    }
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pack::files::{Holiday, Hours};

    fn shop() -> Commerce {
        let stretch = |text: &str| Stretch::try_from(text.to_owned()).unwrap();
        let all_day = || vec![stretch("9:00-20:00")];
        Commerce {
            hours: Hours {
                lunes: all_day(),
                martes: all_day(),
                miercoles: all_day(),
                jueves: all_day(),
                viernes: all_day(),
                sabado: vec![stretch("10:00-14:00")],
                domingo: Vec::new(),
            },
            holidays: vec![
                Holiday { date: "12-25".into(), name: "Navidad".into(), hours: Vec::new() },
                Holiday {
                    date: "2026-12-24".into(),
                    name: "Nochebuena".into(),
                    hours: vec![stretch("9:30-13:00")],
                },
            ],
            ..Commerce::default()
        }
    }

    #[test]
    fn a_moment_is_open_or_closed_by_the_day_its_hours_and_holidays() {
        for (at, open, today_is, next) in [
            ("2026-11-17T08:59", false, "hoy de 9 a 20hs", "hoy a las 9"),
            ("2026-11-17T09:00", true, "hoy de 9 a 20hs", "mañana a las 9"),
            ("2026-11-17T19:59", true, "hoy de 9 a 20hs", "mañana a las 9"),
            ("2026-11-17T20:00", false, "hoy de 9 a 20hs", "mañana a las 9"),
            ("2026-11-21T14:30", false, "hoy de 10 a 14hs", "el lunes a las 9"),
            ("2026-11-22T12:00", false, "hoy cerrado", "mañana a las 9"),
            ("2026-12-24T13:00", false, "hoy, Nochebuena, de 9:30 a 13hs", "el sábado a las 10"),
            ("2026-12-25T12:00", false, "hoy, Navidad, cerrado", "mañana a las 10"),
            ("2027-12-24T12:00", true, "hoy de 9 a 20hs", "el lunes a las 9"),
        ] {
            let now: DateTime = at.parse().unwrap();
            let shop = shop();
            let told = (is_open(&shop, now), today(&shop, now.date()), opens_next(&shop, now));
            assert_eq!(told, (open, today_is.to_owned(), next.to_owned()), "{at}");
        }
        assert_eq!(opens_next(&Commerce::default(), "2026-11-17T08:59".parse().unwrap()), "");
    }

    #[test]
    fn a_week_is_told_with_equal_days_together() {
        assert_eq!(week(&shop()), "de lunes a viernes de 9 a 20hs y sábados de 10 a 14hs");
        let mut split = shop();
        let stretch = |text: &str| Stretch::try_from(text.to_owned()).unwrap();
        split.hours.lunes = vec![stretch("9:00-13:00"), stretch("17:00-21:30")];
        split.hours.martes = split.hours.lunes.clone();
        split.hours.sabado.clear();
        let said =
            "lunes y martes de 9 a 13 y de 17 a 21:30hs y de miércoles a viernes de 9 a 20hs";
        assert_eq!(week(&split), said);
        assert_eq!(week(&Commerce::default()), "");
    }
}
