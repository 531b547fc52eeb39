//! Which addresses are on the public internet.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Networks of IPv4 that are not: private, shared, local, for documentation and tests, multicast,
/// reserved, and the address at which Azure answers its own machines.
const NOT_PUBLIC_V4: [([u8; 4], u32); 16] = [
    ([0, 0, 0, 0], 8),
    ([10, 0, 0, 0], 8),
    ([100, 64, 0, 0], 10),
    ([127, 0, 0, 0], 8),
    ([168, 63, 129, 16], 32),
    ([169, 254, 0, 0], 16),
    ([172, 16, 0, 0], 12),
    ([192, 0, 0, 0], 24),
    ([192, 0, 2, 0], 24),
    ([192, 88, 99, 0], 24),
    ([192, 168, 0, 0], 16),
    ([198, 18, 0, 0], 15),
    ([198, 51, 100, 0], 24),
    ([203, 0, 113, 0], 24),
    ([224, 0, 0, 0], 4),
    ([240, 0, 0, 0], 4),
];

/// Networks inside 2000::/3, the only part of IPv6 given out, that are not public either: protocol
/// assignments with Teredo among them, and two for documentation.
const NOT_PUBLIC_V6: [([u16; 2], u32); 3] =
    [([0x2001, 0], 23), ([0x2001, 0x0db8], 32), ([0x3fff, 0], 20)];

/// Whether an address, or the IPv4 address inside it, is on the public internet.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let bits = address.to_bits();
    !NOT_PUBLIC_V4
        .iter()
        .any(|(network, length)| (bits ^ u32::from_be_bytes(*network)) >> (32 - length) == 0)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let parts = address.segments();
    let v4 = |high: u16, low: u16| Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low));
    match parts {
        // Mapped, and behind a translator: the packet goes to the IPv4 address inside.
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
            is_public_v4(v4(high, low))
        }
        // 6to4 leads to the gateway with the IPv4 address inside.
        [0x2002, high, low, ..] if !is_public_v4(v4(high, low)) => false,
        // An interface named after an IPv4 address (ISATAP).
        [_, _, _, _, 0 | 0x0200, 0x5efe, high, low] if !is_public_v4(v4(high, low)) => false,
        [first, second, ..] => {
            let bits = u32::from(first) << 16 | u32::from(second);
            let within = |(network, length): &([u16; 2], u32)| {
                let network = u32::from(network[0]) << 16 | u32::from(network[1]);
                (bits ^ network) >> (32 - length) == 0
            };
            first >> 13 == 1 && !NOT_PUBLIC_V6.iter().any(within)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_edges_of_every_network_are_where_they_belong() {
        for (last_public, first, last, next_public) in [
            ("9.255.255.255", "10.0.0.0", "10.255.255.255", "11.0.0.0"),
            ("100.63.255.255", "100.64.0.0", "100.127.255.255", "100.128.0.0"),
            ("126.255.255.255", "127.0.0.0", "127.255.255.255", "128.0.0.0"),
            ("168.63.129.15", "168.63.129.16", "168.63.129.16", "168.63.129.17"),
            ("169.253.255.255", "169.254.0.0", "169.254.255.255", "169.255.0.0"),
            ("172.15.255.255", "172.16.0.0", "172.31.255.255", "172.32.0.0"),
            ("191.255.255.255", "192.0.0.0", "192.0.0.255", "192.0.1.0"),
            ("192.0.1.255", "192.0.2.0", "192.0.2.255", "192.0.3.0"),
            ("192.88.98.255", "192.88.99.0", "192.88.99.255", "192.88.100.0"),
            ("192.167.255.255", "192.168.0.0", "192.168.255.255", "192.169.0.0"),
            ("198.17.255.255", "198.18.0.0", "198.19.255.255", "198.20.0.0"),
            ("198.51.99.255", "198.51.100.0", "198.51.100.255", "198.51.101.0"),
            ("203.0.112.255", "203.0.113.0", "203.0.113.255", "203.0.114.0"),
            ("1.0.0.0", "0.0.0.0", "0.255.255.255", "1.0.0.0"),
            ("223.255.255.255", "224.0.0.0", "255.255.255.255", "223.255.255.255"),
            ("2001:200::", "2001::", "2001:1ff:ffff::", "2001:200::"),
            ("2001:db7:ffff::", "2001:db8::", "2001:db8:ffff::", "2001:db9::"),
            ("3ffe:ffff::", "3fff::", "3fff:fff:ffff::", "3fff:1000::"),
            ("3fff:1000::", "4000::", "ffff::", "2400:cb00::1"),
            ("2000::", "::", "1fff:ffff::", "2000::"),
        ] {
            for (address, public) in
                [(last_public, true), (first, false), (last, false), (next_public, true)]
            {
                assert_eq!(is_public(address.parse().unwrap()), public, "{address}");
            }
        }
    }

    #[test]
    fn an_address_inside_an_address_decides() {
        for (private, public) in [
            ("::ffff:127.0.0.1", "::ffff:8.8.8.8"),
            ("64:ff9b::10.0.0.1", "64:ff9b::8.8.8.8"),
            ("2002:7f00:1::", "2002:808:808::"),
            ("2002:a9fe:a9fe::1", "2002:808:808::1"),
            ("2606:4700::5efe:10.0.0.1", "2606:4700::5efe:8.8.8.8"),
            ("2606:4700::200:5efe:10.0.0.1", "2606:4700::200:5efe:8.8.8.8"),
        ] {
            assert!(!is_public(private.parse().unwrap()), "{private}");
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
    }
}
