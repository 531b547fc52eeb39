//! Thanking.

use super::Table;

pub(super) const TABLE: Table = Table {
    phrases: &[
        "gracias",
        "muchas gracias",
        "mil gracias",
        "muchísimas gracias",
        "gracias totales",
        "se agradece",
        "te agradezco",
        "le agradezco",
        "les agradezco",
        "os agradezco",
        "agradecido",
        "agradecida",
        "agradecidos",
        "muy amable",
        "qué amable",
        "muy amables",
        "dios te bendiga",
        "dios le pague",
        "dios te lo pague",
        "thanks",
        "thank you",
        "thank u",
        "many thanks",
        "much appreciated",
        "appreciate it",
        "i appreciate",
        "cheers",
        "tysm",
        "obrigado",
        "obrigada",
        "merci",
        "grazie",
        "🙏",
    ],
    except: &[
        r"\b(?:no thanks|no thank you|gracias a (?:que|dios)|de nada gracias)\b",
        r"\bdia de accion de gracias\b",
        r"\baccion de gracias\b",
    ],
    ..Table::EMPTY
};
