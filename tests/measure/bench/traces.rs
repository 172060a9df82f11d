//! `npm run bench -- traces`: the time to ask why a passage was written, in a book of fifty thousand generations.

use std::sync::Arc;

use palimpsest_memory::{
    Engine, NewTrace, Options,
    model::{AssembleRequest, GenerationId, Language, ProjectId},
    ports::ModelInfo,
};
use tempfile::TempDir;

use crate::{DAY, call, corpus::Corpus, time};
use palimpsest_api::{Api, SystemClock, SystemIds};
use serde_json::json;

/// Generations in the book.
const GENERATIONS: usize = 50_000;
/// Distinct prompts, which the generations share: prompt assembly is not measured here.
const PROMPTS: usize = 100;
/// Rules in each prompt.
const RULES: usize = 20;
/// Requests that are timed, never for the same generation twice in a row.
const ASKED: usize = 2_000;

/// Fills a book through the engine's own writes, and measures.
pub fn run() {
    let folder = TempDir::new().expect("a folder");
    let data = folder.path().join("data");
    let mut corpus = Corpus::new(42, 7 * DAY);
    let (project, generations) = fill(&data, &mut corpus);
    let api = Api::open(palimpsest_api::Options::new(data.clone(), Arc::new(|_, _| {}))).expect("the memory opens");
    let size = std::fs::metadata(data.join("episodes.db")).map_or(0, |file| file.len() / 1_000_000);
    let mut at = 0;
    let figures = time(ASKED, || {
        at = (at + 7_919) % generations.len();
        let of = json!({ "projectId": project, "generationId": generations[at] });
        drop(call(&api, "memory:trace:get", of));
    });
    figures.print(&format!("why, of one of {} generations ({size} MB)", generations.len()), None);
}

/// Fills a memory with one book, and returns the book and its generations.
fn fill(data: &std::path::Path, corpus: &mut Corpus) -> (ProjectId, Vec<GenerationId>) {
    let options = Options {
        data_dir: data.to_owned(),
        clock: Arc::new(SystemClock),
        ids: Arc::new(SystemIds),
        config_file: None,
    };
    let engine = Engine::open(options).expect("the memory opens");
    let project = engine.open_project(&"book".into(), "夜航", Language::Zh, None).expect("a book").value.project_id;
    for n in 0..RULES {
        let rule = json!({ "rule": format!("第{n}条：{}", corpus.prose(20)), "category": "style", "scope": "project",
            "projectId": project });
        let draft = serde_json::from_value(rule).expect("a rule");
        drop(engine.add_rule(draft).expect("room for a rule"));
    }
    let requests: Vec<AssembleRequest> =
        (0..PROMPTS).map(|_| AssembleRequest::new(project.clone(), "chapter", "continue", corpus.prose(600))).collect();
    let contexts: Vec<_> =
        requests.iter().map(|request| engine.assemble(request, &[]).expect("a prompt").context).collect();
    let draft = corpus.prose(160);
    let generations = (0..GENERATIONS).map(|n| {
        let (request, context) = (&requests[n % PROMPTS], &contexts[n % PROMPTS]);
        let provider = ModelInfo { provider: "sample".into(), model: "sample-1".into(), sample: true };
        let trace = engine.begin_trace(NewTrace { request, context, provider, seed: 1 }).expect("a trace").value;
        engine.finalize_trace(&trace.generation_id);
        // Every tenth generation is measured too, because the panel asks about those.
        if n % 10 == 0 {
            let drafts = [(0, draft.as_str())];
            drop(engine.measure_drafts(&project, &trace.generation_id, &drafts).expect("measured"));
        }
        trace.generation_id
    });
    (project.clone(), generations.collect())
}
