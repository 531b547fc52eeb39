//! The words around what a summary says: those that only lead to it, and those that never repeat it.

/// Words that may stand between words that repeat.
pub(in crate::agreement) const LEADING: &[&str] = &[
    "a", "al", "and", "at", "barrio", "con", "de", "del", "e", "el", "en", "for", "in", "la",
    "las", "los", "mi", "mis", "my", "of", "on", "para", "por", "the", "to", "with", "x", "y", "pa",
    "n", "ahi", "aqui", "frente", "number", "nro", "num", "numero", "es", "son", "is", "are",
    "mas", "plus", "pesos", "pesitos", "ars", "cop", "usd", "dollars", "bucks",
];

/// Of them, those that only lead to a number.
pub(in crate::agreement) const LEADING_TO_A_NUMBER: &[&str] =
    &["es", "son", "is", "are", "nro", "num", "numero", "number", "x"];

/// Of them, those that only join sums.
pub(in crate::agreement) const SUMMING: &[&str] = &["mas", "plus"];

/// Of them, those that cannot begin a repetition, since they would add to it.
pub(in crate::agreement) const JOINING: &[&str] = &["y", "e", "and", "n", "mas", "plus"];

/// Of them, those that follow a number.
pub(in crate::agreement) const AFTER_A_NUMBER: &[&str] =
    &["pesos", "pesitos", "ars", "cop", "usd", "dollars", "bucks"];

/// Names of data: without the datum they say nothing about it.
pub(in crate::agreement) const LABELS: &[&str] = &[
    "address", "apartamento", "apartment", "apto", "cc", "cedula", "cel", "celular", "ciudad",
    "city", "costo", "delivery", "departamento", "depto", "direccion", "dni", "documento",
    "domicilio", "dpto", "entrega", "envio", "fee", "flat", "floor", "id", "importe", "monto",
    "name", "nombre", "phone", "piso", "precio", "price", "shipping", "tel", "telefono", "total",
    "totales", "valor", "pedido", "order", "id", "numero", "st", "street", "calle",
];

/// Words that never repeat, even where they were shown: they ask, deny, delay, or tell what to do.
pub(in crate::agreement) const NEVER: &[&str] = &[
    "ahora", "after", "ajustar", "and", "antes", "ayer", "before", "agregar", "but", "cambiar",
    "can", "cancel", "cancelar", "change", "como", "confirm", "confirma", "confirmado",
    "confirmamos", "confirmar", "confirmas", "confirmo", "could", "cual", "cuando", "cuanto",
    "cuesta", "cuestan", "despues", "dia", "dias", "did", "do", "does", "domingo", "donde", "esta",
    "este", "fue", "friday", "he", "her", "here", "his", "hora", "horas", "hour", "hours", "how",
    "hoy", "humano", "human", "i", "if", "just", "jueves", "later", "le", "llega", "llegan", "lo",
    "luego", "lunes", "manana", "martes", "me", "menos", "miercoles", "monday", "more", "never",
    "no", "not", "nothing", "now", "only", "or", "otra", "otro", "o", "pagar", "pagas", "pago",
    "paso", "pay", "pero", "poner", "quitar", "que", "quien", "recibes", "recibir", "recibis",
    "resumen", "sabado", "sacar", "saturday", "se", "semana", "shall", "should", "si", "sin",
    "solo", "solamente", "su", "summary", "sunday", "tarde", "te", "they", "thursday", "tienes",
    "today", "tomorrow", "tu", "tuesday", "tus", "vale", "viernes", "was", "we", "wednesday",
    "week", "what", "when", "where", "who", "why", "will", "without", "would", "you", "your",
    "yes", "yet", "maybe", "quiza", "quizas", "nunca", "tampoco", "nada", "ni", "excepto", "salvo",
    "mejor", "except", "instead", "another", "extra", "aun", "todavia", "wait", "espera",
];

/// Numbers in words, with the articles that count one.
pub(in crate::agreement) const NUMBERS: &[(&str, &str)] = &[
    ("un", "1"), ("uno", "1"), ("una", "1"), ("one", "1"), ("dos", "2"), ("two", "2"),
    ("tres", "3"), ("three", "3"), ("cuatro", "4"), ("four", "4"), ("cinco", "5"), ("five", "5"),
    ("seis", "6"), ("six", "6"), ("siete", "7"), ("seven", "7"), ("ocho", "8"), ("eight", "8"),
    ("nueve", "9"), ("nine", "9"), ("diez", "10"), ("ten", "10"), ("once", "11"),
    ("eleven", "11"), ("doce", "12"), ("twelve", "12"), ("segundo", "2"), ("primero", "1"),
    ("primer", "1"), ("tercero", "3"), ("tercer", "3"), ("cuarto", "4"), ("quinto", "5"),
    ("sexto", "6"), ("septimo", "7"), ("octavo", "8"), ("noveno", "9"), ("decimo", "10"),
    ("second", "2"), ("third", "3"), ("fourth", "4"),
];

/// Other names of goods and places, as people shorten them.
pub(in crate::agreement) const SAME: &[(&str, &str)] = &[
    ("coke", "coca"), ("cokes", "coca"), ("coquita", "coca"), ("coquitas", "coca"), ("cll", "calle"), ("cl", "calle"),
    ("cra", "carrera"), ("kra", "carrera"), ("av", "avenida"), ("st", "street"), ("lts", "l"),
    ("litro", "l"), ("litros", "l"), ("lt", "l"), ("liter", "l"), ("litre", "l"), ("liters", "l"), ("litres", "l"),
    ("cedula", "dni"), ("documento", "dni"), ("shipping", "delivery"), ("celular", "telefono"), ("cel", "telefono"),
];
