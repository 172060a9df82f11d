//! `npm run bench -- server`: searches of a team's server among a hundred thousand answers, beside a bare query of
//! pgvector.
//!
//! Answers are recorded through the server, without vectors. Their vectors are near those of the bundled encoder and
//! copied into the database, because encoding them would take an hour; queries are encoded by the server.

use std::{
    fs,
    process::{Command, Stdio},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use palimpsest_api::ports::Embedder;
use palimpsest_embedder::{Encoder, MODEL};
use palimpsest_server_tests::{Client, Cluster, Database, Server};
use serde_json::json;
use tempfile::TempDir;

use crate::{corpus::Corpus, figures::Figures, synthetic::Synthetic};

/// The size of a run.
pub struct Size {
    answers: usize,
    /// Searches of each client.
    searches: usize,
    floor_seconds: u32,
}

impl Size {
    /// The size of the figures in `docs/benchmarks.md`.
    pub const WHOLE: Self = Self { answers: 100_000, searches: 60, floor_seconds: 20 };
    /// A small size for checking that the benchmark runs. Its figures mean nothing.
    pub const SAMPLE: Self = Self { answers: 300, searches: 3, floor_seconds: 1 };
}

/// Clients of the measurement, and of the recording before it.
const CLIENTS: usize = 64;
const RECORDERS: usize = 16;
/// Characters of a question and of an answer.
const QUESTION: usize = 20;
const ANSWER: usize = 200;
/// Texts that the bundled encoder reads, near which the vectors of all others are.
const SAMPLES: usize = 400;

/// Fills a database, starts a server on it, and measures.
pub fn run(size: &Size) {
    let Some(folder) = palimpsest_api::bundled_encoder() else {
        println!("The bundled encoder is not there: run `npm run setup`.");
        return;
    };
    let settings = ["shared_buffers=1GB", "maintenance_work_mem=1GB", "max_wal_size=4GB", "max_connections=200"];
    let Some(cluster) = Cluster::start(&settings) else { return };
    let database = Arc::new(cluster).database();
    let key = database.add_project("bench", &[]);
    let recording = record(&database, &key, size);
    recording.times.print(&format!("server: record, on disk, {RECORDERS} clients"), None);
    println!("{RECORDERS} clients record {:.0} answers a second.", recording.per_second);
    let encoder = Encoder::load(&folder).expect("the encoder loads");
    copy_vectors(&database, &encoder);
    for clients in [1, CLIENTS] {
        let floor = bare_queries(&database, clients, size.floor_seconds);
        floor.times.print(&format!("server: bare query of pgvector, {clients} clients (floor)"), None);
        let options =
            ["--embedder", &folder.to_string_lossy(), "--requests-per-minute", "1000000", "--connections", "16"];
        let server = Server::start_with(&database.address(), &options);
        while server.client("").get("/health").body["encoder"] != "ok" {
            thread::yield_now();
        }
        let search = searches(&server, &key, clients, size.searches);
        let what = format!("server: search among {} answers, {clients} clients", size.answers);
        search.times.print(&what, Some(&floor.times));
        println!(
            "{clients} clients: {:.0} searches a second, {:.0} bare queries.",
            search.per_second, floor.per_second
        );
    }
}

/// Times of requests, and their number in a second.
struct Measured {
    times: Figures,
    per_second: f64,
}

/// Runs a request of several clients, `each` times each.
fn time_clients(clients: usize, each: usize, start: impl Fn(usize) -> Box<dyn FnMut() + Send> + Sync) -> Measured {
    let begun = Instant::now();
    let all: Vec<Figures> = thread::scope(|scope| {
        let workers: Vec<_> = (0..clients)
            .map(|client| {
                let start = &start;
                scope.spawn(move || {
                    let (mut request, mut times) = (start(client), Figures::default());
                    for _ in 0..each {
                        let begun = Instant::now();
                        request();
                        times.add(begun.elapsed());
                    }
                    times
                })
            })
            .collect();
        workers.into_iter().map(|worker| worker.join().expect("a client")).collect()
    });
    let per_second = (clients * each) as f64 / begun.elapsed().as_secs_f64();
    let mut times = Figures::default();
    all.into_iter().for_each(|one| times.join(one));
    Measured { times, per_second }
}

fn client(server: &Server, key: &str) -> Client {
    let mut client = server.client(key);
    client.checks = false;
    client
}

fn record(database: &Database, key: &str, size: &Size) -> Measured {
    let server = Server::start(&database.address());
    time_clients(RECORDERS, size.answers / RECORDERS, |seed| {
        let (mut client, mut corpus) = (client(&server, key), Corpus::new(seed as u64, 1));
        Box::new(move || {
            let (question, answer) = (corpus.prose(QUESTION), corpus.prose(ANSWER));
            let body = json!({ "project_id": "bench", "question": question, "answer": answer });
            assert_eq!(client.post("candidates", &body).status, 201);
        })
    })
}

/// Gives every answer its two vectors, and makes their indexes as the migration does.
fn copy_vectors(database: &Database, encoder: &Encoder) {
    let mut corpus = Corpus::new(7, 1);
    let samples: Vec<String> = (0..SAMPLES).map(|_| corpus.prose(QUESTION)).collect();
    let synthetic = Synthetic::like(encoder, &samples);
    database.sql("DROP INDEX question_vectors; DROP INDEX answer_vectors");
    let project = database.sql("SELECT project FROM projects");
    let ids = database.sql("SELECT answer FROM answers ORDER BY answer");
    let ids: Vec<&str> = ids.lines().collect();
    for some in ids.chunks(5_000) {
        let mut copy = "COPY vectors (project, answer, part, vector) FROM STDIN;\n".to_owned();
        for (id, part) in some.iter().flat_map(|id| [(id, 0), (id, 1)]) {
            let vector = synthetic.embed(&format!("{id} {part}")).expect("a vector");
            let numbers: Vec<String> = vector.iter().map(|number| format!("{number:.5}")).collect();
            copy.push_str(&format!("{project}\t{id}\t{part}\t[{}]\n", numbers.join(",")));
        }
        copy.push_str("\\.\n");
        database.sql(&copy);
    }
    let begun = Instant::now();
    for (name, part) in [("question_vectors", 0), ("answer_vectors", 1)] {
        database.sql(&format!("CREATE INDEX {name} ON vectors USING hnsw (vector halfvec_ip_ops) WHERE part = {part}"));
    }
    println!("The indexes of {} vectors are made in {:.0} s.", 2 * ids.len(), begun.elapsed().as_secs_f64());
    database.sql(&format!("UPDATE answers SET encoder = '{MODEL}'; VACUUM ANALYZE"));
}

/// The nearest questions of a random vector, by `pgbench` with prepared statements.
fn bare_queries(database: &Database, clients: usize, seconds: u32) -> Measured {
    let folder = TempDir::new().expect("a folder");
    let script = folder.path().join("nearest.sql");
    let (project, last) =
        (database.sql("SELECT project FROM projects"), database.sql("SELECT max(answer) FROM answers"));
    let statements = format!(
        "\\set id random(1, {last})\nSELECT answer FROM vectors_{project} WHERE part = 0 ORDER BY vector <#> (SELECT \
         vector FROM vectors_{project} WHERE project = {project} AND part = 0 AND answer >= :id ORDER BY answer LIMIT 1) \
         LIMIT 40;\n"
    );
    fs::write(&script, statements).expect("a script");
    let mut pgbench = Command::new(database.cluster().program("pgbench"));
    pgbench.args(["-n", "-M", "prepared", "-j", "2", "-c", &clients.to_string(), "-T", &seconds.to_string(), "-l"]);
    pgbench.arg("-f").arg(&script).arg("--log-prefix").arg(folder.path().join("times"));
    pgbench.arg(database.address()).env("PGOPTIONS", "-c hnsw.ef_search=100").stdout(Stdio::null());
    assert!(pgbench.status().expect("pgbench").success(), "pgbench");
    let mut times = Figures::default();
    let mut count = 0_u32;
    for entry in fs::read_dir(folder.path()).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path == script {
            continue;
        }
        for line in fs::read_to_string(path).expect("times").lines() {
            let microseconds = line.split(' ').nth(2).and_then(|time| time.parse().ok()).expect("a time");
            times.add(Duration::from_micros(microseconds));
            count += 1;
        }
    }
    Measured { times, per_second: f64::from(count) / f64::from(seconds) }
}

fn searches(server: &Server, key: &str, clients: usize, each: usize) -> Measured {
    let begin = |seed: usize| {
        let (mut client, mut corpus) = (client(server, key), Corpus::new(1_000 + seed as u64, 1));
        let search = move || {
            let body = json!({ "project_id": "bench", "query": corpus.prose(QUESTION) });
            assert_eq!(client.post("search", &body).status, 200);
        };
        Box::new(search) as Box<dyn FnMut() + Send>
    };
    // The first searches read pages and prepare statements.
    time_clients(clients, 2, begin);
    time_clients(clients, if clients == 1 { 4 * each } else { each }, begin)
}
