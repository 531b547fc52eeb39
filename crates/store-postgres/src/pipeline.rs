//! Sends a batch of requests before waiting for the first answer, in order.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

use futures::future::{BoxFuture, MaybeDone, maybe_done};

/// The failure that ended a batch before its last answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Cut<E> {
    pub(crate) error: E,
    /// Whether the whole batch had been sent by then.
    pub(crate) all_sent: bool,
}

/// Runs requests that are sent when first polled and answered in the order they were sent.
/// Returns the answers up to the first failure, and that failure.
///
/// A request that fails before it is sent keeps all later ones from being sent: otherwise a
/// COMMIT could confirm a transaction in which a statement is missing.
pub(crate) async fn pipeline<T, E>(
    requests: Vec<BoxFuture<'_, Result<T, E>>>,
) -> (Vec<T>, Option<Cut<E>>) {
    let all = requests.len();
    let mut requests: Vec<_> = requests.into_iter().map(maybe_done).collect();
    let sent = poll_fn(|context| {
        let mut sent = 0;
        for request in &mut requests {
            sent += 1;
            let _ = Pin::new(&mut *request).poll(context);
            if matches!(request, MaybeDone::Done(Err(_))) {
                break;
            }
        }
        Poll::Ready(sent)
    })
    .await;
    requests.truncate(sent);
    let all_sent = sent == all;

    let mut answers = Vec::with_capacity(sent);
    for mut request in requests {
        (&mut request).await;
        match Pin::new(&mut request).take_output() {
            Some(Ok(answer)) => answers.push(answer),
            // Requests sent after the failed one are answered too; the connection discards those
            // answers.
            Some(Err(error)) => return (answers, Some(Cut { error, all_sent })),
            None => {}
        }
    }
    (answers, None)
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use futures::FutureExt;
    use tokio::task::yield_now;

    use super::*;

    #[tokio::test]
    async fn all_are_sent_in_order_before_the_first_answer() {
        let log = Mutex::new(Vec::new());
        let request = |n: u32| {
            let log = &log;
            async move {
                log.lock().unwrap().push(format!("sent {n}"));
                yield_now().await;
                log.lock().unwrap().push(format!("answered {n}"));
                Ok::<_, ()>(n)
            }
            .boxed()
        };
        let (answers, cut) = pipeline(vec![request(1), request(2)]).await;
        assert_eq!((answers, cut), (vec![1, 2], None));
        assert_eq!(log.into_inner().unwrap(), ["sent 1", "sent 2", "answered 1", "answered 2"]);
    }

    #[tokio::test]
    async fn nothing_is_sent_after_a_request_that_could_not_be() {
        let sent = Mutex::new(Vec::new());
        let request = |n: u32, refused: bool| {
            let sent = &sent;
            async move {
                if refused {
                    return Err("refused");
                }
                sent.lock().unwrap().push(n);
                yield_now().await;
                Ok(n)
            }
            .boxed()
        };
        let batch = vec![request(1, false), request(2, true), request(3, false)];
        let (answers, cut) = pipeline(batch).await;
        assert_eq!((answers, cut), (vec![1], Some(Cut { error: "refused", all_sent: false })));
        assert_eq!(sent.into_inner().unwrap(), [1]);
    }
}
