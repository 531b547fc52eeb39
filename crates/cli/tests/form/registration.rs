//! A customer's registration: what is said, what must be heard, and the data that comes of it.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// How many messages a registration takes: one a field.
pub(crate) const MESSAGES: usize = 6;

const NAMES: [&str; 20] = [
    "Ana", "Beatriz", "Camilo", "Diego", "Elena", "Felipe", "Gloria", "Hernán", "Inés", "Jorge",
    "Karina", "Laura", "Mateo", "Natalia", "Óscar", "Paola", "Rubiela", "Sandra", "Tomás",
    "Wilson",
];

const SURNAMES: [&str; 20] = [
    "Gómez", "Ríos", "Castro", "Ospina", "Torres", "Cano", "Mejía", "Parra", "Restrepo", "Muñoz",
    "Díaz", "Rojas", "Vargas", "Peña", "Núñez", "Salazar", "Quintero", "Zapata", "Londoño",
    "Arango",
];

/// Told apart from every other by each of its values.
pub(crate) struct Registration {
    place: usize,
}

impl Registration {
    pub(crate) fn of(place: usize) -> Self {
        assert!(place < NAMES.len(), "there are names for {}", NAMES.len());
        Self { place }
    }

    pub(crate) fn name(&self) -> String {
        format!("{} {}", NAMES[self.place], SURNAMES[self.place])
    }

    fn millions(&self) -> usize {
        self.place + 1
    }

    pub(crate) fn says(&self) -> [String; MESSAGES] {
        let place = self.place;
        [
            self.name(),
            format!("cliente{place}@sol{place}.co"),
            format!("300555{place:04}"),
            format!("Talleres {} SAS", SURNAMES[place]),
            format!("https://sol{place}.co"),
            format!("{}000000", self.millions()),
        ]
    }

    /// The session's data in the end.
    pub(crate) fn data(&self) -> Value {
        let [nombre, email, telefono, empresa, sitio_web, _] = self.says();
        json!({
            "nombre": nombre, "email": email, "telefono": telefono, "empresa": empresa,
            "sitio_web": sitio_web, "presupuesto": self.millions() * 1_000_000,
        })
    }

    /// The answer to each message.
    pub(crate) fn hears(&self, words: &Words) -> [String; MESSAGES] {
        let [nombre, email, telefono, empresa, sitio_web, _] = self.says();
        let met = words.of("mucho_gusto").replace("{{ nombre }}", &nombre);
        let summary = format!(
            "tu nombre ({nombre}), tu correo ({email}), tu teléfono ({telefono}), el nombre de tu \
             empresa ({empresa}), tu sitio web ({sitio_web}) y tu presupuesto ({}.000.000)",
            self.millions()
        );
        let thanks = words.of("gracias").replace("{{ nombre }}", &nombre);
        [
            format!("{} {met} {}", words.of("bienvenida"), words.of("pedir_email")),
            words.of("pedir_telefono"),
            words.of("pedir_empresa"),
            words.of("pedir_sitio_web"),
            words.of("pedir_presupuesto"),
            thanks.replace("{{ resumen }}", &summary),
        ]
    }
}

/// A pack's templates, so that rewording the pack that ships changes no test.
pub(crate) struct Words(BTreeMap<String, Value>);

impl Words {
    pub(crate) fn shipped() -> Self {
        Self::read(include_str!("../../../../packs/registro/templates.yaml"))
    }

    pub(crate) fn read(templates: &str) -> Self {
        Self(serde_saphyr::from_str(templates).expect("the pack's templates"))
    }

    pub(crate) fn of(&self, template: &str) -> String {
        self.0[template].as_str().expect("a template of one wording").to_owned()
    }

    /// The question for the field that the message of this place answers.
    pub(crate) fn question(&self, place: usize) -> String {
        let fields = ["nombre", "email", "telefono", "empresa", "sitio_web", "presupuesto"];
        self.of(&format!("pedir_{}", fields[place]))
    }
}
