//! A word as it is indexed and looked for: singular, and spelled as it sounds.

/// The form that `jamones` and `jamón`, `yerva` and `yerbas`, `koka` and `coca` share. Shop words
/// that differ only in the letters dropped here are rare enough to be told apart by their
/// neighbours.
pub(super) fn root(word: &str) -> String {
    let mut root = spelled_as_heard(&singular(word));
    // The `e` may be the rest of a plural in `-es`; words that end in `-e` anyway lose it alike.
    if root.len() > 3
        && root.ends_with('e')
        && root[..root.len() - 1].ends_with(|c| !is_vowel(c))
        && root.is_char_boundary(root.len() - 1)
    {
        root.pop();
    }
    root
}

fn singular(word: &str) -> String {
    if word.len() < 4 {
        return word.to_owned();
    }
    if let Some(stem) = word.strip_suffix("ces") {
        return format!("{stem}z");
    }
    match word.strip_suffix('s') {
        Some(stem) if !stem.ends_with('s') => stem.to_owned(),
        _ => word.to_owned(),
    }
}

/// A single spelling for letters that sound alike in Argentina, and for doubled ones.
fn spelled_as_heard(word: &str) -> String {
    let mut heard = String::with_capacity(word.len());
    let mut rest = word.chars().peekable();
    while let Some(c) = rest.next() {
        let next = rest.peek().copied();
        if next == Some(c) && c != 'l' && !c.is_ascii_digit() {
            continue;
        }
        let soft = matches!(next, Some('e' | 'i'));
        let sound = match c {
            'h' if heard.ends_with('c') => 'h',
            'h' => continue,
            'v' => 'b',
            'z' => 's',
            'c' if soft => 's',
            'k' => 'c',
            'q' if next == Some('u') => {
                rest.next();
                'c'
            }
            'j' => 'g',
            'l' if next == Some('l') => {
                rest.next();
                'y'
            }
            c => c,
        };
        if !heard.ends_with(sound) || sound.is_ascii_digit() {
            heard.push(sound);
        }
    }
    heard
}

fn is_vowel(c: char) -> bool {
    matches!(c, 'a' | 'e' | 'i' | 'o' | 'u')
}

#[cfg(test)]
mod tests {
    use super::root;

    #[test]
    fn one_and_many_share_a_root() {
        for (one, many) in [
            ("coca", "cocas"),
            ("pan", "panes"),
            ("yerba", "yerbas"),
            ("galletita", "galletitas"),
            ("jamon", "jamones"),
            ("nuez", "nueces"),
            ("dulce", "dulces"),
            ("leche", "leches"),
            ("aceite", "aceites"),
            ("yogur", "yogures"),
            ("pack", "packs"),
        ] {
            assert_eq!(root(one), root(many), "{one}");
        }
    }

    #[test]
    fn spellings_that_sound_alike_share_a_root_and_others_do_not() {
        for (written, meant) in [
            ("yerva", "yerba"),
            ("koka", "coca"),
            ("cerbesa", "cerveza"),
            ("aseite", "aceite"),
            ("hazucar", "azucar"),
            ("keso", "queso"),
            ("plalladito", "playadito"),
            ("jengibre", "gengibre"),
            ("bagio", "baggio"),
        ] {
            assert_eq!(root(written), root(meant), "{written}");
        }
        for (one, other) in [("coca", "choca"), ("pan", "panal"), ("te", "ten"), ("sal", "sol")] {
            assert_ne!(root(one), root(other), "{one}");
        }
    }
}
