//! From the phrases of intents and choices to the patterns and words that a message is held against.

use crate::files::{ChoiceSet, Intent};
use crate::phrases::{Extent, Words};

/// Adds to an intent's patterns what its phrases come to.
pub(crate) fn of_intent(intent: &mut Intent, words: &Words<'_>) -> Result<(), String> {
    for (phrases, extent) in [(&intent.phrases, Extent::Anywhere), (&intent.whole, Extent::Whole)] {
        for phrase in phrases {
            intent.patterns.push(words.pattern(phrase, extent)?);
        }
    }
    Ok(())
}

/// Adds to each option's patterns and words what its own phrases come to, and those of the choice with
/// its number in them.
pub(crate) fn of_choice(choice: &mut ChoiceSet, words: &Words<'_>) -> Result<(), String> {
    for option in &mut choice.options {
        let words = words.with_number(option.number);
        let counted = choice.phrases.iter().filter(|_| option.number.is_some());
        for phrase in option.phrases.iter().chain(counted) {
            option.patterns.push(words.pattern(phrase, Extent::Anywhere)?);
        }
        for asked in choice.asked.iter().filter(|_| option.number.is_some()) {
            option.asked.extend(words.spoken(asked)?);
        }
    }
    Ok(())
}
