//! Reranking by a server: `/rerank`, as in Jina's and Cohere's API and compatible ones (llama.cpp, vLLM, Infinity).

use std::sync::Arc;

use palimpsest_memory::{
    model::ProviderKind,
    ports::{ModelError, ModelErrorKind as Kind, Reranker},
};
use serde_json::{Value, json};

use crate::{endpoint::Endpoint, network::Network, post::post_json};

/// The most bytes of one result, without the text of its document.
const MAX_RESULT_BYTES: usize = 512;

/// The most bytes of an answer in addition to its results.
const MAX_FRAME_BYTES: usize = 64 << 10;

/// A reranking model behind the network.
pub(crate) struct RemoteReranker {
    network: Arc<Network>,
    endpoint: Endpoint,
    model: String,
}

impl RemoteReranker {
    pub(crate) fn new(network: Arc<Network>, endpoint: Endpoint, model: String) -> Self {
        Self { network, endpoint, model }
    }
}

impl Reranker for RemoteReranker {
    fn rerank(&self, query: &str, documents: &[&str]) -> Result<Vec<f64>, ModelError> {
        if documents.is_empty() {
            return Ok(Vec::new());
        }
        if self.endpoint.kind == ProviderKind::Anthropic {
            let message = "Anthropic has no reranking model: choose another provider for it";
            return Err(ModelError::new(Kind::RequestRefused, message));
        }
        let body = json!({
            "model": self.model, "query": query, "documents": documents,
            "top_n": documents.len(), "return_documents": false,
        });
        // A server that ignores `return_documents` sends every document back.
        let texts: usize = documents.iter().map(|document| 6 * document.len()).sum();
        let max_bytes = documents.len() * MAX_RESULT_BYTES + texts + MAX_FRAME_BYTES;
        post_json((&self.network, &self.endpoint), "/rerank", &body, max_bytes, |answer| {
            parse_scores(answer, documents.len())
        })
        .map_err(|failure| failure.error)
    }
}

/// The score of each document, 0..1; `None` unless there is exactly one for each. Some servers return logits: if one of
/// the scores is outside of 0..1, all of them are mapped by the logistic function.
fn parse_scores(answer: &Value, documents: usize) -> Option<Vec<f64>> {
    let results = answer["results"].as_array().or_else(|| answer["data"].as_array()).or_else(|| answer.as_array())?;
    let mut scores = vec![None; documents];
    for result in results {
        let index = usize::try_from(result["index"].as_u64()?).ok()?;
        let score = result["relevance_score"].as_f64().or_else(|| result["score"].as_f64())?;
        let slot = scores.get_mut(index).filter(|slot| slot.is_none())?;
        *slot = Some(score).filter(|score| score.is_finite());
    }
    let scores: Vec<f64> = scores.into_iter().collect::<Option<_>>()?;
    let is_share = scores.iter().all(|score| (0.0..=1.0).contains(score));
    Some(if is_share { scores } else { scores.into_iter().map(|score| 1.0 / (1.0 + (-score).exp())).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_come_in_the_order_of_the_documents() {
        let jina =
            json!({ "results": [{ "index": 1, "relevance_score": 0.9 }, { "index": 0, "relevance_score": 0.1 }] });
        assert_eq!(parse_scores(&jina, 2).unwrap(), [0.1, 0.9]);
        let infinity = json!({ "data": [{ "index": 0, "score": 0.5 }] });
        assert_eq!(parse_scores(&infinity, 1).unwrap(), [0.5]);
        let bare = json!([{ "index": 0, "score": 0.25 }]);
        assert_eq!(parse_scores(&bare, 1).unwrap(), [0.25]);
    }

    #[test]
    fn logits_keep_their_order_and_become_shares() {
        let answer =
            json!({ "results": [{ "index": 0, "relevance_score": -3.0 }, { "index": 1, "relevance_score": 0.0 }] });
        let scores = parse_scores(&answer, 2).unwrap();
        assert!(scores[0] < scores[1] && (scores[1] - 0.5).abs() < 1e-12, "{scores:?}");
    }

    #[test]
    fn scores_that_do_not_belong_to_their_documents_are_refused() {
        let one = |index: u64, score: Value| json!({ "results": [{ "index": index, "relevance_score": score }] });
        assert!(parse_scores(&one(0, json!(0.5)), 2).is_none(), "one is missing");
        assert!(parse_scores(&one(3, json!(0.5)), 1).is_none(), "of a document that was not sent");
        assert!(parse_scores(&one(0, json!("high")), 1).is_none(), "no number");
        let twice = json!({ "results": [{ "index": 0, "score": 0.1 }, { "index": 0, "score": 0.2 }] });
        assert!(parse_scores(&twice, 1).is_none(), "one comes twice");
        assert!(parse_scores(&json!({ "results": "none" }), 1).is_none());
    }
}
