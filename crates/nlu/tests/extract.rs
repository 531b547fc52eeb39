//! Values found in messages as customers write them: tables of messages and their values.

use jiff::Timestamp;
use jiff::tz::{TimeZone, offset};
use nlu::{City, Country, Extractor, Locale, Normalized, Value};

/// A Wednesday, at ten in the morning in Buenos Aires.
const NOW: &str = "2026-03-04T13:00:00Z";

fn now() -> Timestamp {
    NOW.parse().unwrap()
}

fn extractor(country: Country) -> Extractor {
    let city = |name: &str, aliases: &[&str]| City {
        name: name.to_owned(),
        aliases: aliases.iter().map(|alias| (*alias).to_owned()).collect(),
    };
    Extractor::new(&Locale {
        country,
        time_zone: TimeZone::fixed(offset(-3)),
        cities: vec![
            city("Córdoba", &[]),
            city("Buenos Aires", &["CABA", "Capital Federal"]),
            city("Bogotá", &[]),
            city("San Carlos", &[]),
            city("San Carlos de Bariloche", &["Bariloche"]),
        ],
        products: Vec::new(),
    })
}

/// The values found, each as `kind:text=value`.
fn found(country: Country, text: &str) -> Vec<String> {
    extractor(country)
        .find(&Normalized::new(text), now())
        .iter()
        .map(|found| {
            let kind = match &found.value {
                Value::Moment(moment) => moment.kind.name(),
                value => value.kind().name(),
            };
            format!("{kind}:{}={}", found.text, found.value.canonical())
        })
        .collect()
}

fn check(country: Country, cases: &[(&str, &[&str])]) {
    for (text, expected) in cases {
        assert_eq!(found(country, text), *expected, "{text:?}");
    }
}

#[test]
fn emails_are_read_as_typed_and_as_said() {
    check(
        Country::AR,
        &[
            ("mi mail es Ana.Perez@Gmail.com.", &["email:Ana.Perez@Gmail.com=ana.perez@gmail.com"]),
            ("juan arroba gmail punto com", &["email:juan arroba gmail punto com=juan@gmail.com"]),
            (
                "juan punto perez arroba x punto com punto ar",
                &["email:juan punto perez arroba x punto com punto ar=juan.perez@x.com.ar"],
            ),
            (
                "ana guion bajo lopez arroba x.com",
                &["email:ana guion bajo lopez arroba x.com=ana_lopez@x.com"],
            ),
            ("juan @ gmail.com, gracias", &["email:juan @ gmail.com=juan@gmail.com"]),
            ("mailto:ana@x.com.ar", &["email:ana@x.com.ar=ana@x.com.ar"]),
            ("a..b@x.com y .c@x.com", &[]),
            ("ana@x_y.com", &[]),
            ("ana@empresa", &[]),
        ],
    );
}

#[test]
fn web_addresses_are_told_from_emails_and_from_forgotten_blanks() {
    check(
        Country::AR,
        &[
            ("miempresa.com.ar", &["url:miempresa.com.ar=miempresa.com.ar"]),
            (
                "mirá www.tienda.com/Ruta?x=1.",
                &["url:www.tienda.com/Ruta?x=1=www.tienda.com/Ruta?x=1"],
            ),
            (
                "https://x.com, http://localhost:80",
                &["url:https://x.com=https://x.com", "url:http://localhost:80=http://localhost:80"],
            ),
            ("gracias.no me interesa", &[]),
            ("hola.como estas", &[]),
            ("ana@x.com", &["email:ana@x.com=ana@x.com"]),
        ],
    );
}

#[test]
fn phones_of_the_country_are_found_with_their_international_form() {
    check(
        Country::AR,
        &[
            ("+54 9 11 5555-4444", &["phone:+54 9 11 5555-4444=+5491155554444"]),
            ("(011) 4555-1234", &["phone:(011) 4555-1234=+541145551234"]),
            ("mi cel: 11.4555.1234", &["phone:11.4555.1234=+541145551234"]),
            ("tel 45551234", &["phone:45551234=+5445551234"]),
            ("mi tarjeta 4555123412341234", &["number:4555123412341234=4555123412341234"]),
            ("salió 16-04-2025", &["date:16-04-2025=2025-04-16"]),
            ("5.000.000", &["number:5.000.000=5000000"]),
        ],
    );
    check(Country::CO, &[("llámame al 300 649 0760", &["phone:300 649 0760=+573006490760"])]);
    check(Country::US, &[("call (202) 555-0123 x12", &["phone:(202) 555-0123 x12=+12025550123"])]);
}

#[test]
fn numbers_are_read_in_digits_and_in_words() {
    check(
        Country::AR,
        &[
            ("1.234,56", &["number:1.234,56=1234.56"]),
            ("1,234.56", &["number:1,234.56=1234.56"]),
            ("2 mil", &["number:2 mil=2000"]),
            ("2 mil 500", &["number:2 mil 500=2500"]),
            ("15k", &["number:15k=15000"]),
            ("1.5 millones", &["number:1.5 millones=1500000"]),
            ("medio millón", &["number:medio millón=500000"]),
            ("tres millones y medio", &["number:tres millones y medio=3500000"]),
            ("mil quinientos veintitrés", &["number:mil quinientos veintitrés=1523"]),
            ("dos mil millones", &["number:dos mil millones=2000000000"]),
            ("mil mil", &["number:mil=1000", "number:mil=1000"]),
            ("dos coma cinco", &["number:dos coma cinco=2.5"]),
            ("docena y media", &["number:docena y media=18"]),
            ("un par", &["number:un par=2"]),
            ("menos cinco", &["number:menos cinco=-5"]),
            ("-1,5", &["number:-1,5=-1.5"]),
            ("dos tercios", &["number:dos tercios=0.666666666666667"]),
            ("¾", &["number:¾=0.75"]),
            ("two hundred and five", &["number:two hundred and five=205"]),
            ("twenty-five", &["number:twenty-five=25"]),
            ("A1B2", &[]),
            ("tengo una consulta", &[]),
        ],
    );
    check(Country::MX, &[("1,234", &["number:1,234=1234"]), ("1.5", &["number:1.5=1.5"])]);
}

#[test]
fn ordinals_and_percentages_are_no_plain_numbers() {
    check(
        Country::AR,
        &[
            ("el segundo", &["ordinal:segundo=2"]),
            ("vigésimo quinto", &["ordinal:vigésimo quinto=25"]),
            ("el 3er piso y la 2da", &["ordinal:3er=3", "ordinal:2da=2"]),
            ("el último", &["ordinal:último=end+0"]),
            ("15%", &["percent:15%=15"]),
            ("veinte por ciento", &["percent:veinte por ciento=20"]),
            ("-2,5 %", &["percent:-2,5 %=-2.5"]),
        ],
    );
}

#[test]
fn money_takes_its_currency_from_the_sign_the_name_or_the_country() {
    let money = |country: Country, text: &str| -> Vec<(String, Option<&'static str>)> {
        extractor(country)
            .find(&Normalized::new(text), now())
            .into_iter()
            .filter_map(|found| match found.value {
                Value::Money { amount, currency } => {
                    Some((amount.normalize().to_string(), currency))
                }
                _ => None,
            })
            .collect()
    };
    for (country, text, expected) in [
        (Country::AR, "$ 5.000", vec![("5000", Some("ARS"))]),
        (Country::CO, "$5.000", vec![("5000", Some("COP"))]),
        (Country::US, "$5.00", vec![("5", Some("USD"))]),
        (Country::ES, "5,50 €", vec![("5.5", Some("EUR"))]),
        (Country::AR, "5 lucas", vec![("5000", Some("ARS"))]),
        (Country::AR, "2 palos", vec![("2000000", Some("ARS"))]),
        (Country::AR, "50 mil pesos", vec![("50000", Some("ARS"))]),
        (
            Country::AR,
            "USD 200 o US$ 300 o u$s 400",
            vec![("200", Some("USD")), ("300", Some("USD")), ("400", Some("USD"))],
        ),
        (Country::AR, "200 dólares con 50", vec![("200.5", Some("USD"))]),
        (Country::AR, "trece euros y cinco centavos", vec![("13.05", Some("EUR"))]),
        (Country::AR, "30 centavos", vec![("0.3", Some("ARS"))]),
        (Country::AR, "entre 100 y 200 mil", vec![("100000", None), ("200000", None)]),
        (
            Country::AR,
            "entre 100 y 200 mil pesos",
            vec![("100000", Some("ARS")), ("200000", Some("ARS"))],
        ),
        (Country::CO, "2 libras de arroz", vec![]),
    ] {
        let expected: Vec<_> =
            expected.into_iter().map(|(amount, currency)| (amount.to_owned(), currency)).collect();
        assert_eq!(money(country, text), expected, "{text}");
    }
}

#[test]
fn names_stop_where_the_sentence_goes_on() {
    check(
        Country::AR,
        &[
            ("soy Ana", &["name:Ana=Ana"]),
            ("soy ana y mi correo es a@x.com", &["name:ana=Ana", "email:a@x.com=a@x.com"]),
            ("me llamo José Luis Pérez", &["name:José Luis Pérez=José Luis Pérez"]),
            ("me llamo jose luis perez", &["name:jose luis perez=Jose Luis Perez"]),
            (
                "mi nombre es MARÍA DE LOS ÁNGELES GÓMEZ",
                &["name:MARÍA DE LOS ÁNGELES GÓMEZ=María de los Ángeles Gómez"],
            ),
            ("soy Juan de la Torre, hola", &["name:Juan de la Torre=Juan de la Torre"]),
            ("Me llamo Ana\nCórdoba", &["name:Ana=Ana", "city:Córdoba=Córdoba"]),
            ("habla Carlos", &["name:Carlos=Carlos"]),
            ("Ana por acá", &["name:Ana=Ana"]),
            ("my name is John Smith and I live here", &["name:John Smith=John Smith"]),
            ("a nombre de Laura Gómez", &["name:Laura Gómez=Laura Gómez"]),
            ("soy de Bogotá", &["city:Bogotá=Bogotá"]),
            ("soy cliente", &[]),
            ("soy el dueño", &[]),
            ("soy vegano", &[]),
            ("se habla español", &[]),
        ],
    );
}

#[test]
fn addresses_keep_their_flat_and_leave_the_city() {
    check(
        Country::AR,
        &[
            (
                "Av. Corrientes 1234 3° B",
                &["address:Av. Corrientes 1234 3° B=Av. Corrientes 1234 3° B"],
            ),
            (
                "San Martín 450, Córdoba",
                &["address:San Martín 450=San Martín 450", "city:Córdoba=Córdoba"],
            ),
            (
                "mi dirección es belgrano 123 piso 2 depto A, caba",
                &[
                    "address:belgrano 123 piso 2 depto A=belgrano 123 piso 2 depto A",
                    "city:caba=Buenos Aires",
                ],
            ),
            (
                "Avenida 9 de Julio 1200",
                &["address:Avenida 9 de Julio 1200=Avenida 9 de Julio 1200"],
            ),
            ("Quiero 20", &["number:20=20"]),
            ("mandame todo a belgrano 1340", &["address:belgrano 1340=belgrano 1340"]),
            ("mandamelo a mitre 450 porfa", &["address:mitre 450=mitre 450"]),
            ("llevá el pedido a las heras 2200", &["address:las heras 2200=las heras 2200"]),
            (
                "traemelo a gascon 87, timbre 2",
                &["address:gascon 87, timbre 2=gascon 87, timbre 2"],
            ),
            ("es para yatay 340", &["address:yatay 340=yatay 340"]),
            // Goods and hours are no houses.
            ("mandame a casa 2 cocas", &["quantity:2 cocas=2"]),
            ("llevalo a las 20", &["time:20=20:00:00"]),
        ],
    );
    check(
        Country::CO,
        &[
            (
                "Calle 45 # 12-34 apto 502",
                &["address:Calle 45 # 12-34 apto 502=Calle 45 # 12-34 apto 502"],
            ),
            ("Cra 7 No. 32-16", &["address:Cra 7 No. 32-16=Cra 7 No. 32-16"]),
            (
                "vivo en tunja cra 7 # 12-45 int 3",
                &["address:cra 7 # 12-45 int 3=cra 7 # 12-45 int 3"],
            ),
            (
                "cra 15a bis # 93b-20 torre 2",
                &["address:cra 15a bis # 93b-20 torre 2=cra 15a bis # 93b-20 torre 2"],
            ),
        ],
    );
}

#[test]
fn cities_are_whole_words_and_the_longest_wins() {
    check(
        Country::AR,
        &[
            ("vivo en cordoba capital", &["city:cordoba=Córdoba"]),
            ("san carlos de bariloche", &["city:san carlos de bariloche=San Carlos de Bariloche"]),
            ("cordobazo", &[]),
        ],
    );
}

#[test]
fn yes_and_no_are_the_head_of_an_answer() {
    check(
        Country::AR,
        &[
            ("sí, dale", &["boolean:sí=true"]),
            ("No, gracias", &["boolean:No=false"]),
            ("¡Por supuesto que no!", &["boolean:Por supuesto que no=false"]),
            ("creo que sí", &["boolean:sí=true"]),
            ("avisame si llega", &[]),
            ("👍🏽", &["boolean:👍🏽=true"]),
        ],
    );
}

#[test]
fn several_values_of_one_message_are_all_found() {
    check(
        Country::AR,
        &[(
            "Hola, soy Laura Gómez, reserva para 4 personas el sábado a las 21:30, tel 11 5566-7788 o laura@x.com, seña $ 5.000",
            &[
                "name:Laura Gómez=Laura Gómez",
                "quantity:4 personas=4",
                "datetime:sábado a las 21:30=2026-03-07 21:30:00",
                "phone:11 5566-7788=+541155667788",
                "email:laura@x.com=laura@x.com",
                "money:$ 5.000=5000",
            ],
        )],
    );
}
