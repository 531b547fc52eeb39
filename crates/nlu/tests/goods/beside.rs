//! Words beside an order: politeness, talk and questions.

use nlu::goods::{asked_about, hear};

use super::{check, written};

#[test]
fn politeness_is_no_part_of_what_is_wanted() {
    check(&[
        ("hola buenas, me das 2 cocas porfa", &["add 2 'cocas'"]),
        ("che quería una fanta cuando puedas", &["add 1 'fanta'"]),
        ("una coca y nada más", &["add 1 'coca'"]),
        ("te encargo 12 facturas para mañana a las 9", &["add 12 'facturas'"]),
        ("mandame una prepizza si te queda", &["add 1 'prepizza'"]),
        ("bueno dale entonces 1 kg de tomate", &["add 1kg 'tomate'"]),
        ("quería hacer un pedido, 2 cocas", &["add 2 'cocas'"]),
        ("kiero 2 cocas xfa", &["add 2 'cocas'"]),
        ("mandame 2 cocas pago con tarjeta", &["add 2 'cocas'"]),
        ("soy Juan, mandame 2 cocas a San Martín 450", &["add 2 'cocas'"]),
        ("cocaaa", &["add 'cocaaa'"]),
        ("te", &["add 'te'"]),
        ("té verde", &["add 'té verde'"]),
        ("2 kg d papa, 1 d zanahoria", &["add 2kg 'papa'", "add 1kg 'zanahoria'"]),
        ("jajaja ah y 3 chocolinas", &["add 3 'chocolinas'"]),
    ]);
}

#[test]
fn where_to_what_for_and_when_are_no_part_of_what_is_wanted() {
    check(&[
        ("mandame a Belgrano 1340 dos 7up y un pan", &["add 2 '7up'", "add 1 'pan'"]),
        ("mandame a Mitre 45 dos cocas", &["add 2 'cocas'"]),
        ("mandame a casa 12 facturas", &["add 12 'facturas'"]),
        ("mandale a mi vieja 2 leches", &["add 2 'leches'"]),
        ("mandame con el chico una soda", &["add 1 'soda'"]),
        ("necesito pañales para la beba", &["add 'pañales'"]),
        ("bizcochos pal mate y una yerba", &["add 'bizcochos'", "add 1 'yerba'"]),
        ("para el sábado 2 cocas", &["add 2 'cocas'"]),
        ("para el asado:\nsal", &["add 'sal'"]),
        ("mostaza (2). Pasa mi hijo a las 11.30", &["add 2 'mostaza'", "add 'Pasa mi hijo'"]),
        ("a las 8 y media paso, dame un pan", &["add 1 'pan'"]),
        ("quiero hacer milanesas asi que pan rallado 2 paquetes", &["add 2 'pan rallado'"]),
        ("vainillas 2, voy a hacer un postre", &["add 2 'vainillas'"]),
        ("quiero hacer un pedido 2 cocas", &["add 2 'cocas'"]),
        ("me quedé sin yerba, mandame una", &["add 'quedé'", "add 1 ''"]),
        ("dame 2 cocas y el vuelto de 5000", &["add 2 'cocas'"]),
        ("anotame en la libreta 2 vinos", &["add 2 'vinos'"]),
        ("para hoy al mediodía: un pan", &["add 1 'pan'"]),
        ("una coca, tocá timbre en el 2 A", &["add 1 'coca'"]),
        ("coca en lata, 2 en la bolsa", &["add 2 'coca en lata'"]),
    ]);
}

#[test]
fn wishes_names_sums_and_what_the_customer_sends_are_no_goods() {
    check(&[
        ("feliz día del amigo!! 2 cocas", &["add 2 'cocas'"]),
        ("Buen día señora Rosa, 2 cocas", &["add 2 'cocas'"]),
        ("señora coca y pan", &["add 'coca'", "add 'pan'"]),
        ("te mando un audio porque manejo anotame 3 leches", &["add 3 'leches'"]),
        ("te dejo la lista: 2 cocas", &["add 2 'cocas'"]),
        ("Hola don Pedro, un pan", &["add 1 'pan'"]),
        ("un don satur y pan", &["add 1 'don satur'", "add 'pan'"]),
        ("te dejo 5000 y me das 2 cocas", &["add 2 'cocas'"]),
        ("te mando 2 envases y traeme 2 cocas", &["add 2 'cocas'"]),
        ("te mando la lista 2 cocas", &["add 2 'cocas'"]),
        ("te mando a mi hijo a las 8", &[]),
        ("quedamos en 2 cocas", &["add 2 'cocas'"]),
        ("me faltan 500 pesos", &[]),
        ("me faltan 20 mil pesos, y un pan", &["add 1 'pan'"]),
        ("2 mangos y una palta", &["add 2 'mangos'", "add 1 'palta'"]),
    ]);
}

#[test]
fn who_says_that_something_has_to_be_done_orders_it() {
    check(&[
        ("Tenés que anotarme 2 vinos y 1 soda", &["add 2 'vinos'", "add 1 'soda'"]),
        ("hay que sacar la fanta", &["remove 'fanta'"]),
        ("que las quilmes sean 6 de litro", &["set 6 'quilmes de litro' 1000ml"]),
        ("tienen que ser 3 cocas", &["add 3 'cocas'"]),
        ("que la coca sea una sola", &["set 1 'coca'"]),
        ("que la coca sea zero", &[]),
    ]);
}

#[test]
fn what_is_told_asks_for_nothing_and_is_known_as_talk() {
    for text in [
        "ya te transferí los 8.400",
        "ayer me faltaron las 2 cocas del pedido",
        "la leche de ayer vino vencida, así no se puede eh",
        "2 vinos rotos me mandaste",
        "si el pan es de ayer no me lo mandes",
        "no me la contés",
        "Feliz día del almacenero!! 🎉",
        "me faltan 500 pesos",
    ] {
        let heard = hear(text);
        assert_eq!(heard.asks.iter().map(written).collect::<Vec<_>>(), [""; 0], "{text:?}");
        assert!(heard.talk && heard.questions.is_empty(), "{text:?}");
    }
    // A verb of an act looks like goods, and only the shop knows that it sells no such goods.
    for text in
        ["despues te escribo", "me equivoqué de chat", "dame un raid, nos comen los mosquitos"]
    {
        let heard = hear(text);
        assert!(heard.talk && heard.asks.last().is_some_and(|ask| !ask.sure), "{text:?}");
    }
}

#[test]
fn what_is_no_order_asks_for_nothing() {
    for text in [
        "",
        "   \n\n",
        "hola buenas tardes",
        "gracias!",
        "sí",
        "dale, confirmo",
        "me llamo Juan Pérez",
        "mi dni es 30123456",
        "vivo en San Martín 450, depto 3",
        "pago con efectivo",
        "paso a las 8",
        "cancelá el pedido",
        "borrá todo el carrito",
        "si no hay coca dame pepsi",
        "¿cómo va?",
        "Hola Marta, cómo andás?",
        "jajaja dale joya",
        "perfecto, quedamos así",
        "gracias vecino, un abrazo",
        "👍👍",
    ] {
        let heard = hear(text);
        assert_eq!(heard.asks.iter().map(written).collect::<Vec<_>>(), [""; 0], "{text:?}");
        assert_eq!(heard.questions, [], "{text:?}");
    }
}

#[test]
fn questions_are_no_asks_and_name_what_they_are_about() {
    for (text, about) in [
        ("¿tenés coca?", Some("coca")),
        ("cuánto sale la coca", Some("coca")),
        ("y la coca cuánto sale?", Some("coca")),
        ("a cuánto está la yerba Playadito?", Some("yerba Playadito")),
        ("qué yerbas tenés?", Some("yerbas")),
        ("queria saber si tenes cafe", Some("cafe")),
        ("me decís el precio de la coca de 2.25", Some("coca de 2.25")),
        ("fernet?", Some("fernet")),
        ("2 cocas?", Some("cocas")),
        ("qué gaseosas de 2,25 hay?", Some("gaseosas de 2,25")),
        ("cual es la yerba mas barata q tenes", Some("yerba")),
        ("cuanto está saliendo el malbec", Some("malbec")),
        ("hay stock de papas mccain?", Some("papas mccain")),
        ("te entró coca de vidrio?", Some("coca de vidrio")),
        ("de qué gusto es el helado?", Some("helado")),
        ("el pan integral de cuánto es?", Some("pan integral")),
        ("el queso rallado de cuántos gramos viene?", Some("queso rallado")),
        ("che la mermelada q tenes de q es", Some("mermelada")),
        ("las pampers en que talles hay", Some("pampers")),
        ("mañana va a haber medialunas?", Some("medialunas")),
        ("fijate si te quedó crema", Some("crema")),
        ("contame qué fiambres tenés en oferta", Some("fiambres")),
        ("la coca de 2,25 es retornable?", Some("coca de 2,25")),
        ("las bananas están maduras?", Some("bananas")),
        ("el queso cremoso sirve para pizza?", Some("queso cremoso")),
        ("el aceite de oliva de cuánto es la botella", Some("aceite de oliva")),
        ("los pampers M a cuánto están?", Some("pampers M")),
        ("el mantecol a cuanto", Some("mantecol")),
        ("cuál sale menos, la coca o la pepsi?", Some("coca o la pepsi")),
        ("te llegaron los pepitos?", Some("pepitos")),
        ("ya llegaron las facturas?", Some("facturas")),
        ("la de 2,25 es retornable?", None),
        ("cuánto vengo sumando?", None),
        ("cuánto va quedando", None),
        ("hay que pagar antes?", None),
        ("llegás hasta Mitre 860?", None),
        ("pasame el total", None),
        ("cuánto te debo", None),
        ("los feriados trabajan?", None),
        ("si te pido ahora a las 7 y media lo tengo?", None),
        ("¿el envío a Las Heras 2200 cuánto sale?", None),
        ("hasta qué hora abren", None),
        ("hacen envíos?", None),
        ("puedo pagar con tarjeta?", None),
        ("pasame el alias", None),
    ] {
        let heard = hear(text);
        assert!(heard.asks.is_empty() && !heard.questions.is_empty(), "{text:?} {heard:?}");
        assert_eq!(asked_about(text).as_deref(), about, "{text:?}");
    }
}

#[test]
fn an_order_with_a_question_is_taken_apart_where_one_ends() {
    for (text, expected, question) in [
        ("agregá 2 pepsi, ¿hasta qué hora abren?", "add 2 'pepsi'", "hasta qué hora abren"),
        ("agregá 2 pepsi, hasta que hora abren?", "add 2 'pepsi'", "hasta que hora abren"),
        ("agregá 2 pepsi y hacen envíos?", "add 2 'pepsi'", "hacen envíos"),
        ("tenés coca? dame 2", "add 2 ''", "tenés coca"),
        ("cuánto sale la coca y dame 2 fantas", "add 2 'fantas'", "cuánto sale la coca y"),
        ("un trapo, me lo pueden traer ahora?", "add 1 'trapo'", "lo pueden traer ahora"),
        ("un pan, llegás hasta Mitre 860?", "add 1 'pan'", "llegás hasta Mitre 860"),
        ("2 panes, la yerba está cara?", "add 2 'panes'", "la yerba está cara"),
        ("te llegó hielo? guardame 3", "add 3 ''", "te llegó hielo"),
        ("2 cocas cuánto es", "add 2 'cocas'", "cuánto es"),
        ("me mandás 2 cocas? abren hoy?", "add 2 'cocas'", "abren hoy"),
    ] {
        let heard = hear(text);
        assert_eq!(heard.asks.iter().map(written).collect::<Vec<_>>(), [expected], "{text:?}");
        let asked: Vec<&str> =
            heard.questions.iter().map(|question| &text[question.span.clone()]).collect();
        assert_eq!(asked, [question], "{text:?}");
    }
}
