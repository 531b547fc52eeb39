//! Dates and times as customers say them, read at a fixed moment of a fixed zone.

use jiff::tz::{TimeZone, offset};
use nlu::{Country, Extractor, Locale, Normalized, Value, ValueKind};

/// Each case is a message and its moments as `kind:text=value`; now is Wednesday 4 March 2026, 10:00.
fn check(country: Country, cases: &[(&str, &[&str])]) {
    let extractor = Extractor::new(&Locale {
        country,
        time_zone: TimeZone::fixed(offset(-3)),
        cities: Vec::new(),
        products: Vec::new(),
    });
    for (text, expected) in cases {
        let now = "2026-03-04T13:00:00Z".parse().unwrap();
        let found = extractor.find_kinds(&Normalized::new(text), now, &[ValueKind::Moment]);
        let got: Vec<_> = found
            .iter()
            .map(|found| match &found.value {
                Value::Moment(moment) => {
                    format!("{}:{}={}", moment.kind.name(), found.text, moment.canonical())
                }
                other => format!("{other:?}"),
            })
            .collect();
        assert_eq!(got, *expected, "{text:?}");
    }
}

#[test]
fn days_are_counted_from_today() {
    check(
        Country::AR,
        &[
            ("hoy", &["date:hoy=2026-03-04"]),
            ("mañana", &["date:mañana=2026-03-05"]),
            ("pasado mañana", &["date:pasado mañana=2026-03-06"]),
            ("anteayer", &["date:anteayer=2026-03-02"]),
            ("en 3 días", &["date:en 3 días=2026-03-07"]),
            ("dentro de dos semanas", &["date:dentro de dos semanas=2026-03-18"]),
            ("hace un mes", &["date:hace un mes=2026-02-04"]),
            ("tres días a partir de mañana", &["date:tres días a partir de mañana=2026-03-08"]),
            ("tomorrow", &["date:tomorrow=2026-03-05"]),
        ],
    );
}

#[test]
fn weekdays_are_the_coming_ones_unless_said_otherwise() {
    check(
        Country::AR,
        &[
            ("el lunes", &["date:lunes=2026-03-09"]),
            ("el miércoles", &["date:miércoles=2026-03-04"]),
            ("el lunes que viene", &["date:lunes que viene=2026-03-09"]),
            ("el viernes que viene", &["date:viernes que viene=2026-03-06"]),
            ("el próximo viernes", &["date:próximo viernes=2026-03-13"]),
            ("el viernes pasado", &["date:viernes pasado=2026-02-27"]),
            ("este sábado", &["date:este sábado=2026-03-07"]),
            (
                "el jueves de la semana que viene",
                &["date:jueves de la semana que viene=2026-03-12"],
            ),
            ("el sábado 14", &["date:sábado 14=2026-03-14"]),
        ],
    );
}

#[test]
fn written_dates_follow_the_order_of_the_country() {
    check(
        Country::AR,
        &[
            ("martes 11/02", &["date:martes 11/02=2027-02-11"]),
            ("el 3 de abril", &["date:3 de abril=2026-04-03"]),
            ("1ro de mayo de 2027", &["date:1ro de mayo de 2027=2027-05-01"]),
            ("veintidós de febrero", &["date:veintidós de febrero=2027-02-22"]),
            ("05-ago-26", &["date:05-ago-26=2026-08-05"]),
            ("1/4/2026", &["date:1/4/2026=2026-04-01"]),
            ("12/25", &["date:12/25=2026-12-25"]),
            ("el 21 del 3", &["date:21 del 3=2026-03-21"]),
            ("el día 18", &["date:el día 18=2026-03-18"]),
            ("2026-04-05", &["date:2026-04-05=2026-04-05"]),
            ("30 de febrero", &["date:30 de febrero=XXXX-02-30"]),
            ("navidad", &["date:navidad=2026-12-25"]),
            ("32/13", &[]),
            ("133-03-03-2020", &[]),
        ],
    );
    check(
        Country::US,
        &[
            ("4/5/2026", &["date:4/5/2026=2026-04-05"]),
            ("25/12/2026", &["date:25/12/2026=2026-12-25"]),
            ("March 3rd, 2027", &["date:March 3rd, 2027=2027-03-03"]),
        ],
    );
}

#[test]
fn times_are_read_with_their_half_of_the_day() {
    check(
        Country::AR,
        &[
            ("10:30 hs", &["time:10:30 hs=10:30:00"]),
            ("a las 5 y media de la tarde", &["time:5 y media de la tarde=17:30:00"]),
            ("a las 5", &["time:5=17:00:00"]),
            ("a las 11", &["time:11=11:00:00"]),
            ("seis menos cuarto de la tarde", &["time:seis menos cuarto de la tarde=17:45:00"]),
            ("8 p.m.", &["time:8 p.m.=20:00:00"]),
            ("12 am", &["time:12 am=00:00:00"]),
            ("14h", &["time:14h=14:00:00"]),
            ("al mediodía", &["time:mediodía=12:00:00"]),
            ("a las 12 de la noche", &["time:12 de la noche=00:00:00"]),
            ("por la tarde", &["timerange:la tarde=16:00:00/20:00:00"]),
            ("de 9 a 18 hs", &["timerange:de 9 a 18 hs=09:00:00/18:00:00"]),
            (
                "entre las 5 y las 6 de la tarde",
                &["timerange:entre las 5 y las 6 de la tarde=17:00:00/18:00:00"],
            ),
            ("después de las 18", &["timerange:después de las 18=18:00:00/.."]),
            ("25:70", &[]),
        ],
    );
}

#[test]
fn a_day_and_a_time_become_one() {
    check(
        Country::AR,
        &[
            ("tengo turno el 15 a las 10", &["datetime:15 a las 10=2026-03-15 10:00:00"]),
            ("mañana a las 5", &["datetime:mañana a las 5=2026-03-05 17:00:00"]),
            ("mañana a las 10", &["datetime:mañana a las 10=2026-03-05 10:00:00"]),
            (
                "a las 8 de la noche del viernes",
                &["datetime:8 de la noche del viernes=2026-03-06 20:00:00"],
            ),
            ("el sábado 14 a las 21 hs", &["datetime:sábado 14 a las 21 hs=2026-03-14 21:00:00"]),
            ("2026-03-05T10:30", &["datetime:2026-03-05T10:30=2026-03-05 10:30:00"]),
            ("esta noche a las 9", &["datetime:esta noche a las 9=2026-03-04 21:00:00"]),
            (
                "mañana por la tarde a las 5",
                &["datetime:mañana por la tarde a las 5=2026-03-05 17:00:00"],
            ),
            (
                "el viernes a la noche",
                &["datetimerange:viernes a la noche=2026-03-06 20:00:00/2026-03-06 23:59:59"],
            ),
            (
                "lunes de 9 a 13",
                &["datetimerange:lunes de 9 a 13=2026-03-09 09:00:00/2026-03-09 13:00:00"],
            ),
            ("en dos horas", &["datetime:en dos horas=2026-03-04 12:00:00"]),
            ("dentro de 15 minutos", &["datetime:dentro de 15 minutos=2026-03-04 10:15:00"]),
            (
                "el jueves o el viernes a las 9",
                &["date:jueves=2026-03-05", "datetime:viernes a las 9=2026-03-06 09:00:00"],
            ),
        ],
    );
}

#[test]
fn stretches_have_a_first_day_and_a_day_after_the_last() {
    check(
        Country::AR,
        &[
            ("del 10 al 20 de abril", &["daterange:del 10 al 20 de abril=2026-04-10/2026-04-20"]),
            ("la semana que viene", &["daterange:la semana que viene=2026-03-09/2026-03-16"]),
            ("este fin de semana", &["daterange:este fin de semana=2026-03-07/2026-03-09"]),
            ("el mes pasado", &["daterange:mes pasado=2026-02-01/2026-03-01"]),
            ("en abril", &["daterange:abril=2026-04-01/2026-05-01"]),
            ("los próximos 3 días", &["daterange:próximos 3 días=2026-03-05/2026-03-08"]),
            ("antes del viernes", &["daterange:antes del viernes=../2026-03-06"]),
            ("desde mañana", &["daterange:desde mañana=2026-03-05/.."]),
            (
                "entre diciembre y febrero",
                &["daterange:entre diciembre y febrero=2026-12-01/2027-02-01"],
            ),
            ("principios de abril", &["daterange:principios de abril=2026-04-01/2026-04-16"]),
        ],
    );
}

#[test]
fn lengths_and_repetitions_are_no_dates() {
    check(
        Country::AR,
        &[
            ("dos horas y media", &["duration:dos horas y media=9000"]),
            ("media hora", &["duration:media hora=1800"]),
            ("un par de días", &["duration:un par de días=172800"]),
            ("más de 3 años", &["duration:más de 3 años=94608000"]),
            ("cada lunes a las 4 pm", &["set:cada lunes a las 4 pm=XXXX-WXX-1T16"]),
            ("todos los días", &["set:todos los días=P1D"]),
            ("buenos días", &[]),
            ("por la zona", &[]),
        ],
    );
}
