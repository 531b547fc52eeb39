//! Urgency and sentiment from the tone of a message.

use nlu::Indicator::*;
use nlu::{
    Builtin, Indicator, Normalized, Rules, RulesBuilder, Sentiment, Signals, Urgency, signals,
};

fn read(text: &str, times: u32) -> Signals {
    static RULES: std::sync::LazyLock<Rules> = std::sync::LazyLock::new(|| {
        Builtin::ALL.into_iter().fold(RulesBuilder::new(), RulesBuilder::builtin).build()
    });
    let text = Normalized::new(text);
    signals(&text, &RULES.find(&text), times)
}

#[test]
fn each_indicator_is_noticed_and_nothing_else() {
    let cases: [(&str, &[Indicator]); 22] = [
        ("mi correo es juan@x.com", &[]),
        ("NO LLEGA MI PEDIDO", &[AllCaps]),
        ("RESPONDAN", &[AllCaps]),
        ("ESTÁ ROTÍSIMO", &[AllCaps]),
        ("DNI 30111222", &[]),
        ("SOY CUIT", &[]),
        ("JUAN@X.COM", &[]),
        ("HOLA", &[]),
        ("ABC123XYZ REF_AAAAAA", &[]),
        ("mi NOMBRE ES JUANCITO", &[]),
        ("你好世界你好世界", &[]),
        ("vengan!!", &[]),
        ("vengan!!!", &[Exclamations]),
        ("vengan！！！", &[Exclamations]),
        ("¿vienen??", &[]),
        ("¿vienen???", &[Questions]),
        ("es urgente", &[UrgencyWords]),
        ("no es urgente", &[]),
        ("hay una fuga de gas", &[EmergencyWords]),
        ("no entendés nada", &[Frustration]),
        ("quedó triste", &[NegativeWords]),
        ("genial ❤️", &[PositiveWords]),
    ];
    for (text, expected) in cases {
        assert_eq!(read(text, 1).indicators, expected, "{text:?}");
    }
    assert_eq!(read("y mi pedido", 2).indicators, []);
    assert_eq!(read("y mi pedido", 3).indicators, [Repeats]);
    assert_eq!(read("son una mierda", 1).indicators[0], Profanity);
}

#[test]
fn urgency_takes_two_signs_and_an_emergency_one() {
    let cases = [
        ("hola", 1, Urgency::Normal),
        ("es urgente", 1, Urgency::Normal),
        ("es urgente!!!", 1, Urgency::Urgent),
        ("ES URGENTE", 1, Urgency::Urgent),
        ("necesito eso cuanto antes", 3, Urgency::Urgent),
        ("y mi pedido?", 5, Urgency::Normal),
        ("dónde está???", 3, Urgency::Urgent),
        ("gracias!!!", 1, Urgency::Normal),
        ("se inunda la cocina", 1, Urgency::Emergency),
        ("hay olor a gas", 1, Urgency::Emergency),
        ("there is a gas leak", 1, Urgency::Emergency),
        ("quiero un seguro contra incendios", 1, Urgency::Normal),
        ("mi contacto de emergencia es Ana", 1, Urgency::Normal),
    ];
    for (text, times, expected) in cases {
        assert_eq!(read(text, times).urgency, expected, "{text:?}");
    }
}

#[test]
fn sentiment_weighs_words_before_volume() {
    let cases = [
        ("mi nombre es Juan", 1, Sentiment::Neutral),
        ("muchas gracias", 1, Sentiment::Positive),
        ("perfecto, genial", 1, Sentiment::Positive),
        ("MUCHAS GRACIAS!!!", 1, Sentiment::Positive),
        ("❤️", 1, Sentiment::Positive),
        ("no me gustó", 1, Sentiment::Negative),
        ("llegó roto, gracias", 1, Sentiment::Negative),
        ("no estoy contento", 1, Sentiment::Negative),
        ("ya te lo dije", 1, Sentiment::Frustrated),
        ("qué servicio de mierda", 1, Sentiment::Frustrated),
        ("gracias por nada, inútiles, estoy harto", 1, Sentiment::Frustrated),
        ("DONDE ESTA MI PEDIDO!!!", 1, Sentiment::Frustrated),
        ("LLEGO ROTO", 1, Sentiment::Frustrated),
        ("VAMOS ARGENTINA", 1, Sentiment::Neutral),
        ("marica no entiendo nada", 1, Sentiment::Neutral),
        ("no mames, me equivoqué", 1, Sentiment::Neutral),
        ("qué chimba", 1, Sentiment::Neutral),
        ("parce", 1, Sentiment::Neutral),
        ("huevón sí", 1, Sentiment::Neutral),
        ("boludo", 1, Sentiment::Neutral),
        ("wey", 1, Sentiment::Neutral),
        ("joder, se me fue", 1, Sentiment::Neutral),
        ("joder!!! se me fue", 1, Sentiment::Neutral),
        ("joder, está mal mi nombre", 1, Sentiment::Negative),
        ("joder, esto no funciona", 1, Sentiment::Frustrated),
        ("JODER, RESPONDAN", 1, Sentiment::Frustrated),
        ("sos un boludo", 1, Sentiment::Frustrated),
        ("son una mierda", 1, Sentiment::Frustrated),
        ("este bot es una gonorrea", 1, Sentiment::Frustrated),
        ("hijos de puta", 1, Sentiment::Frustrated),
    ];
    for (text, times, expected) in cases {
        assert_eq!(read(text, times).sentiment, expected, "{text:?}");
    }
}

#[test]
fn signals_are_stored_in_snake_case() {
    let stored = serde_json::to_value(read("ES URGENTE, SON UNOS IDIOTAS", 1)).expect("plain data");
    let expected = serde_json::json!({
        "urgency": "urgent",
        "sentiment": "frustrated",
        "indicators": ["all_caps", "urgency_words", "profanity"],
    });
    assert_eq!(stored["urgency"], expected["urgency"]);
    assert_eq!(stored["sentiment"], expected["sentiment"]);
    for indicator in expected["indicators"].as_array().expect("a list") {
        assert!(stored["indicators"].as_array().expect("a list").contains(indicator), "{stored}");
    }
}

#[test]
fn rules_without_the_sets_only_show_the_tone() {
    let text = Normalized::new("ES URGENTE!!!");
    let seen = signals(&text, &RulesBuilder::new().build().find(&text), 1);
    assert_eq!(seen.indicators, [AllCaps, Exclamations]);
}
