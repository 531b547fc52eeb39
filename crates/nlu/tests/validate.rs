//! Fields of a form: accepted values in their canonical form, and the customer's sentence for the
//! others.

use nlu::{Country, DocumentKind, FieldType, Invalid, Pattern, Phone, validate};
use proptest::prelude::*;

fn check(field: FieldType, country: Country, cases: &[(&str, Result<&str, &str>)]) {
    for (text, expected) in cases {
        let got = validate(field, text, country);
        let got = got.as_ref().map(|valid| valid.canonical.as_str()).map_err(Invalid::code);
        assert_eq!(got, *expected, "{text:?} as {field:?}");
    }
}

#[test]
fn an_email_needs_a_name_an_at_and_a_whole_domain() {
    check(
        FieldType::Email,
        Country::AR,
        &[
            ("ana@ejemplo.com", Ok("ana@ejemplo.com")),
            ("Ana.Lopez+ventas@Ejemplo.COM.ar", Ok("Ana.Lopez+ventas@ejemplo.com.ar")),
            ("test@c--n.com", Ok("test@c--n.com")),
            ("a@xn--hxajbheg2az3al.xn--jxalpdlp", Ok("a@xn--hxajbheg2az3al.xn--jxalpdlp")),
            ("", Err("empty")),
            ("   ", Err("empty")),
            ("ana.ejemplo.com", Err("email_without_at")),
            ("ana@@ejemplo.com", Err("email_with_several_ats")),
            ("ana@b@ejemplo.com", Err("email_with_several_ats")),
            ("@ejemplo.com", Err("email_without_name")),
            ("ana@", Err("email_without_domain")),
            ("ana@ejemplo", Err("email_domain_without_dot")),
            ("ana@ejemplo.c", Err("email_bad_domain")),
            ("ana@ejemplo.123", Err("email_bad_domain")),
            ("ana@-ejemplo.com", Err("email_bad_domain")),
            ("ana@ejemplo-.com", Err("email_bad_domain")),
            (".ana@ejemplo.com", Err("email_misplaced_dot")),
            ("ana..b@ejemplo.com", Err("email_misplaced_dot")),
            ("ana@ejemplo..com", Err("email_misplaced_dot")),
            ("ana @ejemplo.com", Err("email_with_spaces")),
            ("ana@ejemplo.com ", Err("email_with_spaces")),
            ("ana@ejemplo.com\r\n", Err("email_with_spaces")),
            ("ana(x)@ejemplo.com", Err("email_bad_character")),
            ("ana@ejem_plo.com", Err("email_bad_character")),
            ("ana\u{7f}@ejemplo.com", Err("email_bad_character")),
        ],
    );
    let local = "a".repeat(64);
    assert!(validate(FieldType::Email, &format!("{local}@ejemplo.com"), Country::AR).is_ok());
    assert_eq!(
        validate(FieldType::Email, &format!("{local}a@ejemplo.com"), Country::AR),
        Err(Invalid::EmailTooLong)
    );
    let label = "b".repeat(63);
    assert!(validate(FieldType::Email, &format!("a@{label}.com"), Country::AR).is_ok());
    assert_eq!(
        validate(FieldType::Email, &format!("a@{label}b.com"), Country::AR),
        Err(Invalid::EmailBadDomain)
    );
}

#[test]
fn a_phone_has_seven_to_fifteen_digits_and_only_its_signs() {
    check(
        FieldType::Phone,
        Country::AR,
        &[
            ("+54 9 11 5555-4444", Ok("+5491155554444")),
            ("(011) 4555-1234", Ok("+541145551234")),
            ("011 15-2345-6789", Ok("+5491123456789")),
            ("0800-123-4567", Ok("+548001234567")),
            ("4555.1234", Ok("+5445551234")),
            ("011 4555-1234 int. 12", Ok("+541145551234")),
            ("1234567", Ok("+541234567")),
            ("011 4555-1234, extensión 12", Ok("+541145551234")),
            ("123456", Err("phone_too_short")),
            ("1234567890123456", Err("phone_too_long")),
            ("4555-12a4", Err("phone_bad_character")),
            ("11+4555-1234", Err("phone_bad_character")),
            ("once cuatro", Err("phone_bad_character")),
        ],
    );
    check(
        FieldType::Phone,
        Country::CO,
        &[
            ("300 649 0760", Ok("+573006490760")),
            ("604 234 5678 ext 104", Ok("+576042345678")),
            ("55 1234 5678", Ok("+575512345678")),
        ],
    );
}

#[test]
fn the_numbering_plan_tells_valid_from_possible() {
    for (written, country, e164, region, valid, possible) in [
        ("0343 15 6711447", Country::AR, Some("+5493436711447"), Some("AR"), true, true),
        ("3796036130", Country::AR, Some("+543796036130"), Some("AR"), false, true),
        ("155696042", Country::AR, Some("+54155696042"), Some("AR"), false, false),
        ("+1 202 555 0123", Country::AR, Some("+12025550123"), Some("US"), true, true),
        ("(310) 9696847", Country::CO, Some("+573109696847"), Some("CO"), true, true),
        ("once cuatro", Country::AR, None, None, false, false),
    ] {
        let phone = Phone::read(written, country);
        assert_eq!(phone.e164.as_deref(), e164, "{written}");
        assert_eq!(phone.region.as_deref(), region, "{written}");
        assert_eq!((phone.valid, phone.possible), (valid, possible), "{written}");
    }
}

#[test]
fn a_web_address_says_http_and_has_a_host() {
    check(
        FieldType::Url,
        Country::AR,
        &[
            ("https://MiEmpresa.com/Ruta?X=1", Ok("https://miempresa.com/Ruta?X=1")),
            ("HTTP://miempresa.com", Ok("http://miempresa.com")),
            (" https://miempresa.com ", Ok("https://miempresa.com")),
            ("http://localhost:8080", Ok("http://localhost:8080")),
            ("miempresa.com", Err("url_without_scheme")),
            ("www.miempresa.com", Err("url_without_scheme")),
            ("ftp://miempresa.com", Err("url_without_scheme")),
            ("https://", Err("url_bad_domain")),
            ("https://miempresa", Err("url_bad_domain")),
            ("https://miempresa..com", Err("url_bad_domain")),
            ("https://miempresa.com:99999", Err("url_bad_domain")),
            ("https://mi empresa.com", Err("url_with_spaces")),
        ],
    );
    assert!(validate(FieldType::Url, &nlu::https_url("miempresa.com"), Country::AR).is_ok());
}

#[test]
fn a_number_is_read_in_digits_of_either_custom_or_in_words() {
    check(
        FieldType::Number,
        Country::AR,
        &[
            ("1500", Ok("1500")),
            ("-3,50", Ok("-3.5")),
            ("+7", Ok("7")),
            ("1.234,56", Ok("1234.56")),
            ("1,234.56", Ok("1234.56")),
            ("1.234", Ok("1234")),
            (" 2 mil ", Ok("2000")),
            ("treinta y cinco", Ok("35")),
            ("dos millones y medio", Ok("2500000")),
            ("1500.", Ok("1500")),
            ("12 monos", Err("number_unreadable")),
            ("12a", Err("number_unreadable")),
            ("abc", Err("number_unreadable")),
            ("1-2", Err("number_unreadable")),
        ],
    );
    check(FieldType::Number, Country::MX, &[("1,234", Ok("1234")), ("1.234", Ok("1.234"))]);
}

#[test]
fn text_only_must_not_be_empty() {
    let cases: [(&str, Result<&str, &str>); 3] =
        [(" hola ", Ok("hola")), ("\n", Err("empty")), ("ñ", Ok("ñ"))];
    check(FieldType::Text, Country::AR, &cases);
    let long = "a".repeat(10_001);
    assert_eq!(validate(FieldType::Text, &long, Country::AR), Err(Invalid::TooLong));
}

#[test]
fn documents_are_checked_to_their_last_digit() {
    check(
        FieldType::Document(DocumentKind::Cuit),
        Country::AR,
        &[
            ("30-71446808-8", Ok("30714468088")),
            ("20-0553-6168-2", Ok("20055361682")),
            ("２０-05536168-2", Ok("20055361682")),
            (" 30 70308853 4 ", Ok("30703088534")),
            ("30100000089", Ok("30100000089")),
            ("30-71446808-9", Err("document_bad_check_digit")),
            ("00-00000000-0", Err("document_bad_prefix")),
            ("30-7144680-8", Err("document_wrong_length")),
            ("30-7144680X-8", Err("document_bad_character")),
        ],
    );
    check(
        FieldType::Document(DocumentKind::Nit),
        Country::CO,
        &[
            ("860.002.134-8", Ok("8600021348")),
            ("213.123.432-1", Ok("2131234321")),
            ("860.002.134-7", Err("document_bad_check_digit")),
            ("2131234", Err("document_wrong_length")),
        ],
    );
    check(
        FieldType::Document(DocumentKind::Dni),
        Country::AR,
        &[("30.123.456", Ok("30123456")), ("123456", Err("document_wrong_length"))],
    );
    check(
        FieldType::Document(DocumentKind::Cedula),
        Country::CO,
        &[("1.020.345.678", Ok("1020345678")), ("12345", Err("document_wrong_length"))],
    );
}

#[test]
fn a_pattern_must_match_the_whole_value() {
    let pattern: Pattern = "[A-Z]{2}|[0-9]{3}".parse().unwrap();
    for (value, fits) in
        [("AB", true), ("123", true), ("AB1", false), ("x123", false), ("AB\n", false)]
    {
        assert_eq!(pattern.check(value).is_ok(), fits, "{value:?}");
    }
    assert_eq!(pattern.check("no").unwrap_err().code(), "pattern_mismatch");
    assert!("a)|(b".parse::<Pattern>().is_err());
    assert!("[".parse::<Pattern>().is_err());
    assert!("(?:a{1000}){1000}".parse::<Pattern>().is_err(), "a pattern too big is refused");
}

fn any_field() -> impl Strategy<Value = FieldType> {
    prop_oneof![
        Just(FieldType::Text),
        Just(FieldType::Email),
        Just(FieldType::Phone),
        Just(FieldType::Url),
        Just(FieldType::Number),
        Just(FieldType::Document(DocumentKind::Cuit)),
        Just(FieldType::Document(DocumentKind::Nit)),
        Just(FieldType::Document(DocumentKind::Cedula)),
    ]
}

proptest! {
    #[test]
    fn whatever_is_typed_gets_an_answer(text in "\\PC{0,60}", field in any_field()) {
        if let Err(invalid) = validate(field, &text, Country::AR) {
            prop_assert!(!invalid.code().is_empty());
        }
    }

    #[test]
    fn a_canonical_value_passes_again_and_stays(text in "[0-9a-zA-Z@.:/+ -]{1,30}", field in any_field()) {
        if let Ok(valid) = validate(field, &text, Country::US) {
            // A canonical number has a point; the test's country writes it so.
            let again = validate(field, &valid.canonical, Country::US);
            prop_assert_eq!(again.map(|v| v.canonical), Ok(valid.canonical));
        }
    }
}
