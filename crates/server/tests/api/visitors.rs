//! Visitors of a web chat: known by what we signed, held to what people do, and masked.

use std::net::SocketAddr;

use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Method, Request};
use axum::response::Response;
use domain::VisitLimits;
use serde_json::{Value, json};
use store::KeyRole;

use crate::kit::{Answer, Kind, Shop};

crate::on_both_stores!(
    a_visitor_needs_a_token_of_ours_and_sees_their_own_conversation,
    what_an_operator_reads_of_a_visitor_opens_nothing,
    a_token_is_good_for_its_channel_alone_and_on_every_node,
    a_conversation_under_an_id_that_a_page_chose_stays_with_the_operators,
    a_page_may_be_open_ten_times_and_an_address_may_not_hold_every_place,
);

const HOME: &str = "203.0.113.7";

/// A caller, and from where they call.
pub(crate) struct Browser<'a> {
    shop: &'a Shop,
    address: &'a str,
    /// Header and value.
    says: Vec<(&'static str, String)>,
}

impl<'a> Browser<'a> {
    fn at(shop: &'a Shop, address: &'a str) -> Self {
        Self { shop, address, says: Vec::new() }
    }

    /// A caller with a token of its own.
    pub(crate) async fn visiting(shop: &'a Shop, address: &'a str) -> Self {
        let mut browser = Self::at(shop, address);
        let answer = browser.post("visitor", json!({ "carry": "header" })).await;
        let token = answer.good()["visitor"].as_str().unwrap().to_owned();
        browser.says.push(("recado-visitor", token));
        browser
    }

    async fn call(&self, method: Method, path: &str, body: Body) -> Answer {
        let uri = format!("/chat/tienda-web/{path}");
        let mut request = Request::builder().method(method).uri(uri);
        for (name, value) in &self.says {
            request = request.header(*name, value);
        }
        let wire = SocketAddr::new(self.address.parse().unwrap(), 4711);
        let request = request.header("content-type", "application/json");
        self.shop.send(request.extension(ConnectInfo(wire)).body(body).unwrap()).await
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.call(Method::GET, path, Body::empty()).await
    }

    /// Opens the page's stream after a line.
    pub(crate) async fn follow(&self, after: i64) -> Response {
        let wire = SocketAddr::new(self.address.parse().unwrap(), 4711);
        let (name, value) = &self.says[0];
        let uri = format!("/chat/tienda-web/events?after={after}");
        let request = Request::builder().uri(uri).header(*name, value);
        let request = request.extension(ConnectInfo(wire)).body(Body::empty()).unwrap();
        tower::ServiceExt::oneshot(self.shop.router.clone(), request).await.unwrap()
    }

    async fn post(&self, path: &str, body: Value) -> Answer {
        self.call(Method::POST, path, Body::from(body.to_string())).await
    }

    /// Says something under the next id.
    pub(crate) async fn says(&self, text: &str) -> Answer {
        let id = domain::IdSource::next(&*self.shop.ids).to_string();
        self.post("messages", json!({ "id": id, "text": text })).await
    }

    async fn heard(&self) -> Vec<String> {
        let history = self.get("history").await.good();
        let lines = history["lines"].as_array().unwrap().iter();
        lines.map(|line| line["text"].as_str().unwrap().to_owned()).collect()
    }
}

async fn a_visitor_needs_a_token_of_ours_and_sees_their_own_conversation(shop: Shop) {
    let mut ana = Browser::at(&shop, HOME);
    for path in ["history", "events"] {
        assert_eq!(ana.get(path).await.status, 401, "{path}");
    }
    let (status, detail) = (ana.says("hola").await, "hay que recargar la página");
    assert_eq!(status.problem().0, 401);
    assert!(status.problem().1.contains(detail), "{status:?}");
    let answer = ana.call(Method::POST, "visitor", Body::empty()).await;
    let cookie = answer.header("set-cookie").to_owned();
    assert_eq!(answer.good(), json!({ "is_new": true }), "the page itself does not see it");
    let (pair, rest) = cookie.split_once("; ").unwrap();
    assert_eq!(rest, "Path=/chat/tienda-web; Max-Age=34560000; HttpOnly; SameSite=Strict");
    ana.says.push(("cookie", pair.to_owned()));
    let again = ana.post("visitor", json!({})).await;
    assert_eq!((again.header("set-cookie"), &again.body["is_new"]), ("", &json!(false)));
    assert_eq!(ana.says("hola").await.status, 202);
    shop.engine.run_until_idle().await.unwrap();
    assert_eq!(ana.heard().await.len(), 2);
    let beto = Browser::visiting(&shop, HOME).await;
    assert_eq!(beto.heard().await.len(), 0);
    // Somebody new, at their own wish: what was is not shown any more.
    let fresh = ana.post("visitor", json!({ "fresh": true })).await;
    let cookie = fresh.header("set-cookie").split_once("; ").unwrap().0.to_owned();
    ana.says = vec![("cookie", cookie)];
    assert_eq!(ana.heard().await.len(), 0);
    let over_tls = Shop::with(Kind::Sqlite, |gate| gate.is_https = true).await;
    let answer = Browser::at(&over_tls, HOME).post("visitor", json!({})).await;
    assert!(answer.header("set-cookie").ends_with("; Secure"));
}

async fn what_an_operator_reads_of_a_visitor_opens_nothing(shop: Shop) {
    let ana = Browser::visiting(&shop, HOME).await;
    ana.says("hola").await.good();
    shop.engine.run_until_idle().await.unwrap();
    let (viewer, operator) = (
        shop.key("tienda", "mira", KeyRole::Viewer).await,
        shop.key("tienda", "marta", KeyRole::Operator).await,
    );
    let list = shop.get("/conversations", &viewer).await.good();
    let path = format!("/conversations/{}", list["items"][0]["id"].as_str().unwrap());
    let masked = shop.get(&path, &viewer).await.good()["address"].as_str().unwrap().to_owned();
    let whole = shop.get(&path, &operator).await.good()["address"].as_str().unwrap().to_owned();
    assert_eq!((masked.chars().count(), whole.len()), (9, 44), "{masked} {whole}");
    let token = ana.says[0].1.clone();
    assert!(!token.contains(&whole[4..]));
    for known in [masked.replace('…', ""), whole.clone(), format!("rv_{}", &whole[4..])] {
        for carrier in ["recado-visitor", "cookie"] {
            let value =
                if carrier == "cookie" { format!("recado_visitor={known}") } else { known.clone() };
            let says = vec![(carrier, value)];
            let mallory = Browser { shop: &shop, address: HOME, says };
            assert_eq!(mallory.get("history").await.status, 401, "{carrier} {known}");
        }
    }
    // On WhatsApp the address is the number, which viewers see as before.
    let id = shop.hears("tienda-wa", "573001112233", "hola").await;
    let read = shop.get(&format!("/conversations/{id}"), &viewer).await.good();
    assert_eq!(read["address"], "573001112233");
}

async fn a_token_is_good_for_its_channel_alone_and_on_every_node(shop: Shop) {
    let ana = Browser::visiting(&shop, HOME).await;
    let ask = |channel: &str| {
        let request = Request::builder().uri(format!("/chat/{channel}/history"));
        let (name, value) = &ana.says[0];
        request.header(*name, value).body(Body::empty()).unwrap()
    };
    assert_eq!(shop.send(ask("tienda-web")).await.status, 200);
    assert_eq!(shop.send(ask("otra-web")).await.status, 401);
    assert_eq!(shop.send(ask("tienda-wa")).await.status, 404);
    let again = shop.again().await;
    assert_eq!(again.send(ask("tienda-web")).await.status, 200, "after a restart");
}

async fn a_conversation_under_an_id_that_a_page_chose_stays_with_the_operators(shop: Shop) {
    let id = shop.hears("tienda-web", "0b5c4b1e-visitante", "hola").await;
    let key = shop.key("tienda", "marta", KeyRole::Operator).await;
    let read = shop.get(&format!("/conversations/{id}"), &key).await.good();
    assert_eq!(read["address"], "0b5c4b1e-visitante");
    let says = vec![("recado-visitor", "0b5c4b1e-visitante".to_owned())];
    let page = Browser { shop: &shop, address: HOME, says };
    assert_eq!(page.get("history").await.status, 401, "whoever knows it is nobody");
    assert_eq!(page.get("history?visitor=0b5c4b1e-visitante").await.status, 401);
}

async fn a_page_may_be_open_ten_times_and_an_address_may_not_hold_every_place(shop: Shop) {
    let ana = Browser::visiting(&shop, HOME).await;
    let open = async |browser: &Browser<'_>| browser.follow(0).await;
    let mut pages = Vec::new();
    for _ in 0..10 {
        pages.push(open(&ana).await);
        assert_eq!(pages.last().unwrap().status(), 200);
    }
    let refused = Answer::of(open(&ana).await).await;
    let text = "Este chat está abierto en demasiadas ventanas a la vez: hay que cerrar alguna.";
    assert_eq!(refused.problem(), (429, text));
    assert!(!refused.header("retry-after").is_empty());
    for _ in 1..20 {
        let beto = Browser::visiting(&shop, HOME).await;
        for _ in 0..10 {
            pages.push(open(&beto).await);
            assert_eq!(pages.last().unwrap().status(), 200);
        }
    }
    let clara = Browser::visiting(&shop, HOME).await;
    let refused = Answer::of(open(&clara).await).await;
    let text =
        "Hay demasiados chats abiertos en este momento. Se vuelve a intentar en unos segundos.";
    assert_eq!(refused.problem(), (429, text), "200 from one address");
    let elsewhere = Browser { address: "203.0.113.8", ..Browser::visiting(&shop, HOME).await };
    assert_eq!(open(&elsewhere).await.status(), 200);
}

/// Visitors who write as fast as they can from here; how many messages were taken, and the last refusal.
async fn flood(shop: &Shop, address: &str, visitors: u32, each: u32) -> (u32, Option<Answer>) {
    let (mut taken, mut refusal) = (0, None);
    for _ in 0..visitors {
        let visitor = Browser::visiting(shop, address).await;
        for _ in 0..each {
            match visitor.says("hola").await {
                answer if answer.status == 202 => taken += 1,
                answer => {
                    assert_eq!(answer.problem().0, 429);
                    refusal = Some(answer);
                }
            }
        }
    }
    (taken, refusal)
}

#[tokio::test]
async fn a_visitor_who_writes_without_end_is_asked_to_wait_and_nobody_else_is() {
    let shop = Shop::open(Kind::Sqlite).await;
    let (ana, beto) = (Browser::visiting(&shop, HOME).await, Browser::visiting(&shop, HOME).await);
    for _ in 0..30 {
        assert_eq!(ana.says("hola").await.status, 202);
    }
    let refused = ana.says("hola").await;
    assert_eq!(
        refused.problem(),
        (
            429,
            "Llegaron muchos mensajes seguidos. El mensaje queda guardado y se envía solo en unos \
             segundos."
        )
    );
    assert_eq!((refused.header("retry-after"), &refused.body["retry"]), ("2", &json!("later")));
    assert_eq!(beto.says("hola").await.status, 202);
    shop.clock.advance_ms(2_000);
    assert_eq!(ana.says("hola").await.status, 202);
    assert_eq!(ana.says("hola").await.status, 429);
}

#[tokio::test]
async fn an_address_says_so_much_and_no_more_however_many_visitors_it_makes_up() {
    let shop = Shop::open(Kind::Sqlite).await;
    let (taken, refusal) = flood(&shop, HOME, 16, 100).await;
    assert_eq!(taken, 300);
    assert_eq!(refusal.unwrap().header("retry-after"), "2");
    // A network of IPv6 is one address, and none of it is the one before.
    assert_eq!(flood(&shop, "2001:db8::1", 8, 30).await.0, 240);
    assert_eq!(flood(&shop, "2001:db8::2", 8, 30).await.0, 60);
    assert_eq!(flood(&shop, "2001:db8:0:1::1", 1, 30).await.0, 30);
}

#[tokio::test]
async fn conversations_begin_at_a_pace_and_those_that_have_begun_go_on() {
    let limits = VisitLimits { new_per_channel: 200, ..VisitLimits::DEFAULT };
    let shop = Shop::with(Kind::Sqlite, |gate| gate.webchat_limits = Some(limits)).await;
    let known = Browser::visiting(&shop, HOME).await;
    assert_eq!(known.says("hola").await.status, 202);
    assert_eq!(flood(&shop, HOME, 200, 1).await.0, 59, "sixty from one address");
    let (taken, refusal) = flood(&shop, "203.0.113.8", 60, 1).await;
    assert_eq!(taken, 40, "a hundred for whoever comes first");
    assert_eq!(flood(&shop, "198.51.100.8", 2, 1).await.0, 1, "and one from elsewhere");
    let refusal = refusal.unwrap();
    let detail = refusal.problem().1;
    assert!(detail.starts_with("Hay mucha gente escribiendo en este momento."), "{detail}");
    assert_eq!(known.says("¿hola?").await.status, 202);
    // Also for a node that does not remember them.
    let again = shop.again().await;
    let same = Browser { shop: &again, address: HOME, says: known.says.clone() };
    assert_eq!(flood(&again, HOME, 61, 1).await.0, 60);
    assert_eq!(same.says("sigo acá").await.status, 202);
    shop.clock.advance_ms(60_000);
    assert_eq!(flood(&shop, "203.0.113.9", 10, 1).await.0, 10);
}

#[tokio::test]
async fn behind_a_trusted_proxy_each_caller_is_counted_and_none_can_say_they_are_another() {
    let trusted = "10.0.0.0/8".parse().unwrap();
    let shop = Shop::with(Kind::Sqlite, |gate| gate.trusted_proxies = vec![trusted]).await;
    let through = async |forwarded: &str, count: u32| {
        let mut taken = 0;
        for _ in 0..count / 30 {
            let mut browser = Browser::visiting(&shop, "10.0.0.1").await;
            browser.says.push(("x-forwarded-for", forwarded.to_owned()));
            for _ in 0..30 {
                taken += u32::from(browser.says("hola").await.status == 202);
            }
        }
        taken
    };
    assert_eq!(through("203.0.113.1", 360).await, 300);
    assert_eq!(through("203.0.113.2", 60).await, 60, "another caller of the same proxy");
    assert_eq!(through("198.51.100.1, 203.0.113.1", 30).await, 0, "what it invents is not read");
}

#[tokio::test]
async fn whoever_wants_no_limits_says_so_in_the_configuration() {
    let shop = Shop::with(Kind::Sqlite, |gate| gate.webchat_limits = None).await;
    assert_eq!(flood(&shop, HOME, 3, 150).await.0, 450);
    assert_eq!(flood(&shop, HOME, 100, 1).await.0, 100);
}
