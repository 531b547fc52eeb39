//! The built-in sets: messages on which each must fire, and messages on which it must not.

use nlu::{Builtin, Normalized, Rules, RulesBuilder};

fn rules() -> &'static Rules {
    static RULES: std::sync::LazyLock<Rules> = std::sync::LazyLock::new(|| {
        Builtin::ALL.into_iter().fold(RulesBuilder::new(), RulesBuilder::builtin).build()
    });
    &RULES
}

/// Checks messages, which are separated by bars.
#[track_caller]
fn check(set: Builtin, fires: &str, silent: &str) {
    let fired = |text: &&str| rules().find(&Normalized::new(text)).any(set.name());
    let missed: Vec<_> = fires.split('|').map(str::trim).filter(|text| !fired(text)).collect();
    let wrong: Vec<_> = silent.split('|').map(str::trim).filter(fired).collect();
    assert!(missed.is_empty() && wrong.is_empty(), "missed {missed:#?}\nwrong {wrong:#?}");
}

#[test]
fn asking_for_a_person_is_told_from_being_one() {
    check(
        Builtin::Escalation,
        "Necesito hablar con un humano | kiero hablar con un asesor xfa | \
         QUIERO HABLAR CON UNA PERSONA REAL!! | pasame con alguien | \
         ¿me pasás con un operador? | comunicame con el encargado | \
         me comunicas con ventas? | un asesor por favor | asesor | operador | Agente | \
         con un humano porfa | atención humana | ¿me atiende una persona? | \
         quiero que me atienda alguien | que me llame un asesor | hablar con el supervisor | \
         quiero hablar con el gerente de la tienda | puedo hablar con alguien de soporte? | \
         no quiero hablar con un bot | no quiero seguir hablando con una máquina | \
         estoy harta de hablar con robots | necesito un agente | \
         prefiero una persona de carne y hueso | \
         hay alguien con quien pueda hablar? hay alguna persona que me ayude | \
         derivame a un representante | I want to talk to a human | \
         can I speak with a real person | connect me to an agent please | representative | \
         get me a human | soy asesor de ventas y quiero hablar con un humano | persona | humano | una persona | \
         una persona porfa | yo no hablo con robots | no hablo con máquinas | \
         no hay una persona ahí que me ayude? | no quiero un bot, quiero un asesor | \
         si no me atiende una persona me voy",
        "soy asesor de ventas | soy una asesora por favor anote | Soy agente inmobiliario | mi cargo es supervisora | \
         trabajo como operador de grúa | mi empresa es Recursos Humanos SA | \
         trabajo en atención al cliente | persona física | mi nombre es Juan Agente | \
         Me llamo Humberto | gerente | mesa para dos personas | \
         necesito un asesor contable | ¿eres humano? | quiero hablar de mi pedido | \
         hablé con mi mamá | quiero cambiar mi correo | I am a travel agent | \
         no necesito un asesor, solo quiero registrarme | no quiero hablar con nadie | \
         no hace falta una persona | no hace falta que me llame un asesor | Persona Studio | \
         no quiero que me llame un asesor | me va a llamar una persona o un robot?",
    );
}

#[test]
fn taking_something_back_is_told_from_answering() {
    check(
        Builtin::Correction,
        "No, mi email es juan.nuevo@ejemplo.com | En realidad, debería ser Pérez | \
         Déjame corregir el teléfono | Eso está mal | me equivoqué | perdón, es 3001112233 | \
         Perdón es con z | quise decir Medellín | corrijo: 45 | mejor poné el otro | \
         cambiá mi dirección por favor | quiero modificar mi correo | \
         quisiera actualizar mis datos | no es Gómez, es Gomes | te pasé mal el número | \
         lo escribí mal | puse mal mi apellido | el correo estaba mal | ups | \
         *correo@x.com | * Pérez | Perez* | no, es con b | mi correo correcto es a@b.co | \
         actually it's John | I meant Bogotá | sorry, it's 45 | that's wrong | wrong email | \
         let me correct that | no, digo 45 | cambien el teléfono | \
         cambia mi nombre a Lorena | quedó mal | mi nombre quedó mal escrito | \
         pusiste mal mi nombre | está mal el correo | no era Laura sino Laureana | \
         el presupuesto no es 5 sino 6 millones | mentiras, es Laura | \
         jajaja no mentiras, se llama Tortas Lucy | corrígeme el correo | \
         ojo que el correo es a@b.co | uy no, es 3001234567 | los tenía mal | \
         el cel q te di ya no lo uso | la empresa no se llama así, se llama Sol",
        "mi email es juan@ejemplo.com | no tengo correo | no | *importante* | \
         no es necesario | perdón, es que no tengo | Juan Pérez | quiero cambiar de tema | \
         no entiendo | what's wrong? | me siento mal | 123* | no digas mentiras | ojo con el perro | \
         corrígeme si me equivoco con el precio? | quedó perfecto | se llama Sol | uy no",
    );
}

#[test]
fn greetings_and_farewells_are_known_in_many_forms() {
    check(
        Builtin::Greeting,
        "Hola | holaaa | ola | Buenas! | buen dia | Buenos días | qué tal | qué onda | \
         quiubo | qué más parce | ¿cómo estás? | cómo andás | mucho gusto | \
         encantada de conocerte | feliz año nuevo | hey | hello | good morning | \
         ¿cómo va tu semana? | 👋 | Qué tal va tu mañana | un gusto saludarlos | \
         que tengas un feliz lunes | cordial saludo | quiubo parce | qué hubo | saludos | \
         Felipe, mucho gusto | Rosa María, para servirle | cómo va todo",
        "qué tal el clima | cómo va mi pedido | qué pasa con mi envío | \
         cómo están los precios | estoy feliz con el servicio | Juan | qué hay en el menú | \
         holanda",
    );
    check(
        Builtin::Farewell,
        "adiós | chau! | chaooo | nos vemos | hasta luego | Hasta el lunes | bye | \
         que te vaya bien | cuídate | me tengo que ir | bueno, me voy a dormir | \
         hablamos mañana | te veo el martes | que tengas linda tarde | see you | ttyl | \
         eso es todo gracias | nos hablamos en un rato | me voy yendo | dulces sueños",
        "tengo que irme en el tren de las cinco a Soller | \
         hasta el lunes tengo plazo de pago | me voy a mudar a Cali | \
         necesito ir de compras | hola | el envío llega el martes",
    );
}

#[test]
fn yes_and_no_are_whole_answers() {
    check(
        Builtin::Yes,
        "sí | Siiii | si claro | sip | dale | listo | de una | obvio | simón | okis | ok | \
         va | vale | claro que sí | por supuesto | 👍🏽 | ✅ | sí, confirmo | correcto | sale | \
         hágale pues | yes please | yep | sure | de acuerdo | sí por favor | si tengo | \
         sii esa | sí esa | esa misma | esa es | correcto esa | sí, ese mismo | es esa | 👍",
        "no | si no llega hoy lo cancelo | claro que no | no estoy de acuerdo | Juan Claro | \
         quiero saber si tienen stock | mañana | esa no es | esa empresa | si esa no sirve",
    );
    check(
        Builtin::No,
        "no | nooo | nop | nel | para nada | tampoco | no gracias | 👎 | no, gracias | \
         claro que no | todavía no | de ninguna manera | nope | no thanks | ni loco",
        "sí | no sé | no hay problema | no entiendo | Noel | nombre: Ana | anoche",
    );
    check(
        Builtin::Thanks,
        "gracias | mil grax | muchas graciass | thank you | thx | te agradezco | 🙏",
        "feliz día de acción de gracias | no thanks | graciela",
    );
}

#[test]
fn complaints_are_told_from_ordinary_requests() {
    check(
        Builtin::Frustration,
        "no entendés nada | qué desastre | estoy harto | ya te lo dije | otra vez lo mismo | \
         esto no sirve | pésimo servicio | eres un inútil | sos malísimo | \
         qué bot más tonto | siempre respondes lo mismo | estás despedido | \
         te voy a denunciar | cállate | me tienen cansado | no me estás escuchando | \
         nadie me contesta | qué falta de respeto | cuántas veces tengo que decirlo | \
         llevo dos horas esperando | you are useless | I already told you my name | \
         son unos ladrones | me haces perder el tiempo | 🤬 | q bot tan bruto | \
         qué bot tan malo | qué bot tan lento | qué servicio tan malo | ya me mamé de esto | \
         qué porquería | estoy mamado | me tienen mamado | qué pereza con ustedes | \
         es el colmo | sos un boludo | son unos huevones | este bot es una gonorrea | \
         puto bot | váyanse a la mierda",
        "no eres tonto | te echo de menos | estás loca de amor | no entiendo | gracias | \
         quiero cambiar mi pedido | tengo una queja sobre la talla | el vestido es feo | \
         mi casa está en la calle 5 | no estoy enojado | soy de Malo, Italia | \
         marica no entiendo nada | boludo | huevón sí | qué pereza tanta pregunta | wey | \
         parce | ingreso bruto mensual",
    );
    check(
        Builtin::Profanity,
        "qué mierda | hijueputa | no mames | idiotas | fuck off | anda a cagar",
        "computadora | disputa | un cono de helado | conchas de mar | diputado",
    );
}

#[test]
fn leaving_the_form_is_told_from_filling_it() {
    check(
        Builtin::OffTopic,
        "¿Cuál es el clima? | ¿Cómo está el clima? | contame un chiste | qué hora es | \
         ¿quién sos? | ¿cuánto cuesta el envío? | tengo otra pregunta | cambiando de tema | \
         una consulta | qué es esto | ¿para qué necesitan mi correo? | eres un robot? | \
         a qué hora abren | how much is it | tell me a joke | \
         espérame tantico | dame un momento ya lo busco | un segundo | 1 momento porfa | \
         voy manejando, ahorita te respondo | ahorita sigo | ya vuelvo | sigo aquí | \
         hola hola, sigo aquí | mándame un audio | llámame mejor | cuéntame un chiste | info | \
         info por favor | más información | buenas, es que vi un anuncio en facebook | jajaja | \
         jeje | xd | lol | jajaja qué risa el video | 😂😂",
        "Juan Pérez | juan@x.com | vivo en Bogotá | 3001112233 | mi edad es 30 | sí | \
         llámame al 3216549870 | Segundo Pérez | Informática Sur | Jairo | Jasmín | \
         Momento Café | Sistemas de Información SAS",
    );
    check(
        Builtin::Question,
        "qué día entregan | Dónde queda | ¿sí? | puedo pagar después | how do I pay | \
         cuánto sale",
        "me llamo Juan | quiero que me llamen | sí | como siempre",
    );
    check(
        Builtin::Help,
        "no entiendo | ayuda | ¿cómo es eso? | no sé | nose | ?? | qué pongo | idk | help me",
        "no se puede | Juan | no se preocupe",
    );
    check(
        Builtin::Skip,
        "paso | omitir | siguiente | después te lo paso | te lo mando más tarde | skip | \
         más tarde",
        "paso a buscarlo el lunes | paso 3 | la siguiente canción de Shakira | \
         te paso mi correo",
    );
    check(
        Builtin::Refusal,
        "no tengo | prefiero no decirlo | no quiero dar mi teléfono | no te lo voy a decir | \
         no pienso compartir eso | es privado | I'd rather not | I don't have one | \
         no te lo doy | todavía no | aún no | todavía no, estamos en esas | \
         aun no la hemos hecho | está en construcción | no hemos hecho | no manejamos | \
         no contamos con eso | no hay | por ahora no | la estamos haciendo",
        "no tengo dudas | no tengo problema | sí | quiero dar mi teléfono | no hay problema | \
         todavía no me llega el pedido | todavía no sé | no hay de qué | \
         no hay una persona que me ayude?",
    );
    check(
        Builtin::Urgency,
        "urgente | lo necesito ya | cuanto antes | ASAP | ya mismo por favor | me urge",
        "no es urgente | no tengo apuro | Urquiza",
    );
    check(
        Builtin::Emergency,
        "hay pérdida de gas | se inunda el baño | incendio! | huele a quemado | \
         se cayó mi abuela y no respira",
        "alarma de incendio | contacto de emergencia: Ana | cocina a gas | detector de gas",
    );
}
