//! Responses.

use bytes::Bytes;
use http_body_util::Full;
use hyper::{HeaderMap, Response, StatusCode, header};
use serde::Serialize;

/// A response before it is sent.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub status: StatusCode,
    pub content_type: &'static str,
    pub body: Bytes,
    pub retry_after: Option<u64>,
    /// The response of an earlier request with the same idempotency key.
    pub is_replayed: bool,
    /// The method that a path has, for a request with another one.
    pub allow: Option<&'static str>,
}

impl Reply {
    pub(crate) fn new(status: StatusCode, content_type: &'static str, body: impl Into<Bytes>) -> Self {
        Self { status, content_type, body: body.into(), retry_after: None, is_replayed: false, allow: None }
    }

    /// A response with a value as JSON.
    pub(crate) fn json(status: StatusCode, value: &impl Serialize) -> Self {
        match serde_json::to_vec(value) {
            Ok(body) => Self::new(status, "application/json", body),
            Err(_) => Self::new(StatusCode::INTERNAL_SERVER_ERROR, "application/json", Bytes::new()),
        }
    }

    pub(crate) fn into_response(self) -> Response<Full<Bytes>> {
        let mut response = Response::new(Full::new(self.body));
        *response.status_mut() = self.status;
        let headers: &mut HeaderMap = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, header::HeaderValue::from_static(self.content_type));
        headers.insert(header::CACHE_CONTROL, header::HeaderValue::from_static("no-store"));
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, seconds.into());
        }
        if self.is_replayed {
            headers.insert("idempotency-replayed", header::HeaderValue::from_static("true"));
        }
        if let Some(method) = self.allow {
            headers.insert(header::ALLOW, header::HeaderValue::from_static(method));
        }
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, header::HeaderValue::from_static("Bearer"));
        }
        response
    }
}
