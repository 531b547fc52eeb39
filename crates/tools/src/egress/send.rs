//! A request, its redirects, and the beginning of its answer.

use domain::ToolError;
use reqwest::header::{HeaderMap, LOCATION};
use reqwest::{Method, Response, StatusCode, Url};
use serde_json::Value;
use thiserror::Error;

use super::{Blocked, Egress, blocked};

/// Redirects that are followed; more are a circle.
const REDIRECTS: usize = 3;
/// The most that is read of an answer.
const READ_BYTES: usize = 256 * 1024;

/// A request to be sent.
#[derive(Clone, Debug)]
pub struct Outgoing {
    pub method: Method,
    pub url: Url,
    pub headers: HeaderMap,
    /// Headers for that place alone; a redirect to another does not get them.
    pub credentials: HeaderMap,
    pub body: Option<Value>,
}

#[derive(Clone, Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub body: Vec<u8>,
    /// Whether the body went on.
    pub cut: bool,
}

#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum SendError {
    #[error("the address is not called: {0}")]
    Blocked(Blocked),
    #[error("nobody answers at the address")]
    NoConnection,
    /// The request arrived, and its answer led to where we do not go.
    #[error("the address answered with a redirect that is not followed: {0}")]
    Misled(String),
    #[error("the connection broke")]
    Broken,
}

impl From<SendError> for ToolError {
    fn from(error: SendError) -> Self {
        match error {
            SendError::Blocked(_) | SendError::NoConnection => Self::Refused(error.to_string()),
            SendError::Misled(_) | SendError::Broken => Self::Unknown(error.to_string()),
        }
    }
}

impl Egress {
    /// Sends a request and reads its answer, wherever up to three redirects lead.
    pub async fn send(&self, mut request: Outgoing) -> Result<Answer, SendError> {
        request.url = self.check(request.url.as_str()).map_err(SendError::Blocked)?;
        for followed in 0..=REDIRECTS {
            let response = self.send_once(&request, followed > 0).await?;
            let Some(location) = redirect(&response) else { return read(response).await };
            let next = request.url.join(&location).map_err(|_| misled(Blocked::NotAnAddress))?;
            let next = self.check(next.as_str()).map_err(misled)?;
            request.follow(response.status(), next);
        }
        Err(SendError::Misled(format!("more than {REDIRECTS} redirects")))
    }

    async fn send_once(&self, request: &Outgoing, followed: bool) -> Result<Response, SendError> {
        let headers = request.headers.clone();
        let mut building =
            self.client.request(request.method.clone(), request.url.clone()).headers(headers);
        building = building.headers(request.credentials.clone());
        if let Some(body) = &request.body {
            building = building.json(body);
        }
        building.send().await.map_err(|error| match blocked(&error) {
            // Something was sent before.
            Some(reason) if followed => misled(reason),
            Some(reason) => SendError::Blocked(reason),
            None if error.is_connect() && !followed => SendError::NoConnection,
            None => SendError::Broken,
        })
    }
}

fn misled(reason: Blocked) -> SendError {
    SendError::Misled(reason.to_string())
}

fn redirect(response: &Response) -> Option<String> {
    let follows = matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308);
    let location = response.headers().get(LOCATION).filter(|_| follows)?;
    location.to_str().ok().map(str::to_owned)
}

impl Outgoing {
    fn follow(&mut self, status: StatusCode, next: Url) {
        if next.origin() != self.url.origin() {
            self.credentials.clear();
        }
        // As browsers do: only 307 and 308 ask for the same request again.
        let again = matches!(status.as_u16(), 307 | 308);
        if !again && self.method != Method::GET {
            self.method = Method::GET;
            self.body = None;
        }
        self.url = next;
    }
}

async fn read(mut response: Response) -> Result<Answer, SendError> {
    let (status, mut body) = (response.status(), Vec::new());
    while let Some(chunk) = response.chunk().await.map_err(|_| SendError::Broken)? {
        body.extend_from_slice(&chunk);
        if body.len() > READ_BYTES {
            body.truncate(READ_BYTES);
            return Ok(Answer { status, body, cut: true });
        }
    }
    Ok(Answer { status, body, cut: false })
}
