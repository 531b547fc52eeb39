//! The frames in which a model is shown a turn: its instructions, the marks around what others wrote, and
//! the words that describe its moves.

use crate::table::wordings;

wordings! {
    /// All frames, as the models of one pack read them.
    Frames,
    /// The frames that are worded otherwise: by a locale than by its language, or by a pack.
    ReplacedFrames,
    &[
        ("es", include_str!("../locales/models/es.yaml")),
        ("en", include_str!("../locales/models/en.yaml")),
    ];
    /// Instructs the detector of a pack without `prompts/detector.md`.
    detector(pack, intents), up to 4000;
    /// Instructs the orchestrator of a pack without `prompts/orchestrator.md`.
    orchestrator(pack, business), up to 4000;
    /// Instructs the writer of a pack without `prompts/writer.md`.
    writer(), up to 4000;
    /// Follows every instruction of the writer: the marks ⟦n⟧ stand for values.
    writer_rule(), up to 1000;
    /// Instructs whoever sums up what was long ago, in a pack without `prompts/resumen.md`.
    summariser(), up to 4000;
    /// Marks the mode in which the flow stands.
    mode(mode), up to 300;
    /// Marks the customer's message.
    message(text), up to 300;
    /// Marks what the detector read first, when it is asked again.
    first_reading(intents), up to 1000;
    /// Marks where things stand, as JSON.
    standing(facts), up to 300;
    /// Marks the summary of what came before the lines that follow.
    earlier(summary), up to 300;
    /// Marks what happened besides messages: a timer, an operator's act.
    incident(event), up to 300;
    /// Stands for the customer's side where the business wrote first.
    beginning(), up to 300;
    /// Marks the engine's answer to a model whose words or moves it refused.
    refusal(reason), up to 300;
    /// Puts the summary so far and the next lines to whoever sums up.
    to_sum_up(summary, lines), up to 1000;
    /// A line of the customer's, for whoever sums up.
    customer_line(text), up to 300;
    /// A line of the agent's, for whoever sums up.
    agent_line(text), up to 300;
    /// A line of the engine's, for whoever sums up.
    engine_line(text), up to 300;
    /// Tells the detector how to write its confidence.
    confidence(), up to 300;
    /// Tells what the customer gave, as a sentence lists it.
    known_data(data), up to 300;
    /// Tells what the customer chose.
    chosen(name, value), up to 300;
    /// Tells how the session before ended.
    before(summary), up to 300;
    /// Tells which templates were sent.
    sent(templates), up to 300;
    /// Begins the summary of a session that is over.
    ended_in(mode), up to 300;
    /// Says in that summary what the customer spoke of.
    spoke_of(intents), up to 300;
    /// Says in that summary what the customer gave.
    gave(data), up to 300;
    /// Says in that summary the number that a tool gave.
    numbered(name, number), up to 300;
    /// Describes the move that sends a template.
    say(), up to 1000;
    /// Describes that move's template.
    say_template(), up to 300;
    /// Describes the move to another mode.
    go(), up to 1000;
    /// Describes that move's mode.
    go_mode(), up to 300;
    /// Describes the move that answers in words of a model's own.
    reply(acts), up to 1000;
    /// Describes the move that takes data from the message.
    save(), up to 1000;
    /// Describes the move that notes what the customer chose.
    choose(), up to 1000;
    /// Describes the move that hands over to a person.
    hand_off(), up to 1000;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pack_words_some_frames_in_its_own_way() {
        let own = ReplacedFrames {
            message: Some("<cliente>{text}</cliente>".to_owned()),
            ..ReplacedFrames::default()
        };
        let all = Frames::of("es-CO").with(&own);
        assert_eq!(all.message("hola {pack}"), "<cliente>hola {pack}</cliente>");
        assert_eq!(all.mode("charla"), "<modo>charla</modo>");
        assert_eq!(Frames::of("en-US").message("hi"), "<message>hi</message>");
    }
}
