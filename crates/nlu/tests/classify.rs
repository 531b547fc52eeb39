//! The intent classifier on a small Spanish shop: right, repeatable, and never at a loss.

use nlu::{Classification, Classifier, Example, Normalized, TrainError, evaluate};

const SHOP: &[(&str, &[&str])] = &[
    (
        "order.status",
        &[
            "¿dónde está mi pedido?",
            "quiero saber en qué anda mi compra",
            "todavía no me llegó el paquete",
            "seguimiento de mi envío",
            "cuándo llega lo que pedí",
            "mi pedido está demorado",
        ],
    ),
    (
        "order.cancel",
        &[
            "quiero cancelar el pedido",
            "anulen mi compra por favor",
            "me arrepentí, no lo quiero más",
            "cómo hago para dar de baja la orden",
            "cancela la compra de ayer",
            "ya no necesito el pedido, anúlalo",
        ],
    ),
    (
        "hours",
        &[
            "¿a qué hora abren?",
            "horario de atención",
            "hasta qué hora atienden los sábados",
            "están abiertos el domingo",
            "a qué hora cierra el local",
            "¿trabajan los feriados?",
        ],
    ),
    (
        "price",
        &[
            "¿cuánto cuesta la campera negra?",
            "precio de las zapatillas",
            "me pasás el valor del buzo",
            "qué sale el pantalón",
            "cuánto valen las remeras",
            "quiero saber el costo de la mochila",
        ],
    ),
    (
        "payment",
        &[
            "¿puedo pagar con tarjeta?",
            "aceptan transferencia bancaria",
            "qué medios de pago tienen",
            "hay cuotas sin interés",
            "se puede abonar en efectivo",
            "toman débito o solo crédito",
        ],
    ),
    (
        "human",
        &[
            "quiero hablar con una persona",
            "pasame con un asesor",
            "necesito que me atienda alguien de verdad",
            "comunicame con un vendedor",
            "prefiero un humano, no un robot",
            "hay algún operador disponible",
        ],
    ),
];

fn examples() -> Vec<Example<'static>> {
    SHOP.iter()
        .flat_map(|(intent, texts)| texts.iter().map(|text| Example { text, intent }))
        .collect()
}

fn shop() -> Classifier {
    Classifier::train(&examples()).unwrap()
}

fn ask(classifier: &Classifier, text: &str) -> Classification {
    classifier.classify(&Normalized::new(text))
}

fn best(classifier: &Classifier, text: &str) -> String {
    ask(classifier, text).ranked[0].intent.to_string()
}

fn check(asked: &[(&str, &str)]) {
    let shop = shop();
    for (text, intent) in asked {
        let answer = ask(&shop, text);
        assert_eq!(&*answer.ranked[0].intent, *intent, "{text}: {answer:?}");
        assert!(!answer.out_of_scope, "{text}: {answer:?}");
    }
}

#[test]
fn new_wordings_find_their_intent() {
    check(&[
        ("hola, mi paquete no llegó todavía", "order.status"),
        ("quisiera anular la orden que hice", "order.cancel"),
        ("abren los domingos?", "hours"),
        ("cuánto sale esa mochila", "price"),
        ("puedo abonar con tarjeta de débito", "payment"),
        ("quiero hablar con un vendedor", "human"),
    ]);
}

#[test]
fn typos_and_chat_spelling_survive() {
    check(&[
        ("dnde esta mi pedidoo", "order.status"),
        ("qiero canselar el pedido", "order.cancel"),
        ("a q hora abrenn", "hours"),
        ("cuanto cueta la campra negra", "price"),
        ("puedo pagr con tarjetaa", "payment"),
        ("quiero ablar con una persna", "human"),
    ]);
}

#[test]
fn one_slip_reads_as_the_word_that_was_meant() {
    let shop = shop();
    let meant = ask(&shop, "quiero cancelar el pedido");
    for slip in ["quiero canclar el pedido", "quieor cancelar el peddido"] {
        assert_eq!(ask(&shop, slip), meant, "{slip}");
    }
}

#[test]
fn an_unlisted_synonym_of_an_example_is_enough() {
    // "tarifa" and "tarda" stand in no example.
    check(&[("tarifa de las zapatillas", "price"), ("cuánto tarda mi pedido", "order.status")]);
}

#[test]
fn accents_case_and_marks_do_not_matter() {
    let shop = shop();
    let plain = ask(&shop, "cuando llega lo que pedi");
    assert_eq!(ask(&shop, "¿¡CUÁNDO LLEGA lo que PEDÍ!?"), plain);
}

#[test]
fn an_unrelated_sentence_is_out_of_scope() {
    let shop = shop();
    for text in [
        "la fotosíntesis convierte luz solar en glucosa",
        "wie spät ist es in Hamburg",
        "traduce buenas noches al japonés",
        "el teorema de Pitágoras",
    ] {
        let answer = ask(&shop, text);
        assert!(answer.out_of_scope, "{text}: {answer:?}");
    }
}

#[test]
fn a_stranger_scores_below_every_customer() {
    let shop = shop();
    let lowest = ["qiero canselar el pedido", "abren los domingos?", "puedo pagr con tarjetaa"]
        .map(|text| ask(&shop, text).in_scope)
        .into_iter()
        .fold(1.0, f32::min);
    for text in [
        "Messi metió un golazo impresionante",
        "los volcanes de Islandia entran en erupción",
        "mi perro ladra toda la noche",
        "quién ganó la guerra de Troya",
        "me duele mucho la cabeza",
    ] {
        let stranger = ask(&shop, text).in_scope;
        assert!(stranger + 0.1 < lowest, "{text}: {stranger}, customers from {lowest}");
    }
}

#[test]
fn nothing_and_garbage_are_out_of_scope() {
    let shop = shop();
    for text in
        ["", "   ", "?!…", "\u{0}\u{7}", "🦄🦄", "xkqzwv", "ΩЖ漢字", "\u{301}\u{301}", "%%&&##"]
    {
        let answer = ask(&shop, text);
        assert!(answer.out_of_scope, "{text:?}: {answer:?}");
        assert!(answer.ranked.iter().all(|ranked| ranked.confidence.is_finite()));
    }
    assert_eq!(ask(&shop, "").in_scope, 0.0);
}

#[test]
fn training_repeats_itself_exactly() {
    let (first, second) = (shop(), shop());
    for text in ["dónde está mi paquete", "precio", "hola", "zzz", ""] {
        assert_eq!(ask(&first, text), ask(&second, text));
    }
}

#[test]
fn ranked_intents_come_best_first_with_chances() {
    let shop = shop();
    for text in ["dónde está mi pedido", "quiero pagar", "algo raro", ""] {
        let ranked = ask(&shop, text).ranked;
        assert_eq!(ranked.len(), 5);
        assert!(ranked.windows(2).all(|pair| pair[0].confidence >= pair[1].confidence));
        let sum: f32 = ranked.iter().map(|ranked| ranked.confidence).sum();
        assert!(sum <= 1.0 + 1e-5, "{sum}");
        assert!(ranked.iter().all(|ranked| ranked.confidence > 0.0));
    }
}

#[test]
fn a_clear_message_is_surer_than_a_vague_one() {
    let shop = shop();
    let clear = ask(&shop, "quiero cancelar el pedido").ranked[0].confidence;
    let vague = ask(&shop, "quiero saber una cosa").ranked[0].confidence;
    assert!(clear > 0.5 && clear > vague + 0.2, "{clear} {vague}");
}

#[test]
fn a_pasted_document_is_read_in_bounded_time() {
    let shop = shop();
    let long = "quiero cancelar el pedido ".repeat(4000);
    assert_eq!(best(&shop, &long), "order.cancel");
    let one_word = "cancelar".repeat(13_000);
    assert_eq!(ask(&shop, &one_word).ranked.len(), 5);
    // A letter has three bytes, so that no round number of bytes ends with a whole letter.
    let wide = "漢".repeat(30_000);
    assert!(ask(&shop, &wide).out_of_scope);
}

#[test]
fn repeated_examples_change_nothing() {
    let mut repeated = examples();
    repeated.extend(examples());
    repeated.push(Example { text: "HORARIO de atencion!!", intent: "hours" });
    let repeated = Classifier::train(&repeated).unwrap();
    let once = shop();
    for text in ["horario de atención", "cuánto cuesta", "hola"] {
        assert_eq!(ask(&repeated, text), ask(&once, text));
    }
}

#[test]
fn a_rare_intent_is_still_told() {
    let mut uneven = examples();
    uneven.push(Example { text: "¿hacen envoltorio para regalo?", intent: "gift" });
    uneven.push(Example { text: "lo pueden envolver, es un regalo", intent: "gift" });
    let uneven = Classifier::train(&uneven).unwrap();
    assert_eq!(best(&uneven, "es para un regalo, lo envuelven?"), "gift");
}

#[test]
fn a_single_intent_tells_its_own_from_strangers() {
    let only: Vec<_> = examples().into_iter().filter(|e| e.intent == "hours").collect();
    let only = Classifier::train(&only).unwrap();
    let own = ask(&only, "a qué hora abren los sábados");
    assert_eq!(&*own.ranked[0].intent, "hours");
    assert!(!own.out_of_scope, "{own:?}");
    let stranger = ask(&only, "fotosíntesis wagneriana");
    assert_eq!(stranger.ranked.len(), 1);
    assert!(stranger.out_of_scope && stranger.in_scope < own.in_scope, "{stranger:?}");
}

#[test]
fn one_example_an_intent_is_enough_to_train() {
    let few = [
        Example { text: "horario de atención", intent: "hours" },
        Example { text: "quiero cancelar mi compra", intent: "order.cancel" },
    ];
    let few = Classifier::train(&few).unwrap();
    assert_eq!(best(&few, "cancelar la compra"), "order.cancel");
    let own = ask(&few, "horario de atención");
    assert!(!own.out_of_scope && own.ranked[0].confidence > 0.8, "{own:?}");
    assert!(ask(&few, "xyz").out_of_scope);
}

#[test]
fn out_of_scope_examples_refuse_without_becoming_an_intent() {
    let mut with_strangers = examples();
    for text in [
        "quiero una receta de pizza casera",
        "receta de empanadas de carne",
        "cómo cocino arroz con pollo",
        "qué ingredientes lleva el flan",
        "cuánto tiempo se hornea un bizcochuelo",
    ] {
        with_strangers.push(Example { text, intent: "oos" });
    }
    let taught = Classifier::train(&with_strangers).unwrap();
    assert!(taught.intents().iter().all(|intent| &**intent != "oos"));
    let stranger = "quiero la receta del bizcochuelo de arroz";
    let answer = ask(&taught, stranger);
    assert!(answer.out_of_scope, "{answer:?}");
    assert!(answer.in_scope < ask(&shop(), stranger).in_scope);
    assert!(answer.ranked.iter().all(|ranked| &*ranked.intent != "oos"));
    assert!(!ask(&taught, "quiero cancelar el pedido").out_of_scope);
}

#[test]
fn examples_that_teach_nothing_are_refused() {
    assert_eq!(Classifier::train(&[]).unwrap_err(), TrainError::NoExamples);
    let strangers = [Example { text: "receta de flan", intent: "oos" }];
    assert_eq!(Classifier::train(&strangers).unwrap_err(), TrainError::NoExamples);
    let silent = [Example { text: "¿?", intent: "hours" }, Example { text: "", intent: "price" }];
    assert_eq!(Classifier::train(&silent).unwrap_err(), TrainError::NoWords);
}

#[test]
fn intents_are_listed_in_order() {
    let shop = shop();
    let intents: Vec<&str> = shop.intents().iter().map(|intent| &**intent).collect();
    assert_eq!(intents, ["hours", "human", "order.cancel", "order.status", "payment", "price"]);
}

#[test]
fn a_report_counts_what_was_asked() {
    let shop = shop();
    let mut asked = examples();
    let taught = asked.len();
    asked.push(Example { text: "la fotosíntesis convierte luz en glucosa", intent: "oos" });
    asked.push(Example { text: "horario de atención", intent: "unknown" });
    let report = evaluate(&shop, &asked);
    assert_eq!((report.in_scope, report.out_of_scope), (taught + 1, 1));
    assert_eq!(report.correct, taught);
    assert!((report.accuracy - taught as f64 / (taught + 1) as f64).abs() < 1e-9);
    // Five intents are perfect, one was predicted once too often, and one is never predicted.
    let expected = (5.0 + 12.0 / 13.0 + 0.0) / 7.0;
    assert!((report.macro_f1 - expected).abs() < 1e-9, "{}", report.macro_f1);
    assert_eq!(report.oos_recall_at_95, Some(1.0));
    assert!(report.expected_calibration_error < 0.5);
}

#[test]
fn a_report_without_out_of_scope_rows_has_no_recall() {
    let report = evaluate(&shop(), &examples());
    assert_eq!((report.oos_recall_at_95, report.oos_recall), (None, None));
    assert_eq!(evaluate(&shop(), &[]).accuracy, 0.0);
}
