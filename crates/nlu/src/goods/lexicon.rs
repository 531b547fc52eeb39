//! The words of Argentine orders that are not goods, and spellings of those that are.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use crate::extract::number;
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

const FILLERS: &str = "a ah ahi ahora al algo algun alguna alguno algunas algunos amigo amiga aunque \
    buen buena buenas buenass bueno buenos capo che como comun comunes con cosas de del dele dia dias disculpa \
    disculpame dona don eh el ella en entonces esta este favor fijate genial genio gracias gral \
    grandioso gusta gustaria ha hacer hacerte hago hoy hola holis holi igual jaja jefe joya la las le lo los luego \
    maestro mas me mil mira mismo mucha muchas nena nene nomas normal normales nos ojo ok oka okey para \
    pedir pedido pedidito perdon perfecto plis podes podias podrias podria puede pueden poco poquito \
    please pl por porfi profe puedas puedo que querida querido rapido reina rey saludos se senor senora \
    senorita ser seria serian si solamente solo sos tardes tarde noches noche te tipo todo todas todos \
    un una uno unas unos urgente va vamos van vecina vecino ver vez voy ya yo listo dale \
    nada sean sea son eran era lista cuando bien fria frias frio frios helada heladas rica ricas fresca \
    fresquita querer saber consulta consultar estimado estimada amor mi haber tal cosita cositas decir \
    quise realidad total hice puse manana carrito orden compra mmm uh uf asi pronto llevar comprar encargar finalmente";

const PRONOUNS: &str = "esa ese eso esas esos estas estos esto ellas ellos otra otro otras otros mismas \
    mismos";

const JOINTS: &str = "y e tambien ademas pero";

const TALK: &str = "abono alias apellido barrio calle cbu celular confirmo confirmar contesto cuenta depto \
    direccion dni efectivo entre envio envios esperamos espero esquina estoy estamos llamo llego mercadopago \
    nombre numero pago pagar pagamos pasamos paso piso recibi retiro retirar soy telefono tengo \
    tarjeta timbre transferencia transfiero transferi vivo vivimos cada casa domicilio confirmado \
    asesor avisame avisen cerramos encargado espera hablar humano persona quedo cancelo mudo mandaron llegaron problema reclamo repeti repetir";

const TOPICS: &str = "abiertos abren abre atienden cerrado cerrados cierran cierra delivery demora demoran \
    descuento descuentos direccion domicilio efectivo envian envio envios factura feriado horario horarios \
    hora horas llega llegan local menu carta catalogo mercadopago metodos minimo pagar pago \
    pagos promo promos promociones reparto reparten sucursal tarda tardan tarjeta tarjetas transferencia \
    ubicacion ubicados zona zonas debito credito cuotas qr alias cbu whatsapp \
    total pedido cuenta vuelto";

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
    ROLES.get(word).copied()
}

/// Whether a question with this word is about the shop's service and not about goods.
pub(super) fn is_topic(word: &str) -> bool {
    TOPIC_WORDS.contains(word)
}

/// Phrases that are skipped whole, since their words mean something else elsewhere.
const PHRASES: &[&str] = &[
    "a ver",
    "al carrito",
    "al final",
    "buen dia",
    "como andan",
    "como andas",
    "como esta",
    "como estan",
    "como estas",
    "como te va",
    "como va",
    "cuando puedas",
    "cuando puedan",
    "de una",
    "el carrito",
    "el pedido",
    "eso es todo",
    "eso seria todo",
    "esta bien",
    "gracias",
    "la orden",
    "lo de siempre",
    "lo mismo de siempre",
    "mi pedido",
    "muchas gracias",
    "mil gracias",
    "nada mas",
    "no mas",
    "para pedir",
    "por ahora",
    "por favor",
    "por las dudas",
    "puede ser",
    "que tal",
    "que andas",
    "si hay",
    "si les queda",
    "si podes",
    "si pueden",
    "si puede ser",
    "si queda",
    "si quedan",
    "si te queda",
    "si te quedan",
    "si tenes",
    "si tienen",
    "te hago un pedido",
    "todo bien",
    "todo piola",
    "un pedidito",
    "un pedido",
    "una consulta",
    "una pregunta",
];

/// The index after a phrase of politeness or condition, or after an hour.
pub(super) fn phrase(tokens: &Tokens<'_>, at: usize) -> Option<usize> {
    tokens.follow_any(at, PHRASES).or_else(|| {
        let hour = tokens.follow_any(at, &["a las", "a la", "para las", "tipo"])?;
        number::small_whole(tokens, hour).map(|(_, end)| end)
    })
}

/// Names that begin with a number, and the one word each is found by.
const NUMBERED: &[(&str, &str)] =
    &[("7 up", "7up"), ("seven up", "7up"), ("9 de oro", "9oro"), ("nueve de oro", "9oro")];

pub(super) fn numbered_name(tokens: &Tokens<'_>, at: usize) -> Option<(&'static str, usize)> {
    NUMBERED.iter().find_map(|(phrase, term)| Some((*term, tokens.follow(at, phrase)?)))
}

/// Words that say nothing about which goods are meant.
pub(super) fn is_stop(word: &str) -> bool {
    matches!(
        word,
        "a" | "al"
            | "con"
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

/// What goods come in: it helps to find them, and nothing is missed if it is not said of them.
pub(super) fn is_container(word: &str) -> bool {
    let stem = word.strip_suffix('s').unwrap_or(word);
    matches!(
        stem,
        "botella"
            | "botellita"
            | "lata"
            | "latita"
            | "paquete"
            | "paquetito"
            | "caja"
            | "cajita"
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
    ("cocas", "coca"),
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
    ("puchos", "cigarrillo"),
    ("pucho", "cigarrillo"),
    ("quesito", "queso"),
    ("sevenup", "7up"),
    ("spageti", "spaghetti"),
    ("spagetti", "spaghetti"),
    ("spagueti", "spaghetti"),
    ("spaguetti", "spaghetti"),
    ("yerbita", "yerba"),
    ("yogurt", "yogur"),
    ("yogures", "yogur"),
    ("yogurts", "yogur"),
    ("zero", "zero"),
];

pub(super) fn spelling(word: &str) -> Option<&'static str> {
    SPELLINGS.iter().find(|(written, _)| *written == word).map(|(_, meant)| *meant)
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
