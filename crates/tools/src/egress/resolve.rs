//! The addresses of a name at the moment of connecting, without those that are not public.

use std::collections::BTreeSet;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use async_trait::async_trait;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::{Blocked, is_public, place};

/// The resolver of names.
#[async_trait]
pub trait Lookup: Send + Sync {
    async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>>;
}

/// As the machine is set up.
pub struct SystemLookup;

#[async_trait]
impl Lookup for SystemLookup {
    async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        Ok(tokio::net::lookup_host((name, 0)).await?.map(|address| address.ip()).collect())
    }
}

pub(super) struct Guarded {
    pub(super) allowed: Arc<BTreeSet<String>>,
    pub(super) lookup: Arc<dyn Lookup>,
}

impl Resolve for Guarded {
    fn resolve(&self, name: Name) -> Resolving {
        let (lookup, name) = (Arc::clone(&self.lookup), name.as_str().to_owned());
        let named = self.allowed.contains(&place::plain(&name));
        Box::pin(async move {
            let found = lookup.addresses(&name).await?;
            let fit: Vec<_> =
                found.into_iter().filter(|address| named || is_public(*address)).collect();
            if fit.is_empty() {
                return Err(Blocked::NotPublic(name).into());
            }
            // The port is the address's own.
            let fit = fit.into_iter().map(|address| SocketAddr::new(address, 0));
            Ok(Box::new(fit) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fixed;

    #[async_trait]
    impl Lookup for Fixed {
        async fn addresses(&self, _: &str) -> io::Result<Vec<IpAddr>> {
            let found = ["10.0.0.1", "8.8.8.8", "::1", "2606:4700::1111", "::ffff:127.0.0.1"];
            Ok(found.iter().map(|address| address.parse().unwrap()).collect())
        }
    }

    async fn fit(name: &str) -> Vec<String> {
        let allowed = Arc::new(BTreeSet::from(["odoo.interno".to_owned()]));
        let guarded = Guarded { allowed, lookup: Arc::new(Fixed) };
        let found = guarded.resolve(name.parse().unwrap()).await.unwrap();
        found.map(|address| address.ip().to_string()).collect()
    }

    #[tokio::test]
    async fn of_several_meanings_only_the_public_ones_are_left() {
        assert_eq!(fit("tienda.example.com").await, ["8.8.8.8", "2606:4700::1111"]);
        assert_eq!(fit("a.odoo.interno").await, ["8.8.8.8", "2606:4700::1111"]);
        assert_eq!(fit("odoo.interno").await.len(), 5);
        assert_eq!(fit("ODOO.interno.").await.len(), 5);
    }
}
