//! The doctor's findings on channels: who may call them, whom they send to, and whether the account
//! behind one answers.

use channels::cloud::{Account, AccountError};
use config::{ChannelSettings, CloudSettings, Config, InfobipSettings, WebhookAuth};
use domain::ChannelId;

use super::{Finding, Level};

pub(super) async fn channels(config: &Config) -> Vec<Finding> {
    let mut findings = Vec::new();
    for channel in &config.channels {
        let id = &channel.channel.id;
        match &channel.kind {
            ChannelSettings::Webchat => {}
            ChannelSettings::Infobip(settings) => findings.extend(infobip(id, settings)),
            ChannelSettings::WhatsappCloud(settings) => {
                findings.extend(cloud(id, settings, config.public_url.as_deref()).await);
            }
        }
    }
    findings
}

fn in_the_clear(id: &ChannelId, api_base: &str, fix: &str) -> Option<Finding> {
    api_base.starts_with("http://").then(|| {
        Finding::bad(
            "channel",
            Level::Warning,
            format!("channel `{id}` sends to {api_base} in the clear"),
            "the key and the messages can be read on the way",
            fix,
        )
    })
}

fn infobip(id: &ChannelId, settings: &InfobipSettings) -> Vec<Finding> {
    let mut findings = Vec::new();
    if matches!(settings.auth, WebhookAuth::None) {
        findings.push(Finding::bad(
            "webhook",
            Level::Warning,
            format!("channel `{id}` takes webhooks from anyone"),
            "whoever reaches this address can write as any customer",
            "set auth: {basic: …} or {hmac: …} before it is reachable from outside",
        ));
    }
    let fix = "use the https:// address from Infobip's portal";
    findings.extend(in_the_clear(id, &settings.api_base, fix));
    findings
}

async fn cloud(id: &ChannelId, settings: &CloudSettings, public_url: Option<&str>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let fix = "leave `api_base` out, or use https://graph.facebook.com";
    findings.extend(in_the_clear(id, &settings.api_base, fix));
    if settings.app_secrets.len() > 1 {
        let cause = format!("channel `{id}` still takes webhooks signed with app_secret_old");
        findings.push(Finding::ok("webhook", cause));
    }
    let place = public_url.unwrap_or("https://<this node's address>");
    // Nobody but Meta can try it: from here it would only be seen that we reach ourselves.
    findings.push(Finding::ok(
        "webhook",
        format!(
            "channel `{id}`: Meta must reach {place}/webhooks/whatsapp/{id}, which cannot be \
             checked from here"
        ),
    ));
    let asked = match host::client() {
        Ok(client) => host::account(settings, &client).account().await,
        Err(error) => Err(AccountError::Unreachable(format!("{error:#}"))),
    };
    findings.push(account(id, asked));
    findings
}

fn account(id: &ChannelId, asked: Result<Account, AccountError>) -> Finding {
    match asked {
        Ok(account) => {
            let said = [account.verified_name, account.display_phone_number];
            let said: Vec<_> = said.into_iter().flatten().collect();
            let quality = account.quality_rating.filter(|rating| rating != "UNKNOWN");
            let quality = quality.map(|rating| format!(", quality {rating}")).unwrap_or_default();
            let who = if said.is_empty() { "its number".to_owned() } else { said.join(", ") };
            Finding::ok("account", format!("channel `{id}`: the token opens {who}{quality}"))
        }
        Err(AccountError::Refused(reason)) => Finding::bad(
            "account",
            Level::Failure,
            format!("channel `{id}`: {reason}"),
            "nothing leaves on this channel; messages wait, and those of more than 24 h are held back",
            "make a token of a system user with whatsapp_business_messaging, and check phone_number_id",
        ),
        Err(AccountError::Unreachable(reason)) => Finding::bad(
            "account",
            Level::Warning,
            format!("channel `{id}`: Meta could not be asked: {reason}"),
            "if it stays so, nothing leaves on this channel",
            "let this machine reach the channel's api_base over https",
        ),
    }
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::http::StatusCode;
    use axum::routing::get;
    use serde_json::json;
    use tokio::net::TcpListener;

    use super::*;
    use crate::wiring::temporary_folder;

    async fn meta(status: StatusCode, said: serde_json::Value) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let answer = get(move || async move { (status, said.to_string()) });
        let router = Router::new().route("/v23.0/42", answer);
        tokio::spawn(async move { axum::serve(listener, router).await });
        base
    }

    async fn examined(api_base: &str, more: &str) -> Vec<Finding> {
        let folder = temporary_folder().unwrap();
        let file = folder.path().join("recado.yaml");
        let yaml = format!(
            "channels: [{{ id: tienda, kind: whatsapp_cloud, workspace: demo, agent: demo, \
             phone_number_id: \"42\", access_token: t, app_secret: s, verify_token: v, \
             api_base: \"{api_base}\"{more} }}]\n"
        );
        std::fs::write(&file, yaml).unwrap();
        channels(&config::load(Some(&file), &config::Environment::default()).unwrap()).await
    }

    fn of<'a>(findings: &'a [Finding], check: &str) -> &'a Finding {
        findings.iter().find(|one| one.check == check).expect(check)
    }

    #[tokio::test]
    async fn a_token_that_opens_its_number_is_named_with_it() {
        let said = json!({"verified_name": "Tienda", "display_phone_number": "+57 300",
                          "quality_rating": "GREEN", "id": "42"});
        let findings = examined(&meta(StatusCode::OK, said).await, ", app_secret_old: o").await;
        let account = of(&findings, "account");
        assert_eq!(account.level, Level::Ok);
        assert!(account.cause.ends_with("opens Tienda, +57 300, quality GREEN"), "{account:?}");
        assert!(of(&findings, "channel").cause.contains("in the clear"));
        let webhooks: Vec<_> = findings.iter().filter(|one| one.check == "webhook").collect();
        assert!(webhooks[0].cause.contains("app_secret_old"), "{webhooks:?}");
        assert!(webhooks[1].cause.contains("/webhooks/whatsapp/tienda"), "{webhooks:?}");
        assert!(webhooks[1].cause.contains("cannot be checked"), "{webhooks:?}");
    }

    #[tokio::test]
    async fn a_token_that_is_refused_is_a_failure_and_a_silent_meta_a_warning() {
        let said = json!({"error": {"code": 190, "message": "Session has expired"}});
        let findings = examined(&meta(StatusCode::UNAUTHORIZED, said).await, "").await;
        let account = of(&findings, "account");
        assert_eq!(account.level, Level::Failure);
        assert!(account.cause.contains("190: the token has expired"), "{account:?}");
        let nobody = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
        let findings = examined(&format!("http://{nobody}"), "").await;
        assert_eq!(of(&findings, "account").level, Level::Warning);
    }
}
