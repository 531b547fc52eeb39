//! Names of people, after the words that introduce them: `soy Ana`, `me llamo José Luis Pérez`.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::candidate::{Candidate, rank};
use super::first_names::is_first_name;
use super::phrases::Phrases;
use super::tokens::{Class, Tokens};
use super::value::Value;
use crate::Normalized;

/// Words that introduce a name, and how surely a name follows them.
const OPENERS: Phrases<Sure> = Phrases::new(&[
    ("me llamo", Sure::Certain),
    ("me yamo", Sure::Certain),
    ("mi nombre es", Sure::Certain),
    ("mi nombre completo es", Sure::Certain),
    ("mi nombre y apellido es", Sure::Certain),
    ("a nombre de", Sure::Certain),
    ("my name is", Sure::Certain),
    ("my name ' s", Sure::Certain),
    ("me dicen", Sure::Certain),
    ("me llaman", Sure::Certain),
    ("nombre :", Sure::Certain),
    ("nombre completo :", Sure::Certain),
    ("nombre y apellido :", Sure::Certain),
    ("name :", Sure::Certain),
    ("full name :", Sure::Certain),
    ("soy", Sure::Likely),
    ("yo soy", Sure::Likely),
    ("habla con", Sure::Likely),
    ("hablas con", Sure::Likely),
    ("hablan con", Sure::Likely),
    ("habla", Sure::Likely),
    ("te habla", Sure::Likely),
    ("le habla", Sure::Likely),
    ("les habla", Sure::Likely),
    ("te escribe", Sure::Likely),
    ("les escribe", Sure::Likely),
    ("le escribe", Sure::Likely),
    ("i am", Sure::Likely),
    ("i ' m", Sure::Likely),
    ("this is", Sure::Likely),
    ("aqui", Sure::Likely),
]);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sure {
    /// Any word that follows is a name.
    Certain,
    /// A word that follows is a name only if it looks like one: `soy cliente` names nobody.
    Likely,
}

const AFTER: [&str; 4] = ["por aca", "por aqui", "here", "al habla"];

const PARTICLES: [&str; 14] =
    ["de", "del", "la", "las", "los", "van", "von", "der", "da", "dos", "di", "mac", "san", "y"];

/// Words that end a name or keep a word from beginning one.
static STOPS: LazyLock<HashSet<&str>> = LazyLock::new(|| STOP_WORDS.split_whitespace().collect());

const STOP_WORDS: &str = "y e o u a al con sin por para pero que porque cuando como donde mi mis tu tus su sus me te se \
    lo le les nos el un una unos unas este esta estos estas ese esa eso esto si no ya muy mas menos tambien \
    quiero quisiera queria necesito tengo tenia vivo busco llamo escribo hablo estoy estaba soy es era fue son \
    ser hay voy vengo puedo puede podria hago hice compre pedi pido trabajo naci mando envio dejo paso quede \
    telefono celular correo mail email cel tel dni cuit numero direccion nombre apellido whatsapp hola buenas \
    buenos dias tardes noches gracias favor saludos desde hace nuevo nueva cliente clienta dueno duena socio \
    socia usuario usuaria vecino vecina hombre mujer mayor menor alguien nadie yo vos usted ella ellos medico \
    medica doctor doctora abogado abogada contador contadora estudiante docente profesor profesora maestro \
    maestra empleado empleada encargado encargada gerente representante vendedor vendedora proveedor proveedora \
    comerciante vegano vegana vegetariano vegetariana celiaco celiaca alergico alergica diabetico diabetica \
    argentino argentina colombiano colombiana mexicano mexicana extranjero extranjera responsable monotributista \
    asesor asesora comercial independiente autonomo autonoma freelance emprendedor emprendedora empresario \
    empresaria ingeniero ingeniera arquitecto arquitecta disenador disenadora administrador administradora \
    administrativo administrativa secretario secretaria coordinador coordinadora director directora jefe jefa \
    consultor consultora distribuidor distribuidora comprador compradora asistente auxiliar tecnico tecnica \
    supervisor supervisora operador operadora ejecutivo ejecutiva agente interesado interesada particular \
    persona humano empresa propietario propietaria fundador fundadora pensionado pensionada jubilado jubilada \
    ama mama papa padre madre hijo hija esposo esposa hermano hermana nosotros \
    parte solo sola feliz quien quienes el la los las from the a an and my is your here not looking interested \
    calling writing i we you they it sure sorry fine ok good trying having going just in on at of to for with \
    customer new owner also very so";

/// Words of a greeting, after which `con Ana` says who writes.
const GREETING: [&str; 24] = [
    "hola", "holi", "buenas", "buenos", "buen", "muy", "dia", "dias", "tardes", "noches",
    "saludos", "cordial", "saludo", "que", "tal", "mas", "hey", "si", "parce", "amigo", "amiga",
    "pues", "todos", "che",
];

const LONGEST: usize = 6;

pub(super) fn find(text: &Normalized<'_>, tokens: &Tokens<'_>, found: &mut Vec<Candidate>) {
    let reader = Reader { text, tokens };
    for at in 0..tokens.len() {
        let greeted = || reader.greeted(at).map(|start| (start, Sure::Likely));
        let Some((start, sure)) = OPENERS.first(tokens, at).or_else(greeted) else {
            reader.before(at, found);
            continue;
        };
        if let Some(end) = reader.end_of_name(start, sure) {
            reader.push(start, end, found);
        }
    }
}

struct Reader<'r, 't> {
    text: &'r Normalized<'t>,
    tokens: &'r Tokens<'r>,
}

impl Reader<'_, '_> {
    fn written(&self, from: usize, to: usize) -> &str {
        &self.text.original()[self.text.original_span(self.tokens.span(from, to))]
    }

    fn end_of_name(&self, start: usize, sure: Sure) -> Option<usize> {
        let first = self.tokens.text(start);
        let capital = self.is_capital(start);
        let looks = is_first_name(first) || (capital && !self.shouts());
        if !self.can_be_name(start)
            || PARTICLES.contains(&first)
            || !(sure == Sure::Certain || looks)
        {
            return None;
        }
        let mut end = start + 1;
        let mut next = end;
        while next < start + LONGEST + 2 && end - start < LONGEST {
            if self.line_breaks_before(next) {
                break;
            }
            let word = self.tokens.text(next);
            let initial =
                word == "." && self.tokens.text(next - 1).len() == 1 && self.tokens.glued(next);
            let joint =
                matches!(word, "'" | "-") && self.tokens.glued(next) && self.tokens.glued(next + 1);
            if initial || joint || (PARTICLES.contains(&word) && word != "y") {
                next += 1;
                continue;
            }
            if self.is_company(next - 1) && capital {
                break;
            }
            if !self.can_be_name(next)
                || (capital && !self.is_capital(next) && !is_first_name(word))
            {
                break;
            }
            next += 1;
            end = next;
        }
        Some(end)
    }

    /// Whether a `de` at an index leads to the company of the person: `Camila Torres de Dulces
    /// Camila`. A single word after it may be a surname, and so may two that begin like a person's
    /// name.
    fn is_company(&self, of: usize) -> bool {
        let titled = |at: usize| {
            self.tokens.is(at, Class::Word)
                && self.is_capital(at)
                && !self.line_breaks_before(at)
                && !PARTICLES.contains(&self.tokens.text(at))
        };
        self.tokens.text(of) == "de"
            && titled(of + 1)
            && titled(of + 2)
            && !is_first_name(self.tokens.text(of + 1))
            && !self.shouts()
    }

    /// The index of the name in `buenas tardes, con Marcela Ospina`, if only a greeting precedes.
    fn greeted(&self, at: usize) -> Option<usize> {
        let greeting = |before: usize| {
            !self.tokens.is(before, Class::Digits)
                && (self.tokens.is(before, Class::Symbol)
                    || GREETING.contains(&self.tokens.text(before)))
        };
        if self.tokens.text(at) != "con" || !(0..at).all(greeting) {
            return None;
        }
        let full = at > 0 && self.is_capital(at + 1) && self.is_capital(at + 2);
        let named = full || is_first_name(self.tokens.text(at + 1));
        named.then_some(at + 1)
    }

    /// `Ana por acá`: the name stands before the words that announce it.
    fn before(&self, at: usize, found: &mut Vec<Candidate>) {
        if at == 0 || self.tokens.follow_any(at, &AFTER).is_none() {
            return;
        }
        let is_name = |at: usize| {
            self.can_be_name(at) && (is_first_name(self.tokens.text(at)) || self.is_capital(at))
        };
        let mut start = at;
        while start > 0 && at - start < 3 && is_name(start - 1) {
            start -= 1;
        }
        if start < at && is_first_name(self.tokens.text(start)) {
            self.push(start, at, found);
        }
    }

    fn can_be_name(&self, at: usize) -> bool {
        let word = self.tokens.text(at);
        self.tokens.is(at, Class::Word) && word.len() > 1 && !STOPS.contains(word)
    }

    fn is_capital(&self, at: usize) -> bool {
        self.written(at, at + 1).chars().next().is_some_and(char::is_uppercase)
    }

    /// Whether the message is all in capitals, which then say nothing about names.
    fn shouts(&self) -> bool {
        !self.text.original().chars().any(char::is_lowercase)
    }

    fn line_breaks_before(&self, at: usize) -> bool {
        at > 0 && self.tokens.get(at).is_some() && self.written(at - 1, at + 1).contains('\n')
    }

    fn push(&self, start: usize, end: usize, found: &mut Vec<Candidate>) {
        let name = spelled(self.written(start, end));
        found.push(Candidate::new(self.tokens.span(start, end), Value::Name(name), rank::NAME));
    }
}

/// The name as typed if it has capitals, otherwise with a capital for each word but the particles.
fn spelled(written: &str) -> String {
    let words: Vec<&str> = written.split_whitespace().collect();
    let particle = |word: &str| PARTICLES.contains(&word.to_lowercase().as_str());
    let good = words.iter().all(|word| {
        let mut letters = word.chars();
        let first = letters.next().is_some_and(char::is_uppercase);
        particle(word) || (first && (word.chars().count() < 3 || letters.any(char::is_lowercase)))
    });
    if good {
        return words.join(" ");
    }
    let titled = words.iter().enumerate().map(|(at, word)| {
        let small = word.to_lowercase();
        if at > 0 && particle(&small) {
            return small;
        }
        let mut letters = small.chars();
        letters
            .next()
            .map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
    });
    titled.collect::<Vec<_>>().join(" ")
}
