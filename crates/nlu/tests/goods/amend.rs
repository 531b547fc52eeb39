//! Amendments to goods named before: numbers, sizes, corrections, removals and changes.

use super::check;

#[test]
fn what_is_last_spoken_of_has_no_name() {
    check(&[
        ("mejor que sean 4", &["set 4 ''"]),
        ("que sean 2", &["set 2 ''"]),
        ("agregame otra", &["add 1 ''"]),
        ("sumale dos más", &["add 2 ''"]),
        ("otras 2", &["add 2 ''"]),
        ("hacelo 6", &["set 6 ''"]),
        ("dejalas en 3", &["set 3 ''"]),
        ("subilo a 4", &["set 4 ''"]),
        ("sacala", &["remove ''"]),
        ("2 de esas", &["add 2 ''"]),
    ]);
}

#[test]
fn a_number_said_later_belongs_to_what_was_named_without_one() {
    check(&[
        ("lentejas 2 paq", &["add 2 'lentejas'"]),
        ("hielo x 3 bolsas", &["add 3 'hielo'"]),
        ("agua de 2 litros, 2 botellas", &["add 2 'agua de 2 litros' 2000ml"]),
        ("quilmes en lata necesito 6", &["add 6 'quilmes en lata'"]),
        ("las oreo q sean 3", &["set 3 'oreo'"]),
        ("de los serenitos mandame 6 en vez de 4", &["set 6 'serenitos'"]),
        ("fideos y arroz, una bolsa de cada uno", &["add 1 'fideos'", "add 1 'arroz'"]),
        ("fideos y arroz 1 de cada uno", &["add 1 'fideos'", "add 1 'arroz'"]),
        ("2 cocas y una lata", &["add 2 'cocas'", "add 1 'lata'"]),
        ("coca\n2", &["add 'coca'", "add 2 ''"]),
    ]);
}

#[test]
fn what_is_said_later_of_goods_tells_which_they_are() {
    check(&[
        ("un ala liquido, el bidon", &["add 1 'ala liquido bidon'"]),
        ("sacá la coca, la grande", &["remove 'coca grande' talle:grande"]),
        ("tomate pero en lata, 2", &["add 2 'tomate lata'"]),
        ("una sprite, de litro y medio", &["add 1 'sprite de litro y medio' 1500ml"]),
        ("cambiame la coca por una pepsi, la de 2.25", &["replace 1 'pepsi de 2.25' 2250ml <coca"]),
        (
            "dos quilmes y dos brahma, todo en lata",
            &["add 2 'quilmes lata'", "add 2 'brahma lata'"],
        ),
        ("aceite (natura, el de 900)", &["add 'aceite natura, el de 900' 900"]),
        ("yerba (playadito o rosamonte)", &["add 'yerba'"]),
        (
            "una pepsi chica, una grande",
            &["add 1 'pepsi chica' talle:chico", "add 1 '' talle:grande"],
        ),
        ("te queda hielo? necesito dos bolsas", &["add 2 'bolsas hielo'"]),
    ]);
}

#[test]
fn of_what_is_corrected_the_last_word_counts() {
    check(&[
        ("2 aceites de 900... perdon, uno solo", &["add 1 'aceites de 900' 900"]),
        ("2 cocas, mejor 3", &["add 3 'cocas'"]),
        ("una fanta, no, mejor una sprite", &["add 1 'sprite'"]),
        ("mandame una fanta, no, perdón, una sprite", &["add 1 'sprite'"]),
        ("2 cocas, no, con 1 alcanza", &["add 1 'cocas'"]),
        ("uy no, con 1 alcanza", &["set 1 ''"]),
        ("con dos cocas alcanza", &["set 2 'cocas'"]),
        ("sacame una coca, con las otras alcanza", &["remove 1 'coca'"]),
        ("el vivere no lo mandes al final, tengo", &["remove 'vivere'"]),
        ("perdón, agregame una coca", &["add 1 'coca'"]),
        ("el pan lactal no, tachalo", &["remove 'pan lactal'"]),
        ("sacame un alfajor, los demás dejalos", &["remove 1 'alfajor'"]),
    ]);
}

#[test]
fn removals_changes_and_replacements_are_told_apart() {
    check(&[
        ("sacá la fanta y poné 3 cocas", &["remove 'fanta'", "add 3 'cocas'"]),
        ("eliminá la coca y la fanta", &["remove 'coca'", "remove 'fanta'"]),
        ("sacale una coca", &["remove 1 'coca'"]),
        ("sacá todas las fantas", &["remove 'fantas'"]),
        ("sin la fanta", &["remove 'fanta'"]),
        ("2 cocas sin azúcar", &["add 2 'cocas sin azúcar'"]),
        ("una coca, sin la fanta", &["add 1 'coca'", "remove 'fanta'"]),
        ("no quiero fanta", &["remove 'fanta'"]),
        ("ya no quiero la yerba", &["remove 'yerba'"]),
        ("no me mandes el pan", &["remove 'pan'"]),
        ("no la fanta", &["remove 'fanta'"]),
        ("la fanta no", &["remove 'fanta'"]),
        ("la fanta no va", &["remove 'fanta'"]),
        ("la yerba no la quiero", &["remove 'yerba'"]),
        ("la pepsi sacala", &["remove 'pepsi'"]),
        ("2 cocas, no quiero fanta", &["add 2 'cocas'", "remove 'fanta'"]),
        ("nada de sprite", &["remove 'sprite'"]),
        ("dejá solo 1 coca", &["set 1 'coca'"]),
        ("mejor poné 3 cocas", &["set 3 'cocas'"]),
        ("mejor sacá la fanta", &["remove 'fanta'"]),
        ("cambiá la pepsi por coca", &["replace 'coca' <pepsi"]),
        ("cambiá 2 pepsi por coca", &["replace 2 'coca' <pepsi"]),
        ("cambiá 0 pepsi por coca", &["replace 'coca' <pepsi"]),
        ("cambiala por coca", &["replace 'coca' <"]),
        ("te cambio las 2 quilmes por 3 brahma", &["replace 3 'brahma' <quilmes"]),
        ("sacá las 2 cocas", &["remove 2 'cocas'"]),
        ("cambiá la coca a 3", &["set 3 'coca'"]),
        ("en vez de pepsi poné sprite", &["replace 'sprite' <pepsi"]),
        ("poné sprite en vez de pepsi", &["replace 'sprite' <pepsi"]),
        (
            "cambiá la coca por pepsi y agregá una fanta",
            &["replace 'pepsi' <coca", "add 1 'fanta'"],
        ),
        ("cambiá la coca por pepsi y una fanta", &["replace 'pepsi' <coca", "add 1 'fanta'"]),
        ("cambiá la coca", &[]),
    ]);
}
