//! The order of found records by a model, where the writer has chosen one for it.

use std::sync::Arc;

use palimpsest_memory::{
    model::{Answer, FoundRecord, FoundRecords, ProjectId, Purpose},
    ports::Reranker,
};
use palimpsest_providers::reranker;
use palimpsest_text::tokens;

use crate::{Api, dto::saturating_u32, error::OrLog, events};

/// Maximum number of characters of a document. Reranking models read about 500 tokens.
const MAX_DOCUMENT_CHARS: usize = 1_500;

/// Number of records of a search that does not name it.
const DEFAULT_LIMIT: u32 = 5;
/// Number of records that a model chooses from, for each wanted one, and at most.
const CANDIDATES_PER_RECORD: u32 = 4;
const MAX_CANDIDATES: u32 = 50;

impl Api {
    /// The found records in the order of the model that the writer chose for it, at most `limit`. Without one, with no
    /// request left today, or when it fails, their order stays. Names are hidden from it.
    pub(crate) fn rerank(
        &self,
        (project_id, query): (Option<&ProjectId>, &str),
        found: FoundRecords,
        limit: usize,
    ) -> FoundRecords {
        let scores = match self.reranking_model() {
            Some(model) if found.records.len() > 1 => self.score(model.as_ref(), project_id, query, &found),
            _ => None,
        };
        let FoundRecords { mut records, .. } = found;
        let is_reranked = scores.is_some();
        if let Some(scores) = scores {
            for (record, score) in records.iter_mut().zip(scores) {
                record.score = score;
            }
            records.sort_by(|a, b| b.score.total_cmp(&a.score));
        }
        records.truncate(limit);
        FoundRecords { records, is_reranked }
    }

    /// Orders the records that the memory loads for a query of a book, as [`Api::rerank`] does.
    pub(crate) fn choose_records(
        &self,
        project_id: &ProjectId,
        query: &str,
        limit: usize,
    ) -> impl Fn(Vec<FoundRecord>) -> Vec<FoundRecord> {
        move |records| {
            let found = FoundRecords { records, is_reranked: false };
            self.rerank((Some(project_id), query), found, limit).records
        }
    }

    /// For a search of at most `top_k` records: that number, and the number to search for. A model that orders them
    /// chooses from more.
    pub(crate) fn records_to_rerank(&self, top_k: Option<u32>) -> (usize, Option<u32>) {
        let limit = top_k.unwrap_or(DEFAULT_LIMIT);
        let reranks = self.engine.models().for_purpose(Purpose::Reranking).provider_id.is_some();
        let more = limit.saturating_mul(CANDIDATES_PER_RECORD).min(MAX_CANDIDATES);
        // A number out of range is refused by the search.
        (limit as usize, if reranks && limit > 0 { Some(more.max(limit)) } else { top_k })
    }

    /// The scores of the records, 0..1, in their order; `None` where the model gives none.
    fn score(
        &self,
        model: &dyn Reranker,
        project_id: Option<&ProjectId>,
        query: &str,
        found: &FoundRecords,
    ) -> Option<Vec<f64>> {
        self.allowed_today(1).or_log("rerank within the limit of the day")?;
        let text = |record: &Answer| format!("{}\n{}", record.question, record.answer);
        let mut texts = vec![query.to_owned()];
        texts.extend(found.records.iter().map(|found| text(&found.record).chars().take(MAX_DOCUMENT_CHARS).collect()));
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let nowhere = Answer::no_project();
        let hidden = self.engine.hide_names(project_id.unwrap_or(&nowhere), &texts);
        let hidden = hidden.or_log("hide names before reranking")?;
        let documents: Vec<&str> = hidden[1..].iter().map(String::as_str).collect();
        let scores = model.rerank(&hidden[0], &documents).or_log("rerank records")?;
        let cost: usize = hidden.iter().map(|text| tokens::count(text)).sum();
        events::emit(&self.events, events::MEMORY_CHANGED, &self.engine.count_usage(saturating_u32(cost)).change);
        Some(scores)
    }

    /// The model that orders what a search found, if the writer chose one.
    fn reranking_model(&self) -> Option<Arc<dyn Reranker>> {
        let models = self.engine.models();
        let chosen = models.for_purpose(Purpose::Reranking);
        let provider = models.provider(chosen.provider_id.as_deref()?)?;
        let endpoint = self.endpoint(provider).or_log("read the address of a model")?;
        Some(reranker(&self.network, endpoint, chosen.model.clone()?))
    }
}
