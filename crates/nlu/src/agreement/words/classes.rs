//! Classes of words that the phrases are made of.

pub(super) const CLASSES: &[(&str, &str)] = &[
    // Degree.
    (
        "very",
        "muy/re/super/recontra/bien/mas que/todo/toda/todos/todas/absolutamente/totalmente/\
        completamente/very/perfectly/totally/absolutely/completely/all/just/so/really/pretty/quite/\
        100%/bastante/re contra/mega/ultra/hiper/archi/requete/hella/literally/exactly/super duper/bien bien",
    ),
    (
        "good",
        "bien/bn/biem/perfecto|perfecta|perfectos|perfectas/perfectamente/perfe/correcto|correcta|correctos|\
        correctas|correctisimo|correctamente/excelente|excelentes/genial|geniales/joya/joyita/impecable|impecables|impeca/ok/okay/okey/\
        oka/barbaro|barbara|barbaros/fenomeno|fenomenal/ideal/de diez/de 10/diez puntos/10 puntos/buenisimo|buenisima/\
        espectacular/fantastico|fantastica/regio/de lujo/melo|melos/chevere|bacano|bacana/en orden/al dia/conforme/\
        de maravilla/de acuerdo/como debe ser/como lo pedi/como pedi/tal cual/tal cual lo pedi/tal como lo pedi/como corresponde/\
        exacto|exactos/super|superbien/piola/copado/clarito/\
        brutal|tremendo|tremenda/una chimba/una maravilla/lo mas bien/diez de diez/10 de 10/sin errores/al pelo/\
        a la perfeccion/completo|completa/cuadrado/una nota/una berraquera|verraquera/una joya/una belleza/una lindura/una masa/\
        de perlas/de pelos/divino|divina/hermoso|hermosa/lindo|linda/en regla/a mi gusto/como queria/como yo queria/lo que queria/\
        lo que pedi/como quiero/como es/como tiene que ser/tal y como lo pedi/sin problema|problemas/10 de 10/estupendo|estupenda/magnifico|magnifica",
    ),
    (
        "fine",
        "good/great/perfect/fine/right/correct/ok/okay/k/accurate/excellent/spot on/in order/\
        alright/all right/awesome/amazing/brilliant/wonderful/fantastic/cool/dandy/sound/\
        intact/as it should be/as expected/set/good to go/sorted/exactly right/just right/\
        grand/ace/terrific/superb/fab/fabulous/marvellous/mint/right as rain/how i want it/how i wanted it/the way i want it/the way i wanted it/just fine/bang on/on point/to my liking/flawless/tickety boo/as requested/as i asked/what i asked for/exactly what i asked for/what i want/what i wanted/what i ordered/as i ordered/a ok/tip top/\
        legit/super/solid/splendid/exactly what i wanted/exactly what i want/exactly what i ordered/what i need/gucci/as ordered/as i wanted",
    ),
    // The content of a summary, as a whole and in part.
    (
        "whole",
        "todo/todito/todo eso/todo esto/todo lo que puso|pusiste|dice|dijiste/todo el pedido|resumen/todos|toditos [mis|los] datos/\
        [mis|los|sus|tus] datos/toda la info|informacion/la info|informacion/el pedido [entero|completo]/mi pedido/el resumen/el pedidito/\
        el detalle/los detalles/todo lo anterior/todo lo de arriba/la orden/la compra/mi orden/mi compra/todo ahi/lo que puso|pusiste/\
        todo tal como lo puso|pusiste|dice|pedi [ahi]/todo como lo puso|pusiste|pedi/todo tal cual lo puso|pusiste|pedi/el pedido y los datos/todo lo que escribio|escribiste|mando|mandaste [ahi]/todo lo escrito/todo lo que dice [ahi|aca|aqui]/la lista/toda la lista/el pedido y la direccion/todo lo mio/las cosas/todas las cosas/cada cosa/cada dato",
    ),
    (
        "all",
        "everything/all/it/that/this/they|these/[the|my|all] [the|my] details|info|information|data/the [whole] order/\
        my [whole] order/the summary/all of it/all of that/the list/everything there|here/all the items/everything [on|in] [the|that] [list|order|summary]/order/\
        everything [that] you|u wrote|said|put|sent|listed|have|noted|typed [down] [there|here|above]/what you wrote|sent|put|said/every item|detail|line/\
        every single item|detail|line/the whole thing/the lot/all of this/everything above|listed",
    ),
    (
        "part",
        "[el|mi] nombre/[mi|la|el] direccion|domicilio|ubicacion/[mi|el] telefono|celular|numero|cel/[el|mi] dni|documento|cedula/\
        el total/el precio/el monto/el valor/el importe/el envio/la entrega/las cantidades/los productos/los items/\
        el barrio/la ciudad/los precios/la cantidad/la plata/nada/lo que pedi/el costo [de] [envio]/\
        [the|my] [delivery] address/[the|my] name/[the] items/[the] total/[the] price/[the] delivery/[the] quantities/\
        [the|my] number/[the] prices/[the] amounts/[the] amount/[the] products/[the] delivery fee|cost|charge/anything/el pago/la forma de pago",
    ),
    (
        "cost",
        "[el] total|precio|monto|valor|importe|envio|costo/los precios/el costo [de|del] envio|domicilio/el valor del envio|domicilio/el precio del envio/\
        [the] total|price|amount|cost|fee|prices/[the] delivery fee|cost|charge|price/[the] shipping [fee|cost|price]/[the] total price|amount|cost",
    ),
    (
        "order",
        "[el|mi|este|ese|su|tu|nuestro] pedido|pedidito|encargo|envio|pedio|pedifo|pdido|pediddo|peddo|pedisdo|pedidp/[la|mi|esta|esa|su/a la] compra|orden|solicitud|entrega/\
        todo/todito/todo eso/eso/esto/asi/todo el pedido/todo asi/[el|mi] pedido completo|entero/\
        todo lo que esta|dice|aparece|figura [ahi|arriba|aqui|aca]/los productos/ese pedido mio/lo que pedi/el pedido de arriba",
    ),
    (
        "said",
        "<order>/[todos] los|mis datos/el resumen/toda la info/la info/todo lo anterior/todo lo de arriba/lo de arriba/lo anterior",
    ),
    (
        "it",
        "it/this/that/them/am/[the|my|this|that|our] order/everything/all/all of it/[the|my] purchase/the lot/\
        this order/the whole order/[the|my] oder|ordr|ordre|odrer|ordder/[the|my] delivery/[the|my] items/it all/them all/this one/the thing/the whole thing/order",
    ),
    (
        "wrote",
        "puso|pusiste|pusieron|armo|armaste|armaron|anoto|anotaste|anotaron|escribio|escribiste|dijo|dijiste|mando|mandaste|describio|describiste|detallo|detallaste|resumio|resumiste|tiene|tienes|tenes|tienen|mostraste|mostro",
    ),
    // Manner that alters nothing.
    (
        "as_is",
        "asi/asi como esta [ahi]/como esta [ahi|arriba]/tal cual/tal cual esta [ahi]/tal como esta [ahi]/asi tal cual/asi mismo/como dice/\
        como lo pusiste|puso/ya/ya mismo/de una/de una vez/pues/entonces/pues entonces/ve/hombre/che/tranquilo|tranquila|tranqui/\
        sin miedo/sin pena/sin problema/sin problemas/sin drama/con confianza/con toda/con toda confianza/con gusto/\
        vos/usted/mismo/sin falta/a lo bien/asi como lo tiene|tenes|tienes/{asi como/tal como/tal cual/como/tal y como} [me] lo|la <wrote>/\
        asi como lo pedi/todo/tal como lo pedi/tal cual lo pedi/como quedo/porfa/\
        por favor/por favorcito/de toque/al toque/derecho/sin mas/sin dudar/sin dudarlo/\
        con tranquilidad/con toda tranquilidad/con toda la tranquilidad [del mundo]/tranquilamente/con todo el gusto [del mundo]/con mucho gusto/con todo gusto/\
        sin afan/con toda seguridad/con toda la confianza [del mundo]/sin cambios/sin ningun cambio/sin ningun problema/\
        sin ningun inconveniente/sin inconvenientes/con los ojos cerrados/con toda la fe/asi como dice/asi como aparece/como aparece [ahi]/tal y como esta/como lo tiene|tienes|tenes [ahi]",
    ),
    (
        "as_it_is",
        "as is/as it is/as shown/as listed/now/right now/then/please/straight away/right away/for me/already/\
        as it stands/as stated/as above/as written/like that/exactly as is/just like that/in/through/over/now please/\
        asap please/asap/just as is/exactly as it is/exactly as shown/exactly as listed/as you have it/as you wrote it/as described/as agreed/the way it is/immediately/on my behalf/just as it is/exactly like that/just as shown",
    ),
    // Names for the person spoken to.
    (
        "you",
        "amigo|amiga|amigos|amigas|amiguito|amiguita|amix/[mi] amor|amorcito|vida|cielo|corazon|corazoncito|rey|reina|reinita|tesoro|cielito|princesa|linda|bella|nina|hermosa|bonita|llave|don|dona/\
        genio|genia|genios|crack|cracks|capo|capa|maestro|maestra|idolo|idola|titan|fiera|figura|campeon|campeona|maquina|master|groso|grosa|leyenda/\
        jefe|jefa|patron|patrona|don|dona|senor|senora|senorita|senores|sr|sra|srta|joven|caballero|dama|doctor|doctora|doc|dra|profe|ingeniero|licenciado|inge/\
        linda|lindo|bonita|bonito|bella|bello|hermosa|hermoso|divina|divino|preciosa|querida|querido|queridos|bb|bebe|bombon|diosa|lindura/\
        vecino|vecina|veci|vecinito|vecinita/parce|parcero|parcera|parcerito|parcerita|pana|panita|hermano|hermana|bro|broder|brother|mano|manito|compa|compadre|comadre|socio|socia|companero|companera|colega/\
        mijo|mija|mijito|mijita|hijo|hija|nene|nena|papi|mami|papa|mama|papito|mamita|ma|pa|pai|abuelo/loco|loca|boludo|boluda|bolu|guacho|culiado|culiada|culiao|wacho|wachin|perri|bestia|monstruo|negro|negra|negri|flaco|flaca|gordo|gorda|gordi|gordis|viejo|vieja|chango/\
        chicos|chicas|chicxs|muchachos|muchachas|gente|equipo|todos|todas|estimado|estimada|estimados|estimadas|estimadxs/\
        sumerce/su merce|merced/mi estimado|estimada|gente|socio/tia|tio|tocayo|tocaya|mono|mona|monita/\
        mate|mates|buddy|pal|bro|bruv|bruh|dude|man|sir|madam|maam|mam|miss|ms|mister|boss|chief|guys|team|love|lovely|luv|dear|darling|sweetie|honey|hun|friend|\
        folks|lads|lad|legend|sis|fam|brother|everyone|babe|mistress|oga|cuz|homie|champ|g|yall|sweetheart/my friend|love|dear|guy|man/\
        bot|robot|robotito|asistente|assistant|botcito/\
        mompa|mompirri|mor|mors|amors|amore|hombre|ombe|hombe|cunado|cunada|primo|prima|parcerazo|llavecita|llaveria|manin|viejito|viejita|pelao|pelada|\
        pibe|piba|kpo|papu|papucho|papurri|hermanito|hermanita|hermanazo|amigazo|amigue|amiguis|amiguix|amorcis|cari|carino|cielin|muneca|princeso|guapa|guapo|tesorito|profesor|profesora|\
        capitan|comandante|sargento|padrino|madrina|compita|paisano|paisana|tronco|tio|chamo|chama|pana|wey|guey|carnal|chavo|chica|chico|chicos|mamacita|papacito|ricura|genioo|genix|\
        manito|neri|marica|marik|huevon|guevon|weon|loquita|loquito|bebecita|reinas|reyes|corazones|amores|vecis|seno|donita|caserita|caserito/\
        my darling|sweet|lovely|angel|queen|king|sweetheart/angel|queen|king|cobber|governor|guv|gaffer|bossman|chap|chaps|\
        babes|hon|bestie|besties|girl|girlie|gurl|ladies|gentlemen|sirs|blud|fella|fellas|kiddo|amigo|dearie|sunshine|aunty|uncle|ustaz|sister|bhai|bhaiya|yaar|ji|didi|madame|cuzzo|dawg/my good man|sir|lady/kind sir/old chap/my g",
    ),
];
