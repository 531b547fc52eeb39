//! Asking for a person instead of the bot.

use super::Table;

pub(super) const TABLE: Table = Table {
    phrases: &[
        "atención humana",
        "atención personalizada",
        "asistencia humana",
        "ayuda humana",
        "soporte humano",
        "trato humano",
        "contacto humano",
        "asesor humano",
        "asesora humana",
        "agente humano",
        "agente real",
        "agente en vivo",
        "asesor en línea",
        "persona real",
        "persona de verdad",
        "persona humana",
        "persona de carne y hueso",
        "ser humano",
        "alguien real",
        "alguien de verdad",
        "alguien de carne y hueso",
        "un humano de verdad",
        "algún humano",
        "human agent",
        "human being",
        "human support",
        "human help",
        "human assistance",
        "human please",
        "live agent",
        "live person",
        "live chat",
        "live support",
        "real person",
        "real human",
        "real agent",
        "actual person",
        "actual human",
        "customer service please",
        "customer support please",
        "agent please",
        "operator please",
        "representative please",
        "speak to a manager",
    ],
    parts: &[
        (
            "person",
            "persona|human[oa]|alguien|asesor[ae]?s?|agente|operador[a]?|representante|encargad[oa]\
             |supervisora?|gerente|gerenta|ejecutiv[oa]|vendedora?|responsable|jef[ea]|duen[oa]\
             |recepcionista|secretari[oa]|consultora?|tecnico|administrador[a]?",
        ),
        (
            "staff",
            "human[oa]|asesora?|agente|operadora?|representante|supervisora?|encargad[oa]|gerente",
        ),
        (
            "desk",
            "atencion|servicio al|soporte|ventas|recepcion|administracion|mostrador|el equipo",
        ),
        (
            "bot",
            "bots?|robots?|maquinas?|contestador\\w*|chatbots?|ia|asistente virtual|automatic[oa]",
        ),
        (
            "talk",
            "hablar(?:le)?|hablo|hable|hablemos|charlar|chatear|conversar|comunicar(?:me|nos|se)?\
             |comunico|contactar(?:me|nos)?|contacto|tratar|dialogar",
        ),
        (
            "transfer",
            "pas[ae](?:me|nos)|pasenme|pasarme|me pasas?|me pasan|me pasarias?|comunic(?:ame|anos|arme)\
             |comuniqu?e(?:me|nos|nme)|me comunicas?|me comunican|conect(?:ame|eme|arme|enme)\
             |me conectas?|transf(?:erime|iereme|ierame|ieranme|erirme)|me transfieres?\
             |deriv(?:ame|eme|arme|enme)|me derivas?|pon(?:eme|me|game|ganme)|dame|deme|denme",
        ),
        ("article", "un|una|el|la|algun|alguna|otro|otra|tu|su|mi"),
    ],
    patterns: &[
        r"\b{talk} (?:\w+ ){0,2}?con (?:\w+ ){0,3}?{person}\b",
        r"\b{talk} (?:\w+ ){0,2}?con (?:\w+ ){0,2}?{desk}\b",
        r"\b{transfer} (?:\w+ ){0,2}?(?:con|a|al|por) (?:\w+ ){0,2}?(?:{person}|{desk})\b",
        r"\b{transfer} (?:{article} )?{staff}\b",
        r"\b(?:quiero|queria|necesito|solicito|prefiero|exijo|quisiera|requiero|busco|me gustaria|pido) (?:a |que sea |con |hablar |atencion de |ayuda de |la ayuda de )?(?:{article} )?{staff}\b",
        r"\bque me (?:atiendan?|llamen?|contacten?|ayuden?|hablen?|respondan?|contesten?|escriban?|asesoren?) (?:\w+ ){0,2}?{person}\b",
        r"\b(?:me|nos) (?:\w+ )?(?:atiend[ea]n?|atender|llam[ae]|llamar|contact[ae]|ayud[ae]|ayudar|asesor[ae]|respond[ae]) (?:{article} )?{person}\b",
        r"\b(?:que )?(?:{article} )?{staff} (?:que )?(?:me|nos) (?:\w+ )?(?:atiend|atend|llam|contact|ayud|habl|respond|contest|escrib|asesor)\w+",
        r"\b(?:hay|habra|existe|tienen|tendran|tenes|queda) (?:\w+ ){0,2}?(?:{person}) (?:ahi |alli |disponible |por ahi )?(?:que me|con quien|con el que|con la que|para hablar|para que me)\b",
        r"\b(?:hay|habra|tienen|tenes) (?:algun|alguna|un|una) {staff}\b",
        r"\bno (?:\w+ ){0,3}?(?:hablar|hablo|hablando|chatear|chateo|chateando|tratar|tratando|conversar|seguir|escribir|escribirle|discutir) (?:\w+ ){0,3}?{bot}\b",
        r"\b(?:cansad[oa]|hart[oa]|basta|nada|no mas) (?:de |con )?(?:\w+ ){0,4}?(?:bots?|robots?|maquinas?|chatbots?)\b",
        r"\bno (?:quiero|me sirve|acepto) (?:un |una |el |la |este |esta |mas )?{bot}\b",
        r"^(?:hola |buenas |buenos dias |si |no )?(?:con )?(?:un |una |el |la |al )?(?:asesora?|agente|human[oa]|persona|operadora?|representante)(?: (?:por favor|ya|ahora|urgente|gracias|please|real|de ventas))*$",
        r"^(?:con )?(?:un |una |el |la |al )(?:supervisora?|encargad[oa]|gerente|ejecutiv[oa]|vendedora?|persona|responsable)(?: (?:por favor|ya|ahora|urgente|gracias|real))*$",
        r"\b(?:un|una|el|la|algun|alguna) {staff} por favor\b",
        r"\b(?:talk|speak|chat|connect me|connected|transfer me|transferred|put me through|pass me|switch me|hand me over)(?: \w+){0,2}? (?:to|with) (?:\w+ ){0,3}?(?:human|person|agent|representative|rep|operator|someone|somebody|manager|supervisor|advis[eo]r|support|customer service|staff|human being)\b",
        r"\b(?:i )?(?:want|need|get me|give me|prefer|would like|id like) (?:a|an|the|some|your) (?:\w+ )?(?:human|agent|representative|rep|operator|manager|supervisor)\b",
        r"\b(?:is there|are there|do you have|can i have|can i get) (?:a|an|any|some) (?:\w+ )?(?:human|agent|representative|operator|real person)\b",
        r"\b(?:dont|do not|no) (?:\w+ ){0,4}?(?:talk|talking|speak|speaking|chat|chatting) (?:to|with) (?:a |the |this )?(?:bot|robot|machine|computer|ai)\b",
        r"^(?:agent|representative|operator|human)(?: (?:please|now|pls))*$",
    ],
    except: &[
        r"\bno (?:me |nos )?(?:necesit\w+|quiero|queremos|quisiera|requiero|requerimos|busco|buscamos|pido|hace falta|es necesari[oa]|hay necesidad de)(?: (?:que|de|hablar|hablo|hable|comunicarme|ser|con|a|ningun|ninguna|un|una|el|la|me|nos|llamen?|atiendan?|contacten?|ayuden?|ayuda|atencion))* (?:{person}|nadie)\b",
        r"\b(?:soy|somos|eres|sos|es|son|era|fui|seria|seas|trabajo|trabaje|trabajamos|trabaja|cargo|puesto|rol|ocupacion|profesion|empleo|oficio|como|de|nombre|llamo|llama|apellido|empresa|i am|im|am|work as|are you)(?: (?:un|una|el|la|tu|su|mi|de|como|a|an|the|es))? {staff}\b",
        r"\b(?:asesor|agente|operador|ejecutivo|vendedor|consultor|representante|tecnico)a? (?:contable|financier[oa]|inmobiliari[oa]|juridic[oa]|legal|de seguros?|de bienes|de viajes?|de transito|de aduanas?|aduaner[oa]|de policia|fiscal|tributari[oa]|impositiv[oa]|turistic[oa]|logistic[oa]|de grua|de montacargas|de carga|naval|maritim[oa]|de limpieza|comercial en|de ventas en)\b",
        r"\b(?:eres|sos|seas|fueras|es|soy) (?:\w+ )?(?:alguien|persona|ser|humano|human|real) (?:de verdad|real|humano|being|person)\b",
        r"\bpersona (?:fisica|juridica|natural|moral|mayor|menor|con discapacidad|a cargo de|de contacto)\b",
        r"\b(?:recursos|derechos|seres) humanos\b",
        r"\b(?:real estate|travel|insurance|sales) (?:agent|representative|operator)\b",
    ],
    ..Table::EMPTY
};
