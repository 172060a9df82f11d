//! The network: one small runtime and a few HTTP clients, created on first use.
//!
//! The ports are called from plain threads and block. A request runs as a task of the runtime and sends the response
//! through a channel; the caller waits on it, polls its `Stop`, and drops the request to end it at once. So a call
//! works from any thread, also from one of another runtime.
//!
//! The channel is bounded in bytes ([`MAX_BUFFERED_BYTES`]): a task stops reading from its socket until the caller has
//! read the buffer, so TCP slows down a server that sends faster.

use std::{
    sync::{
        Arc, OnceLock,
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    time::{Duration, Instant},
};

use bytes::Bytes;
use reqwest::{Client, Method, Url, header::HeaderMap, redirect};
use serde_json::Value;
use tokio::{
    runtime::{Builder, Handle, Runtime},
    sync::Semaphore,
    task::JoinHandle,
};

use crate::{
    capabilities::KnownCapabilities,
    endpoint::{HostScope, host_scope},
    failure::TransportError,
};

/// The interval at which a waiting request checks whether it was stopped.
const STOP_CHECK_INTERVAL: Duration = Duration::from_millis(20);

/// The most redirects within one host that are followed.
const MAX_REDIRECTS: usize = 3;

/// The longest time for reading the rest of a released response, so that its connection can be reused.
const MAX_RELEASE_TIME: Duration = Duration::from_millis(500);

/// The most bytes of a body that are buffered for the caller. A larger chunk is buffered alone.
const MAX_BUFFERED_BYTES: usize = 256 << 10;

/// The most bytes that are read and dropped after the caller has released the response, so that the connection can be
/// reused.
const MAX_DISCARDED_BYTES: usize = 64 << 10;

/// Timeouts and retry delays.
#[derive(Debug, Clone)]
pub struct Timeouts {
    /// For connecting.
    pub connect: Duration,
    /// For the first chunk of an answer: a local model may have to be loaded first.
    pub first_byte: Duration,
    /// Between two chunks.
    pub between_chunks: Duration,
    /// For a list of models and other short answers, from start to end.
    pub short_request: Duration,
    /// For the provider's count of tokens after the text has ended.
    pub after_end: Duration,
    /// For probing a local server that may not run.
    pub probe: Duration,
    /// Delays before the first and the second retry.
    pub retry_delays: [Duration; 2],
    /// The longest delay that a provider may request; for a longer one, the request fails at once.
    pub max_retry_after: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            first_byte: Duration::from_secs(120),
            between_chunks: Duration::from_secs(60),
            short_request: Duration::from_secs(20),
            after_end: Duration::from_secs(2),
            probe: Duration::from_millis(300),
            retry_delays: [Duration::from_millis(500), Duration::from_secs(1)],
            max_retry_after: Duration::from_secs(20),
        }
    }
}

/// The clock of a network. Tests use one that they control, so that no timeout depends on the speed of a machine.
pub trait Timer: Send + Sync {
    /// The current time.
    fn now(&self) -> Instant;

    /// Waits before a retry, until the time is over or the request is stopped.
    fn pause(&self, long: Duration, stopped: &dyn Fn() -> bool);
}

struct SystemTimer;

impl Timer for SystemTimer {
    fn now(&self) -> Instant {
        Instant::now()
    }

    fn pause(&self, long: Duration, stopped: &dyn Fn() -> bool) {
        let until = Instant::now() + long;
        while !stopped() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            std::thread::sleep(left.min(STOP_CHECK_INTERVAL));
        }
    }
}

/// The network. Creating it allocates no runtime and opens no connection.
pub struct Network {
    runtime: OnceLock<Option<Runtime>>,
    clients: [OnceLock<Option<Client>>; 6],
    timeouts: Timeouts,
    timer: Arc<dyn Timer>,
    known_capabilities: KnownCapabilities,
}

impl Network {
    /// A network with the default timeouts.
    #[must_use]
    pub fn start() -> Arc<Self> {
        Self::with(Timeouts::default(), Arc::new(SystemTimer))
    }

    /// A network with other timeouts and another timer.
    #[must_use]
    pub fn with(timeouts: Timeouts, timer: Arc<dyn Timer>) -> Arc<Self> {
        let known_capabilities = KnownCapabilities::default();
        Arc::new(Self { runtime: OnceLock::new(), clients: Default::default(), timeouts, timer, known_capabilities })
    }

    /// The capabilities of the models that were used.
    pub(crate) fn known_capabilities(&self) -> &KnownCapabilities {
        &self.known_capabilities
    }

    pub(crate) fn timeouts(&self) -> &Timeouts {
        &self.timeouts
    }

    pub(crate) fn pause(&self, long: Duration, stopped: &dyn Fn() -> bool) {
        self.timer.pause(long, stopped);
    }

    pub(crate) fn now(&self) -> Instant {
        self.timer.now()
    }

    /// Starts a request. Returns before any response has arrived.
    pub(crate) fn send(&self, call: HttpRequest) -> Result<HttpResponse, TransportError> {
        let runtime = self.runtime.get_or_init(|| {
            let mut runtime = Builder::new_multi_thread();
            runtime.worker_threads(1).max_blocking_threads(4).thread_name("palimpsest-network");
            runtime.enable_io().enable_time().build().ok()
        });
        let route = Route::to(&call.url);
        let number = 2 * (route as usize) + usize::from(call.follows_redirects);
        let client = self.clients[number].get_or_init(|| route.client(&self.timeouts, call.follows_redirects).ok());
        let (Some(runtime), Some(client)) = (runtime, client) else { return Err(TransportError::NoNetwork) };
        let mut request = client.request(call.method, call.url).headers(call.headers);
        if let Some(body) = &call.body {
            request = request.header("content-type", "application/json").body(body.to_string());
        }
        let (send, arrived) = channel();
        let buffer_space = Arc::new(Semaphore::new(MAX_BUFFERED_BYTES));
        let task = runtime.spawn(run_request(request, send, Arc::clone(&buffer_space)));
        Ok(HttpResponse {
            task: Some(task),
            arrived,
            buffer_space,
            runtime: runtime.handle().clone(),
            timer: Arc::clone(&self.timer),
        })
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        if let Some(Some(runtime)) = self.runtime.take() {
            // Waiting is not allowed on threads of another runtime, and the remaining tasks are not needed.
            runtime.shutdown_background();
        }
    }
}

/// The kind of connection to a host; each has an HTTP client, and another one that follows no redirect.
#[derive(Clone, Copy)]
enum Route {
    /// In plain text, on this machine or in the local network: no proxy, and no need to read certificates.
    Plain,
    /// Encrypted, on this machine: no proxy.
    LocalTls,
    /// Encrypted, through the system's proxy if there is one.
    RemoteTls,
}

impl Route {
    fn to(url: &Url) -> Self {
        match (url.scheme(), host_scope(url)) {
            ("http", _) => Self::Plain,
            (_, HostScope::ThisMachine) => Self::LocalTls,
            _ => Self::RemoteTls,
        }
    }

    fn client(self, timeouts: &Timeouts, follows_redirects: bool) -> reqwest::Result<Client> {
        // Fails if a provider is installed already; any provider works.
        rustls::crypto::ring::default_provider().install_default().ok();
        let mut client = Client::builder()
            .user_agent(concat!("Palimpsest/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(timeouts.connect)
            .redirect(if follows_redirects {
                redirect::Policy::custom(follow_same_origin)
            } else {
                redirect::Policy::none()
            })
            .referer(false)
            .tcp_nodelay(true);
        if matches!(self, Self::Plain) {
            client = client.tls_certs_only([]);
        }
        if matches!(self, Self::Plain | Self::LocalTls) {
            client = client.no_proxy();
        }
        client.build()
    }
}

/// Follows a redirect that keeps scheme, host, port and method; any other is returned as the response.
fn follow_same_origin(attempt: redirect::Attempt<'_>) -> redirect::Action {
    let is_same_origin = attempt.previous().last().is_some_and(|from| from.origin() == attempt.url().origin());
    // Others than 307 and 308 would turn a request with a body into one without.
    let keeps_body = matches!(attempt.status().as_u16(), 307 | 308);
    if is_same_origin && keeps_body && attempt.previous().len() <= MAX_REDIRECTS {
        attempt.follow()
    } else {
        attempt.stop()
    }
}

pub(crate) struct HttpRequest {
    pub method: Method,
    pub url: Url,
    pub headers: HeaderMap,
    pub body: Option<Value>,
    /// Whether a redirect within its origin is followed.
    pub follows_redirects: bool,
}

/// A part of a response, in this order.
enum ResponsePart {
    Head(Head),
    Bytes(Bytes),
    End,
    Failed(TransportError),
}

/// The head of an answer.
pub(crate) struct Head {
    pub status: u16,
    pub headers: HeaderMap,
}

/// Sends a part of a response, unless the reader no longer waits for it.
fn send_part(send: &Sender<ResponsePart>, part: ResponsePart) {
    send.send(part).ok();
}

async fn run_request(request: reqwest::RequestBuilder, send: Sender<ResponsePart>, buffer_space: Arc<Semaphore>) {
    let mut response = match request.send().await {
        Ok(response) => response,
        Err(error) => {
            let transport_error = match (error.is_connect(), error.is_timeout()) {
                (true, true) => TransportError::ConnectTimeout,
                (false, true) => TransportError::Timeout,
                (true, false) => TransportError::Unreachable,
                (false, false) => TransportError::NoAnswer,
            };
            send_part(&send, ResponsePart::Failed(transport_error));
            return;
        }
    };
    let head = Head { status: response.status().as_u16(), headers: std::mem::take(response.headers_mut()) };
    send_part(&send, ResponsePart::Head(head));
    let mut discarded = 0;
    loop {
        let arrived = match response.chunk().await {
            Ok(Some(bytes)) => ResponsePart::Bytes(bytes),
            Ok(None) => ResponsePart::End,
            Err(_) => ResponsePart::Failed(TransportError::CutShort),
        };
        let ResponsePart::Bytes(bytes) = &arrived else {
            send_part(&send, arrived);
            break;
        };
        let length = bytes.len();
        let is_read = match buffer_space.acquire_many(buffer_permits(length)).await {
            Ok(taken) => {
                taken.forget();
                send.send(arrived).is_ok()
            }
            // Closed: the caller has released the response.
            Err(_) => false,
        };
        if !is_read {
            // A short rest is still read, so that the connection can be reused.
            discarded += length;
            if discarded > MAX_DISCARDED_BYTES {
                break;
            }
        }
    }
}

/// The share of [`MAX_BUFFERED_BYTES`] of a chunk.
fn buffer_permits(length: usize) -> u32 {
    u32::try_from(length.min(MAX_BUFFERED_BYTES)).unwrap_or(u32::MAX)
}

/// A response as it arrives. Dropping it drops the connection, unless it was released.
pub(crate) struct HttpResponse {
    task: Option<JoinHandle<()>>,
    arrived: Receiver<ResponsePart>,
    /// Permits for bytes that may still be buffered.
    buffer_space: Arc<Semaphore>,
    runtime: Handle,
    timer: Arc<dyn Timer>,
}

impl HttpResponse {
    /// Waits for the head of the answer.
    pub(crate) fn head(&self, limit: Duration, stopped: &dyn Fn() -> bool) -> Result<Head, TransportError> {
        match self.wait(limit, stopped)? {
            ResponsePart::Head(head) => Ok(head),
            ResponsePart::Failed(error) => Err(error),
            ResponsePart::Bytes(_) | ResponsePart::End => Err(TransportError::NoAnswer),
        }
    }

    /// Waits for the next bytes of the body; `None` at its end.
    pub(crate) fn next_bytes(
        &self,
        limit: Duration,
        stopped: &dyn Fn() -> bool,
    ) -> Result<Option<Bytes>, TransportError> {
        match self.wait(limit, stopped)? {
            ResponsePart::Bytes(bytes) => {
                self.buffer_space.add_permits(buffer_permits(bytes.len()) as usize);
                Ok(Some(bytes))
            }
            ResponsePart::End => Ok(None),
            ResponsePart::Failed(error) => Err(error),
            ResponsePart::Head(_) => Err(TransportError::CutShort),
        }
    }

    /// Reads the whole body within `limit` in all.
    ///
    /// Fails with [`TransportError::TooLong`] beyond `max_bytes`.
    pub(crate) fn read_all(
        &self,
        limit: Duration,
        max_bytes: usize,
        stopped: &dyn Fn() -> bool,
    ) -> Result<Vec<u8>, TransportError> {
        let until = self.timer.now() + limit;
        let mut body = Vec::new();
        while let Some(bytes) = self.next_bytes(until.saturating_duration_since(self.timer.now()), stopped)? {
            if body.len() + bytes.len() > max_bytes {
                return Err(TransportError::TooLong);
            }
            body.extend(bytes);
        }
        Ok(body)
    }

    /// Releases the response: its short rest is read in the background, so that the connection can be reused.
    pub(crate) fn release(mut self) {
        if let Some(mut task) = self.task.take() {
            self.buffer_space.close();
            self.runtime.spawn(async move {
                if tokio::time::timeout(MAX_RELEASE_TIME, &mut task).await.is_err() {
                    task.abort();
                }
            });
        }
    }

    fn wait(&self, limit: Duration, stopped: &dyn Fn() -> bool) -> Result<ResponsePart, TransportError> {
        let until = self.timer.now() + limit;
        loop {
            if stopped() {
                return Err(TransportError::Stopped);
            }
            let left = until.saturating_duration_since(self.timer.now());
            match self.arrived.recv_timeout(left.min(STOP_CHECK_INTERVAL)) {
                Ok(arrived) => return Ok(arrived),
                Err(RecvTimeoutError::Disconnected) => return Err(TransportError::CutShort),
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return Err(TransportError::Timeout),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

impl Drop for HttpResponse {
    fn drop(&mut self) {
        self.buffer_space.close();
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

/// The stop function of requests that cannot be stopped.
pub(crate) fn never_stopped() -> bool {
    false
}
