//! Actions and conditions as sentences.

use document::{Node, Value};

use super::Pack;
use super::quote::{lowered, short};
use crate::tools::engine_tool;

impl Pack {
    /// A list of actions as one sentence.
    pub(super) fn actions(&self, actions: &[Node]) -> String {
        let each: Vec<String> = actions.iter().map(|action| self.action(action)).collect();
        let each: Vec<String> = each.into_iter().filter(|text| !text.is_empty()).collect();
        match each.as_slice() {
            [] => self.say("no hace nada", "does nothing").to_owned(),
            several => several.join("; "),
        }
    }

    fn action(&self, action: &Node) -> String {
        let mut text = self.verb(action);
        if let Some(when) = action.get("when") {
            text = format!("{} {}, {text}", self.say("si", "if"), self.condition(when));
        }
        let otherwise = action.list("otherwise");
        if otherwise.is_empty() {
            return text;
        }
        let instead = self.actions(otherwise);
        format!("{text} ({} {instead})", self.say("si no:", "otherwise:"))
    }

    fn verb(&self, action: &Node) -> String {
        let text = |key| action.text(key).map(|(text, _)| text);
        if let Some(template) = text("say") {
            return format!("{} {}", self.say("dice", "says"), short(&self.templates, template));
        }
        if let Some(mode) = text("go") {
            return format!("{} {mode}", self.say("pasa a", "goes on to"));
        }
        if let Some(tool) = text("call") {
            return self.tool(tool);
        }
        if let Some(step) = text("do") {
            return format!("{} «{step}»", self.say("hace", "does"));
        }
        if let Some(reason) = text("hand_off") {
            let gives = self.say("le pasa la conversación a una persona", "hands over to a person");
            return format!("{gives} ({reason})");
        }
        match text("shop") {
            Some("change") => {
                return self
                    .say("cambia el carrito como se le pide", "changes the cart as asked")
                    .to_owned();
            }
            Some(_) => {
                return self
                    .say("contesta qué hay y a cuánto", "answers what there is and its price")
                    .to_owned();
            }
            None => {}
        }
        if let Some(choices) = action.get("set") {
            return self.chosen(choices);
        }
        if action.get("close").is_some() {
            return self.say("termina la sesión", "ends the session").to_owned();
        }
        if action.get("stamp").or(action.get("milestone")).is_some() {
            return self.say("anota la hora", "notes the time").to_owned();
        }
        String::new()
    }

    /// A tool's act, as a sentence goes on.
    pub(super) fn tool(&self, name: &str) -> String {
        if let Some(tool) = engine_tool(name) {
            return tool.does(self.language).to_owned();
        }
        let own = self.tools.list("http").iter();
        let mut own = own.filter(|tool| tool.text("name").is_some_and(|(own, _)| own == name));
        let described = own.next().and_then(|tool| tool.text("description"));
        let uses = self.say("usa", "uses");
        match described {
            Some((text, _)) => format!("{uses} `{name}` ({})", lowered(text.trim_end_matches('.'))),
            None => format!("{uses} `{name}`"),
        }
    }

    fn chosen(&self, choices: &Node) -> String {
        let each = choices.entries().iter().map(|entry| {
            let value = entry.node.value_text().unwrap_or_default();
            match value.trim_matches(['"', '\'']) {
                "" => format!("{} {}", self.say("olvida lo elegido en", "forgets"), entry.key),
                value => format!("{} {}: {value}", self.say("anota", "notes"), entry.key),
            }
        });
        each.collect::<Vec<_>>().join(", ")
    }

    /// A condition by its name, or as it is written.
    pub(super) fn condition(&self, when: &Node) -> String {
        match &when.value {
            Value::List(all) => {
                let all: Vec<String> = all.iter().map(|one| self.condition(one)).collect();
                all.join(self.say(" y ", " and "))
            }
            Value::Text(text) => self.asked(text),
            _ => String::new(),
        }
    }

    fn asked(&self, text: &str) -> String {
        let known = match text {
            "minimos" => self.say("están los datos necesarios", "the needed data is there"),
            "!minimos" => self.say("faltan datos", "data is missing"),
            "nuevo" => self.say("es el principio", "it is the beginning"),
            "acepta" => self.say("dice que sí", "they say yes"),
            "rechaza" => self.say("dice que no", "they say no"),
            "carrito.vacio" => self.say("el carrito está vacío", "the cart is empty"),
            "!carrito.vacio" => self.say("hay algo en el carrito", "something is in the cart"),
            "resumen_vigente" => self.say("el resumen sigue vigente", "the summary stands"),
            _ if text.contains(['=', '<', '>', '!', '(', '.', '&', '|']) => {
                return format!("`{text}`");
            }
            _ => text,
        };
        known.to_owned()
    }

    /// The speech acts that a mode lists.
    pub(super) fn acts(&self, mode: &Node) -> String {
        let acts =
            mode.list("own_words").iter().filter_map(Node::value_text).map(|act| match act {
                "greet" => self.say("saludar", "greet"),
                "thank" => self.say("agradecer", "thank"),
                "sympathise" => self.say("lamentar y comprender", "sympathise"),
                "small_talk" => self.say("ser amable", "be kind"),
                "clarify" => self.say("preguntar qué se quiso decir", "ask what was meant"),
                "ask_product" => {
                    self.say("preguntar qué producto y cuánto", "ask which product and how many")
                }
                "ask_data" => self.say("pedir los datos", "ask for the data"),
                "bridge" => self.say("volver al pedido", "lead back to the order"),
                "offer_person" => self.say("ofrecer una persona", "offer a person"),
                "decline" => self.say("decir que eso no lo sabe", "say that it does not know"),
                "introduce" => self.say("decir que es un asistente", "say that it is an assistant"),
                other => other,
            });
        acts.collect::<Vec<_>>().join(", ")
    }

    /// How long, in words.
    pub(super) fn span(&self, length: &str) -> String {
        let at = length.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(length.len());
        let (count, unit) = length.split_at(at);
        let one = count == "1";
        let unit = match (unit, one) {
            ("s", true) => self.say("segundo", "second"),
            ("s", false) => self.say("segundos", "seconds"),
            ("m", true) => self.say("minuto", "minute"),
            ("m", false) => self.say("minutos", "minutes"),
            ("h", true) => self.say("hora", "hour"),
            ("h", false) => self.say("horas", "hours"),
            ("d", true) => self.say("día", "day"),
            ("d", false) => self.say("días", "days"),
            _ => return length.to_owned(),
        };
        format!("{count} {unit}")
    }
}
