//! A thousand deliveries of either provider that have its credentials and are broken in every other way.

use serde_json::json;

use crate::support::{
    Customer, Kind, META, Node, PASSWORD, Random, Site, USER, message, rest, signature,
};

crate::on_both_stores!(of_meta, of_infobip,);

const BODIES: u32 = 1_000;
/// After so many the well-behaved customer writes again.
const BETWEEN: u32 = 250;

#[derive(Clone, Copy)]
enum Provider {
    Meta,
    Infobip,
}

impl Provider {
    fn text(self, from: &str, id: &str, text: &str) -> String {
        let body = match self {
            Self::Meta => META.text(from, id, text),
            Self::Infobip => json!({ "results": [message(from, id, text)] }),
        };
        body.to_string()
    }

    /// A text's kind, and that of something else.
    fn kinds(self) -> (&'static str, &'static str) {
        match self {
            Self::Meta => ("\"text\"", "\"interactive\""),
            Self::Infobip => ("\"TEXT\"", "\"INTERACTIVE_BUTTON_REPLY\""),
        }
    }

    async fn delivers(self, site: &Site, node: &Node<'_>, body: Vec<u8>) -> u16 {
        let to = |path: &str| site.http.post(format!("{}/webhooks/{path}", node.url()));
        let request = match self {
            Self::Meta => to("whatsapp/meta").header("x-hub-signature-256", signature(&body)),
            Self::Infobip => to("infobip/tienda").basic_auth(USER, Some(PASSWORD)),
        };
        request.body(body).send().await.expect("an answer").status().as_u16()
    }
}

/// A delivery, broken by chance; a few are left whole.
fn broken(provider: Provider, random: &mut Random, number: u32) -> Vec<u8> {
    let name = format!("57320{number:07}");
    let whole = |text: &str| provider.text(&name, &format!("wamid.{number}"), text);
    let mut bytes = whole("hola").into_bytes();
    let at = |random: &mut Random, length: usize| random.next() as usize % length;
    match random.between(0, 9) {
        0 => {}
        1 => bytes.truncate(at(random, bytes.len())),
        2 => {
            for _ in 0..random.between(1, 20) {
                let place = at(random, bytes.len());
                bytes[place] = random.next() as u8;
            }
        }
        3 => {
            let place = at(random, bytes.len());
            bytes.splice(place..place, [0xff, 0xfe, 0xc3, 0x28, 0xed, 0xa0, 0x80]);
        }
        4 => {
            let depth = random.between(1, 100_000) as usize;
            bytes = [vec![b'['; depth], vec![b']'; depth]].concat();
        }
        5 => bytes = whole(&"á\u{202e}\u{0}".repeat(random.between(1, 60_000) as usize)).into(),
        6 => bytes = whole("X").replace("\"X\"", "{\"a\":[1e999,-0,null]}").into(),
        7 => {
            let (text, other) = provider.kinds();
            bytes = whole("X").replace(text, other).into();
        }
        8 => bytes = whole("X").replace(&name, "\\ud800\\u0000").into(),
        _ => {
            let (from, to) = (at(random, bytes.len()), at(random, bytes.len()));
            let part = bytes[from.min(to)..from.max(to)].to_vec();
            bytes.splice(from..from, part);
        }
    }
    bytes
}

async fn what_is_broken_is_refused_or_kept_and_nobody_else_notices(provider: Provider, kind: Kind) {
    let site = Site::new(kind).await;
    let node = site.start().await;
    let pid = node.pid();
    let mut ana = Customer::new(&site, "573100000001");
    let mut random = Random(23);
    let mut taken = 0;
    for number in 0..BODIES {
        let body = broken(provider, &mut random, number);
        let shown = String::from_utf8_lossy(&body[..body.len().min(300)]).into_owned();
        match provider.delivers(&site, &node, body).await {
            200 => taken += 1,
            status => assert!([400, 413, 415, 422].contains(&status), "{status}: {shown}"),
        }
        if number % BETWEEN == 0 {
            ana.says("hola").await;
            ana.is_answered().await;
        }
    }
    assert!((200..900).contains(&taken), "{taken}: some are whole enough, some are not");
    rest(&[&node]).await;
    assert_eq!((node.get("/healthz").await.0, node.pid()), (200, pid));
    // A message that was taken in is answered, or lies where a person finds it with its reason.
    let open = "SELECT count(*) FROM webhook_inbox WHERE status = 'pending' \
                OR (status = 'quarantined' AND reason IS NULL)";
    assert_eq!(site.sql_number(open).await, 0);
    node.stop().await;
}

async fn of_meta(kind: Kind) {
    what_is_broken_is_refused_or_kept_and_nobody_else_notices(Provider::Meta, kind).await;
}

async fn of_infobip(kind: Kind) {
    what_is_broken_is_refused_or_kept_and_nobody_else_notices(Provider::Infobip, kind).await;
}
