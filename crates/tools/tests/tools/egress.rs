//! The way out: what is never reached, what is, and where redirects lead.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use reqwest::Method;
use reqwest::header::{HeaderMap, HeaderValue};
use serde_json::json;
use tokio::net::TcpListener;
use tools::Egress;
use tools::egress::{Answer, Blocked, Outgoing, SendError};

use crate::kit::{Names, Seen, Site};

/// Addresses that are not to be reached, whatever they are written like. PORT is one at which
/// somebody listens.
const WRITTEN: &[&str] = &[
    // The machine itself, in all the ways a number is written.
    "https://127.0.0.1:PORT/",
    "https://127.0.0.2:PORT/",
    "https://127.255.255.254:PORT/",
    "https://127.1:PORT/",
    "https://127.0.1:PORT/",
    "https://2130706433:PORT/",
    "https://017700000001:PORT/",
    "https://0177.0.0.1:PORT/",
    "https://0177.0.0.01:PORT/",
    "https://0x7f000001:PORT/",
    "https://0x7f.0.0.1:PORT/",
    "https://0x7f.1:PORT/",
    "https://0x7F.0x0.0x0.0x1:PORT/",
    "https://127.0.0.1.:PORT/",
    "https://①②⑦.⓪.⓪.①:PORT/",
    "https://１２７.０.０.１:PORT/",
    "https://127。0。0。1:PORT/",
    "https://%31%32%37.0.0.1:PORT/",
    "https://0.0.0.0:PORT/",
    "https://0:PORT/",
    "https://0.1.2.3:PORT/",
    "https://[::1]:PORT/",
    "https://[::]:PORT/",
    "https://[0:0:0:0:0:0:0:1]:PORT/",
    // An address inside an address.
    "https://[::ffff:127.0.0.1]:PORT/",
    "https://[::ffff:7f00:1]:PORT/",
    "https://[0:0:0:0:0:ffff:10.0.0.1]:PORT/",
    "https://[::127.0.0.1]:PORT/",
    "https://[::ffff:0:127.0.0.1]:PORT/",
    "https://[64:ff9b::127.0.0.1]:PORT/",
    "https://[64:ff9b::a9fe:a9fe]:PORT/",
    "https://[64:ff9b:1::10.0.0.1]:PORT/",
    "https://[2002:7f00:1::]:PORT/",
    "https://[2002:c0a8:101::1]:PORT/",
    "https://[2001:0:7f00:1::]:PORT/",
    // Networks at home, shared, and of nobody.
    "https://10.0.0.1/",
    "https://10.255.255.255/",
    "https://172.16.0.1/",
    "https://172.31.255.255/",
    "https://192.168.0.1/",
    "https://192.168.1.1:8443/",
    "https://100.64.0.1/",
    "https://100.100.100.200/",
    "https://169.254.169.254/latest/meta-data/",
    "https://2852039166/latest/meta-data/",
    "https://0xa9fea9fe/latest/meta-data/",
    "https://169.254.170.2/",
    "https://168.63.129.16/",
    "https://192.0.0.192/",
    "https://198.18.0.1/",
    "https://203.0.113.7/",
    "https://224.0.0.1/",
    "https://239.255.255.250:1900/",
    "https://240.0.0.1/",
    "https://255.255.255.255/",
    "https://[fe80::1]/",
    "https://[fec0::1]/",
    "https://[fc00::1]/",
    "https://[fd00:ec2::254]/",
    "https://[ff02::1]/",
    "https://[100::1]/",
    "https://[2001:db8::1]/",
    "https://[3fff::1]/",
    // Public, but written to deceive.
    "https://134744072/",
    "https://0x08080808/",
    "https://010.8.8.8/",
    // Names that lead home.
    "https://localhost:PORT/",
    "https://LOCALHOST:PORT/",
    "https://localhost.:PORT/",
    "https://a.localhost:PORT/",
    "https://localhost.localdomain:PORT/",
    "https://ip6-localhost:PORT/",
    "https://metadata.google.internal/computeMetadata/v1/",
    "https://metadata/",
    "https://kubernetes:443/",
    "https://impresora.local/",
    "https://router.lan/",
    "https://nas.home.arpa/",
    "https://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ:PORT/",
    // Other ways of speaking, and addresses with a second meaning.
    "http://example.com/",
    "http://127.0.0.1:PORT/",
    "http://localhost:PORT/",
    "ftp://example.com/",
    "file:///etc/passwd",
    "gopher://127.0.0.1:PORT/",
    "data:text/plain,hola",
    "javascript:alert(1)",
    "https://example.com@127.0.0.1:PORT/",
    "https://ana:clave@example.com/",
    "https://127.0.0.1:PORT\\@example.com/",
    "https://127.0.0.1:PORT#@example.com/",
    "https:127.0.0.1:PORT/",
    "https:///127.0.0.1:PORT/",
    "https://",
    "",
    "//127.0.0.1/",
];

/// The addresses that a harmless name turns out to have at the moment of connecting.
const MEANT: &[&str] = &[
    "127.0.0.1",
    "127.8.8.8",
    "10.1.2.3",
    "172.20.0.1",
    "192.168.1.10",
    "169.254.169.254",
    "100.64.0.1",
    "0.0.0.0",
    "224.0.0.1",
    "255.255.255.255",
    "::1",
    "::",
    "fe80::1",
    "fd00::1",
    "ff02::1",
    "::ffff:127.0.0.1",
    "::ffff:169.254.169.254",
    "::127.0.0.1",
    "64:ff9b::127.0.0.1",
    "2002:7f00:1::1",
    "2001::1",
];

fn get(url: reqwest::Url) -> Outgoing {
    let (headers, credentials) = Default::default();
    Outgoing { method: Method::GET, url, headers, credentials, body: None }
}

/// A listener that counts who knocks.
async fn counting() -> (u16, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (port, knocks) = (listener.local_addr().unwrap().port(), Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&knocks);
    tokio::spawn(async move {
        while listener.accept().await.is_ok() {
            counted.fetch_add(1, Ordering::SeqCst);
        }
    });
    (port, knocks)
}

#[tokio::test]
async fn no_way_of_writing_an_address_reaches_what_is_not_public() {
    let (port, knocks) = counting().await;
    let names = Names::default();
    let egress = Egress::client([""; 0], Arc::new(names.clone())).unwrap();
    assert!(WRITTEN.len() >= 60);
    for written in WRITTEN {
        let address = written.replace("PORT", &port.to_string());
        assert!(egress.check(&address).is_err(), "{address}");
        // Also where somebody hands the request over unchecked.
        let Ok(url) = reqwest::Url::parse(&address) else { continue };
        // The way the address was written is lost by then; a public number is only a number.
        let public = ["134744072", "0x08080808", "010.8.8.8"].iter().any(|n| address.contains(n));
        if !public {
            let sent = egress.send(get(url)).await;
            assert!(matches!(sent, Err(SendError::Blocked(_))), "{address}: {sent:?}");
        }
    }
    assert_eq!(knocks.load(Ordering::SeqCst), 0);
    assert!(names.asked.lock().unwrap().is_empty(), "what is refused is not even looked up");
}

#[tokio::test]
async fn no_meaning_of_a_name_leads_to_what_is_not_public() {
    let (port, knocks) = counting().await;
    for meant in MEANT {
        let names = Names::meaning([("tienda.example.com", *meant)]);
        let egress = Egress::client(["otra.example.com"], Arc::new(names.clone())).unwrap();
        let url = egress.check(&format!("https://tienda.example.com:{port}/")).unwrap();
        let blocked = Err(SendError::Blocked(Blocked::NotPublic("tienda.example.com".to_owned())));
        assert_eq!(egress.send(get(url)).await.map(|answer| answer.status), blocked, "{meant}");
        // Asked once, for the connection itself: there is no earlier answer to differ from.
        assert_eq!(names.asked.lock().unwrap().len(), 1);
    }
    assert_eq!(knocks.load(Ordering::SeqCst), 0);
}

#[test]
fn public_addresses_and_named_hosts_pass() {
    let allowed = ["127.0.0.1", "Odoo.Interno", "impresora.local", "::1"];
    let egress = Egress::client(allowed, Arc::new(Names::default())).unwrap();
    for address in [
        "https://api.example.com/v1?x=1",
        "https://api.example.com.:8443/",
        "https://8.8.8.8/",
        "https://[2606:4700::1111]/",
        "https://[64:ff9b::8.8.8.8]/",
        "https://localhost.example.com/",
        "https://ñandú.example.com/",
        "http://127.0.0.1:8080/",
        "https://127.0.0.1/",
        "http://odoo.interno/",
        "https://ODOO.interno.:8069/",
        "http://impresora.local/",
        "http://[::1]:9/",
    ] {
        assert!(egress.check(address).is_ok(), "{address}: {:?}", egress.check(address));
    }
    for address in ["http://a.odoo.interno/", "http://127.0.0.2/", "ftp://127.0.0.1/"] {
        assert!(egress.check(address).is_err(), "{address}");
    }
}

/// `/STATUS/WHERE`: redirects there, `here` being the next of this site's own.
fn redirecting(seen: &Seen) -> Response {
    let path = seen.line.split_once(' ').unwrap().1;
    let mut parts = path.splitn(3, '/').skip(1);
    match (parts.next().and_then(|status| status.parse().ok()), parts.next()) {
        (Some(status), Some(to)) => {
            let status = StatusCode::from_u16(status).unwrap();
            let to = if to.contains("://") { to.to_owned() } else { format!("/{to}") };
            (status, [("location", to)]).into_response()
        }
        _ => "llegó".into_response(),
    }
}

async fn sent(egress: &Egress, method: Method, address: &str) -> Result<Answer, SendError> {
    let body = (method == Method::POST).then(|| json!({ "a": 1 }));
    let request = Outgoing {
        method,
        url: reqwest::Url::parse(address).unwrap(),
        headers: HeaderMap::from_iter([(
            "idempotency-key".parse().unwrap(),
            HeaderValue::from_static("clave-1"),
        )]),
        credentials: HeaderMap::from_iter([(
            "x-api-key".parse().unwrap(),
            HeaderValue::from_static("secreto"),
        )]),
        body,
    };
    egress.send(request).await
}

#[tokio::test]
async fn three_redirects_are_followed_and_a_fourth_is_not() {
    let site = Site::answering(redirecting).await;
    let egress = Egress::client(["127.0.0.1"], Arc::new(Names::default())).unwrap();
    let three = sent(&egress, Method::GET, &site.url("/302/301/308/fin")).await.unwrap();
    assert_eq!((three.status.as_u16(), three.body.as_slice()), (200, "llegó".as_bytes()));
    assert!(site.seen().iter().all(|seen| seen.headers["x-api-key"] == "secreto"));
    let four = sent(&egress, Method::GET, &site.url("/302/301/308/307/fin")).await;
    assert_eq!(four.unwrap_err(), SendError::Misled("more than 3 redirects".to_owned()));
}

#[tokio::test]
async fn another_place_gets_no_credentials_and_neither_does_the_way_back() {
    let (first, second) = (Site::answering(redirecting).await, Site::answering(redirecting).await);
    let names = Names::meaning([("segundo.test", "127.0.0.1")]);
    let egress = Egress::client(["127.0.0.1", "segundo.test"], Arc::new(names)).unwrap();
    let back = first.url("/fin");
    let there = format!("http://segundo.test:{}/302/{back}", second.address.port());
    sent(&egress, Method::GET, &first.url(&format!("/302/{there}"))).await.unwrap();
    let keys = |site: &Site| {
        let key = |seen: Seen| seen.headers.get("x-api-key").cloned();
        site.seen().into_iter().map(key).collect::<Vec<_>>()
    };
    assert_eq!(keys(&first), [Some("secreto".to_owned()), None]);
    assert_eq!(keys(&second), [None]);
    assert_eq!(second.seen()[0].headers["idempotency-key"], "clave-1");
    // The same host on another port is another place.
    let third = Site::answering(redirecting).await;
    sent(&egress, Method::GET, &first.url(&format!("/307/{}", third.url("/fin")))).await.unwrap();
    assert_eq!(keys(&third), [None]);
}

#[tokio::test]
async fn a_redirect_asks_for_the_same_again_or_only_for_a_look() {
    let site = Site::answering(redirecting).await;
    let egress = Egress::client(["127.0.0.1"], Arc::new(Names::default())).unwrap();
    for (status, method, body) in [
        (307, "POST", json!({ "a": 1 })),
        (308, "POST", json!({ "a": 1 })),
        (301, "GET", json!(null)),
        (302, "GET", json!(null)),
        (303, "GET", json!(null)),
    ] {
        sent(&egress, Method::POST, &site.url(&format!("/{status}/fin"))).await.unwrap();
        let last = site.seen().pop().unwrap();
        assert_eq!((last.line, last.body), (format!("{method} /fin"), body), "{status}");
    }
}

#[tokio::test]
async fn a_redirect_leads_nowhere_that_may_not_be_called() {
    let (port, knocks) = counting().await;
    let site = Site::answering(redirecting).await;
    let names = Names::meaning([("malo.example.com", "127.0.0.1")]);
    let egress = Egress::client(["127.0.0.1"], Arc::new(names)).unwrap();
    for to in [
        format!("https://127.0.0.2:{port}/"),
        format!("https://localhost:{port}/"),
        format!("https://[::1]:{port}/"),
        format!("https://malo.example.com:{port}/"),
        "https://169.254.169.254/latest/meta-data/".to_owned(),
        "http://example.com/".to_owned(),
        "file:///etc/passwd".to_owned(),
        format!("https://ana:clave@127.0.0.1:{port}/"),
    ] {
        for method in [Method::GET, Method::POST] {
            let answer = sent(&egress, method, &site.url(&format!("/302/{to}"))).await;
            assert!(matches!(answer, Err(SendError::Misled(_))), "{to}: {answer:?}");
        }
    }
    assert_eq!(knocks.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_place_where_nobody_answers_got_nothing() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/", listener.local_addr().unwrap());
    drop(listener);
    let egress = Egress::client(["127.0.0.1"], Arc::new(Names::default())).unwrap();
    assert_eq!(sent(&egress, Method::POST, &address).await.unwrap_err(), SendError::NoConnection);
}
