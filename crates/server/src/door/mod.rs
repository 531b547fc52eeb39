//! Takes connections in and serves them, so that no number of strangers keeps a delivery out: what is
//! idle or has not wholly come makes room for what is new, and the last places are kept for what must not
//! wait.

mod body;
mod line;
mod place;
mod seats;

use std::convert::Infallible;
use std::future::Future;
use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use axum::http::{HeaderValue, Request, Response, StatusCode, header};
use axum::response::IntoResponse;
use domain::Network;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{mpsc, watch};
use tower::Service;

pub(crate) use body::TooSlow;

use self::body::{Paced, Served};
use self::line::Line;
use self::place::{Place, Reader};
use self::seats::{Seat, Seats};
use crate::peer::Peer;
use crate::problem::Problem;
use crate::{refusals, repeated};

/// Longer than any head that is meant to be read.
const HEAD_BYTES: usize = 64 * 1024;
/// How often it is looked whose time is over.
const SWEEP: Duration = Duration::from_secs(1);
/// After how many of those looks the log is told how many requests were refused.
const TELL_EVERY: u64 = 5;
/// How long to wait when the machine has no descriptor left.
const BREATH: Duration = Duration::from_millis(50);

/// How many connections there may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// For whatever comes.
    pub connections: usize,
    /// Beyond those, for webhooks and health alone.
    pub reserve: usize,
}

impl Default for Room {
    fn default() -> Self {
        Self { connections: 10_000, reserve: 64 }
    }
}

/// Connections that the system keeps until they are taken in. With fewer a burst of strangers has everybody
/// else's first packet dropped, and repeated only seconds later.
const BACKLOG: u32 = 4_096;

/// Bytes of a connection's unread answers that the system holds, and of its requests that were not read yet;
/// the system doubles both. Of thousands of callers who read nothing it would else hold megabytes each, which no
/// bound of ours sees, and as many answers would be made at once.
const UNREAD: u32 = 32 * 1024;
const UNHEARD: u32 = 64 * 1024;

/// Listens where connections are to be served.
pub fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    socket.set_reuseaddr(true)?;
    // A connection has the sizes of the socket that took it in.
    socket.set_send_buffer_size(UNREAD)?;
    socket.set_recv_buffer_size(UNHEARD)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Serves until `stop`, then until what is under way is done. Behind a proxy that is trusted those it speaks
/// for are told apart.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    room: Room,
    trusted_proxies: Vec<Network>,
    stop: impl Future,
) {
    let (seats, trusted) = (Seats::new(room), Arc::from(trusted_proxies));
    let (guest, mut guests) = mpsc::channel::<Infallible>(1);
    let (close, closing) = watch::channel(());
    let sweeping = tokio::spawn(sweep(Arc::clone(&seats)));
    let mut stop = pin!(stop);
    loop {
        let (stream, peer) = tokio::select! {
            _ = &mut stop => break,
            accepted = accept(&listener, &seats) => accepted,
        };
        // Every place is busy, the reserve too: hanging up is all that is left.
        let Some(seat) = seats.take() else { continue };
        let house = House { router: router.clone(), trusted: Arc::clone(&trusted) };
        let (closing, guest) = (closing.clone(), guest.clone());
        tokio::spawn(async move {
            attend(stream, peer, house, seat, closing).await;
            drop(guest);
        });
    }
    drop((listener, guest, close));
    // Nothing is ever sent on it: it ends when the last guest has left.
    let _ = guests.recv().await;
    sweeping.abort();
    refusals::tell();
}

async fn accept(listener: &TcpListener, seats: &Seats) -> (TcpStream, SocketAddr) {
    loop {
        let error = match listener.accept().await {
            Ok(accepted) => return accepted,
            Err(error) => error,
        };
        let hung_up = [
            ErrorKind::ConnectionAborted,
            ErrorKind::ConnectionRefused,
            ErrorKind::ConnectionReset,
        ];
        if !hung_up.contains(&error.kind()) {
            repeated::NO_CONNECTION.warn(&error);
            seats.make_room();
            tokio::time::sleep(BREATH).await;
        }
    }
}

async fn sweep(seats: Arc<Seats>) {
    let mut tick = tokio::time::interval(SWEEP);
    for swept in 1_u64.. {
        tick.tick().await;
        seats.sweep();
        if swept.is_multiple_of(TELL_EVERY) {
            refusals::tell();
        }
    }
}

/// The router behind the door, and the proxies that may speak for others at it.
#[derive(Clone)]
struct House {
    router: Router,
    trusted: Arc<[Network]>,
}

async fn attend(
    stream: TcpStream,
    peer: SocketAddr,
    house: House,
    seat: Seat,
    mut closing: watch::Receiver<()>,
) {
    // Where the delay cannot be switched off, the connection is only slower.
    let _ = stream.set_nodelay(true);
    let place = Arc::clone(seat.place());
    let served = Arc::clone(&place);
    let service =
        service_fn(move |request| answer(house.clone(), Arc::clone(&served), peer, request));
    let line = TokioIo::new(Line::new(stream, seat));
    let connection = http1::Builder::new()
        .max_buf_size(HEAD_BYTES)
        .serve_connection(line, service)
        .with_upgrades();
    let mut connection = pin!(connection);
    let mut is_closing = false;
    loop {
        tokio::select! {
            // How it ended is the caller's affair: it is gone.
            _ = connection.as_mut() => return,
            () = place.told_to_go() => return,
            _ = closing.changed(), if !is_closing => {
                is_closing = true;
                connection.as_mut().graceful_shutdown();
            }
        }
    }
}

async fn answer(
    mut house: House,
    place: Arc<Place>,
    peer: SocketAddr,
    mut request: Request<Incoming>,
) -> Result<Response<Served>, Infallible> {
    let may_stay = place.begin();
    if !may_stay || (place.is_reserve() && !must_not_wait(request.uri().path())) {
        let full = Problem::NotNow("there are too many connections".to_owned());
        let mut response = full.into_response();
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        return Ok(response.map(|body| Served::new(body, Some(place))));
    }
    request.extensions_mut().insert(ConnectInfo(peer));
    let caller = Peer::of(peer.ip(), request.headers(), &house.trusted).0;
    let reader = Reader::new(Arc::clone(&place), caller);
    let response = match house.router.call(request.map(|body| Paced::new(body, reader))).await {
        Ok(response) => response,
        Err(never) => match never {},
    };
    // A connection that became a WebSocket is under way until it ends.
    let place = (response.status() != StatusCode::SWITCHING_PROTOCOLS).then_some(place);
    Ok(response.map(|body| Served::new(body, place)))
}

/// Requests that the reserve is kept for.
fn must_not_wait(path: &str) -> bool {
    path.starts_with("/webhooks/") || ["/healthz", "/readyz"].contains(&path)
}

#[cfg(test)]
mod tests;
