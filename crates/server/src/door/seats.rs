//! The connections, and which has to go first: one that has said nothing whole, then an idle one,
//! the longest first. A request under way is never ended to make room.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use metrics::{counter, gauge};
use tokio::sync::Notify;
use tokio::time::Instant;

use super::Room;

/// How long the head of a request may take.
const HEAD_MS: u64 = 10_000;
/// How long a connection may say nothing between two requests.
const IDLE_MS: u64 = 60_000;
/// How long a caller may leave what it asked for unread.
const STALL_MS: u64 = 30_000;
/// Of those who could go, the part that does, so that looking for them is paid once for many.
const PART: usize = 16;

/// A request is under way.
const BUSY: u64 = 0;
/// The connection was told to go.
const GONE: u64 = u64::MAX;

/// A connection. The state is atomic and read without a lock, since every request changes it.
pub(super) struct Place {
    number: u64,
    is_reserve: bool,
    began: Instant,
    /// Since when it waits for a whole request, in milliseconds and one; or `BUSY`, or `GONE`.
    waits: AtomicU64,
    /// Whether it ever brought a whole request.
    has_asked: AtomicBool,
    /// Whether a part of the next request has come.
    is_asking: AtomicBool,
    /// Since when an answer cannot be written, in milliseconds and one; 0 while it can.
    stalls: AtomicU64,
    goes: Notify,
}

impl Place {
    fn now(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(GONE - 2) + 1
    }

    pub(super) fn is_reserve(&self) -> bool {
        self.is_reserve
    }

    /// A whole request has come; false if the connection was told to go just before.
    pub(super) fn begin(&self) -> bool {
        self.has_asked.store(true, Ordering::Relaxed);
        self.is_asking.store(false, Ordering::Relaxed);
        let stay = |waits| (waits != GONE).then_some(BUSY);
        self.waits.fetch_update(Ordering::AcqRel, Ordering::Acquire, stay).is_ok()
    }

    /// The request was answered.
    pub(super) fn rest(&self) {
        let now = self.now();
        let _ = self.waits.compare_exchange(BUSY, now, Ordering::AcqRel, Ordering::Relaxed);
    }

    /// Something was read.
    pub(super) fn heard(&self) {
        let waits = self.waits.load(Ordering::Relaxed);
        if waits == BUSY || waits == GONE || self.is_asking.swap(true, Ordering::Relaxed) {
            return;
        }
        if self.has_asked.load(Ordering::Relaxed) {
            let now = self.now();
            let _ = self.waits.compare_exchange(waits, now, Ordering::AcqRel, Ordering::Relaxed);
        }
    }

    /// Whether what was to be written could be.
    pub(super) fn wrote(&self, could: bool) {
        let stalls = self.stalls.load(Ordering::Relaxed);
        match could {
            true if stalls != 0 => self.stalls.store(0, Ordering::Relaxed),
            false if stalls == 0 => self.stalls.store(self.now(), Ordering::Relaxed),
            _ => {}
        }
    }

    pub(super) async fn told_to_go(&self) {
        self.goes.notified().await;
    }

    fn go(&self, why: &'static str) {
        self.waits.store(GONE, Ordering::Release);
        self.goes.notify_one();
        counter!("recado_connections_ended_total", "why" => why).increment(1);
    }

    /// Goes unless a request came in between.
    fn go_if_still(&self, waits: u64, why: &'static str) -> bool {
        let gone = self.waits.compare_exchange(waits, GONE, Ordering::AcqRel, Ordering::Relaxed);
        if gone.is_ok() {
            self.go(why);
        }
        gone.is_ok()
    }

    /// Whether all it has shown is part of a request, or nothing.
    fn is_half(&self) -> bool {
        self.is_asking.load(Ordering::Relaxed) || !self.has_asked.load(Ordering::Relaxed)
    }

    /// Since when it waits, if it does.
    fn waits(&self) -> Option<u64> {
        Some(self.waits.load(Ordering::Acquire)).filter(|waits| ![BUSY, GONE].contains(waits))
    }

    /// Whether its time is over; it was told then.
    fn is_over(&self) -> bool {
        let now = self.now();
        let stalls = self.stalls.load(Ordering::Relaxed);
        if stalls != 0 && now.saturating_sub(stalls) >= STALL_MS {
            self.go("stalled");
            return true;
        }
        let Some(waits) = self.waits() else { return false };
        let (most, why) = if self.is_half() { (HEAD_MS, "half") } else { (IDLE_MS, "idle") };
        now.saturating_sub(waits) >= most && self.go_if_still(waits, why)
    }
}

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
            end_oldest(&mut taken);
        }
        let is_reserve = taken.places.len() >= self.room.connections;
        if taken.places.len() >= self.room.connections + self.room.reserve {
            return None;
        }
        let place = Arc::new(Place {
            number: taken.next,
            is_reserve,
            began: Instant::now(),
            waits: AtomicU64::new(1),
            has_asked: AtomicBool::new(false),
            is_asking: AtomicBool::new(false),
            stalls: AtomicU64::new(0),
            goes: Notify::new(),
        });
        taken.next += 1;
        taken.places.insert(place.number, Arc::clone(&place));
        gauge!("recado_connections").set(taken.places.len() as f64);
        Some(Seat { place, seats: Arc::clone(self) })
    }

    pub(super) fn make_room(&self) {
        end_oldest(&mut self.lock());
    }

    /// Ends those whose time is over.
    pub(super) fn sweep(&self) {
        self.lock().places.retain(|_, place| !place.is_over());
    }

    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn end_oldest(taken: &mut Taken) {
    let waiting = |place: &Arc<Place>| {
        let waits = place.waits()?;
        // By the moment itself: each place counts from its own beginning.
        let age = place.now().saturating_sub(waits);
        Some((!place.is_half(), std::cmp::Reverse(age), place.number, waits))
    };
    let mut waiting: Vec<_> = taken.places.values().filter_map(waiting).collect();
    waiting.sort_unstable();
    let most = waiting.len().div_ceil(PART);
    for (.., number, waits) in waiting.into_iter().take(most) {
        if taken.places.get(&number).is_some_and(|place| place.go_if_still(waits, "room")) {
            taken.places.remove(&number);
        }
    }
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
}
