//! The way out: one small runtime and a few HTTP clients, made when somebody asks for the first time.
//!
//! The ports are called from plain threads and block. A request runs as a task of the runtime and hands what arrives
//! over a channel; the caller waits there, looks at its `Stop` now and then, and drops the request to end it at once.
//! So a call works from any thread, one of another runtime's too.
//!
//! The channel is bounded in bytes ([`MAX_BUFFERED_BYTES`]): a task reads no further from its socket until the caller
//! has taken what arrived, so a server that sends faster than it is read is slowed down by TCP.

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

/// How often a waiting request looks whether it was stopped.
const GLANCE: Duration = Duration::from_millis(20);

/// How many redirects within one host are followed.
const REDIRECTS: usize = 3;

/// How long what a server still has to say may take once all is known, so that its connection can be used again.
const FAREWELL: Duration = Duration::from_millis(500);

/// Bytes of a body that may wait for the caller. One piece that is larger waits alone.
const MAX_BUFFERED_BYTES: usize = 256 << 10;

/// Bytes that are read and dropped after the caller has left, so that the connection can be used again.
const MAX_DISCARDED_BYTES: usize = 64 << 10;

/// How long is waited for what.
#[derive(Debug, Clone)]
pub struct Patience {
    /// For a connection.
    pub connect: Duration,
    /// For the first piece of an answer: a local model may have to be loaded first.
    pub first_byte: Duration,
    /// Between two pieces.
    pub between_pieces: Duration,
    /// For a list of models and other short answers, from start to end.
    pub short: Duration,
    /// For the provider's count of tokens after the text has ended.
    pub after_end: Duration,
    /// For a local server that may not be there.
    pub glimpse: Duration,
    /// Before the first and the second time that a request is sent again.
    pub again: [Duration; 2],
    /// The longest wait that a provider may ask for; asked for more, the request fails at once.
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

/// What tells a network the time. Tests bring one that passes when they say so: no patience runs out because a machine
/// is slow.
pub trait Timer: Send + Sync {
    /// What the time is.
    fn now(&self) -> Instant;

    /// Waits before a request is sent again, until the time is over or it is stopped.
    fn pause(&self, long: Duration, stopped: &dyn Fn() -> bool);
}

/// The machine's.
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

/// The way out. Making one costs nothing and opens nothing.
pub struct Network {
    runtime: OnceLock<Option<Runtime>>,
    clients: [OnceLock<Option<Client>>; 3],
    patience: Patience,
    timer: Arc<dyn Timer>,
}

impl Network {
    /// With the usual patience.
    #[must_use]
    pub fn start() -> Arc<Self> {
        Self::with(Patience::default(), Arc::new(Real))
    }

    /// With another patience, by another timer.
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

    /// Sends a request. Nothing has arrived when this returns.
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
            // Waiting for it is forbidden where another runtime's tasks run, and nobody needs what is left.
            runtime.shutdown_background();
        }
    }
}

/// Ways to a host.
#[derive(Clone, Copy)]
enum Route {
    /// In plain text, on this machine or in the local network: no proxy, and no need to read certificates.
    Plain,
    /// Encrypted, on this machine: no proxy.
    Here,
    /// Encrypted, by the system's proxy where there is one.
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
        // Whoever came first has chosen already; any choice will do.
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

/// Follows a redirect that keeps scheme, host, port and method; any other is handed back as it came.
fn within_the_host(attempt: redirect::Attempt<'_>) -> redirect::Action {
    let same = attempt.previous().last().is_some_and(|from| from.origin() == attempt.url().origin());
    // Others than 307 and 308 would turn a request with a body into one without.
    let keeps_the_body = matches!(attempt.status().as_u16(), 307 | 308);
    if same && keeps_the_body && attempt.previous().len() <= REDIRECTS { attempt.follow() } else { attempt.stop() }
}

/// What is sent.
pub(crate) struct Call {
    pub method: Method,
    pub url: Url,
    pub headers: HeaderMap,
    pub body: Option<Value>,
}

/// What a task hands over, in this order.
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
            // Closed: the caller has left.
            Err(_) => false,
        };
        if !is_read {
            // A short rest is read all the same, so that the connection can be used again.
            discarded += length;
            if discarded > MAX_DISCARDED_BYTES {
                break;
            }
        }
    }
}

/// The share of [`MAX_BUFFERED_BYTES`] that a piece takes up.
fn permits(length: usize) -> u32 {
    u32::try_from(length.min(MAX_BUFFERED_BYTES)).unwrap_or(u32::MAX)
}

/// An answer as it arrives. Dropping it drops the connection, unless it was let go.
pub(crate) struct Reply {
    task: Option<JoinHandle<()>>,
    arrived: Receiver<Arrived>,
    /// Bytes that may still arrive before the caller has taken some.
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

    /// Waits for the next bytes of the body; `None` when it is whole.
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

    /// Waits for all of the body, for up to `limit` in all.
    ///
    /// Fails with [`Broken::TooLong`] beyond `longest` bytes.
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

    /// Nothing more is needed. What the server still has to say is read for a moment.
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

/// Nobody can stop this.
pub(crate) fn never() -> bool {
    false
}
