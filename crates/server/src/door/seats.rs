//! The connections, and which has to go first: of those that wait for a head, for another request or for a body,
//! the kind there is most of makes room, because that is where a crowd is. A request of which all has come is never
//! ended to make room.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use metrics::gauge;

use super::Room;
use super::place::{Place, Wait, Waiting};

/// Of those who could go, the part that does, so that looking for them is paid once for many.
const PART: usize = 16;

pub(super) struct Seats {
    room: Room,
    taken: Mutex<Taken>,
}

#[derive(Default)]
struct Taken {
    next: u64,
    places: HashMap<u64, Arc<Place>>,
}

impl Seats {
    pub(super) fn new(room: Room) -> Arc<Self> {
        Arc::new(Self { room, taken: Mutex::default() })
    }

    /// A place for one more; none if every one is busy, those of the reserve too.
    pub(super) fn take(self: &Arc<Self>) -> Option<Seat> {
        let mut taken = self.lock();
        if taken.places.len() >= self.room.connections {
            taken.make_room();
        }
        let is_reserve = taken.places.len() >= self.room.connections;
        if taken.places.len() >= self.room.connections + self.room.reserve {
            return None;
        }
        let place = Place::new(taken.next, is_reserve);
        taken.next += 1;
        taken.places.insert(place.number, Arc::clone(&place));
        gauge!("recado_connections").set(taken.places.len() as f64);
        Some(Seat { place, seats: Arc::clone(self) })
    }

    pub(super) fn make_room(&self) {
        self.lock().make_room();
    }

    /// Ends those whose time is over.
    pub(super) fn sweep(&self) {
        self.lock().places.retain(|_, place| !place.is_over());
    }

    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Taken {
    fn make_room(&mut self) {
        let mut waiting: BTreeMap<Wait, Vec<Guest>> = BTreeMap::new();
        for place in self.places.values() {
            if let Some(now) = place.waiting() {
                waiting.entry(now.wait).or_default().push((Arc::clone(place), now));
            }
        }
        // Of kinds with as many the first.
        let crowd = waiting.into_iter().rev().max_by_key(|(_, guests)| guests.len());
        let Some((wait, guests)) = crowd else { return };
        let most = guests.len().div_ceil(PART);
        let mut going = oldest_first(guests);
        if wait == Wait::Body {
            going = fullest_first(going);
        }
        for (place, waiting) in going.into_iter().take(most) {
            if place.go_if_still(waiting, "room") {
                self.places.remove(&place.number);
            }
        }
    }
}

type Guest = (Arc<Place>, Waiting);

/// The guests by how long they wait; not by a moment, since each place counts from its own beginning.
fn oldest_first(mut guests: Vec<Guest>) -> Vec<Guest> {
    guests.sort_unstable_by_key(|(place, waiting)| (Reverse(waiting.ms), place.number));
    guests
}

/// Guests, oldest first, in the order in which they go if each time the caller gives one up who has most of
/// them, and of those it has the oldest: so a crowd that one caller brings makes room for everybody else.
fn fullest_first(mut guests: Vec<Guest>) -> Vec<Guest> {
    let mut younger: HashMap<Option<IpAddr>, usize> = HashMap::new();
    let mut ranked: Vec<_> = Vec::with_capacity(guests.len());
    while let Some(guest) = guests.pop() {
        let has = younger.entry(guest.0.caller()).or_default();
        ranked.push((Reverse(*has), guest));
        *has += 1;
    }
    ranked.reverse();
    // Stable, so that of callers with as many the one goes that waits longest.
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, guest)| guest).collect()
}

/// A place that is free again when this is dropped.
pub(super) struct Seat {
    place: Arc<Place>,
    seats: Arc<Seats>,
}

impl Seat {
    pub(super) fn place(&self) -> &Arc<Place> {
        &self.place
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut taken = self.seats.lock();
        taken.places.remove(&self.place.number);
        gauge!("recado_connections").set(taken.places.len() as f64);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures::FutureExt;

    use super::*;
    use crate::door::place::Reader;

    fn seats(connections: usize, reserve: usize) -> Arc<Seats> {
        Seats::new(Room { connections, reserve })
    }

    fn stays(seat: &Seat) -> bool {
        seat.place().told_to_go().now_or_never().is_none()
    }

    /// Lets seconds pass, one by one as it is swept, and says in which each of them was told to go.
    async fn told(seats: &Seats, guests: &[&Seat]) -> Vec<Option<u64>> {
        let mut told = vec![None; guests.len()];
        for second in 1..=100 {
            tokio::time::advance(Duration::from_secs(1)).await;
            seats.sweep();
            for (told, guest) in told.iter_mut().zip(guests) {
                if told.is_none() && !stays(guest) {
                    *told = Some(second);
                }
            }
        }
        told
    }

    #[tokio::test(start_paused = true)]
    async fn half_requests_and_silence_end_and_what_is_under_way_does_not() {
        let seats = seats(100, 4);
        let [silent, half, idle, again, busy, unread] =
            std::array::from_fn(|_| seats.take().unwrap());
        half.place().heard();
        for asked in [&idle, &again, &busy, &unread] {
            asked.place().heard();
            assert!(asked.place().begin());
        }
        idle.place().rest();
        again.place().rest();
        tokio::time::advance(Duration::from_secs(5)).await;
        // Part of a second request: it has no more time than the first, and a byte now and then adds none.
        again.place().heard();
        unread.place().wrote(false);
        tokio::time::advance(Duration::from_secs(1)).await;
        again.place().heard();
        unread.place().wrote(false);
        let guests = [&silent, &half, &idle, &again, &busy, &unread];
        let expected = [Some(4), Some(4), Some(54), Some(9), None, Some(29)];
        assert_eq!(told(&seats, &guests).await, expected);
        assert!(busy.place().begin());
        assert!(!silent.place().begin(), "whoever was told asks for nothing more");
        drop((silent, half, idle, again, busy, unread));
        assert!(seats.lock().places.is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_that_is_read_again_has_its_time_anew() {
        let seats = seats(100, 4);
        let slow = seats.take().unwrap();
        assert!(slow.place().begin());
        for _ in 0..5 {
            slow.place().wrote(false);
            tokio::time::advance(Duration::from_secs(29)).await;
            seats.sweep();
            slow.place().wrote(true);
        }
        assert!(stays(&slow));
    }

    #[tokio::test(start_paused = true)]
    async fn room_is_made_by_the_half_said_then_the_idle_the_oldest_first() {
        let seats = seats(4, 1);
        let idle = seats.take().unwrap();
        assert!(idle.place().begin());
        idle.place().rest();
        let busy = seats.take().unwrap();
        assert!(busy.place().begin());
        tokio::time::advance(Duration::from_secs(1)).await;
        let old_half = seats.take().unwrap();
        tokio::time::advance(Duration::from_secs(1)).await;
        let half = seats.take().unwrap();
        let fifth = seats.take().unwrap();
        assert!(!stays(&old_half) && stays(&half) && stays(&idle));
        assert!(!fifth.place().is_reserve() && fifth.place().begin());
        let sixth = seats.take().unwrap();
        assert!(!stays(&half) && sixth.place().begin());
        let seventh = seats.take().unwrap();
        assert!(!stays(&idle) && seventh.place().begin());
        // All four are under way: one place of the reserve, then none.
        let last = seats.take().unwrap();
        assert!(last.place().is_reserve() && last.place().begin());
        assert!(seats.take().is_none());
        assert!([&busy, &fifth, &sixth, &seventh, &last].iter().all(|seat| stays(seat)));
    }

    /// A request of this caller has come, but for its body.
    fn begun(seat: &Seat, host: u8) -> Reader {
        assert!(seat.place().begin());
        let mut reader = Reader::new(Arc::clone(seat.place()), [203, 0, 113, host].into());
        reader.waits();
        reader
    }

    #[tokio::test(start_paused = true)]
    async fn a_crowd_of_bodies_makes_room_and_first_those_of_whoever_has_most() {
        let seats = seats(6, 1);
        let second = || tokio::time::advance(Duration::from_secs(1));
        let [ana, old, young, last, came, idle] = std::array::from_fn(|_| seats.take().unwrap());
        let mut readers = Vec::new();
        for (seat, host) in [(&ana, 1), (&old, 9), (&young, 9), (&last, 9), (&came, 9)] {
            readers.push(begun(seat, host));
            second().await;
        }
        readers.pop().unwrap().has_all();
        assert!(idle.place().begin());
        idle.place().rest();
        let silent = seats.take().unwrap();
        assert!(!stays(&old) && stays(&ana), "the crowd's, although she waits longer");
        let next = seats.take().unwrap();
        assert!(!stays(&young) && stays(&silent) && stays(&idle), "a newcomer has time to speak");
        assert!(next.place().begin());
        let third = seats.take().unwrap();
        assert!(!stays(&ana) && stays(&last), "with one each the longest goes");
        assert!(!third.place().is_reserve() && third.place().begin());
        let mut guests = Vec::new();
        for guest in [&silent, &idle, &last] {
            assert!(stays(guest));
            guests.push(seats.take().unwrap());
            assert!(guests.last().unwrap().place().begin());
            assert!(!stays(guest), "with one of each kind the half said goes first");
        }
        assert!([&came, &next, &third].iter().all(|seat| stays(seat)), "what has come stays");
    }

    #[tokio::test(start_paused = true)]
    async fn bodies_that_do_not_come_hold_no_place_of_the_reserve_either() {
        let seats = seats(1, 1);
        let busy = seats.take().unwrap();
        assert!(busy.place().begin());
        let reserve = seats.take().unwrap();
        let reader = begun(&reserve, 9);
        let next = seats.take().expect("the body's place");
        assert!(!stays(&reserve) && stays(&busy) && next.place().is_reserve());
        drop(reader);
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_is_let_go_is_waited_for_no_more() {
        let seats = seats(1, 0);
        let guest = seats.take().unwrap();
        drop(begun(&guest, 1));
        assert!(guest.place().waiting().is_none());
        guest.place().rest();
        assert_eq!(guest.place().waiting().unwrap().wait, Wait::Request);
    }
}
