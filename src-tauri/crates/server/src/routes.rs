//! The routes, and the steps of a request: key, rate, body, project, transaction.

use std::time::{Duration, Instant};

use bytes::Bytes;
use deadpool_postgres::{Client, Transaction};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::{HeaderMap, Method, Request, StatusCode, body::Incoming, header};
use palimpsest_embedder::MODEL;
use serde::Serialize;
use serde_json::json;
use std::sync::atomic::Ordering;
use uuid::Uuid;

use crate::{
    answers::{record, search::search},
    keys::{Holder, key_hash},
    metrics::Gauges,
    refusal::{Code, Refusal},
    reply::Reply,
    serve::Shared,
    wire::{Candidate, Hits, OfProject, Search, Validate, parse_body},
};

/// Method and path of every route. The description of the wire has the same.
pub(crate) const ROUTES: [(&str, &str); 7] = [
    ("POST", "/v1/qa/search"),
    ("POST", "/v1/qa/candidates"),
    ("POST", "/v1/qa/hit"),
    ("POST", "/v1/qa/validate"),
    ("GET", "/health"),
    ("GET", "/metrics"),
    ("GET", "/openapi.json"),
];

/// The description of the wire.
const OPENAPI: &str = include_str!("../openapi.json");
/// Time for a body.
const BODY_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum bytes of an idempotency key.
const MAX_REQUEST_KEY_BYTES: usize = 200;

/// An answered request, with what the log has of it.
pub(crate) struct Answered {
    pub reply: Reply,
    pub key_id: Option<Uuid>,
    pub project: Option<i32>,
}

/// The name of a path in the log and in the metrics.
pub(crate) fn name(path: &str) -> &'static str {
    ROUTES.iter().find(|(_, known)| *known == path).map_or("other", |(_, known)| known)
}

/// Answers a request.
pub(crate) async fn answer(shared: &Shared, request: Request<Incoming>) -> Answered {
    let mut answered = Answered { reply: Refusal::from(Code::NotFound).reply(), key_id: None, project: None };
    let Some((method, path)) = ROUTES.iter().find(|(_, path)| *path == request.uri().path()).copied() else {
        return answered;
    };
    if request.method() != method && !(request.method() == Method::HEAD && method == "GET") {
        answered.reply = Refusal::from(Code::MethodNotAllowed).reply();
        answered.reply.allow = Some(method);
        return answered;
    }
    let reply = match path {
        "/health" => Ok(health(shared).await),
        "/metrics" => Ok(metrics(shared)),
        "/openapi.json" => Ok(Reply::new(StatusCode::OK, "application/json", OPENAPI)),
        _ => with_key(shared, path, request, &mut answered).await,
    };
    answered.reply = reply.unwrap_or_else(|refusal| refusal.reply());
    answered
}

/// 200 if the database answers.
async fn health(shared: &Shared) -> Reply {
    let check = async {
        let client = shared.pool.get().await?;
        client.query_one("SELECT 1", &[]).await?;
        Ok::<(), Refusal>(())
    };
    let serves = check.await.is_ok();
    let status = if serves { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let part = |serves| if serves { "ok" } else { "unavailable" };
    let encoder = shared.meaning.is_ready();
    let model = encoder.then_some(MODEL);
    let version = env!("CARGO_PKG_VERSION");
    let parts = json!({
        "status": part(serves), "database": part(serves), "encoder": part(encoder), "model": model, "version": version,
    });
    Reply::json(status, &parts)
}

fn metrics(shared: &Shared) -> Reply {
    let pool = shared.pool.status();
    let gauges = Gauges { connections: pool.size, idle: pool.available, has_encoder: shared.meaning.is_ready() };
    let text = shared.metrics.to_text(&gauges);
    Reply::new(StatusCode::OK, "text/plain; version=0.0.4; charset=utf-8", text)
}

/// Answers a request with a key.
async fn with_key(
    shared: &Shared,
    path: &'static str,
    request: Request<Incoming>,
    answered: &mut Answered,
) -> Result<Reply, Refusal> {
    let hash = key_hash(request.headers())?;
    let holder = match shared.keys.get(&hash) {
        Some(holder) => holder,
        None => shared.keys.look_up(&**shared.pool.get().await?, &hash).await?,
    };
    answered.key_id = Some(holder.key_id);
    if let Err(wait) = shared.rates.take(holder.key_id, Instant::now()) {
        return Err(Refusal::retry_after(Code::RateLimited, wait.as_secs_f64().ceil().max(1.0) as u64));
    }
    let (head, body) = request.into_parts();
    check_media_type(&head.headers)?;
    let body = read_body(body, shared.max_body_bytes).await?;
    let call = Call { shared, hash: &hash, holder: &holder, path, headers: &head.headers, body: &body };
    match path {
        "/v1/qa/search" => {
            let (project, wanted) = call.parse::<Search>(answered).await?;
            let vector = shared.meaning.of_query(&wanted.query).await;
            let client = shared.pool.get().await?;
            let found = search(&client, project, &wanted, vector.as_deref()).await?;
            Ok(Reply::json(StatusCode::OK, &found))
        }
        "/v1/qa/candidates" => {
            let (project, candidate) = call.parse::<Candidate>(answered).await?;
            let vectors = shared.meaning.of_answer(&candidate.question, &candidate.answer).await;
            let mut client = shared.pool.get().await?;
            let tx = call.begin(&mut client, project).await?;
            let Begun::New(tx) = tx else { return Ok(tx.into_reply()) };
            let recorded = record::insert_candidate(&tx, project, &candidate, vectors.as_ref()).await?;
            call.count_duplicates(u64::from(recorded.duplicate));
            call.commit(tx, project, StatusCode::CREATED, &recorded).await
        }
        "/v1/qa/hit" => {
            let (project, hits) = call.parse::<Hits>(answered).await?;
            let mut client = shared.pool.get().await?;
            let tx = call.begin(&mut client, project).await?;
            let Begun::New(tx) = tx else { return Ok(tx.into_reply()) };
            let recorded = record::record_hits(&tx, project, &hits).await?;
            call.count_duplicates(u64::from(recorded.duplicates));
            call.commit(tx, project, StatusCode::OK, &recorded).await
        }
        "/v1/qa/validate" => {
            let (project, validate) = call.parse::<Validate>(answered).await?;
            let mut client = shared.pool.get().await?;
            let tx = call.begin(&mut client, project).await?;
            let Begun::New(tx) = tx else { return Ok(tx.into_reply()) };
            let validated = record::record_validation(&tx, project, &validate).await?;
            call.count_duplicates(u64::from(validated.duplicate));
            call.commit(tx, project, StatusCode::OK, &validated).await
        }
        _ => Err(Code::NotFound.into()),
    }
}

/// A request whose key is known and whose body has arrived.
struct Call<'a> {
    shared: &'a Shared,
    hash: &'a [u8; 32],
    holder: &'a Holder,
    path: &'static str,
    headers: &'a HeaderMap,
    body: &'a [u8],
}

/// The start of a transaction that records something.
enum Begun<'c> {
    New(Transaction<'c>),
    /// The request was answered before.
    Answered(Reply),
}

impl Begun<'_> {
    fn into_reply(self) -> Reply {
        match self {
            Self::Answered(reply) => reply,
            Self::New(_) => Refusal::from(Code::Internal).reply(),
        }
    }
}

impl Call<'_> {
    /// The body, checked, and the project that it is about.
    async fn parse<T: OfProject>(&self, answered: &mut Answered) -> Result<(i32, T), Refusal> {
        let body: T = parse_body(self.body)?;
        let project = match self.holder.project(body.project_id()) {
            Ok(project) => project,
            // The id may have been linked since the key was looked up.
            Err(_) => {
                let client = self.shared.pool.get().await?;
                self.shared.keys.look_up(&**client, self.hash).await?.project(body.project_id())?
            }
        };
        answered.project = Some(project);
        body.check()?;
        Ok((project, body))
    }

    fn count_duplicates(&self, duplicates: u64) {
        self.shared.metrics.duplicates.fetch_add(duplicates, Ordering::Relaxed);
    }

    /// The idempotency key of the request, if it has one.
    fn request_key(&self) -> Result<Option<&str>, Refusal> {
        let Some(key) = self.headers.get("idempotency-key") else { return Ok(None) };
        let is_key = |key: &&str| (1..=MAX_REQUEST_KEY_BYTES).contains(&key.len());
        let key = key.to_str().ok().map(str::trim).filter(is_key);
        key.map(Some).ok_or_else(|| Refusal::invalid("Idempotency-Key"))
    }

    /// Begins a transaction. A request with the idempotency key of an earlier one waits for its end and gets its
    /// response, also from another server.
    async fn begin<'c>(&self, client: &'c mut Client, project: i32) -> Result<Begun<'c>, Refusal> {
        let key = self.request_key()?;
        let tx = client.transaction().await?;
        let Some(key) = key else { return Ok(Begun::New(tx)) };
        let hash = blake3::hash(self.body);
        let hash = hash.as_bytes().as_slice();
        let insert = tx
            .prepare_cached(
                "INSERT INTO requests (project, route, request_key, body_hash) VALUES ($1, $2, $3, $4) \
                 ON CONFLICT DO NOTHING",
            )
            .await?;
        if tx.execute(&insert, &[&project, &self.path, &key, &hash]).await? == 1 {
            return Ok(Begun::New(tx));
        }
        let select = "SELECT body_hash, status, response FROM requests \
             WHERE project = $1 AND route = $2 AND request_key = $3";
        let earlier = tx.query_one(&tx.prepare_cached(select).await?, &[&project, &self.path, &key]).await?;
        if earlier.get::<_, &[u8]>(0) != hash {
            return Err(Code::KeyReused.into());
        }
        let (status, response): (Option<i16>, Option<String>) = (earlier.get(1), earlier.get(2));
        let status = status.and_then(|status| StatusCode::from_u16(u16::try_from(status).ok()?).ok());
        let (Some(status), Some(response)) = (status, response) else { return Err(Code::Internal.into()) };
        self.count_duplicates(1);
        let mut reply = Reply::new(status, "application/json", response);
        reply.is_replayed = true;
        Ok(Begun::Answered(reply))
    }

    /// Stores the response under the idempotency key, if there is one, and commits: both or nothing.
    async fn commit(
        &self,
        tx: Transaction<'_>,
        project: i32,
        status: StatusCode,
        response: &impl Serialize,
    ) -> Result<Reply, Refusal> {
        let reply = Reply::json(status, response);
        if let Some(key) = self.request_key()? {
            let text = std::str::from_utf8(&reply.body).map_err(|_| Code::Internal)?;
            let status = i16::try_from(status.as_u16()).unwrap_or_default();
            let update = tx
                .prepare_cached(
                    "UPDATE requests SET status = $4, response = $5 \
                     WHERE project = $1 AND route = $2 AND request_key = $3",
                )
                .await?;
            tx.execute(&update, &[&project, &self.path, &key, &status, &text]).await?;
        }
        tx.commit().await?;
        Ok(reply)
    }
}

fn check_media_type(headers: &HeaderMap) -> Result<(), Refusal> {
    let given = headers.get(header::CONTENT_TYPE).and_then(|given| given.to_str().ok()).unwrap_or_default();
    let media = given.split(';').next().unwrap_or_default().trim();
    if media.eq_ignore_ascii_case("application/json") { Ok(()) } else { Err(Code::UnsupportedMediaType.into()) }
}

async fn read_body(body: Incoming, max_bytes: usize) -> Result<Bytes, Refusal> {
    let collected = tokio::time::timeout(BODY_TIMEOUT, Limited::new(body, max_bytes).collect()).await;
    match collected.map_err(|_| Code::RequestTimeout)? {
        Ok(body) => Ok(body.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(Code::TooLarge.into()),
        Err(_) => Err(Code::InvalidRequest.into()),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;

    #[test]
    fn the_description_of_the_wire_has_the_routes_and_the_codes_of_the_server() {
        let description: Value = serde_json::from_str(OPENAPI).unwrap();
        let paths = description["paths"].as_object().unwrap();
        let described: BTreeSet<(String, String)> = paths
            .iter()
            .flat_map(|(path, methods)| {
                methods.as_object().unwrap().keys().map(|method| (method.to_uppercase(), path.clone()))
            })
            .collect();
        let routes = ROUTES.iter().map(|(method, path)| ((*method).to_owned(), (*path).to_owned())).collect();
        assert_eq!(described, routes);
        let codes = &description["components"]["schemas"]["Refusal"]["properties"]["error"]["properties"]["code"];
        let codes: BTreeSet<&str> =
            codes["enum"].as_array().unwrap().iter().map(|code| code.as_str().unwrap()).collect();
        assert_eq!(codes, Code::ALL.iter().map(|code| code.parts().1).collect());
        for (status, code) in Code::ALL.iter().map(|code| (code.parts().0, code)) {
            let is_described = |path: &Value| {
                path.as_object().unwrap().values().any(|method| method["responses"][status.as_str()].is_object())
            };
            // These two answer paths and methods that are not described.
            let is_of_no_route = matches!(code, Code::MethodNotAllowed | Code::Internal);
            assert!(is_of_no_route || paths.values().any(is_described), "{code:?}");
        }
        assert_eq!(description["info"]["version"], env!("CARGO_PKG_VERSION"));
    }
}
