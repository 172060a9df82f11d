//! The network: one small runtime and a few HTTP clients, created on first use.
//!
//! The ports are called from plain threads and block. A request runs as a task of the runtime and sends the response through
//! a channel; the caller waits on it, polls its `Stop`, and drops the request to end it at once. So a call works from any
//! thread, also from one of another runtime.
//!
//! The channel is bounded in bytes ([`MAX_BUFFERED_BYTES`]): a task stops reading from its socket until the caller has read
//! the buffer, so TCP slows down a server that sends faster.

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
    endpoint::{Place, place},
    failure::Broken,
};

/// The interval at which a waiting request checks whether it was stopped.
const GLANCE: Duration = Duration::from_millis(20);

/// The most redirects within one host that are followed.
const REDIRECTS: usize = 3;

/// The longest time for reading the rest of a released response, so that its connection can be reused.
const FAREWELL: Duration = Duration::from_millis(500);

/// The most bytes of a body that are buffered for the caller. A larger chunk is buffered alone.
const MAX_BUFFERED_BYTES: usize = 256 << 10;

/// The most bytes that are read and dropped after the caller has released the response, so that the connection can be
/// reused.
const MAX_DISCARDED_BYTES: usize = 64 << 10;

/// Timeouts and retry delays.
#[derive(Debug, Clone)]
pub struct Patience {
    /// For connecting.
    pub connect: Duration,
    /// For the first chunk of an answer: a local model may have to be loaded first.
    pub first_byte: Duration,
    /// Between two chunks.
    pub between_pieces: Duration,
    /// For a list of models and other short answers, from start to end.
    pub short: Duration,
    /// For the provider's count of tokens after the text has ended.
    pub after_end: Duration,
    /// For probing a local server that may not run.
    pub glimpse: Duration,
    /// Delays before the first and the second retry.
    pub again: [Duration; 2],
    /// The longest delay that a provider may request; for a longer one, the request fails at once.
    pub longest_retry_after: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            first_byte: Duration::from_secs(120),
            between_pieces: Duration::from_secs(60),
            short: Duration::from_secs(20),
            after_end: Duration::from_secs(2),
            glimpse: Duration::from_millis(300),
            again: [Duration::from_millis(500), Duration::from_secs(1)],
            longest_retry_after: Duration::from_secs(20),
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

/// The timer of the system.
struct Real;

impl Timer for Real {
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
            std::thread::sleep(left.min(GLANCE));
        }
    }
}

/// The network. Creating it allocates no runtime and opens no connection.
pub struct Network {
    runtime: OnceLock<Option<Runtime>>,
    clients: [OnceLock<Option<Client>>; 3],
    patience: Patience,
    timer: Arc<dyn Timer>,
}

impl Network {
    /// A network with the default timeouts.
    #[must_use]
    pub fn start() -> Arc<Self> {
        Self::with(Patience::default(), Arc::new(Real))
    }

    /// A network with other timeouts and another timer.
    #[must_use]
    pub fn with(patience: Patience, timer: Arc<dyn Timer>) -> Arc<Self> {
        Arc::new(Self { runtime: OnceLock::new(), clients: Default::default(), patience, timer })
    }

    pub(crate) fn patience(&self) -> &Patience {
        &self.patience
    }

    pub(crate) fn pause(&self, long: Duration, stopped: &dyn Fn() -> bool) {
        self.timer.pause(long, stopped);
    }

    pub(crate) fn now(&self) -> Instant {
        self.timer.now()
    }

    /// Starts a request. Returns before any response has arrived.
    pub(crate) fn send(&self, call: Call) -> Result<Reply, Broken> {
        let runtime = self.runtime.get_or_init(|| {
            let mut runtime = Builder::new_multi_thread();
            runtime.worker_threads(1).max_blocking_threads(4).thread_name("palimpsest-network");
            runtime.enable_io().enable_time().build().ok()
        });
        let route = Route::to(&call.url);
        let client = self.clients[route as usize].get_or_init(|| route.client(&self.patience).ok());
        let (Some(runtime), Some(client)) = (runtime, client) else { return Err(Broken::NoNetwork) };
        let mut request = client.request(call.method, call.url).headers(call.headers);
        if let Some(body) = &call.body {
            request = request.header("content-type", "application/json").body(body.to_string());
        }
        let (send, arrived) = channel();
        let space = Arc::new(Semaphore::new(MAX_BUFFERED_BYTES));
        let task = runtime.spawn(carry(request, send, Arc::clone(&space)));
        Ok(Reply {
            task: Some(task),
            arrived,
            space,
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

/// The kind of connection to a host; each has an HTTP client.
#[derive(Clone, Copy)]
enum Route {
    /// In plain text, on this machine or in the local network: no proxy, and no need to read certificates.
    Plain,
    /// Encrypted, on this machine: no proxy.
    Here,
    /// Encrypted, through the system's proxy if there is one.
    Far,
}

impl Route {
    fn to(url: &Url) -> Self {
        match (url.scheme(), place(url)) {
            ("http", _) => Self::Plain,
            (_, Place::Here) => Self::Here,
            _ => Self::Far,
        }
    }

    fn client(self, patience: &Patience) -> reqwest::Result<Client> {
        // Fails if a provider is installed already; any provider works.
        let _chosen = rustls::crypto::ring::default_provider().install_default();
        let mut client = Client::builder()
            .user_agent(concat!("Palimpsest/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(patience.connect)
            .redirect(redirect::Policy::custom(within_the_host))
            .referer(false)
            .tcp_nodelay(true);
        if matches!(self, Self::Plain) {
            client = client.tls_certs_only([]);
        }
        if matches!(self, Self::Plain | Self::Here) {
            client = client.no_proxy();
        }
        client.build()
    }
}

/// Follows a redirect that keeps scheme, host, port and method; any other is returned as the response.
fn within_the_host(attempt: redirect::Attempt<'_>) -> redirect::Action {
    let same = attempt.previous().last().is_some_and(|from| from.origin() == attempt.url().origin());
    // Others than 307 and 308 would turn a request with a body into one without.
    let keeps_the_body = matches!(attempt.status().as_u16(), 307 | 308);
    if same && keeps_the_body && attempt.previous().len() <= REDIRECTS { attempt.follow() } else { attempt.stop() }
}

/// A request.
pub(crate) struct Call {
    pub method: Method,
    pub url: Url,
    pub headers: HeaderMap,
    pub body: Option<Value>,
}

/// A part of a response, in this order.
enum Arrived {
    Head(Head),
    Bytes(Bytes),
    End,
    Broken(Broken),
}

/// The head of an answer.
pub(crate) struct Head {
    pub status: u16,
    pub headers: HeaderMap,
}

async fn carry(request: reqwest::RequestBuilder, send: Sender<Arrived>, space: Arc<Semaphore>) {
    let mut response = match request.send().await {
        Ok(response) => response,
        Err(error) => {
            let broken = match (error.is_connect(), error.is_timeout()) {
                (true, true) => Broken::ConnectTimeout,
                (false, true) => Broken::Timeout,
                (true, false) => Broken::Unreachable,
                (false, false) => Broken::NoAnswer,
            };
            let _waiting = send.send(Arrived::Broken(broken));
            return;
        }
    };
    let head = Head { status: response.status().as_u16(), headers: std::mem::take(response.headers_mut()) };
    let _waiting = send.send(Arrived::Head(head));
    let mut discarded = 0;
    loop {
        let arrived = match response.chunk().await {
            Ok(Some(bytes)) => Arrived::Bytes(bytes),
            Ok(None) => Arrived::End,
            Err(_) => Arrived::Broken(Broken::CutShort),
        };
        let Arrived::Bytes(bytes) = &arrived else {
            let _waiting = send.send(arrived);
            break;
        };
        let length = bytes.len();
        let is_read = match space.acquire_many(permits(length)).await {
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
fn permits(length: usize) -> u32 {
    u32::try_from(length.min(MAX_BUFFERED_BYTES)).unwrap_or(u32::MAX)
}

/// A response as it arrives. Dropping it drops the connection, unless it was released.
pub(crate) struct Reply {
    task: Option<JoinHandle<()>>,
    arrived: Receiver<Arrived>,
    /// Permits for bytes that may still be buffered.
    space: Arc<Semaphore>,
    runtime: Handle,
    timer: Arc<dyn Timer>,
}

impl Reply {
    /// Waits for the head of the answer.
    pub(crate) fn head(&self, limit: Duration, stopped: &dyn Fn() -> bool) -> Result<Head, Broken> {
        match self.wait(limit, stopped)? {
            Arrived::Head(head) => Ok(head),
            Arrived::Broken(broken) => Err(broken),
            Arrived::Bytes(_) | Arrived::End => Err(Broken::NoAnswer),
        }
    }

    /// Waits for the next bytes of the body; `None` at its end.
    pub(crate) fn bytes(&self, limit: Duration, stopped: &dyn Fn() -> bool) -> Result<Option<Bytes>, Broken> {
        match self.wait(limit, stopped)? {
            Arrived::Bytes(bytes) => {
                self.space.add_permits(permits(bytes.len()) as usize);
                Ok(Some(bytes))
            }
            Arrived::End => Ok(None),
            Arrived::Broken(broken) => Err(broken),
            Arrived::Head(_) => Err(Broken::CutShort),
        }
    }

    /// Reads the whole body within `limit` in all.
    ///
    /// Fails with [`TransportError::TooLong`] beyond `max_bytes`.
    pub(crate) fn whole(&self, limit: Duration, longest: usize, stopped: &dyn Fn() -> bool) -> Result<Vec<u8>, Broken> {
        let until = self.timer.now() + limit;
        let mut whole = Vec::new();
        while let Some(bytes) = self.bytes(until.saturating_duration_since(self.timer.now()), stopped)? {
            if whole.len() + bytes.len() > longest {
                return Err(Broken::TooLong);
            }
            whole.extend(bytes);
        }
        Ok(whole)
    }

    /// Releases the response: its short rest is read in the background, so that the connection can be reused.
    pub(crate) fn let_go(mut self) {
        if let Some(mut task) = self.task.take() {
            self.space.close();
            self.runtime.spawn(async move {
                if tokio::time::timeout(FAREWELL, &mut task).await.is_err() {
                    task.abort();
                }
            });
        }
    }

    fn wait(&self, limit: Duration, stopped: &dyn Fn() -> bool) -> Result<Arrived, Broken> {
        let until = self.timer.now() + limit;
        loop {
            if stopped() {
                return Err(Broken::Stopped);
            }
            let left = until.saturating_duration_since(self.timer.now());
            match self.arrived.recv_timeout(left.min(GLANCE)) {
                Ok(arrived) => return Ok(arrived),
                Err(RecvTimeoutError::Disconnected) => return Err(Broken::CutShort),
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return Err(Broken::Timeout),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        self.space.close();
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

/// The stop function of requests that cannot be stopped.
pub(crate) fn never() -> bool {
    false
}
