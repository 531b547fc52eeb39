//! The caller's address: the connection's own or, if that is a trusted proxy, the address that the
//! proxy says it speaks for.

use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Once;

use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use domain::Network;

use crate::App;

const FORWARDED_FOR: &str = "x-forwarded-for";

/// A caller as limits count it: an address of IPv4, or a network of IPv6, since whoever has one address
/// there has all of its network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Peer(pub(crate) IpAddr);

impl FromRequestParts<App> for Peer {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Infallible> {
        let info = parts.extensions.get::<ConnectInfo<SocketAddr>>();
        let wire = info.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |info| info.0.ip());
        Ok(Self::of(wire, &parts.headers, &app.0.gate.trusted_proxies))
    }
}

impl Peer {
    pub(crate) fn of(wire: IpAddr, headers: &HeaderMap, trusted: &[Network]) -> Self {
        let is_trusted = |address: IpAddr| trusted.iter().any(|network| network.has(address));
        if !is_trusted(wire) {
            warn_if_forwarded(wire, headers);
            return Self(grouped(wire));
        }
        // Each proxy appends the address it was called from: read from the end, the first that is
        // none of ours is the caller. The part that a caller writes itself stands before that and
        // is never reached.
        let mut caller = wire;
        for hop in hops(headers).iter().rev() {
            let Some(address) = hop else { break };
            caller = *address;
            if !is_trusted(caller) {
                break;
            }
        }
        Self(grouped(caller))
    }
}

/// The addresses that the headers name, in order; none for what is no address.
fn hops(headers: &HeaderMap) -> Vec<Option<IpAddr>> {
    let listed = |name| headers.get_all(name).iter().map(|value| value.to_str().unwrap_or("?"));
    let mut hops: Vec<_> = listed(header::HeaderName::from_static(FORWARDED_FOR))
        .flat_map(|value| value.split(','))
        .map(|hop| address(hop.trim()))
        .collect();
    if hops.is_empty() {
        let named = |hop: &str| {
            let pairs = hop.split(';').filter_map(|pair| pair.trim().split_once('='));
            let mut who = pairs.filter(|(name, _)| name.eq_ignore_ascii_case("for"));
            who.next().and_then(|(_, who)| address(who.trim_matches('"')))
        };
        hops = listed(header::FORWARDED).flat_map(|value| value.split(',')).map(named).collect();
    }
    hops
}

/// An address with or without its port.
fn address(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    bare.parse().ok().or_else(|| text.parse::<SocketAddr>().ok().map(|address| address.ip()))
}

fn grouped(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(six) => match six.to_ipv4_mapped() {
            Some(four) => IpAddr::V4(four),
            None => IpAddr::V6(Ipv6Addr::from_bits(six.to_bits() >> 64 << 64)),
        },
    }
}

/// Behind a proxy that nobody trusts, all callers are one and share what one is allowed.
fn warn_if_forwarded(wire: IpAddr, headers: &HeaderMap) {
    static ONCE: Once = Once::new();
    if headers.contains_key(FORWARDED_FOR) || headers.contains_key(header::FORWARDED) {
        ONCE.call_once(|| {
            tracing::warn!(
                "{wire} says whom it speaks for and is not believed: if it is your proxy, put it \
                 into `trusted_proxies`, or all its callers are limited as one"
            );
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller(wire: &str, headers: &[(&str, &str)]) -> String {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let name: header::HeaderName = name.parse().unwrap();
            map.append(name, value.parse().unwrap());
        }
        let trusted = ["10.0.0.0/8", "::1"].map(|network| network.parse().unwrap());
        Peer::of(wire.parse().unwrap(), &map, &trusted).0.to_string()
    }

    #[test]
    fn a_proxy_is_believed_if_it_is_trusted_and_a_caller_never() {
        let said = [("x-forwarded-for", "203.0.113.9")];
        assert_eq!(caller("198.51.100.1", &said), "198.51.100.1", "nobody trusts it");
        assert_eq!(caller("10.0.0.1", &said), "203.0.113.9");
        assert_eq!(caller("::ffff:10.0.0.1", &said), "203.0.113.9");
        assert_eq!(caller("10.0.0.1", &[]), "10.0.0.1", "it says nothing");
        // Everything before the last that is not ours is the caller's own invention.
        let made_up = [("x-forwarded-for", "8.8.8.8, 203.0.113.9, 10.0.0.7")];
        assert_eq!(caller("10.0.0.1", &made_up), "203.0.113.9");
        let in_two = [("x-forwarded-for", "8.8.8.8"), ("x-forwarded-for", "203.0.113.9")];
        assert_eq!(caller("10.0.0.1", &in_two), "203.0.113.9");
        // Nothing behind what is no address is believed.
        let garbage = [("x-forwarded-for", "203.0.113.9, unknown, 10.0.0.7")];
        assert_eq!(caller("10.0.0.1", &garbage), "10.0.0.7");
        assert_eq!(caller("10.0.0.1", &[("x-forwarded-for", "")]), "10.0.0.1");
    }

    #[test]
    fn the_standard_header_is_read_where_the_customary_one_is_not_there() {
        let cases = [
            ("for=203.0.113.9", "203.0.113.9"),
            ("For=\"203.0.113.9:4711\";proto=https;by=10.0.0.1", "203.0.113.9"),
            ("for=8.8.8.8, for=203.0.113.9", "203.0.113.9"),
            ("for=\"[2001:db8:1:2:3::4]:443\"", "2001:db8:1:2::"),
            ("for=_hidden", "::"),
        ];
        for (said, expected) in cases {
            assert_eq!(caller("::1", &[("forwarded", said)]), expected, "{said}");
        }
        let both = [("forwarded", "for=8.8.8.8"), ("x-forwarded-for", "203.0.113.9")];
        assert_eq!(caller("::1", &both), "203.0.113.9");
    }

    #[test]
    fn a_network_of_ipv6_is_one_caller_and_a_mapped_address_is_itself() {
        assert_eq!(caller("2001:db8::1", &[]), caller("2001:db8::ffff:1:2", &[]));
        assert_ne!(caller("2001:db8::1", &[]), caller("2001:db8:0:1::1", &[]));
        assert_eq!(caller("::ffff:192.0.2.1", &[]), "192.0.2.1");
    }
}
