//! The demo agent: it greets, counts, echoes, sets timers and calls tools. Small enough to be
//! read as the example of how to write one.

use async_trait::async_trait;
use domain::{
    ArmTimer, Confidence, Content, Event, EventKind, Handoff, OperatorEvent, Tier, Timer,
    TimerCondition, Timestamp, Trigger,
};
use serde_json::{Value, json};

use crate::{Agent, AgentError, Context, Outcome, ToolError, TurnInput};

const SILENCE: &str = "silencio";
const SILENCE_MS: i64 = 5 * 60 * 1000;

const HELP: &str = "Probá: «hola», «me llamo Ana», «dame un turno», «recordame en 10 segundos \
                    tomar agua», «avisá que llegué» o «quiero hablar con una persona».";

pub struct DemoAgent;

#[async_trait]
impl Agent for DemoAgent {
    fn name(&self) -> &str {
        "demo"
    }

    async fn turn(
        &self,
        input: &TurnInput,
        context: &mut dyn Context,
    ) -> Result<Outcome, AgentError> {
        let mut outcome = Outcome::unchanged(&input.mode, &input.state);
        let mut lines = Vec::new();
        for event in &input.events {
            match &event.kind {
                EventKind::Message(content) => {
                    lines.push(answer(content, event, input, context, &mut outcome).await);
                }
                EventKind::Timer(timer) => remind(timer, &mut outcome),
                EventKind::Operator(OperatorEvent::Returned { .. }) => {
                    outcome.reply("Ya estoy de vuelta. ¿Seguimos?");
                }
            }
        }
        // Messages that came together are answered together, in one bubble.
        if !lines.is_empty() {
            outcome.reply(lines.join("\n"));
            watch_for_silence(context.now(), &mut outcome);
        }
        Ok(outcome)
    }
}

fn remind(timer: &Timer, outcome: &mut Outcome) {
    match timer.payload["texto"].as_str() {
        Some(text) => outcome.remind(format!("Te recuerdo: {text}")),
        None => outcome.remind("¿Seguís ahí? Si necesitás algo, acá estoy."),
    }
}

fn watch_for_silence(now: Timestamp, outcome: &mut Outcome) {
    if outcome.handoff.is_some() {
        outcome.cancel.push(SILENCE.to_owned());
        return;
    }
    outcome.arm.push(ArmTimer {
        key: SILENCE.to_owned(),
        due_at: now.plus_ms(SILENCE_MS),
        condition: TimerCondition::Silence,
        payload: Value::Null,
    });
}

async fn answer(
    content: &Content,
    event: &Event,
    input: &TurnInput,
    context: &mut dyn Context,
    outcome: &mut Outcome,
) -> String {
    let count = count(outcome);
    let Some(text) = content.words() else {
        return format!("{count}. Recibí algo que todavía no sé leer. {HELP}");
    };
    let (intent, line) = match Wish::of(&text) {
        Wish::Greet => ("saludo", greeting(input, outcome)),
        Wish::Name(name) => ("nombre", named(&name, context, outcome).await),
        Wish::Number => ("turno", number(context).await),
        Wish::Remind { ms, what } => ("recordatorio", reminder(ms, &what, event, context, outcome)),
        Wish::Notify(what) => ("aviso", notify(&what, context).await),
        Wish::Person => {
            let asked = "the customer asked for a person";
            outcome.handoff = Some(Handoff::new(Trigger::CustomerRequest, asked));
            ("persona", "Te paso con una persona. Ya te atiende.".to_owned())
        }
        Wish::Break => panic!("the customer asked the demo agent to fail"),
        Wish::Echo => ("eco", format!("recibí «{text}»")),
    };
    let intent = (intent.to_owned(), Confidence::CERTAIN);
    let trace = outcome.trace.get_or_insert_default();
    trace.tier = Some(Tier::Rules);
    trace.intents.push(intent.clone());
    outcome.intent = Some(intent);
    format!("{count}. {line}")
}

fn count(outcome: &mut Outcome) -> u64 {
    let counted = outcome.state.data.get("mensajes").and_then(Value::as_u64);
    let count = counted.unwrap_or(0) + 1;
    outcome.state.data.insert("mensajes".to_owned(), json!(count));
    count
}

fn greeting(input: &TurnInput, outcome: &Outcome) -> String {
    let told = outcome.state.data.get("nombre").and_then(Value::as_str);
    let known = input.contact.name.as_ref().map(|name| name.reveal().as_str());
    match told.or(known) {
        Some(name) => format!("¡Hola, {name}! {HELP}"),
        None => format!("¡Hola! {HELP}"),
    }
}

async fn named(name: &str, context: &mut dyn Context, outcome: &mut Outcome) -> String {
    match context.call("crm.contact.update", json!({ "nombre": name })).await {
        Ok(_) => {
            outcome.state.data.insert("nombre".to_owned(), json!(name));
            format!("Mucho gusto, {name}.")
        }
        Err(error) => sorry(&error),
    }
}

async fn number(context: &mut dyn Context) -> String {
    match context.call("turno.tomar", json!({ "fila": "mostrador" })).await {
        Ok(output) => format!("Tu turno es el {}.", output["number"]),
        Err(error) => sorry(&error),
    }
}

async fn notify(what: &str, context: &mut dyn Context) -> String {
    match context.call("avisar", json!({ "texto": what })).await {
        Ok(_) => format!("Listo, avisé: «{what}»."),
        Err(ToolError::Unknown(_)) => {
            "No sé si el aviso llegó. Una persona lo va a revisar.".to_owned()
        }
        Err(error) => sorry(&error),
    }
}

fn reminder(
    ms: i64,
    what: &str,
    event: &Event,
    context: &dyn Context,
    outcome: &mut Outcome,
) -> String {
    let due_at = context.now().plus_ms(ms);
    outcome.arm.push(ArmTimer {
        key: format!("recordatorio/{}", event.id),
        due_at,
        condition: TimerCondition::Always,
        payload: json!({ "texto": what }),
    });
    format!("Dale, en {} te recuerdo: {what}", spell_out(ms))
}

fn spell_out(ms: i64) -> String {
    let (amount, one, many) = match ms / 1000 {
        seconds if seconds % 3600 == 0 => (seconds / 3600, "hora", "horas"),
        seconds if seconds % 60 == 0 => (seconds / 60, "minuto", "minutos"),
        seconds => (seconds, "segundo", "segundos"),
    };
    format!("{amount} {}", if amount == 1 { one } else { many })
}

fn sorry(error: &ToolError) -> String {
    match error {
        ToolError::NoSuchTool(_) => "Eso todavía no lo tengo conectado.".to_owned(),
        _ => "No pude hacerlo. Probá de nuevo en un rato.".to_owned(),
    }
}

/// The wish of a message, by a handful of words.
#[derive(Debug, PartialEq, Eq)]
enum Wish {
    Greet,
    Name(String),
    Number,
    Remind { ms: i64, what: String },
    Notify(String),
    Person,
    Break,
    Echo,
}

impl Wish {
    fn of(text: &str) -> Self {
        let plain: Vec<String> = text.split_whitespace().map(plain).collect();
        let words: Vec<&str> = plain.iter().map(String::as_str).collect();
        let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(word));
        if let Some(wish) = Self::reminder(text, &words) {
            return wish;
        }
        if let Some(name) = after(text, &words, &["me", "llamo"]) {
            return Self::Name(name);
        }
        for command in ["avisa", "avisar", "avisale"] {
            if let Some(what) = after(text, &words, &[command]) {
                return Self::Notify(what);
            }
        }
        if has(&["turno"]) {
            Self::Number
        } else if has(&["persona", "humano", "asesor", "operador"]) {
            Self::Person
        } else if words == ["rompete"] {
            Self::Break
        } else if has(&["buenas", "buenos"]) || words.iter().any(|word| word.starts_with("hola")) {
            Self::Greet
        } else {
            Self::Echo
        }
    }

    // «recordame en 10 segundos tomar agua»
    fn reminder(text: &str, words: &[&str]) -> Option<Self> {
        let start = words.iter().position(|word| word.starts_with("recorda"))?;
        let [_, "en", amount, unit, rest @ ..] = words.get(start..)? else { return None };
        let amount: i64 = match *amount {
            "un" | "una" => 1,
            digits => digits.parse().ok().filter(|amount| (1..=10_000).contains(amount))?,
        };
        let second_ms = match unit.get(..3)? {
            "seg" => 1,
            "min" => 60,
            "hor" => 3600,
            _ => return None,
        } * 1000;
        let what = text.split_whitespace().skip(words.len() - rest.len()).collect::<Vec<_>>();
        let what = if what.is_empty() { "lo que me pediste".to_owned() } else { what.join(" ") };
        Some(Self::Remind { ms: amount * second_ms, what })
    }
}

/// The rest of the original text after a run of plain words.
fn after(text: &str, words: &[&str], start: &[&str]) -> Option<String> {
    let at = words.windows(start.len()).position(|window| window == start)? + start.len();
    let rest = text.split_whitespace().skip(at).collect::<Vec<_>>().join(" ");
    (!rest.is_empty()).then_some(rest)
}

/// A word in lower case, without accents and punctuation; empty if it had nothing else.
fn plain(word: &str) -> String {
    word.to_lowercase()
        .chars()
        .filter_map(|letter| match letter {
            'á' => Some('a'),
            'é' => Some('e'),
            'í' => Some('i'),
            'ó' => Some('o'),
            'ú' | 'ü' => Some('u'),
            letter if letter.is_alphanumeric() => Some(letter),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_spanish_is_read_as_it_is_meant() {
        let remind = |ms, what: &str| Wish::Remind { ms, what: what.to_owned() };
        for (text, wish) in [
            ("HOLAAA!!!", Wish::Greet),
            ("buenas tardes", Wish::Greet),
            ("me llamo Ana María", Wish::Name("Ana María".into())),
            ("— hola, me llamo José", Wish::Name("José".into())),
            ("¿me das un turno?", Wish::Number),
            ("recordame en 10 segundos tomar agua", remind(10_000, "tomar agua")),
            ("Recordáme en un minuto", remind(60_000, "lo que me pediste")),
            ("recordame en dos siglos algo", Wish::Echo),
            ("recordame en 99999999999999 horas", Wish::Echo),
            ("avisá que llegué", Wish::Notify("que llegué".into())),
            ("quiero hablar con una PERSONA", Wish::Person),
            ("¡¡", Wish::Echo),
            ("", Wish::Echo),
        ] {
            assert_eq!(Wish::of(text), wish, "{text}");
        }
    }
}
