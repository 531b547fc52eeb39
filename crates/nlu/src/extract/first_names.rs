//! Common first names, so that `soy ana` is told from `soy cliente` without capitals.

use std::collections::HashSet;
use std::sync::LazyLock;

static NAMES: LazyLock<HashSet<&str>> = LazyLock::new(|| LIST.split_whitespace().collect());

const LIST: &str = "aaron abigail abril adriana adrian agostina agustin agustina aida alan alba alberto aldana \
    alejandra alejandro alex alexander alexandra alexis alfonso alfredo alicia alma alvaro amalia amanda amelia \
    amparo ana anabel analia andrea andres angel angela angeles angelica angie anibal antonela antonella antonia \
    antonio araceli ariadna ariel armando arturo astrid augusto aurora axel barbara bautista beatriz belen \
    benicio benjamin bernarda bernardo bianca blanca brandon brayan brenda brian bruno camila camilo candela \
    carina carla carlos carmen carolina catalina cecilia celeste celia cesar charo christian cinthia cintia \
    clara claudia claudio clemente constanza cristian cristina cynthia daiana dalila damian dana daniel daniela \
    dante dario david dayana debora delfina denis denise diana diego dolores domingo dora edgar edison edith \
    eduardo edwin efrain elena eliana elias elisa elizabeth elsa elvira emanuel emilia emiliano emilio emma \
    enrique enzo erica erika ernesto esteban estefania estela ester esther eugenia eugenio eva evelyn ezequiel \
    fabian fabiana fabio fabricio facundo fatima federico felipe fernanda fernando fiorella flavia flor florencia \
    franca francisca francisco franco fredy gabriel gabriela gael gaston genesis georgina gerardo german gilberto \
    gimena giovanni gisela gisele gladys gloria gonzalo graciela gregorio griselda guadalupe guido guillermina \
    guillermo gustavo hector heidi helena henry hernan hilda horacio hugo humberto ian ignacio ines ingrid irene \
    iris irma isaac isabel isabella ismael ivan ivana ivonne jacinto jacqueline jaime jaqueline javier jazmin \
    jennifer jeronimo jessica jesus jhon jimena joan joana joaquin joel johana john jonathan jorge jose josefa \
    josefina joselyn josue juan juana juanita judith julia julian juliana julieta julio karen karina karla katherine \
    kevin laura lautaro leandro leila leon leonardo leonel leonor leticia lia lidia lila lilia liliana lina lisandro \
    lola lorena lorenzo lourdes lucas lucia luciana luciano lucila lucrecia luis luisa luisina luz macarena magali \
    magdalena maia maira malena manuel manuela marcela marcelo marco marcos margarita maria mariana mariano maribel \
    mariel mariela marilu marina mario marisa marisol marta martha martin martina mary mateo mathias matias mauricio \
    mauro maximiliano maximo maxi mayra melanie melina melisa melissa mercedes mia micaela michael miguel mike \
    milagros milena miriam mirta moises monica morena nadia nahuel nancy natalia nelida nelson nestor nicolas nicole \
    nicol nina noelia noemi nora norberto norma octavio ofelia olga olivia omar orlando oscar osvaldo pablo paloma \
    pamela paola patricia patricio paul paula paulina pedro peter pia pilar priscila rafael rafaela ramiro ramon \
    ramona raquel raul rebeca regina renata rene ricardo rita roberto robert rocio rodolfo rodrigo rogelio rolando \
    romina roman rosa rosana rosario roxana ruben ruth sabrina salome salvador samanta samuel sandra santiago santino \
    sara sarah sasha saul sebastian selena selene sergio sheila silvana silvia silvina simon sofia sol soledad sonia \
    stella steven susana tamara tania tatiana telma teo teresa thiago tobias tomas trinidad ulises uriel ursula \
    valentin valentina valentino valeria vanesa vanessa vera veronica vicente victor victoria vilma violeta virginia \
    viviana walter wendy william wilson ximena yamila yanina yesica yolanda zaira zoe james mary jane jack emily \
    george charles thomas anna lucy kate alice ann anne steve mark tom tim jim joe bill ben sam";

pub fn is_first_name(word: &str) -> bool {
    NAMES.contains(word)
}
