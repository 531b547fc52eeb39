//! Yeses and their nearest neighbours.

use nlu::{Agreement, agrees, reads_agreement};

use crate::summary;

fn check(name: &str, expected: bool, messages: &[&str]) {
    let mut wrong = Vec::new();
    for message in messages {
        let read = reads_agreement(message, summary(name));
        if (read == Agreement::Yes) != expected {
            wrong.push(format!("{message:?}: {read:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_plain_yes_is_a_yes_in_the_words_of_argentina() {
    check("S", true, &[
        "si", "Sí", "SI!!", "sii", "siiii", "sisi", "si si", "sip", "sipi", "seee", "s", "dale", "dalee", "DALE!!!", "dale dale",
        "dale, confirmá", "ok", "oka", "okis", "okey", "oki doki", "👍", "👌🏻", "✅", "👍 dale", "listo", "perfecto", "perfecto!", "genial",
        "buenisimo", "joya", "impecable", "barbaro", "de una", "claro", "claro que sí", "obvio", "por supuesto", "cómo no",
        "confirmo", "Confirmado", "confirmá", "confirmalo", "confirmame", "confirmamos", "confirmo!!", "CONFIRMO EL PEDIDO",
        "confirmo la compra", "queda confirmado", "confirmado entonces", "sí, confirmo", "si confirmo", "sisi confirmo",
        "no hay drama, confirmá", "no hay problema, dale", "sin problema", "hacelo", "mandalo", "mandá nomás", "mandale nomas", "dale nomás",
        "adelante", "procedan", "metele", "mandale mecha", "dale que va", "vamos", "vamos con eso", "me parece bien", "me parece perfecto",
        "está bien", "esta perfecto", "todo bien", "todo ok", "todo correcto", "todo perfecto gracias", "correcto", "exacto", "así es",
        "tal cual", "de acuerdo", "estoy de acuerdo", "acepto", "lo quiero", "lo llevo", "me lo llevo", "quiero", "si quiero", "sí, lo quiero",
        "si por favor", "sí, gracias", "si porfa", "dale gracias", "dale muchas gracias!!", "ok gracias", "hola, si", "hola! si dale",
        "buen dia, confirmo", "Hola cómo estás? si, confirmo", "si señor", "dale amigo", "dale genia", "si mi amor", "dale Sofi gracias", "gracias Martín, confirmo",
        "cerralo", "cerramos", "trato hecho", "aprobado", "afirmativo", "excelente, confirmo", "genial, mandalo", "listo, confirmo",
        "bueno dale", "bueno, si", "si, esta todo bien", "sí está todo perfecto", "está todo bien, confirmo", "los datos estan bien, confirmo",
        "si, todo correcto", "confirmo, muchas gracias", "si dale confirmalo", "sí, adelante", "si, procedan por favor", "dale, espero el pedido",
        "si ❤️", "dale 🙌🙌", "sí 😊 gracias", "confirmo 🙏", "confimo", "confrmo", "comfirmo", "confirmoo", "siconfirmo", "perfeto", "si\nconfirmo\ngracias",
        "sí.\nGracias", "*Sí*", "sí...", "dale :)", "si jaja", "100% confirmado", "confirmadisimo", "re si", "obvio que si", "más vale",
        "dale para adelante", "si claro que si", "por mi si", "ta bien", "okok", "va", "vale", "dalo por hecho", "si, nada mas gracias", "eso es todo, confirmo",
        "quiero confirmar, si", "si quiero confirmar el pedido", "te confirmo el pedido", "si te confirmo", "pueden mandarlo", "ya pueden enviarlo", "si pueden mandarlo",
        "que salga", "haceme el pedido", "si, hacé el pedido", "confirmar", "confirmar pedido", "si confirmar", "todo joya", "esta joya, dale", "todo en orden, confirmo",
        "no cambies nada, confirmo", "nada que agregar, dale", "no falta nada, confirmá", "me encanta, dale", "que bueno, si", "sos un genio, dale", "de diez, confirmo",
        "si, los espero", "dale, quedo atenta", "ok perfecto", "ok dale", "ok, confirmado", "okk dale", "sip, dale", "y dale", "si, por favor, confirmá el pedido y gracias", "ya",
    ][..]);
}

#[test]
fn a_plain_yes_is_a_yes_in_the_words_of_colombia() {
    check("M", true, &[
        "hágale", "hagale pues", "hágale mijo", "hagale parce", "listo pues", "listo, hágale", "de una parce", "de una", "hagámosle", "sisas", "sizas",
        "sí señora", "si señorita, confirmo", "si sumercé", "confírmelo", "confirmelo por favor", "confirmeme el pedido", "confirme", "confirmen", "confirme pues",
        "envíelo", "mándelo", "mandemelo", "despáchelo", "despachenmelo", "me lo manda por favor", "me parece perfecto", "todo melo", "bacano, confirmo",
        "claro que sí, confirmo", "con mucho gusto", "correcto señor", "así es, confirmo", "listo gracias", "listo mi amor", "listo veci", "dele", "dele pues", "bueno señora",
        "bueno, hágale", "vale", "va pues", "si, todo está correcto", "todos los datos correctos", "todo correcto, gracias", "perfecto, muchas gracias", "quedo atenta, confirmado",
        "sí, pago al recibir", "si, pago contra entrega, confirmo", "Dios lo bendiga, confirmo", "si, feliz tarde", "sí acepto", "acepto el pedido", "estoy de acuerdo con todo",
        "haga el pedido", "hágame el pedido por favor", "puede proceder", "puede despacharlo", "pueden enviar el pedido", "ya puede enviarlo", "sí, puede enviarlo",
        "si me sirve", "me sirve, hágale", "a lo bien, hagale", "uff de una", "eso, hagale", "sí por favor y gracias", "Buenas noches, sí confirmo el pedido", "si confirmo mi pedido", "confirmo mi pedido gracias",
        "muy bien, confirmo", "muy bien", "súper", "super bien, confirmo", "hecho", "ok mi rey", "okis", "pídalo", "prográmelo", "apruebo", "autorizo el envío", "excelente", "me los llevo", "los quiero", "confirmo los dos frascos",
    ][..]);
}

#[test]
fn a_plain_yes_is_a_yes_in_english() {
    check("E", true, &[
        "yes", "Yes!", "YES", "yesss", "yess", "yep", "yup", "yeah", "yea", "y es", "sure", "sure thing", "sure!", "absolutely", "definitely", "of course", "certainly", "ok", "okay", "k", "kk", "okey dokey",
        "go ahead", "yes go ahead", "please do", "yes please", "yes please!", "please go ahead", "sounds good", "sounds great, thanks", "looks good", "looks good to me", "looks great", "all good", "all good here", "that's right",
        "thats correct", "correct", "confirm", "confirmed", "I confirm", "yes, confirm", "please confirm", "confirm please", "confirm it", "confirm my order", "yes confirm the order", "do it", "place it", "book it", "send it", "deal",
        "perfect", "great", "great, thanks", "awesome", "excellent", "perfect thank you", "yes thank you", "yes thanks!", "yes, that's all", "yes that's correct", "yes, everything is correct", "everything looks good", "everything's fine, go ahead",
        "it's all correct", "that is fine", "that's fine with me", "fine by me", "works for me", "that works", "I agree", "agreed", "approved", "i'm happy with that", "happy to proceed", "proceed", "please proceed", "you can proceed", "let's go", "let's do it", "lets go ahead",
        "go for it", "go on then", "by all means", "you bet", "hell yes", "yes sir", "yes ma'am", "yes mate", "alright", "alright then", "aye", "roger that", "done", "sold", "I'll take it", "thumbs up", "👍", "👍👍", "ok 👍", "yes ❤️", "lgtm", "good to go", "spot on", "exactly", "indeed",
        "hi, yes please", "Hello, yes, confirm", "Good morning! Yes, go ahead please", "hi how are you? yes please confirm", "thanks, go ahead", "no problem, go ahead", "no changes, confirm", "nothing to add, go ahead", "yes we confirm", "yes i do", "yes it is", "why not", "cool", "cool, thanks", "brilliant, cheers", "yes please and thank you", "ok please place the order", "ok great", "ok sounds good", "ok perfect", "yes that's perfect", "yes, all correct", "yes all good", "yes indeed", "yes absolutely", "yes of course", "yes sure", "sure, go ahead", "sure, why not", "sure, thanks", "confirming", "ship it", "order it", "submit it", "yes, place my order please", "that's all correct, thank you", "I'm good with that", "can't wait, confirm", "yes lol",
    ][..]);
}

#[test]
fn a_yes_that_repeats_what_was_shown_is_a_yes() {
    check("S", true, &[
        "sí, 2 cocas", "sí, las 2 cocas y el pan", "sí a Mitre 450", "si, dos cocas, un pan y tres leches", "confirmo 2 cocas, 1 pan y 3 leches", "si, Ana Gómez", "dale, a nombre de Ana Gómez",
        "sí, DNI 30111222", "dale, $9.400 más $800 de envío", "si, 9400 mas envio", "si, 10200 en total", "confirmo, Mitre 450 2B", "si, mitre 450 piso 2 depto b", "si, 2 cocas de 1,5", "si, 3 leches de 1 litro", "si soy Ana Gómez, confirmo",
        "dale, las cocas, el pan y las leches", "si, 3 la serenisima", "confirmo el envio a mitre 450",
    ][..]);
    check("M", true, &["si, somnio x2", "sí, 2 frascos de Somnio a Medellín", "confirmo, calle 50 # 40-20 barrio Laureles", "si, calle 50 numero 40-20", "sí, 3001234567", "si, envio gratis", "listo, Carlos Ruiz"][..]);
    check("E", true, &["yes, 2 cokes, 1 bread and 3 milks", "yes to 450 Mitre", "yes, $9,400 plus $800 delivery", "confirm for Ana", "yes, 2B"][..]);
}

#[test]
fn what_changes_what_was_shown_is_no_yes() {
    check("S", false, &[
        "sí, 3 cocas", "sí, Mitre 451", "solo el pan", "si, solo el pan", "menos la leche", "dale menos la leche", "sí, una coca", "si, 2 leches", "confirmo 1 leche", "si, leche 1", "si, coca 3", "dale y 2 cocas", "si y el pan", "si, 2 cocas mas", "si, mas 2 cocas",
        "si, mas leche", "dale nomas el pan", "si, la leche nomas", "si, nada mas el pan", "mandame la leche y el pan", "confirmo el pan", "quiero el pan", "si, Mitre 800", "si, 9400 con envio", "si, total 9400 con envio", "si, 9.500", "si, Ana Pérez", "si, a nombre de Maria", "sí, a Belgrano 450", "si, 2C", "si, 3 B", "si, piso 3",
        "si sin la leche", "dale, pero agregame un pan", "si, otra coca", "si, Juan", "si +2 cocas", "si, la mitad", "si, DNI 30111223", "si, pará, 2 cocas", "mandame el total", "mandame el resumen", "confirmo la direccion", "confirmo dni", "si, ambos",
    ][..]);
    check("M", false, &["si, 3 frascos", "si, 1 frasco", "si somnio x3", "confirmo, calle 51", "si, calle 50 # 40-21", "si, calle 40 # 50-20", "si, Cali", "confirmo si el envio es gratis", "si el envio es gratis confirmo", "listo, 99.900", "calle 50 sur, confirmo", "si, 2 frascos más"][..]);
    check("E", false, &["yes, 4 milk", "yes, a milk", "yes, just one coke", "yes, 3 cokes", "yes plus 3 milk", "yes and a bread", "yes to 451 Mitre", "yes, only the bread", "yes except the milk"][..]);
}

#[test]
fn what_only_sounds_like_a_yes_is_none_in_spanish() {
    check("S", false, &[
        "dale, cancelalo", "sí quiero cancelar", "confirmo que no", "no te dije confirmo", "confirmo mañana", "confirmo si me bajás el precio", "sí, lo estoy pensando", "listo, no va", "no", "no, gracias", "no gracias", "nop", "noo", "mejor no", "gracias", "muchas gracias", "hola", "buenas tardes", "",
        "?", "...", "sí?", "si??", "¿sí", "confirmo?", "ok?", "todo bien?", "hola, como estas?", "si o no", "sí pero", "si, pero", "sí si llega hoy", "dale cuando cobre", "si, mañana", "dale mañana", "ya confirmé ayer", "ya confirme", "ya confirmé", "confirmé", "confirmó", "mi mujer confirmó", "confirmado que no", "dale nomás que mi mujer no quiere",
        "sí claro, seguro 🙄", "si claro jaja", "uy si", "aja", "aja si claro", "si claro como no", "me pide decir \"sí\"", "'si'", "«sí»", "confirmo recepción", "sí recibí el resumen", "sí, soy yo", "sí, ese es mi DNI", "si soy Ana Gómez", "sí tengo", "quiero confirmar", "quiero cancelar", "él confirma", "mi hermano confirma", "mi jefe confirma", "mi señora confirma", "si juan confirma", "voy a confirmar", "confirmaré", "confirmaria", "confirmaba", "confirmas", "confirmo cuanto tarda", "como confirmo", "para confirmar", "falta confirmar", "sin confirmar", "a confirmar", "no confirmo", "no, no confirmo", "todavia no confirmes", "no confirmes", "ojala pudiera confirmar", "creo que si", "me parece que si", "supongo", "puede ser", "capaz que si", "tal vez", "quizas si", "ponele", "despues te confirmo", "ahora te confirmo", "en un rato confirmo", "te confirmo", "dale, te confirmo", "dale, te aviso", "ok, te aviso", "dale si esta todo bien", "confirmo si pueden mandarlo", "confirmo, si puede enviar el pedido hoy", "dale si no hay problema", "si no hay problema dale", "ok si me lo mandan", "si me lo mandas", "porque no", "xq no", "por supuesto que no", "claro que no", "obvio que no", "que no", "ni loco", "ni en pedo", "👎", "❌", "🤔", "😂", "si 😂", "si 🤔", "👍👎", "👍?", "🙏", "❤️", "😊", "jaja", "sí :(", "bien", "que bueno", "me encanta", "no hay problema", "no hay drama", "sin cambios", "por favor", "amigo", "Ana", "2 cocas", "2 cocas, 1 pan y 3 leches", "Mitre 450", "nada mas", "eso es todo", "si/no", "sí = no", "sino", "sigo", "siempre", "asi no", "bueno no", "dejalo asi", "dejemos asi", "si, dejalo", "ok chau no quiero", "listo el almuerzo", "dale que llego tarde", "dale, tocá timbre", "si y traeme hielo", "si, factura A", "si con tarjeta", "pago con tarjeta", "si, pago mañana", "dale bajame el precio", "si, cuanto es", "si quien sos", "y si", "y bueno", "bue", "mmm si", "eh si", "si te digo la verdad no", "dale, mi vieja dice que si", "mi vieja dice que dale", "dijo que si", "te dije que si", "ayer dije que si", "decile que si", "sí, confirmo que soy Ana", "si, perdido", "correo", "seguramente", "1", "2", "ok 2", "www.si.com", "@si", "si@si.com", "#si", "$ si",
    ][..]);
}

#[test]
fn what_only_sounds_like_a_yes_is_none_in_english() {
    check("E", false, &[
        "yes but", "yes, if it comes today", "yes?", "yeah right", "yeah no", "no", "no thanks", "nope", "thanks", "thank you", "hi", "please", "no problem", "no worries", "no changes", "I'm good", "im good thanks", "I'm fine", "not yes", "not sure", "sure about that?", "yes I got it", "yes I received it", "yes I'm here", "yes that's my address", "yes that's me", "yes, tomorrow", "confirm tomorrow", "confirm later", "I'll confirm later", "I will confirm", "I confirmed", "he confirmed", "my wife confirms", "she said yes", "I said yes yesterday", "don't confirm", "do not go ahead", "go ahead and cancel", "cancel", "go away", "go ahead without the milk", "wait", "wait, yes", "hold on", "maybe yes", "I think so", "I guess", "I guess yes", "probably yes", "yes or no", "say yes", "\"yes\"", "yes when it's cheaper", "yes and ring the bell", "yes how long", "confirm when", "what if yes", "if yes", "why", "nice", "that's nice", "lovely", "as if", "yes lol no", "sure sure whatever", "I can't see it", "yes I don't have it", "order ready", "looks expensive", "looks good but", "perfect crime", "great scott no", "yes cancel", "yes nothing", "can you confirm", "can you confirm?", "could you confirm my order", "should I confirm", "not confirmed", "unconfirmed", "never", "yes never", "right", "well", "close it", "drop it", "lose it", "forget it", "leave it", "ok forget it",
    ][..]);
}

#[test]
fn without_a_summary_a_yes_is_a_yes_and_nothing_can_be_repeated() {
    assert!(agrees("sí, confirmo", ""));
    assert!(!agrees("sí, 2 cocas", ""));
    assert!(!agrees("si, pago al recibir, confirmo", ""));
}
