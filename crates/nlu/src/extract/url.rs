//! Web addresses, with their scheme or without it.

use std::sync::LazyLock;

use regex::Regex;

use super::candidate::{Candidate, rank};
use super::value::Value;
use crate::Normalized;

static URL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r#"(?:https?|ftp)://[^\s<>"'`]+"#,
        r#"|(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,24}(?::[0-9]{1,5})?(?:[/?#][^\s<>"'`]*)?"#
    ))
    .expect("the pattern is constant")
});

/// Common endings; the two-letter ending of any country is accepted too.
const ENDINGS: &str = " com net org edu gov mil int info biz name pro app dev io ai co shop store \
    online site web website blog cloud tech live news media agency studio design digital group \
    solutions services academy school university club social link page xyz top vip work works \
    world global email marketing company team center zone space plus today life love art photo \
    photos gallery events tickets travel tours hotel restaurant cafe bar pizza food delivery \
    market sale deals buy cheap discount gift gifts fashion clothing shoes jewelry beauty hair \
    health care clinic dental doctor fit fitness yoga pet vet legal law attorney finance money \
    bank insurance tax credit house homes realty properties land build construction repair \
    garden kitchen lighting tools parts auto cars car taxi bike cat lat tel mobi asia travel \
    aws google amazon apple microsoft ";

/// Country endings that are also words, which follow a full stop when the blank is forgotten.
const WORDS: [&str; 19] = [
    "no", "me", "si", "de", "la", "se", "es", "mi", "tu", "su", "al", "ni", "lo", "in", "is", "so",
    "to", "my", "it",
];

const COUNTRIES: &str = " ac ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bm \
    bn bo br bs bt bw by bz ca cc cd cf cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec \
    ee eg er es et eu fi fj fk fm fo fr ga gd ge gf gg gh gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr \
    ht hu id ie il im in io iq ir is it je jm jo jp ke kg kh ki km kn kp kr kw ky kz la lb lc li lk lr ls \
    lt lu lv ly ma mc md me mg mh mk ml mm mn mo mp mq mr ms mt mu mv mw mx my mz na nc ne nf ng ni nl no \
    np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw py qa re ro rs ru rw sa sb sc sd se sg sh si sk \
    sl sm sn so sr ss st sv sx sy sz tc td tf tg th tj tk tl tm tn to tr tt tv tw tz ua ug uk us uy uz va \
    vc ve vg vi vn vu wf ws ye yt za zm zw ";

pub(super) fn find(text: &Normalized<'_>, found: &mut Vec<Candidate>) {
    let folded = text.folded();
    for matched in URL.find_iter(folded) {
        let Some(end) = end_of(folded, matched.start(), matched.as_str()) else { continue };
        let span = matched.start()..end;
        let written = text.original()[text.original_span(span.clone())].to_owned();
        found.push(Candidate::new(span, Value::Url(written), rank::URL));
    }
}

/// The address with `https://` if it lacks a scheme, as a form would store it.
pub fn https_url(written: &str) -> String {
    let written = written.trim();
    if written.contains("://") { written.to_owned() } else { format!("https://{written}") }
}

/// The end of the address, without the punctuation of its sentence; `None` if it is no address.
fn end_of(folded: &str, start: usize, matched: &str) -> Option<usize> {
    let trimmed = matched.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']', '}', '*', '_']);
    let end = start + trimmed.len();
    let before = folded[..start].chars().next_back();
    if let Some((_, rest)) = trimmed.split_once("://") {
        let host = rest.split(['/', '?', '#', ':']).next().unwrap_or_default();
        let named = host.contains('.') && !host.starts_with('.') && !host.ends_with('.');
        let legal = host.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-'));
        return (legal && (named || host == "localhost")).then_some(end);
    }
    let glued =
        before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '@' | '.' | '/' | '_' | '-'));
    let after = folded[end..].chars().next();
    if glued || after.is_some_and(|c| c == '@' || c.is_alphanumeric() || c == '_') {
        return None;
    }
    let host = trimmed.split(['/', '?', '#', ':']).next().unwrap_or_default();
    let (labels, ending) = host.rsplit_once('.')?;
    let country = COUNTRIES.contains(&format!(" {ending} "));
    if !(country || ENDINGS.contains(&format!(" {ending} "))) {
        return None;
    }
    let bare = host.len() == trimmed.len() && !host.starts_with("www.") && !labels.contains('.');
    let numeral = bare && labels.bytes().all(|b| b.is_ascii_digit());
    // In `gracias.no me interesa` a word goes on after an apparent ending.
    let rest = &folded[end..];
    let goes_on = rest.starts_with(' ') && rest.trim_start().starts_with(char::is_alphabetic);
    let sentence = bare && WORDS.contains(&ending) && goes_on;
    (!numeral && !sentence).then_some(end)
}
