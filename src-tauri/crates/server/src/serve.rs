//! The server: accepts connections, answers requests within limits, and ends gracefully.

use std::{
    convert::Infallible,
    net::SocketAddr,
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use bytes::Bytes;
use deadpool_postgres::Pool;
use http_body_util::Full;
use hyper::{Request, Response, StatusCode, body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
};
use tokio::{net::TcpListener, sync::Semaphore};
use uuid::Uuid;

use crate::{
    encoder::Meaning,
    keys::KeyCache,
    log::{Field, log},
    metrics::Metrics,
    rate::Rates,
    refusal::{Code, Refusal, log_database_error},
    reply::Reply,
    routes::{self, Answered},
};

/// Time for the head of a request, and of an idle connection.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
/// Time for a request with its body: less than the ten seconds that clients wait.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(8);
/// Requests that are answered at a time; further ones are refused, so that none waits longer than its client.
const MAX_IN_FLIGHT: usize = 256;
/// Open connections; further ones wait until one ends.
const MAX_CONNECTIONS: usize = 1_024;
/// Time that requests have to end after a signal.
const CLOSING: Duration = Duration::from_secs(10);
/// Time for which responses to requests with an idempotency key are kept: longer than the outbox of a desktop sends.
const REQUESTS_KEPT: &str = "31 days";
/// Pause between removals of old ones.
const SWEEPING: Duration = Duration::from_secs(3_600);

/// The state that the requests of this server share. Nothing in it has to outlive the process or to agree with that of
/// another server.
pub(crate) struct Shared {
    pub pool: Pool,
    pub meaning: Arc<Meaning>,
    pub keys: KeyCache,
    pub rates: Rates,
    pub metrics: Metrics,
    pub max_body_bytes: usize,
    in_flight: Semaphore,
}

impl Shared {
    pub(crate) fn new(pool: Pool, meaning: Arc<Meaning>, per_minute: u32, max_body_bytes: usize) -> Self {
        Self {
            pool,
            meaning,
            keys: KeyCache::default(),
            rates: Rates::new(per_minute),
            metrics: Metrics::default(),
            max_body_bytes,
            in_flight: Semaphore::new(MAX_IN_FLIGHT),
        }
    }
}

/// Serves until `stop` is ready, then answers the requests that have arrived and returns.
///
/// # Errors
/// A sentence if the address cannot be listened at.
pub(crate) async fn serve(
    shared: Arc<Shared>,
    listen: SocketAddr,
    listening: impl FnOnce(SocketAddr),
    stop: impl Future<Output = ()>,
) -> Result<(), String> {
    let no_address = |error: std::io::Error| format!("cannot listen at {listen}: {}", error.kind());
    let listener = TcpListener::bind(listen).await.map_err(no_address)?;
    listening(listener.local_addr().map_err(no_address)?);
    let sweeping = tokio::spawn(sweep(shared.pool.clone()));
    let graceful = GracefulShutdown::new();
    let connections = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let mut stop = std::pin::pin!(stop);
    loop {
        let accept = async {
            let permit = Arc::clone(&connections).acquire_owned().await;
            (permit, listener.accept().await)
        };
        let (permit, accepted) = tokio::select! {
            accepted = accept => accepted,
            () = &mut stop => break,
        };
        let Ok((stream, _)) = accepted else {
            // As many files are open as the system permits; some will be closed.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        stream.set_nodelay(true).ok();
        let of_connection = Arc::clone(&shared);
        let connection =
            http1::Builder::new().timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT).serve_connection(
                TokioIo::new(stream),
                service_fn(move |request| answer(Arc::clone(&of_connection), request)),
            );
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            // A client that goes away is no failure of the server.
            connection.await.ok();
            drop(permit);
        });
    }
    drop(listener);
    sweeping.abort();
    log("stopping", &[("in_flight", Field::Count(shared.metrics.in_flight.load(Ordering::Relaxed)))]);
    let is_idle = tokio::time::timeout(CLOSING, graceful.shutdown()).await.is_ok();
    shared.pool.close();
    log("stopped", &[("idle", Field::Count(u64::from(is_idle)))]);
    Ok(())
}

/// Answers a request in a task of its own: a client that goes away ends no transaction, and a defect is answered too.
async fn answer(shared: Arc<Shared>, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let start = Instant::now();
    let path = routes::name(request.uri().path());
    let at_once = Arc::clone(&shared);
    let task = tokio::spawn(async move {
        let shared = &at_once;
        let Ok(_permit) = shared.in_flight.try_acquire() else {
            return refused(Refusal::retry_after(Code::Overloaded, 1));
        };
        shared.metrics.in_flight.fetch_add(1, Ordering::Relaxed);
        let answered = tokio::time::timeout(REQUEST_TIMEOUT, routes::answer(shared, request)).await;
        shared.metrics.in_flight.fetch_sub(1, Ordering::Relaxed);
        answered.unwrap_or_else(|_| refused(Refusal::retry_after(Code::Timeout, 1)))
    });
    let Answered { reply, key_id, project } = match task.await {
        Ok(answered) => answered,
        Err(_) => refused(Code::Internal.into()),
    };
    let time = start.elapsed();
    shared.metrics.observe(path, reply.status.as_u16(), time);
    log_request(path, &reply, (key_id, project), time);
    Ok(reply.into_response())
}

fn refused(refusal: Refusal) -> Answered {
    Answered { reply: refusal.reply(), key_id: None, project: None }
}

fn log_request(path: &'static str, reply: &Reply, (key_id, project): (Option<Uuid>, Option<i32>), time: Duration) {
    if reply.status == StatusCode::OK && matches!(path, "/health" | "/metrics") {
        return;
    }
    let mut fields = vec![
        ("path", Field::Name(path)),
        ("status", Field::Count(u64::from(reply.status.as_u16()))),
        ("ms", Field::Milliseconds(time.as_secs_f64() * 1_000.0)),
    ];
    fields.extend(key_id.map(|key| ("key", Field::Id(key))));
    fields.extend(project.map(|project| ("project", Field::Count(u64::from(project.unsigned_abs())))));
    log("request", &fields);
}

/// Removes old responses to requests with an idempotency key.
async fn sweep(pool: Pool) {
    loop {
        if let Ok(client) = pool.get().await {
            let old = format!("DELETE FROM requests WHERE created_at < now() - interval '{REQUESTS_KEPT}'");
            if let Err(error) = client.execute(&old, &[]).await {
                // The next sweep tries again.
                log_database_error(&error);
            }
        }
        tokio::time::sleep(SWEEPING).await;
    }
}
