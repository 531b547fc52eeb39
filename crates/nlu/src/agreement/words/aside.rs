//! Words of the clauses that may accompany a yes, by kind. A clause holds no word outside its
//! kind's list, so goods, numbers, times, exceptions and wishes have no place in any.

use std::collections::HashSet;
use std::sync::LazyLock;

/// The words of a class, split when they are first needed.
pub(in crate::agreement) type Words = LazyLock<HashSet<&'static str>>;

fn set(written: &'static str) -> HashSet<&'static str> {
    written.split([' ', '|']).filter(|word| !word.is_empty()).collect()
}

/// Sounds of hesitating that no pattern covers.
pub(in crate::agreement) static HESITATING: Words =
    Words::new(|| set("bue bueh buee bah pues pos aw aww well este hum jum tons"));

/// Words right before which a leading "y" only takes up the question ("y dale").
pub(in crate::agreement) static AFTER_LEADING_Y: Words = Words::new(|| {
    set(
        "dale si sip bueno listo confirmo confirmado confirmalo mandale hagale obvio claro de ok va",
    )
});

/// Pairs that hesitate, provided that punctuation follows ("a ver si" asks).
pub(in crate::agreement) const LOOKING: &[&[&str]] = &[
    &["a", "ver"],
    &["haber"],
    &["veamos"],
    &["let", "me", "see"],
    &["lemme", "see"],
    &["lets", "see"],
    &["let", "us", "see"],
    &["ok", "lets", "see"],
];

/// Words that may precede the negation of a clause that objects to nothing.
pub(in crate::agreement) static BEFORE_NO: Words = Words::new(|| {
    set("yo i we id wed ill ive im there theres honestly \
    really sinceramente pues verdad la por mi de parte lado aca aqui ya que and y see have had got \
    found do is personally")
});

pub(in crate::agreement) static NEGATION: Words = Words::new(|| {
    set("no ni nada sin tampoco nothing not cant cannot \
    couldnt dont wouldnt didnt couldn wouldn havent")
});

/// Words that object, and negated do not.
pub(in crate::agreement) static OBJECTING: Words = Words::new(|| {
    set(
        "inquietud inquietudes pendiente pendientes contratiempo arrepiento arrepentirme titubeo vacilo thoughts regrets doubting pensar pensarlo pensarle pensarmelo pienso dudo dudar \
    dudarlo duda dudas problema problemas drama dramas lio lios inconveniente inconvenientes pega pegas peros \
    reparo reparos queja quejas quejarme quejar objecion objeciones observacion observaciones correccion \
    correcciones cambios modificaciones error errores falla fallas malo mala mal raro rara extrano preguntas \
    pregunta comentarios vueltas vuelta discutir fault faults wrong mistake mistakes error errors issue issues \
    problem problems doubt doubts complaint complaints complain objection objections objecting question \
    questions concern concerns quibble quibbles quarrel flaw flaws typo typos hesitation hesitations hesitate \
    qualms worries reservations thinking think corrections amendments edits tweaks twice",
    )
});

/// Verbs that alter, and negated alter nothing only beside a word for nothing.
pub(in crate::agreement) static ALTERING: Words = Words::new(|| {
    set(
        "touch ocurre ocurren complain criticise criticize question raise report pedir pedirle retocaria comentarle observo cambiar cambiarle cambiarlo cambio cambiaria cambie cambies \
    cambien agregar agregarle agrego agregaria agregue agregues quitar quitarle quito quitaria quite quites sacar \
    sacarle saco sacaria saque saques anadir anadirle anado sumar sumarle sumo modificar modificarle modifico \
    modificaria modifique modifiques corregir corregirle corrijo corregiria corrija tocar tocarle toco tocaria \
    toque toques mover moverle muevo arreglar arreglarle arreglo ajustar ajustarle ajusto objetar objetarle objeto \
    decir decirle digo reprochar criticar criticarle reclamar reclamarle faltar falta falte falten faltan sobra \
    sobre sobran preguntar consultar aclarar comentar observar mejorar mejoraria retocar change add fix amend alter \
    edit correct remove modify tweak adjust improve missing ask say object mention query clarify discuss",
    )
});

/// Words for nothing under a negation.
pub(in crate::agreement) static NOTHING: Words =
    Words::new(|| set("pelo nada ningun ninguna coma letra nothing anything thing any twice jota"));

/// Words that make a doubted fault a stated one ("no hay duda que está mal").
pub(in crate::agreement) static DOUBTING: Words =
    Words::new(|| set("duda dudas dudo dudar dudarlo doubt doubts question"));
pub(in crate::agreement) static FAULTY: Words = Words::new(|| {
    set(
        "mal malo mala raro rara error errores falla falta faltan sobra wrong mistake mistakes missing typo flaw",
    )
});

/// The other words of a clause that objects to nothing.
pub(in crate::agreement) static SMALL: Words = Words::new(|| {
    set(
        "second hesitation second dont remotely whatsoever smallest slightest touched conmigo gran absoluto que le lo la los las les me se te yo a al de del en con por para \
    pa mas ya hay habria tengo tenemos tendria veo vemos encuentro encontramos encontre vi queda quedan hace hacer \
    hago doy damos dar darle es sea un una uno mi parte lado punto palabra cosa detalle todo eso esto ahi aca aqui \
    pedido lista resumen orden compra datos absolutamente sinceramente necesito voy vamos va pienso quiero puedo \
    verdad la ninguno nadie pues hermano amigo amiga senora senor alguna menor minima haga it that this these them \
    all an the single with of in on about here there to me my you your i id we have has had got see saw find found \
    spot need order list summary details everything else at from end side really honestly for more further bit \
    friend mate part whole is was would again over",
    )
});

/// Words for which the next word decides whether they deny the order itself ("I don't want it").
pub(in crate::agreement) const LEADING_ON: &[(&str, &str)] = &[
    ("need", "to for any changes"),
    ("want", "to"),
    ("think", "twice about again"),
    ("thinking", "twice about again"),
    (
        "quiero",
        "cambiar agregar quitar sacar anadir modificar corregir tocar pensar pensarlo dudar decir discutir cambiarle agregarle quitarle",
    ),
    (
        "necesito",
        "cambiar agregar quitar sacar anadir modificar corregir tocar pensar pensarlo decir preguntar consultar cambiarle agregarle",
    ),
    ("puedo", "quejar quejarme objetar"),
    ("voy", "a"),
    ("vamos", "a"),
];

/// First persons of having looked, also in spellings without the accent.
pub(in crate::agreement) static CHECKED: Words = Words::new(|| {
    set(
        "mirando leyendo revisando chequeando viendo repasando verificando controlando comparando ojee hojee chusmee revise mire lei vi chequee controle verifique repase relei confronte \
    corrobore constate compare examine estudie revisamos miramos leimos chequeamos vimos repasamos verificamos \
    revisado mirado leido visto chequeado repasado verificado releido controlado chekee cheque",
    )
});

/// The forms among them that without an accent also tell somebody else to look.
pub(in crate::agreement) static ORDERS_TOO: Words = Words::new(|| {
    set("revise mire chequee controle verifique repase confronte corrobore \
    constate compare examine estudie read")
});

pub(in crate::agreement) static CHECKED_ENGLISH: Words = Words::new(|| {
    set(
        "been checked read reread reviewed looked verified examined scanned seen went gone skimmed inspected crosschecked \
    proofread compared look glance gander",
    )
});

/// Words that may precede having looked.
pub(in crate::agreement) static BEFORE_CHECKED: Words = Words::new(|| {
    set(
        "estuve estuvimos tengo me lo ya yo lo la los las le me recien acabo he hemos bien i ive we weve \
    have just had a proper good quick careful long second already now double took taken all gave it given close decent \
    thorough carefully",
    )
});

/// Words for the thing looked at, for how, and for how often.
pub(in crate::agreement) static LOOKED_AT: Words = Words::new(|| {
    set(
        "renglon renglones tranquilidad tranquilamente minuciosamente atentamente detalladamente letra palabra pies cabeza pe pa rato despacito cuidadosamente bastante mensaje texto factura fully entire entirely slowly message text page full totals spelling names figures sums phone dni street flat my todo toda todos todas todito toditos completo completa completico \
    completito entero entera enterito punto por linea item uno una cada lo la los las el de del a al en mi mis sus su tu \
    tus lista resumen pedido orden compra datos dato detalle detalles info informacion direccion domicilio nombre \
    apellido dni cedula documento telefono celular numero barrio ciudad total precio precios cantidades productos \
    cosas cosa ahi aca aqui arriba abajo punta cabo rabo principio fin final bien con calma detenidamente cuidado \
    atencion tranquilo tranquila despacio veces vez nuevo otra dos tres que mando mandaste mandaron puso pusiste \
    pusieron escribio escribiste dice hasta cuentas montos importe envio entrega ambas ambos detallado paciencia lupa \
    it all that this everything every bit line item detail details single word of the my your list order summary \
    through over at twice again carefully properly thoroughly closely top bottom start end to from by step times one \
    two three name address total price prices items quantities number numbers amounts delivery you sent wrote put \
    whole lot thing there here back up down both on each part good proper",
    )
});

/// Words of thanks, which right after a verb are not its object.
pub(in crate::agreement) static THANKING: Words =
    Words::new(|| set("gracias muchas muchisimas infinitas thanks thank thx cheers many"));

/// Qualities as single words.
pub(in crate::agreement) static KINDNESSES: Words = Words::new(|| set(KINDNESS));

/// Words with which another phrase begins without punctuation after a clause.
pub(in crate::agreement) static NEXT: Words = Words::new(|| {
    set("y e and asi so dale confirmo confirmado confirmalo confirmelo hagale confirm confirmed \
        please porfa gracias thanks mandale")
});

/// First persons of agreeing. Beside them a form that may order somebody to look tells of the
/// writer's looking.
pub(in crate::agreement) static OF_MINE: Words =
    Words::new(|| set("confirmo confirmamos confirmado acepto apruebo"));

/// Words that count or point, and the neighbour, before or after them, that makes them tell how
/// somebody looked.
pub(in crate::agreement) const COUNTING_LOOKS: &[(&str, &str, &str)] = &[
    ("dos", "", "veces"),
    ("tres", "", "veces"),
    ("two", "", "times"),
    ("three", "", "times"),
    ("uno", "por a", "por a"),
    ("una", "por", "por vez"),
    ("one", "by", "by"),
    ("otra", "", "vez"),
    ("que", "lo todo", ""),
    ("part", "every each", ""),
];

/// Words that end a clause only if a counted or named thing was still to come, so the clause is
/// unfinished.
pub(in crate::agreement) static UNFINISHED: Words =
    Words::new(|| set("un una unos unas uno el los las the a an one otra otro"));

/// Openings of praise, thanks and blessings.
pub(in crate::agreement) const KIND_OPENINGS: &[&str] = &[
    "que|muy|tan|re|super|un|una|todo <kindness>",
    "me|nos encanta|encanto|encantan|gusta|gusto|fascina|alegra|ayudaste|ayudo|ayudaron|salvaste|salvo|salvaron|atendieron|atendiste|atendio|trataron|trato|trataste|cae|caen",
    "me salvaste|salvo|salvaron|alegraste|alegro|arreglaste|hiciste el|la dia|noche|semana|tarde|vida|jornada|mes",
    "{thanks/thank you} for all [that] you do",
    "[muchas|muchisimas|mil|miles|mis|infinitas] gracias por|a|de|y|para|totales|infinitas|mil|enormes",
    "[te|le|les|se] [lo] agradezco|agradecemos|agradecido|agradecida|agradecidos",
    "[usted|ustedes|vos|tu] [siempre] son|sos|eres|es|han|has|ha [sido] [un|una|unos|unas|lo|los|las|la|el|tan|muy|re|super|todos] <kindness>",
    "mil y mil gracias",
    "[que] [mi] [mucho|muchas|muchos|mil] dios|diosito|jesus|virgencita|virgen|bendiciones|bendicion|saludos|saludo|abrazo|abrazos|beso|besos|besitos|carinos|exitos|felicitaciones|felicidades",
    "un|una|otro gran|fuerte|grande [saludo|abrazo|beso]",
    "un|una abrazo|beso|saludo|besote|abrazote|placer|gusto|lujo",
    "da|dan|es gusto|placer|alegria|un",
    "asi da|dan gusto",
    "siempre [tan|muy|re] <kindness>",
    "[<kindness>] atencion|servicio|trato",
    "que senora|senor|senorita|muchacha|muchacho|gente|equipo|chica|chico tan|mas|re|muy <kindness>",
    "lo mejor|maximo|mas",
    "te|se pasaste|paso|pasaron|luciste|lucio|lucieron",
    "me|nos siento|sentimos|senti [muy|re|super|tan] [bien] [atendida|atendido|atendidos|acompanada|acompanado|comoda|comodo|feliz|contenta|contento]",
    "que atencion|servicio|trato|paciencia|disposicion",
    "[many|big|huge|so|massive] thanks|thank|thankyou|thx|cheers|ta|ty|props|kudos [you|u|ya] [so|very] [much] [a] [lot|million|bunch] for|to|from|all|and|again",
    "[i|we] [really|truly|do|so] appreciate|love|adore|like|enjoy|enjoyed",
    "[god] bless|blessings",
    "[you|youve|youre|u|ur|yall|you] [guys|lot|all|people|folks|team|ve] [have|are|were|always|always] [been|always|truly|really|honestly|just] [all] [a|an|the|so|such|very|really|always|absolutely|too|super] [a|an|so|such] <kindness>",
    "you [really|just|totally|guys|always] [really] made|make|saved|rock|rule|nailed|smashed",
    "what|such [a|an] <kindness>",
    "[that|this|it] was|is|has [been] [a|an|so|such|very|really|super] <kindness>",
    "[absolutely|really|so|very|truly|always] <kindness>",
    "always [a|so] pleasure|joy|lovely|great|good",
    "[lots|all|much|sending|with] [of|my|you|the] love|hugs|regards|best|wishes|kisses",
    "made|makes my day|life|week",
    "best|greatest|nicest|friendliest|loveliest shop|store|service|team|people|place|ever|customer",
];

/// Qualities of people and their service.
pub(in crate::agreement) const KINDNESS: &str = "chevere|bacano|bacanos|bacana|lindo|linda|lindos|lindas|genial|geniales|genio|genia|genios|\
    genias|crack|cracks|capo|capos|capa|capas|amable|amables|amabilidad|atento|atenta|atentos|atentas|gentil|gentiles|\
    gentileza|sol|soles|amor|amores|divino|divina|divinos|divinas|maravilla|maravilloso|maravillosa|maravillosos|excelente|\
    excelentes|excelencia|buen|buena|buenos|buenas|bien|bueno|gran|grandes|grande|rapidez|rapido|rapidos|rapida|eficientes|eficiente|\
    eficiencia|profesional|profesionales|paciente|pacientes|paciencia|especial|especiales|querido|queridos|querida|queridas|\
    placer|gusto|lujo|dicha|alegria|belleza|lindura|hermosura|nota|chimba|berraquera|verraquera|masa|mejor|mejores|\
    angel|angeles|bendicion|espectacular|espectaculares|impecable|impecables|tremendo|tremenda|copados|copado|copada|\
    calidad|calidez|delicadeza|dulzura|ternura|bonito|bonita|bonitos|bellos|bello|bella|formal|formales|serios|cumplidos|cumplido|carinosos|carinosa|\
    helpful|kind|lovely|great|good|nice|sweet|wonderful|amazing|awesome|brilliant|fantastic|excellent|star|stars|legend|legends|angel|angels|\
    gem|gems|best|pleasure|joy|delight|treat|godsend|lifesaver|lifesavers|patient|friendly|quick|fast|efficient|easy|\
    smooth|superb|fab|fabulous|charming|delightful|professional|polite|thoughtful|attentive|generous|beautiful|star|hero|heroes|helping|jubbly|champion|champions|diamond|treasure|credit|wizard|rockstar|rockstars|clear|neat|tidy|thorough|top|outstanding|impressive|painless|seamless|absolute|real|true";

/// The other words of praise, thanks and blessings.
pub(in crate::agreement) static KIND: Words = Words::new(|| {
    set(
        "hard great good predisposicion prestan presta prestas brindan brinda brindas dan ofrecen conmigo nosotras clara claro claros claras primera comprarles comprarte comprarle pacientes confianza seriedad honestidad compromiso responsabilidad simpatia cordialidad puntualidad ganas vocacion esmero profesionalismo detalle detalles lindo cortesia educacion respeto sonrisa humor energia onda atendida atendido siento sentirme hicieron escuchar escucharme aclarar aclararme orientarme guiarme acompanarme asesorarme colaborarme cada siempre vez momento cliente clientes proceso mensajes charla mensaje resumen listening walking guiding clearing talking answering bearing understanding professionalism courtesy attitude energy vibes message messages summary process questions every single time little bit how que y e la el lo los las le les un una unos unas de del a al en con por para pa mi mis \
    su sus tu tus me nos te se es son sos eres fue han ha has sido esta estan siempre tan muy re super mucho mucha muchas muchos \
    mil miles gracias todo toda todos todas tanto tanta ustedes usted vos ti contigo vosotros nosotros ellos equipo gente \
    familia familiares hijos esposa esposo hogar negocio empresa emprendimiento chicos chicas muchachos \
    muchachas companeros personal vendedores vendedora atencion servicio trato ayuda paciencia buena onda disposicion \
    colaboracion gestion rapidez respuesta informacion info explicacion explicaciones asesoria orientacion tiempo dedicacion \
    carino amor corazon alma vida salud paz luz exitos prosperidad dios diosito senor virgen bendiga bendice \
    pague cuide guarde proteja multiplique acompane ilumine premie recompense bendiciones abrazo abrazos beso besos saludos saludo atienden \
    atiende atendes atendieron atendio atendiste atenderme atendernos atender tratan tratas trata trataron trato tratarme trabajan \
    trabajas trabaja responden responde respondes respondieron explican explica explicas explicarme explicaron explico explicaste \
    ayudan ayuda ayudarme ayudaron ayudaste ayudo tomarse tomarte tenerme tenerle tenernos tuvieron tuvo tuviste tomaron tomo \
    tomaste responder contestar contestarme hacen haces hace hicieron hiciste hizo hacerme hacerlo sentir facil rapido ser estar \
    salvaste salvaron salvo aca aqui alla ahi como da dan gusto asi grande grandes fuerte enorme inmenso inmensa infinitas \
    verdad realmente sinceramente parte nuevo antemano hermosa hermoso verdadero verdadera bendito mundo universo \
    you your yours youre youve ur u ya yall me my mine us our we i im ive it its this that the a an and of for to with in on at from \
    all everything everyone everybody always ever so such very really truly much many lot lots million bunch again indeed \
    team guys folks people staff family crew lot shop store place business company customer service help helping assistance support \
    patience time effort kindness care attention work job experience conversation chat reply replies response responses \
    information info explanation explaining answering sorting out being taking making putting up doing handling dealing looking after keeping having through \
    been be are is was were have has had made makes did rock easy easier \
    quick quickly fast heart bits love hugs god lord bless blessed ones loved too as well just over sending wishes regards \
    smile happy glad wonderful human being person lady gentleman man woman girl boy sir madam darling mate friend dear",
    )
});
