//! The cost of understanding a message, part by part, on messages of about sixty characters.

use std::hint::black_box;

use anyhow::Result;
use domain::Ticks;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use nlu::{
    Builtin, Classifier, Example, Extractor, Hits, Locale, Normalized, OUT_OF_SCOPE, Rules,
    RulesBuilder, signals,
};

use crate::form::Registro;
use crate::measure::Measures;
use crate::plan::Plan;
use crate::spread::Spread;
use crate::stopwatch::Stopwatch;

const TEXTS: [&str; 20] = [
    "Hola, buenas tardes, quiero registrar mi empresa con ustedes",
    "me llamo Ana María Restrepo y tengo un taller en Envigado",
    "mi correo es ana.restrepo@talleres.com.co, escríbanme allá",
    "el celular es 312 555 0198 y contesto después del mediodía",
    "trabajamos con Distribuciones Gómez y Hermanos SAS desde 2019",
    "nuestra página es https://www.tecnillantas.co/contacto/ventas",
    "tenemos unos 12.000.000 de pesos para arrancar este proyecto",
    "no, perdón, mi correo es paola@eltornillo.co, el otro es viejo",
    "me equivoqué con el teléfono, el bueno es el 604 555 0123 hoy",
    "¿y eso cuánto me va a costar al mes si pago todo por anticipado?",
    "¿para qué quieren mis datos y con quién los comparten después?",
    "¿a qué hora atienden los sábados y abren también los festivos?",
    "por ahora no tengo página web, la estamos haciendo este mes",
    "qué calor está haciendo, ¿viste el partido de anoche con Cali?",
    "llámenme el próximo martes a las tres y media de la tarde pls",
    "mandé dos cajas y media por tres millones quinientos mil pesos",
    "cra 43A # 14-57 apto 302, El Poblado, Medellín, frente al parque",
    "graciasss, quedo muuuy pendiente de la llamada, feliz tarde 😊",
    "mi cédula es 1.017.234.567 y el NIT de la empresa 900.123.456-7",
    "sí claro, dale, el 15 de marzo del próximo año me queda perfecto",
];

/// The parts as the form has them.
struct Parts {
    rules: Rules,
    extractor: Extractor,
    classifier: Classifier,
    now: Timestamp,
}

pub(crate) fn run(plan: &Plan, measures: &mut Measures) -> Result<()> {
    let parts = Parts::of(&Registro::read()?)?;
    let texts: Vec<Normalized<'_>> = TEXTS.into_iter().map(Normalized::new).collect();
    let hits: Vec<Hits<'_>> = texts.iter().map(|text| parts.rules.find(text)).collect();
    let passes = plan.pick(2_000, 100);
    let mut measure = |name: &str, part: &dyn Fn(usize)| {
        measures.add(format!("understand.{name}"), median_us(passes, part));
    };
    measure("normalise", &|at| drop(black_box(Normalized::new(TEXTS[at]))));
    measure("rules", &|at| drop(black_box(parts.rules.find(&texts[at]))));
    measure("extract", &|at| drop(black_box(parts.extractor.find(&texts[at], parts.now))));
    measure("signals", &|at| drop(black_box(signals(&texts[at], &hits[at], 0))));
    measure("classify", &|at| drop(black_box(parts.classifier.classify(&texts[at]))));
    Ok(())
}

/// Microseconds a message, in the median of many passes over all of them.
fn median_us(passes: usize, part: &dyn Fn(usize)) -> f64 {
    let mut readings = Vec::new();
    let warm_up = passes / 10;
    for pass in 0..warm_up + passes {
        let watch = Stopwatch::start();
        (0..TEXTS.len()).for_each(part);
        if pass >= warm_up {
            readings.push(watch.nanos() as f64 / 1000.0 / TEXTS.len() as f64);
        }
    }
    Spread::of(readings).p50()
}

impl Parts {
    fn of(registro: &Registro) -> Result<Self> {
        let mut rules = Builtin::ALL.into_iter().fold(RulesBuilder::new(), RulesBuilder::builtin);
        for field in &registro.form().fields {
            rules = rules.keywords(&field.name, field.aliases.iter().map(String::as_str));
        }
        let (intents, manifest) = (&registro.pack.intents, &registro.pack.manifest);
        let named = intents.intents.iter().flat_map(|intent| {
            intent.examples.iter().map(|text| Example { text, intent: &intent.name })
        });
        let others = intents.out_of_scope.iter().map(|text| Example { text, intent: OUT_OF_SCOPE });
        let locale = Locale {
            country: "CO".parse()?,
            time_zone: TimeZone::get(&manifest.time_zone)?,
            cities: Vec::new(),
            products: Vec::new(),
        };
        Ok(Self {
            rules: rules.build(),
            extractor: Extractor::new(&locale),
            classifier: Classifier::train(&named.chain(others).collect::<Vec<_>>())?,
            now: Timestamp::from_second(1_767_798_000)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_messages_have_about_sixty_characters() {
        for text in TEXTS {
            assert!((55..=65).contains(&text.chars().count()), "{text}");
        }
    }
}
