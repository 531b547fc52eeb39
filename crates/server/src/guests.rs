//! WebSockets that have not said who they are: so many in all, and so many from one address. When all
//! places are taken, the address with the most of them gives one up.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

const OF_AN_ADDRESS: usize = 20;

pub(crate) struct Guests {
    /// Places in all.
    most: usize,
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    /// The number of the next guest: the smaller the number, the longer a guest waits.
    next: u64,
    all: usize,
    by: HashMap<IpAddr, BTreeMap<u64, Arc<Notify>>>,
}

impl Guests {
    pub(crate) fn of(most: usize) -> Arc<Self> {
        Arc::new(Self { most, waiting: Mutex::default() })
    }

    /// A place for another guest. `None` where the address has all that one may have, or where all
    /// places are taken and nobody has more of them than this address: a crowd of addresses has to
    /// outnumber the places before it keeps anybody out, and even then for no longer than a guest
    /// takes to be known.
    pub(crate) fn admit(self: &Arc<Self>, address: IpAddr) -> Option<Guest> {
        let mut waiting = self.lock();
        let has = waiting.by.get(&address).map_or(0, BTreeMap::len);
        if has >= OF_AN_ADDRESS || (waiting.all >= self.most && !waiting.make_room(has)) {
            return None;
        }
        let (number, goes) = (waiting.next, Arc::new(Notify::new()));
        waiting.next += 1;
        waiting.all += 1;
        waiting.by.entry(address).or_default().insert(number, Arc::clone(&goes));
        Some(Guest { guests: Arc::clone(self), address, number, goes })
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    /// Tells the guest to go that waits longest at the address with the most guests, if it has more than
    /// the address that asks. Of addresses with as many, the one whose guest waits longest.
    fn make_room(&mut self, has: usize) -> bool {
        let rank = |(address, guests): (&IpAddr, &BTreeMap<u64, _>)| {
            guests.keys().next().map(|oldest| (guests.len(), std::cmp::Reverse(*oldest), *address))
        };
        let fullest = self.by.iter().filter_map(rank).max();
        let Some((_, oldest, address)) = fullest.filter(|(most, ..)| *most > has) else {
            return false;
        };
        if let Some(goes) = self.remove(address, oldest.0) {
            goes.notify_one();
        }
        true
    }

    fn remove(&mut self, address: IpAddr, number: u64) -> Option<Arc<Notify>> {
        let guests = self.by.get_mut(&address)?;
        let gone = guests.remove(&number)?;
        if guests.is_empty() {
            self.by.remove(&address);
        }
        self.all -= 1;
        Some(gone)
    }
}

/// The place of a socket whose caller is not known yet; free again when this is dropped.
pub(crate) struct Guest {
    guests: Arc<Guests>,
    address: IpAddr,
    number: u64,
    goes: Arc<Notify>,
}

impl Guest {
    /// Waits until the place is given to somebody else.
    pub(crate) async fn told_to_go(&self) {
        self.goes.notified().await;
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        let _ = self.guests.lock().remove(self.address, self.number);
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;
    use std::task::{Context, Poll, Waker};

    use super::*;

    const ALL: usize = 1_000;

    fn address(number: usize) -> IpAddr {
        Ipv4Addr::from_bits(0x0a00_0000 + u32::try_from(number).unwrap()).into()
    }

    fn was_told_to_go(guest: &Guest) -> bool {
        let mut waiting = std::pin::pin!(guest.told_to_go());
        waiting.as_mut().poll(&mut Context::from_waker(Waker::noop())) == Poll::Ready(())
    }

    #[test]
    fn fifty_addresses_that_take_all_places_keep_nobody_else_out() {
        let guests = Guests::of(ALL);
        let crowd: Vec<_> = (0..ALL).map(|n| guests.admit(address(n % 50)).unwrap()).collect();
        assert!(guests.admit(address(7)).is_none(), "an address has its twenty");
        let ana = guests.admit(address(100)).expect("there is room for somebody else");
        let gone: Vec<_> = crowd.iter().map(was_told_to_go).collect();
        assert_eq!(gone.iter().position(|gone| *gone), Some(0), "whoever waits longest goes");
        assert_eq!(gone.iter().filter(|gone| **gone).count(), 1);
        let beto = guests.admit(address(101)).unwrap();
        assert!(guests.admit(address(0)).is_some(), "the crowd only takes from the crowd");
        assert!(!was_told_to_go(&ana) && !was_told_to_go(&beto));
    }

    #[test]
    fn as_many_addresses_as_there_are_places_take_them_from_each_other_in_turn() {
        let guests = Guests::of(ALL);
        let crowd: Vec<_> = (0..ALL).map(|n| guests.admit(address(n)).unwrap()).collect();
        let ana = guests.admit(address(ALL)).unwrap();
        assert!(was_told_to_go(&crowd[0]) && !was_told_to_go(&crowd[1]));
        assert!(guests.admit(address(ALL)).is_none(), "nobody has more than one");
        drop(crowd);
        assert!(!was_told_to_go(&ana));
        drop(ana);
        let waiting = guests.lock();
        assert!(waiting.all == 0 && waiting.by.is_empty());
    }
}
