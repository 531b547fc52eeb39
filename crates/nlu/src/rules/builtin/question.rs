//! Asking something: an interrogative opening, or question marks.

use super::Table;

pub(super) const TABLE: Table = Table {
    parts: &[
        (
            "lead",
            "hola|buenas|buenos dias|buen dia|buenas tardes|buenas noches|hey|oye|oiga|che|y|pero|ok|bueno|disculpa|disculpe|perdon|una pregunta|una consulta|consulta|gracias|amig[oa]|hello|hi|a|de|con|en|para|por|desde|hasta|sobre",
        ),
        (
            "ask",
            "que|quien|quienes|cual|cuales|cuando|cuanto|cuanta|cuantos|cuantas|donde|adonde|como|por que|para que|a que|en que",
        ),
    ],
    patterns: &[
        r"^(?:{lead} ){0,3}(?:quien|quienes|cual|cuales|cuanto|cuanta|cuantos|cuantas|adonde)\b",
        r"^(?:{lead} ){0,3}(?:que|como|donde|cuando) (?:\w+ ){0,2}?(?:es|son|esta|estan|estas|hay|hora|dia|puedo|puedes|podes|pueden|hago|hacer|se|funciona|tengo|tienes|tenes|tienen|debo|pasa|significa|incluye|cuesta|quiere|necesito|necesitan|va|van|vas|quieres|queres|dice|opinas|piensas|tipo|clase|sigue|abren|cierran|llega|llegan|queda|quedan|atienden|entregan|viven|retiro|compro|pago|ubican)\b",
        // «qué me recomendás» asks, «que me lo traigan» does not.
        r"^(?:{lead} ){0,3}(?:que|como|donde|cuando) (?:te|me|le|les|nos) (?:[a-km-z]|ll)\w*",
        r"^(?:{lead} ){0,3}por que (?:\w+)",
        r"\b(?:me|te|nos) (?:puedes|podes|podrias|puede|pueden|podrian) (?:decir|explicar|ayudar|indicar|informar|contar|confirmar|dar|pasar|enviar|mandar)\b",
        r"^(?:{lead} ){0,3}(?:puedo|puedes|podes|podrias|podria|se puede|puede|pueden|sabes|sabe|saben|tienen|tenes|tienes|hay|hacen|aceptan|venden|atienden|quisiera saber|queria saber|me gustaria saber|dime|decime|digame) \w+",
        r"\b(?:decime|dime|digame|diganme|saber|explicame|explica|contame|cuentame|preguntar|pregunto|consultar|averiguar|duda (?:es|sobre)|no se) (?:si|{ask})\b",
        r"^(?:(?:hello|hi|hey|and|so|ok|but|please) ){0,2}(?:what|whats|who|whos|where|wheres|when|why|how|hows|which|whose)\b",
        r"^(?:(?:hello|hi|hey|and|so|ok|but) ){0,2}(?:do|does|did|is|are|can|could|would|will|should|have|has|may) (?:i|you|u|we|they|he|she|it|there|this|that|the|your|my)\b",
    ],
    written: &["[¿?]"],
    ..Table::EMPTY
};
