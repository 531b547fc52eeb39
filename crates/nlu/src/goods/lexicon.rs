//! The words of Argentine orders that are not goods, and spellings of those that are.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use crate::extract::tokens::Tokens;

/// The role of a word in an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WordRole {
    /// Politeness, hesitation, small words: not part of the goods.
    Filler,
    /// Points to the goods last named.
    Pronoun,
    /// Parts one item from the next.
    Joint,
    /// Begins words that order no goods: addresses, names, payment, coming by.
    Talk,
}

const FILLERS: &str = "a abrazo abrazos ah ahi ahora al algo algun alguna algunas alguno algunos amiga amigo amor asi aunque ay ayer beso besos \
    bien buen buena buenas buenass bueno buenos capo carrito che cierto como compra comprar comun \
    comunes con consulta consultar cosas cosita cositas cuando dale de decir del dele dia dias \
    d despues disculpa disculpame domingo domingos eh el ella en encargar entonces era eran es esta este estimada estimado \
    favor fijate finalmente fresca fresquita fria frias frio frios genial genio gracias gusta \
    gustaria ha haber hacer hacerte hago helada heladas hice hola holi holis hoy igual \
    jefe joya jueves la las le lista listo llevar lo los luego lunes maestro manana martes mas me mediodia mi miercoles mil mira \
    mismo mmm mucha muchas nada nena nene noche noches nomas normal normales nos ojo ok oka \
    okey orden para pedidito pedido pedir perdon perfecto please plis poco podes podias podria \
    podrias poquito por porfi pronto puedas puede pueden puedo puse que querer querida querido \
    quedamos quise rapido realidad reina rey rica ricas sabado sabados saber saludos se sea sean senor senora senorita \
    ser seria serian si sola solamente solas solo solos son sos tal tanto tarde tardes te temprano tiempo tipo todas todo todos total \
    uf uh un una unas uno unos urgente uy va vamos van vecina vecino ver vez viernes viste voy ya yo";

const PRONOUNS: &str = "demas ellas ellos esa esas ese eso esos estas esto estos mismas mismos otra otras otro otros resto";

const JOINTS: &str = "ademas e pero tambien y";

const TALK: &str = "abono alcanza alcanzan alias apellido asesor avisame avisen barrio cada calle cancelo casa cbu celular \
    cerramos confirmado confirmar confirmo cuenta depto direccion dni domicilio efectivo \
    encargado entre envio envios espera esperamos espero esquina estamos estoy hablar humano \
    llamo llegaron llego mandaron mercadopago nombre numero pagamos pagar pago pasamos paso \
    persona piso problema quedo recibi reclamo repeti repetir retirar retiro soy tarjeta \
    telefono tengo timbre toca transferencia transferi transfiero vivimos vivo";

const TOPICS: &str = "abiertos abre abren alias atienden carta catalogo cbu cerrado cerrados cierra cierran \
    credito cuenta cuotas debito delivery demora demoran descuento descuentos direccion \
    domicilio efectivo envian envio envios factura feriado feriados hora horario horarios horas llega \
    llegan llegas local menu mercadopago metodos minimo pagar pago pagos pedido promo promociones \
    promos qr reparten reparto sucursal tarda tardan tarjeta tarjetas total trabajan transferencia \
    ubicacion ubicados vuelto whatsapp zona zonas";

static ROLES: LazyLock<HashMap<&'static str, WordRole>> = LazyLock::new(|| {
    let lists = [
        (FILLERS, WordRole::Filler),
        (PRONOUNS, WordRole::Pronoun),
        (JOINTS, WordRole::Joint),
        (TALK, WordRole::Talk),
    ];
    let words = lists
        .into_iter()
        .flat_map(|(list, role)| list.split_whitespace().map(move |word| (word, role)));
    words.collect()
});

static TOPIC_WORDS: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| TOPICS.split_whitespace().collect());

pub(super) fn role(word: &str) -> Option<WordRole> {
    ROLES.get(word).copied().or_else(|| is_laughter(word).then_some(WordRole::Filler))
}

/// `jajaja`, of any length and typed in any order.
fn is_laughter(word: &str) -> bool {
    let typed = |letters: &[u8]| word.bytes().all(|letter| letters.contains(&letter));
    let laughs = typed(b"ja") || typed(b"je") || typed(b"ji") || typed(b"js");
    word.len() > 2 && word.contains('j') && laughs
}

/// Whether a question with this word is about the shop's service and not about goods.
pub(super) fn is_topic(word: &str) -> bool {
    TOPIC_WORDS.contains(word)
}

/// Names that begin with a number, and the single word each is found by.
const NUMBERED: &[(&str, &str)] = &[
    ("7 up", "7up"),
    ("seven up", "7up"),
    ("seven", "7up"),
    ("9 de oro", "9oro"),
    ("nueve de oro", "9oro"),
];

pub(super) fn numbered_name(tokens: &Tokens<'_>, at: usize) -> Option<(&'static str, usize)> {
    NUMBERED.iter().find_map(|(phrase, term)| Some((*term, tokens.follow(at, phrase)?)))
}

/// Words that say nothing about which goods are meant.
pub(super) fn is_stop(word: &str) -> bool {
    matches!(
        word,
        "a" | "al"
            | "con"
            | "d"
            | "de"
            | "del"
            | "e"
            | "el"
            | "en"
            | "la"
            | "las"
            | "lo"
            | "los"
            | "mas"
            | "o"
            | "otra"
            | "otro"
            | "para"
            | "por"
            | "tipo"
            | "un"
            | "una"
            | "unas"
            | "uno"
            | "unos"
            | "x"
            | "y"
            | "comun"
            | "comunes"
            | "normal"
            | "normales"
            | "clasica"
            | "clasico"
            | "clasicas"
            | "original"
            | "tradicional"
            | "fria"
            | "frio"
            | "frias"
            | "frios"
            | "bien"
            | "helada"
            | "heladas"
            | "unidad"
            | "unidades"
            | "s"
            | "marca"
    )
}

/// Words for goods of no special kind.
pub(super) fn is_plain(word: &str) -> bool {
    matches!(word, "comun" | "comunes" | "normal" | "normales")
}

/// Words for how goods are to be cut or picked. Goods are not named by them, though some names
/// contain one (`sal fina`).
pub(super) fn says_how(word: &str) -> bool {
    matches!(
        word.strip_suffix('s').unwrap_or(word),
        "cortada"
            | "cortadita"
            | "cortadito"
            | "cortado"
            | "feteada"
            | "feteado"
            | "fina"
            | "finita"
            | "finito"
            | "fino"
            | "gruesa"
            | "grueso"
            | "madura"
            | "maduro"
            | "tierna"
            | "tierno"
            | "verde"
    )
}

/// Words for containers: they help to find goods, and goods without the word are found as well.
pub(super) fn is_container(word: &str) -> bool {
    let stem = word.strip_suffix('s').unwrap_or(word);
    matches!(
        stem,
        "bot"
            | "botella"
            | "botellita"
            | "lata"
            | "latita"
            | "paq"
            | "paquete"
            | "paquetito"
            | "caja"
            | "cajita"
            | "carton"
            | "bolsa"
            | "bolsita"
            | "sachet"
            | "frasco"
            | "pote"
            | "sobre"
            | "sobrecito"
            | "tetra"
            | "bidon"
            | "rollo"
            | "barra"
            | "tira"
            | "horma"
            | "atado"
            | "tubo"
    )
}

/// Other names and spellings of goods: the words meant, sorted by the word written.
const SPELLINGS: &[(&str, &str)] = &[
    ("azuquita", "azucar"),
    ("birra", "cerveza"),
    ("birras", "cerveza"),
    ("birrita", "cerveza"),
    ("birritas", "cerveza"),
    ("cafecito", "cafe"),
    ("cero", "zero"),
    ("cervecita", "cerveza"),
    ("cervecitas", "cerveza"),
    ("choco", "chocolate"),
    ("cocacola", "coca cola"),
    ("cocacolas", "coca cola"),
    ("coquita", "coca"),
    ("coquitas", "coca"),
    ("cremo", "cremoso"),
    ("ddl", "dulce leche"),
    ("desc", "descremada"),
    ("descre", "descremada"),
    ("descremado", "descremada"),
    ("deter", "detergente"),
    ("diet", "light"),
    ("dietetica", "light"),
    ("espageti", "spaghetti"),
    ("espagueti", "spaghetti"),
    ("espaguetis", "spaghetti"),
    ("esprait", "sprite"),
    ("espraits", "sprite"),
    ("esprite", "sprite"),
    ("fernecito", "fernet"),
    ("galles", "galletita"),
    ("galleta", "galletita"),
    ("galletas", "galletita"),
    ("galletis", "galletita"),
    ("gase", "gaseosa"),
    ("gaseo", "gaseosa"),
    ("gases", "gaseosa"),
    ("jyq", "jamon queso"),
    ("lactea", "leche"),
    ("lait", "light"),
    ("lechita", "leche"),
    ("mayo", "mayonesa"),
    ("pancito", "pan"),
    ("pancitos", "pan"),
    ("pecsi", "pepsi"),
    ("pepsicola", "pepsi"),
    ("ph", "papel higienico"),
    ("pucho", "cigarrillo"),
    ("puchos", "cigarrillo"),
    ("quesito", "queso"),
    ("sevenup", "7up"),
    ("spageti", "spaghetti"),
    ("spagetti", "spaghetti"),
    ("spagueti", "spaghetti"),
    ("spaguetti", "spaghetti"),
    ("yerbita", "yerba"),
    ("yogures", "yogur"),
    ("yogurt", "yogur"),
    ("yogurts", "yogur"),
];

pub(super) fn spelling(word: &str) -> Option<&'static str> {
    let at = SPELLINGS.binary_search_by(|(written, _)| (*written).cmp(word)).ok()?;
    Some(SPELLINGS[at].1)
}

/// Words after which a preceding `sin` is part of the goods' name.
pub(super) fn is_left_out(word: &str) -> bool {
    matches!(
        word,
        "alcohol"
            | "azucar"
            | "azucares"
            | "cafeina"
            | "gas"
            | "gluten"
            | "hueso"
            | "lactosa"
            | "palo"
            | "piel"
            | "polvo"
            | "sabor"
            | "sal"
            | "semilla"
            | "semillas"
            | "tacc"
            | "tac"
            | "corteza"
            | "conservantes"
            | "grasa"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spellings_are_in_order_and_none_is_listed_twice() {
        for pair in SPELLINGS.windows(2) {
            assert!(pair[0].0 < pair[1].0, "{} before {}", pair[0].0, pair[1].0);
        }
    }

    #[test]
    fn a_word_has_one_role() {
        let lists = [FILLERS, PRONOUNS, JOINTS, TALK];
        let words: Vec<_> = lists.iter().flat_map(|list| list.split_whitespace()).collect();
        assert_eq!(ROLES.len(), words.len());
    }
}
