//! No key shows in anything a person may read.

use llm::{Anthropic, OpenAi, Refusals, TokenLimit};

use super::providers::{BOTH, KEY, PATIENT, call, client, events, hello};
use super::server::{Answer, Server};

#[tokio::test]
async fn a_key_that_the_provider_repeats_is_taken_out_of_the_message() {
    let error = format!(r#"{{"error":{{"message":"Incorrect API key: {KEY} (Bearer {KEY})"}}}}"#);
    let in_band = format!(r#"{{"type":"error","error":{{"message":"{KEY} is wrong"}}}}"#);
    for kind in BOTH {
        for answer in [
            Answer::status("401 Unauthorized", "", &error),
            Answer::status("500 Internal Server Error", "", KEY),
            Answer::json(&in_band),
            Answer::events(&events(&[&in_band])),
            Answer::events(&events(&[KEY])),
        ] {
            let server = Server::giving(vec![answer]).await;
            let provider = kind.at(&server.base, PATIENT);
            let failure = call(&*provider, kind.model(), &hello()).await.0.unwrap_err();
            assert!(!format!("{failure} {failure:?}").contains(KEY), "{failure:?}");
        }
    }
}

#[tokio::test]
async fn an_address_with_credentials_is_not_repeated() {
    for kind in BOTH {
        for base in ["http://user:hunter2@127.0.0.1:1", "http://127.0.0.1:1/hunter2/proxy"] {
            let provider = kind.at(base, PATIENT);
            let failure = call(&*provider, kind.model(), &hello()).await.0.unwrap_err();
            assert!(!format!("{failure} {failure:?}").contains("hunter2"), "{failure:?}");
        }
    }
}

#[test]
fn debug_shows_no_key() {
    let anthropic = Anthropic {
        id: "anthropic".into(),
        base_url: "https://api.anthropic.com".into(),
        api_key: KEY.into(),
        client: client(),
        timeouts: PATIENT,
        refusals: Refusals::default(),
    };
    let openai = OpenAi {
        id: "openai".into(),
        base_url: "https://api.openai.com/v1".into(),
        api_key: Some(KEY.into()),
        client: client(),
        timeouts: PATIENT,
        token_limit: TokenLimit::MaxCompletionTokens,
        refusals: Refusals::default(),
    };
    assert!(!format!("{anthropic:?} {openai:?}").contains(KEY));
}
