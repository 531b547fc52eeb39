//! A network of IP addresses, as configurations write it: `10.0.0.0/8`, `2001:db8::/32`, or one address.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;

use thiserror::Error;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    /// The address as IPv6; an address of IPv4 as its IPv6 form.
    bits: u128,
    /// The number of bits that count.
    length: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("an address is written as `10.0.0.1`, a network as `10.0.0.0/8`")]
pub struct NoNetwork;

impl Network {
    pub fn has(self, address: IpAddr) -> bool {
        let differ = self.bits ^ bits(address);
        self.length == 0 || differ >> (128 - self.length) == 0
    }
}

fn bits(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(four) => four.to_ipv6_mapped().to_bits(),
        IpAddr::V6(six) => six.to_bits(),
    }
}

impl FromStr for Network {
    type Err = NoNetwork;

    fn from_str(text: &str) -> Result<Self, NoNetwork> {
        let (address, length) = match text.split_once('/') {
            Some((address, length)) => (address, Some(length)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| NoNetwork)?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let length = match length {
            Some(length) => length.parse().ok().filter(|length| *length <= most),
            None => Some(most),
        };
        let length = length.ok_or(NoNetwork)? + (128 - most);
        Ok(Self { bits: bits(address), length })
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let six = Ipv6Addr::from_bits(self.bits);
        match six.to_ipv4_mapped() {
            Some(four) if self.length >= 96 => write!(f, "{four}/{}", self.length - 96),
            _ => write!(f, "{six}/{}", self.length),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_has_its_own_addresses_and_no_others() {
        let cases = [
            ("10.0.0.0/8", "10.255.0.1", true),
            ("10.0.0.0/8", "11.0.0.1", false),
            ("10.0.0.0/8", "::ffff:10.1.2.3", true),
            ("10.0.0.7", "10.0.0.7", true),
            ("10.0.0.7", "10.0.0.8", false),
            ("0.0.0.0/0", "203.0.113.9", true),
            ("0.0.0.0/0", "2001:db8::1", false),
            ("::/0", "203.0.113.9", true),
            ("2001:db8::/32", "2001:db8:7::1", true),
            ("2001:db8::/32", "2001:db9::1", false),
            ("::1", "127.0.0.1", false),
        ];
        for (network, address, has) in cases {
            let read: Network = network.parse().unwrap();
            assert_eq!(read.has(address.parse().unwrap()), has, "{network} {address}");
            assert_eq!(read.to_string().parse(), Ok(read), "{network}");
        }
    }

    #[test]
    fn what_is_no_network_is_said_to_be_none() {
        for wrong in ["", "proxy", "10.0.0.0/33", "::/129", "10.0.0.0/", "10.0.0.0/-1", "10.0/8"] {
            assert_eq!(wrong.parse::<Network>(), Err(NoNetwork), "{wrong}");
        }
    }
}
