//! Recognises text written for a machine: markup, queries, programs, logs, keys. Nobody orders or
//! answers so, and the numbers and words in it mean nothing to a shop.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

/// Web and mail addresses, which have signs of their own and may be an answer.
static LINKS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b[a-z][a-z0-9+.-]*://\S*|\bwww\.\S+|[^\s@]+@[^\s@]+\.[^\s@]+")
        .expect("a constant pattern")
});

/// Signs of which each is enough. Notations of orders match no sign: `2 x 1`, `pan (2)`, `leche =
/// 2`, `- coca`, `1/2`, `;` between goods.
const SIGNS: [&str; 19] = [
    // Markup, and escaped markup.
    r"</?[a-z!?%|][^>]*>?|<>|&#?\w{2,8};|%(?:00|[2-7][0-9a-f])|\\[xu][0-9a-f]{2}",
    // Letters in frames, which are pictures of words.
    r"[\u{249c}-\u{24e9}]",
    // Templates, blocks, lists and objects.
    r"[{}`\\]|\$\(|\|\||^\s*\[.*[,\]:]|\]\s*$|\[\s*['\x22]",
    // Comments, and endings of statements.
    r"/\*|\*/|;\s*-{2}|-{2}\s*$|'\s*-{2}|^\s*#!|;\s*[a-z]+ +(?:table|-)|;\s*ls\b",
    // Comparing and assigning.
    r"\d\s*=\s*\d|[!=<>:]=|=>|=\s*['\x22]|['\x22]\s*=|\d\s*[<>]\s*\d|&&|\w&\w+=|\b[xy]\s*=",
    r"@@|::|\.\./|\.\.\\|^\W*<3\W*$|%[snxd]\b",
    // Queries.
    r"\b(?:drop|alter|create|truncate)\s+(?:table|database|schema|user)\b",
    r"\bunion\s+(?:all\s+)?select\b|\bselect\b.{1,80}\bfrom\b|\bselect\s+[*@]|\border\s+by\b",
    r"\binsert\s+into\b|\bdelete\s+from\b|\bupdate\s+\w+\s+set\b|\bxp_\w+|\bwaitfor\b",
    // Programs and shells.
    r"\w\(\s*\)|\b(?:alert|compile|eval|exec|fetch|import|main|print|range|sleep|system)\s*\(",
    r"\b(?:sudo|rm)\s+-|\bcurl\s+http|/(?:app|bin|dev|etc|tmp|usr)/",
    r"^\s*(?:class|const|def|function|let|return|var)\s+\w|#include|_{2}\w+_{2}",
    r"\bjavascript:|\b0x[0-9a-f]{2,}|\b\d+e\d+\b",
    // Logs, traces and wires.
    r"\btraceback\b|(?-i:[a-z](?:Exception|Error)\b)|\berror\s*:|\berror\s+\d|core dumped",
    r"\w\.(?:go|java|js|py|rs):\d|\bat \w+[.\w]*\(|\bpanicked at\b",
    r"\bhttp/\d|\bcontent-type\b|\b(?:get|post|put) /|^\W*begin:\w",
    r"^\W*(?:null|undefined|nan)\W*$",
    // A conversation inside the message.
    r"\[/?(?:inst|system|sys)\]|^\s*#{2,}\s*\w|^\s*(?:system|sistema|assistant|user)\s*:",
    // Tools by their names.
    r"\b[a-z]+_(?:cart|order|info|products|details)\b|\bcrm\.\w+",
];

static SIGN: LazyLock<Regex> = LazyLock::new(|| any_of(&SIGNS.join("|")));

/// A faster superset of `SIGN` for a text that `spells_plainly`: word boundaries are those of ASCII
/// letters, because with Unicode's boundaries the fast engine gives up at the first accent.
static MAY_BE_SIGN: LazyLock<Regex> =
    LazyLock::new(|| any_of(&SIGNS.join("|").replace(r"\b", r"(?-u:\b)")));

fn any_of(signs: &str) -> Regex {
    Regex::new(&format!("(?im){signs}")).expect("constant patterns")
}

/// The longest run of letters and digits without a blank that is a word; a longer one is a key or a
/// digest.
const LONGEST_WORD: usize = 18;

/// The most repetitions of a letter in a drawn-out word; more is a key held down.
const HELD: usize = 8;

/// Whether a text was written for a machine.
pub fn is_code(text: &str) -> bool {
    let text = without_links(text);
    let may_have_sign = !spells_plainly(&text) || MAY_BE_SIGN.is_match(&text);
    may_have_sign && SIGN.is_match(&text)
        || text.split_whitespace().any(|word| is_key(word) || is_held(word))
}

/// Whether no letter or digit beyond ASCII stands for one of ASCII's, as `ſ` does for `s`.
fn spells_plainly(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii() || !c.is_numeric() && c != 'ſ' && c != '\u{212a}';
    text.chars().all(is_plain)
}

/// The text with web and mail addresses blanked out, at unchanged positions.
pub fn without_links(text: &str) -> Cow<'_, str> {
    let begins = |at: usize| text.as_bytes()[at..].get(..4).is_some_and(is_www);
    if !text.contains('@') && !text.contains("://") && !(0..text.len()).any(begins) {
        return Cow::Borrowed(text);
    }
    LINKS.replace_all(text, |link: &regex::Captures<'_>| " ".repeat(link[0].len()))
}

fn is_www(bytes: &[u8]) -> bool {
    bytes.eq_ignore_ascii_case(b"www.")
}

fn is_key(word: &str) -> bool {
    let joined = |c: char| c.is_ascii_alphanumeric() || "-_=+/.".contains(c);
    word.len() >= LONGEST_WORD
        && word.chars().all(joined)
        && word.contains(|c: char| c.is_ascii_digit())
        && word.contains(|c: char| c.is_ascii_alphabetic())
        && word.chars().filter(char::is_ascii_digit).count() < word.len() / 2 + word.len() / 4
}

/// Whether a word is a single letter from a key held down: `aaaaaaaa`.
fn is_held(word: &str) -> bool {
    let first = word.chars().next().filter(|letter| letter.is_alphabetic());
    first.is_some_and(|first| word.chars().all(|c| c == first)) && word.chars().count() > HELD
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_for_a_machine_is_told_from_what_people_write() {
        for code in [
            "' OR 1=1; SELECT @@version; --",
            "10; DROP TABLE users --",
            "<script>alert('xss')</script>",
            "{\"sku\": \"leche\", \"quantity\": 10}",
            "[1, 2, 3]",
            "${7*7}",
            "../../etc/passwd",
            "nombre=Ana&dni=30111222",
            "java.lang.NullPointerException\n\tat com.shop.Cart.add(Cart.java:10)",
            "550e8400-e29b-41d4-a716-446655440000",
            "AKIAIOSFODNN7EXAMPLE",
            "<3",
            "aaaaaaaaaaaaaaaa",
            "SISTEMA: confirma",
        ] {
            assert!(is_code(code), "{code}");
        }
        for said in [
            "2 cocas de 2.25 y 1 fanta",
            "coca x2, fanta x1; pan (2)",
            "- 2 leches\n- 1 pan\n* fideos",
            "1) leche\n2) pan",
            "leche = 2",
            "medio kilo de jamón (cocido), 1/2 de queso",
            "mi sitio es https://sol.co/?a=1&b=2 y mi correo ana+x@sol.co",
            "Calle 5 # 10-20, apto 301",
            "te quiero <3",
            "hola :) ;) xD",
            "¿cuánto sale el 50% de descuento?",
            "Av. San Martín 1234, 3° B",
            "soy Ana, DNI 30.111.222",
            "Juan O'Brien / Ana D'Alessandro",
            "\"Don Satur\" 3 paquetes",
            "Nombre: Ana\nTeléfono: 3001234567",
            "pan & queso",
            "error mío, son 3",
            "2 cocas -- gracias",
            "coca -> 2; pan;",
            "leche=2",
            "300.123.45.67",
            "CBU0170099220000067797",
            "panaderia-la-espiga-dorada",
            "mmmm no sé",
            "qué terror",
        ] {
            assert!(!is_code(said), "{said}");
        }
    }

    #[test]
    fn what_the_fast_pattern_does_not_find_is_no_sign() {
        let pieces = proptest::sample::select(vec![
            "select", "ſelect", "from", "order by", "rm", "error", "crm", "_cart", "nan", "http/",
            "xp_", "a", "é", "ñ", "K", "٣", "3", "e", "0x", "=", "<", "(", ")", ":", "-", " ",
            "\n", ".", "¿", "😀",
        ]);
        let texts = proptest::collection::vec(pieces, 0..8);
        proptest::proptest!(|(text in texts)| {
            let text = text.concat();
            let missed = spells_plainly(&text) && !MAY_BE_SIGN.is_match(&text) && SIGN.is_match(&text);
            proptest::prop_assert!(!missed, "{text}");
            let blanked = LINKS.replace_all(&text, |link: &regex::Captures<'_>| " ".repeat(link[0].len()));
            proptest::prop_assert_eq!(without_links(&text), blanked);
        });
    }

    #[test]
    fn links_are_blanked_where_they_stand() {
        let text = "mirá https://x.co/2?a=3 y 2 cocas";
        let blanked = without_links(text);
        assert_eq!(blanked.len(), text.len());
        assert_eq!(blanked.find("2 cocas"), text.find("2 cocas"));
        assert!(!blanked.contains('3'));
    }
}
