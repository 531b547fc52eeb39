//! The words of Argentine orders that are not goods, and spellings of those that are.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use crate::extract::tokens::Tokens;

/// What a word does in an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Politeness, hesitation, small words: no part of what is wanted.
    Filler,
    /// Points to what was last spoken of.
    Pronoun,
    /// Parts one item from the next.
    Joint,
    /// What is said about it is no order of goods: addresses, names, payment, coming by.
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

static ROLES: LazyLock<HashMap<&'static str, Role>> = LazyLock::new(|| {
    let lists = [
        (FILLERS, Role::Filler),
        (PRONOUNS, Role::Pronoun),
        (JOINTS, Role::Joint),
        (TALK, Role::Talk),
    ];
    let words = lists
        .into_iter()
        .flat_map(|(list, role)| list.split_whitespace().map(move |word| (word, role)));
    words.collect()
});

static TOPIC_WORDS: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| TOPICS.split_whitespace().collect());

pub(super) fn role(word: &str) -> Option<Role> {
    ROLES.get(word).copied().or_else(|| is_laughter(word).then_some(Role::Filler))
}

/// `jajaja`, however long and in whichever order it was typed.
fn is_laughter(word: &str) -> bool {
    let typed = |letters: &[u8]| word.bytes().all(|letter| letters.contains(&letter));
    let laughs = typed(b"ja") || typed(b"je") || typed(b"ji") || typed(b"js");
    word.len() > 2 && word.contains('j') && laughs
}

/// Whether a question with this word is about the shop's service and not about goods.
pub(super) fn is_topic(word: &str) -> bool {
    TOPIC_WORDS.contains(word)
}

/// Names that begin with a number, and the one word each is found by.
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

/// Said of goods that are of no kind of their own.
pub(super) fn is_plain(word: &str) -> bool {
    matches!(word, "comun" | "comunes" | "normal" | "normales")
}

/// How goods are to be cut or picked: nothing is called by it, though it may be called alike
/// (`sal fina`).
pub(super) fn is_manner(word: &str) -> bool {
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

/// What goods come in: it helps to find them, and nothing is missed if it is not said of them.
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

/// How else goods are called and written: the words meant, sorted by the word written.
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

/// What goods are `sin` something: after these `sin` is part of the name.
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
