//! An HTTP exchange with a streaming provider: bounded in time and size, folded into a reply.

use std::time::Duration;

use bytes::Bytes;
use domain::{ModelReply, Usage};
use futures::stream::{BoxStream, StreamExt, try_unfold};
use reqwest::header::CONTENT_TYPE;
use reqwest::{RequestBuilder, Response};
use sse_stream::{Sse, SseByteStream};

use crate::provider::Events;
use crate::{CallFailure, FailureKind, status};

/// The most bytes that are read of an answer.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// The limits on a provider's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// Until the answer begins.
    pub first_byte: Duration,
    /// Between one event and the next; a ping is an event.
    pub between_events: Duration,
    pub total: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            first_byte: Duration::from_secs(15),
            between_events: Duration::from_secs(15),
            total: Duration::from_secs(40),
        }
    }
}

/// A reply under construction, from the events of one provider's stream.
pub(crate) trait Fold: Send {
    /// Takes the data of one event.
    fn feed(&mut self, data: &str, events: &mut Events<'_>) -> Result<Flow, CallFailure>;
    /// Whether the answer is complete.
    fn whole(&self) -> bool;
    /// The tokens paid so far, estimated if the provider has not reported them.
    fn usage(&self) -> Usage;
    fn reply(self) -> Result<ModelReply, CallFailure>;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    More,
    Done,
}

pub(crate) async fn exchange<F: Fold>(
    request: RequestBuilder,
    timeouts: Timeouts,
    within: Duration,
    mut fold: F,
    events: &mut Events<'_>,
) -> Result<ModelReply, CallFailure> {
    let read = read(request, timeouts, &mut fold, events);
    let total = timeouts.total.min(within);
    let outcome = tokio::time::timeout(total, read).await.unwrap_or_else(|_| {
        let message = format!("no whole answer within {total:?}");
        Err(CallFailure::new(FailureKind::TimeoutTotal, message))
    });
    match outcome {
        // A failure after a whole answer cannot spoil it.
        Err(failure) if !fold.whole() => Err(failure.paid(fold.usage())),
        _ => fold.reply(),
    }
}

async fn read<F: Fold>(
    request: RequestBuilder,
    timeouts: Timeouts,
    fold: &mut F,
    events: &mut Events<'_>,
) -> Result<(), CallFailure> {
    let opened = tokio::time::timeout(timeouts.first_byte, open(request)).await;
    let (first, stream) = opened.map_err(|_| {
        let message = format!("no answer began within {:?}", timeouts.first_byte);
        CallFailure::new(FailureKind::TimeoutFirstByte, message)
    })??;
    follow(first, stream, timeouts.between_events, fold, events).await
}

async fn follow<F: Fold>(
    first: Option<String>,
    mut stream: Data,
    longest_silence: Duration,
    fold: &mut F,
    events: &mut Events<'_>,
) -> Result<(), CallFailure> {
    let mut next = first;
    while let Some(data) = next {
        if fold.feed(&data, events)? == Flow::Done {
            break;
        }
        let following = tokio::time::timeout(longest_silence, stream.next()).await;
        let following = following.map_err(|_| {
            let message = format!("the provider was silent for {longest_silence:?}");
            CallFailure::new(FailureKind::TimeoutBetweenEvents, message)
        })?;
        next = following.transpose()?;
    }
    Ok(())
}

type Data = BoxStream<'static, Result<String, CallFailure>>;

/// Sends the request and waits until the answer begins.
async fn open(request: RequestBuilder) -> Result<(Option<String>, Data), CallFailure> {
    let response = request.send().await.map_err(unsent)?;
    let code = response.status();
    let headers = response.headers().clone();
    if !code.is_success() {
        // The body, as far as it can be read, only explains; the status alone decides the kind of
        // failure.
        let body = body(response).await.unwrap_or_default();
        return Err(status::failure(code.as_u16(), &headers, &body));
    }
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if kind.starts_with("application/json") {
        return Ok((Some(body(response).await?), futures::stream::empty().boxed()));
    }
    let mut stream = data(chunks(response));
    let first = stream.next().await.transpose()?;
    Ok((first, stream))
}

/// The data of each event; events without data are left out.
fn data(chunks: BoxStream<'static, Result<Bytes, Broken>>) -> Data {
    let events = SseByteStream::new(chunks);
    let data = |event: Result<Sse, sse_stream::Error>| async move {
        event.map(|event| event.data).map_err(broken).transpose()
    };
    events.filter_map(data).boxed()
}

async fn body(response: Response) -> Result<String, CallFailure> {
    let mut chunks = chunks(response);
    let mut bytes = Vec::new();
    while let Some(chunk) = chunks.next().await {
        bytes.extend_from_slice(&chunk.map_err(Broken::failure)?);
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[derive(Debug, thiserror::Error)]
enum Broken {
    #[error("the connection broke: {0}")]
    Transport(String),
    #[error("the answer is larger than {MAX_BYTES} bytes")]
    Oversized,
}

impl Broken {
    fn failure(self) -> CallFailure {
        (&self).into()
    }
}

impl From<&Broken> for CallFailure {
    fn from(broken: &Broken) -> Self {
        let kind = match broken {
            Broken::Transport(_) => FailureKind::Truncated,
            Broken::Oversized => FailureKind::Oversized,
        };
        Self::new(kind, broken.to_string())
    }
}

fn chunks(response: Response) -> BoxStream<'static, Result<Bytes, Broken>> {
    let next = |(mut response, read): (Response, usize)| async move {
        let chunk = response.chunk().await.map_err(|error| Broken::Transport(causes(error)))?;
        let Some(chunk) = chunk else { return Ok(None) };
        let read = read + chunk.len();
        if read > MAX_BYTES { Err(Broken::Oversized) } else { Ok(Some((chunk, (response, read)))) }
    };
    try_unfold((response, 0), next).boxed()
}

fn broken(error: sse_stream::Error) -> CallFailure {
    if let sse_stream::Error::Body(source) = &error
        && let Some(broken) = source.downcast_ref::<Broken>()
    {
        return broken.into();
    }
    CallFailure::new(FailureKind::Malformed, format!("not an event stream: {error}"))
}

fn unsent(error: reqwest::Error) -> CallFailure {
    let kind = if error.is_builder() {
        FailureKind::BadRequest
    } else if error.is_timeout() {
        FailureKind::TimeoutFirstByte
    } else {
        FailureKind::Unreachable
    };
    CallFailure::new(kind, causes(error))
}

/// The error with its causes, but without the address, which may carry credentials.
fn causes(error: reqwest::Error) -> String {
    let error = error.without_url();
    let first: &dyn std::error::Error = &error;
    let chain = std::iter::successors(Some(first), |error| error.source());
    chain.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

/// Folds a stream that comes in these pieces.
#[cfg(test)]
pub(crate) async fn folded<F: Fold>(
    pieces: Vec<Bytes>,
    mut fold: F,
    events: &mut Events<'_>,
) -> Result<ModelReply, CallFailure> {
    let mut stream = data(futures::stream::iter(pieces.into_iter().map(Ok)).boxed());
    let first = stream.next().await.transpose()?;
    follow(first, stream, Timeouts::default().between_events, &mut fold, events).await?;
    fold.reply()
}
