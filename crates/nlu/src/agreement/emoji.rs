//! The meaning of an emoji beside or instead of words.

/// The part an emoji plays in an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Emoji {
    /// A yes without words.
    Agreeing,
    /// Warmth, thanks or joy: beside a yes it changes nothing, and alone it is no yes.
    Warm,
    /// Everything else: refusing, doubting, mocking, or telling another story.
    Other,
}

const AGREEING: &[char] =
    &['👍', '👌', '✅', '✔', '☑', '💯', '🤝', '🆗', '🙌', '🤙', '🫡', '👊', '🤜', '🤛'];

const WARM: &[char] = &[
    '😊', '🙂', '😀', '😃', '😄', '😁', '😉', '😋', '😍', '🥰', '😘', '😗', '😙', '😚', '🤗', '🤩',
    '🥳', '😎', '😇', '😌', '☺', '😺', '😸', '😻', '🙏', '👏', '💪', '✌', '🫶', '🎉', '🎊', '🎈',
    '✨', '🔥', '🚀', '⭐', '🌟', '💫', '⚡', '💥', '❤', '♥', '🧡', '💛', '💚', '💙', '💜', '🤎',
    '🖤', '🤍', '💕', '💖', '💗', '💓', '💞', '💝', '💘', '❣', '💐', '🌹', '🌷', '🌸', '🌺', '🌻',
    '🌼', '☀', '🌞', '😴', '💤', '💃', '🕺', '🙋', '🥹', '🤠', '🍀', '👋', '🌈', '😻',
];

/// Skin tones, selectors and joiners that only vary the emoji before them.
pub(super) fn is_variation(c: char) -> bool {
    matches!(c, '\u{fe0e}' | '\u{fe0f}' | '\u{200d}' | '\u{1f3fb}'..='\u{1f3ff}' | '♀' | '♂')
}

pub(super) fn emoji(c: char) -> Emoji {
    if AGREEING.contains(&c) {
        Emoji::Agreeing
    } else if WARM.contains(&c) {
        Emoji::Warm
    } else {
        Emoji::Other
    }
}
