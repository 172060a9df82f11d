//! Embeddings from a server: `/embeddings`, as in OpenAI's API and compatible ones.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use palimpsest_memory::{
    model::ProviderKind,
    ports::{Embedder, EmbedderError, ModelError, ModelErrorKind as Kind},
};
use serde_json::{Value, json};

use crate::{chat::kind_name, endpoint::Endpoint, failure::Failure, network::Network, post::post_json};

/// The initial number of texts per request. Servers accept between 10 and 2,048; after a refusal it is halved.
const INITIAL_BATCH_SIZE: usize = 32;

/// The most dimensions of a vector. The largest models in use have 4,096.
const MAX_DIMENSIONS: usize = 8_192;

/// The most bytes of a number as JSON, with its comma and blanks.
const MAX_NUMBER_BYTES: usize = 32;

/// The most bytes of an answer in addition to its numbers.
const MAX_FRAME_BYTES: usize = 64 << 10;

/// The text that is sent to detect the dimensions.
const SAMPLE: &str = "palimpsest";

/// A text of at most this many characters is not halved when a server finds it too long.
const MAX_UNCUT_CHARS: usize = 64;

/// An embedding model behind the network.
pub(crate) struct RemoteEmbedder {
    network: Arc<Network>,
    endpoint: Endpoint,
    /// The server's name of the model.
    name: String,
    /// The identity of its vectors: kind, host and model.
    model: String,
    dimensions: usize,
    batch_size: AtomicUsize,
}

impl RemoteEmbedder {
    /// Detects the dimensions with the vector of one word.
    pub(crate) fn connect(network: Arc<Network>, endpoint: Endpoint, model: &str) -> Result<Self, ModelError> {
        let identity = format!("{}:{}/{model}", kind_name(endpoint.kind), endpoint.base_url.host());
        let batch_size = AtomicUsize::new(INITIAL_BATCH_SIZE);
        let mut this = Self { network, endpoint, name: model.to_owned(), model: identity, dimensions: 0, batch_size };
        if this.endpoint.kind == ProviderKind::Anthropic {
            let message = "Anthropic makes no vectors: choose another provider for finding by meaning";
            return Err(ModelError::new(Kind::RequestRefused, message));
        }
        let vectors = this.request(&[SAMPLE]).map_err(|failure| failure.error)?;
        this.dimensions = vectors.first().map_or(0, Vec::len);
        Ok(this)
    }

    /// The vectors of these texts, in one or more requests.
    fn embed_batches(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, Failure> {
        let mut vectors = Vec::with_capacity(texts.len());
        while vectors.len() < texts.len() {
            let left = &texts[vectors.len()..];
            let batch_size = self.batch_size.load(Ordering::Relaxed).clamp(1, left.len());
            match self.request(&left[..batch_size]) {
                Ok(more) => vectors.extend(more),
                // Possibly too many texts: servers report that in different ways.
                Err(failure) if batch_size > 1 && may_be_too_long(failure.error.kind) => {
                    self.batch_size.store(batch_size / 2, Ordering::Relaxed);
                }
                Err(failure) if failure.error.kind == Kind::ContextTooLong => match first_half(left[0]) {
                    // The vector of its first half is better than none.
                    Some(half) => vectors.extend(self.embed_batches(&[half])?),
                    None => return Err(failure),
                },
                Err(failure) => return Err(failure),
            }
        }
        Ok(vectors)
    }

    fn request(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, Failure> {
        let body = json!({ "model": self.name, "input": texts });
        let max_bytes = texts.len() * MAX_DIMENSIONS * MAX_NUMBER_BYTES + MAX_FRAME_BYTES;
        post_json((&self.network, &self.endpoint), "/embeddings", &body, max_bytes, |answer| {
            parse_vectors(answer, texts.len(), self.dimensions)
        })
    }
}

impl Embedder for RemoteEmbedder {
    fn model(&self) -> &str {
        &self.model
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn embed(&self, text: &str) -> Result<Vec<f32>, EmbedderError> {
        let mut vectors = self.embed_all(&[text])?;
        vectors.pop().ok_or_else(|| EmbedderError::from(Kind::Malformed))
    }

    fn embed_all(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedderError> {
        self.embed_batches(texts).map_err(|failure| failure.error.kind.into())
    }
}

fn may_be_too_long(kind: Kind) -> bool {
    matches!(kind, Kind::RequestRefused | Kind::ContextTooLong)
}

/// The first half of a text, cut between two characters.
fn first_half(text: &str) -> Option<&str> {
    let characters = text.chars().count();
    let (end, _) = text.char_indices().nth(characters / 2)?;
    (characters > MAX_UNCUT_CHARS).then(|| &text[..end])
}

/// Vectors in the order of their texts, normalized to length one; `None` unless there is one for each text, all
/// with `dimensions` numbers (0: not known yet).
fn parse_vectors(body: &Value, texts: usize, dimensions: usize) -> Option<Vec<Vec<f32>>> {
    let data = body["data"].as_array()?;
    if data.len() != texts {
        return None;
    }
    let mut vectors = vec![Vec::new(); texts];
    for (index, item) in data.iter().enumerate() {
        let index = item["index"].as_u64().map_or(Some(index), |number| usize::try_from(number).ok())?;
        let slot = vectors.get_mut(index).filter(|slot| slot.is_empty())?;
        *slot = normalize(item["embedding"].as_array()?)?;
    }
    let length = if dimensions == 0 { vectors.first()?.len() } else { dimensions };
    vectors.iter().all(|vector| vector.len() == length).then_some(vectors)
}

fn normalize(numbers: &[Value]) -> Option<Vec<f32>> {
    let numbers: Vec<f64> = numbers.iter().map(Value::as_f64).collect::<Option<_>>()?;
    let length = numbers.iter().map(|number| number * number).sum::<f64>().sqrt();
    #[expect(clippy::cast_possible_truncation, reason = "vectors are kept in less than single precision")]
    let unit = || numbers.iter().map(|number| (number / length) as f32).collect();
    (length.is_finite() && length > 0.0 && numbers.len() <= MAX_DIMENSIONS).then(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(items: &[(u64, &[f64])]) -> Value {
        let items: Vec<Value> = items.iter().map(|(index, it)| json!({ "index": index, "embedding": it })).collect();
        json!({ "data": items })
    }

    #[test]
    fn vectors_come_in_the_order_of_their_texts_and_of_length_one() {
        let read_back = parse_vectors(&body(&[(1, &[0.0, 2.0]), (0, &[3.0, 4.0])]), 2, 2).unwrap();
        assert_eq!(read_back, [[0.6, 0.8], [0.0, 1.0]]);
    }

    #[test]
    fn vectors_that_do_not_belong_to_their_texts_are_refused() {
        assert!(parse_vectors(&body(&[(0, &[1.0])]), 2, 1).is_none(), "one is missing");
        assert!(parse_vectors(&body(&[(0, &[1.0]), (0, &[1.0])]), 2, 1).is_none(), "one comes twice");
        assert!(parse_vectors(&body(&[(5, &[1.0])]), 1, 1).is_none(), "of a text that was not sent");
        assert!(parse_vectors(&body(&[(0, &[1.0, 0.0])]), 1, 3).is_none(), "of another length");
        assert!(parse_vectors(&body(&[(0, &[1.0]), (1, &[1.0, 0.0])]), 2, 0).is_none(), "of two lengths");
        assert!(parse_vectors(&body(&[(0, &[0.0, 0.0])]), 1, 2).is_none(), "without direction");
        assert!(parse_vectors(&body(&[(0, &[])]), 1, 0).is_none(), "empty");
        assert!(parse_vectors(&body(&[(0, &vec![1.0; MAX_DIMENSIONS])]), 1, 0).is_some());
        assert!(
            parse_vectors(&body(&[(0, &vec![1.0; MAX_DIMENSIONS + 1])]), 1, 0).is_none(),
            "longer than any model makes"
        );
        assert!(parse_vectors(&json!({ "data": [{ "embedding": "AAAA" }] }), 1, 0).is_none(), "no numbers");
        assert!(parse_vectors(&json!([]), 1, 0).is_none());
    }

    #[test]
    fn a_text_is_halved_between_two_characters() {
        let long = "雨".repeat(99);
        assert_eq!(first_half(&long).map(|half| half.chars().count()), Some(49));
        assert_eq!(first_half("短"), None);
    }
}
