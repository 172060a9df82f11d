//! Providers, the models of the purposes, and their usage: the commands, and the choice of the model that writes.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Instant,
};

use palimpsest_memory::{
    Assembled, Code, Connect, DEFAULT_BUDGET, Engine, MIN_BUDGET,
    model::{
        AssembleRequest, Cause, DailyLimits, DegradedCode, DegradedReason, Provider as Stored, ProviderDraft, Purpose,
        PurposeModel, Reason, Usage,
    },
    ports::{EmbedderError, GenerationRequest, Message, ModelError, ModelErrorKind, Role, Stop, StopReason, TextModel},
};
use palimpsest_providers::{BaseUrl, Endpoint, Network, context_tokens, embedder, find_ollama, models, text_model};

use crate::{
    Api, Keys,
    dto::{
        DeletedProvider, FoundModels, ModelList, NoArguments, Provider, ProviderArguments, ProviderList, SaveProvider,
        SetLimits, SetPurpose, TestProvider, Tested, saturating_u32,
    },
    error::{ApiError, OrLog},
    events::EventSink,
    metered::Metered,
};

/// Maximum tokens of a candidate.
const MAX_ANSWER_TOKENS: u32 = 1_000;
/// For a model with a short context: the answer may use at most one part in this many.
const ANSWER_SHARE: u32 = 3;
/// Maximum tokens of the answer to a test: a word, and the reasoning that some models write before it.
const MAX_TEST_ANSWER_TOKENS: u32 = 64;

/// The model that writes, where the host program overrides the choice.
#[derive(Clone, Default)]
pub enum Writing {
    /// The model that the writer has chosen.
    #[default]
    Chosen,
    /// The built-in one, regardless of the writer's choice.
    BuiltIn,
    /// This one, regardless of the writer's choice.
    Given(Endpoint, String),
}

/// The model that writes, with its properties.
pub(crate) struct WritingModel {
    pub(crate) model: Arc<dyn TextModel>,
    /// Maximum tokens of prompt and answer together; `None` where unknown.
    pub(crate) context_tokens: Option<u32>,
    source: Option<Source>,
    /// Why it is not the chosen model.
    reason: Option<String>,
}

/// The model that answers questions, with its properties. Its usage is counted, within the writer's daily limits.
pub(crate) struct AskingModel {
    pub(crate) model: Arc<dyn TextModel>,
    /// Host and port.
    pub(crate) host: String,
    /// Whether it runs on this machine.
    pub(crate) is_local: bool,
    context_tokens: Option<u32>,
}

impl AskingModel {
    /// Maximum tokens of an answer.
    pub(crate) fn answer_tokens(&self) -> u32 {
        answer_tokens(self.context_tokens)
    }

    /// Maximum tokens of a prompt.
    pub(crate) fn prompt_tokens(&self) -> u32 {
        default_budget(self.context_tokens)
    }
}

/// The parts that the choice of a model needs.
pub(crate) struct ModelAccess<'a> {
    pub(crate) engine: &'a Arc<Engine>,
    pub(crate) keys: &'a Arc<dyn Keys>,
    pub(crate) network: &'a Arc<Network>,
    pub(crate) events: &'a EventSink,
    pub(crate) writing: &'a Writing,
}

impl ModelAccess<'_> {
    /// The model of the first of these purposes that has one, within the writer's daily limits. `given_context`: the
    /// context of a model that was given, in tokens.
    pub(crate) fn first_of(&self, purposes: &[Purpose], given_context: Option<u32>) -> Option<AskingModel> {
        let asking = |endpoint: Endpoint, model: &str, context_tokens| AskingModel {
            host: endpoint.base_url.display_name(),
            is_local: endpoint.base_url.is_this_machine(),
            model: Arc::new(Metered {
                inner: text_model(self.network, endpoint, model.to_owned()),
                engine: Arc::clone(self.engine),
                events: Arc::clone(self.events),
            }),
            context_tokens,
        };
        match self.writing {
            Writing::BuiltIn => None,
            Writing::Given(endpoint, model) => Some(asking(endpoint.clone(), model, given_context)),
            Writing::Chosen => {
                let models = self.engine.models();
                let chosen = purposes.iter().map(|purpose| models.for_purpose(*purpose));
                let chosen = chosen.into_iter().find(|chosen| chosen.provider_id.is_some())?;
                let provider = chosen.provider_id.as_deref().and_then(|id| models.provider(id))?;
                let base_url = parse_url(&provider.base_url).or_log("read the address of a model")?;
                let key = self.keys.get(&provider.provider_id);
                let endpoint = Endpoint { kind: provider.kind, base_url, key };
                Some(asking(endpoint, chosen.model.as_deref()?, chosen.context_tokens))
            }
        }
    }
}

/// The model used last, with its endpoint and name.
pub(crate) type LastWriter = Option<(Endpoint, String, Arc<dyn TextModel>)>;

/// The location of a model that is not built in.
struct Source {
    endpoint: Endpoint,
    model: String,
    /// The writer's choice; `None` where the model was given.
    chosen: Option<PurposeModel>,
}

impl WritingModel {
    /// Whether it is built in: without cost and limits.
    pub(crate) fn is_built_in(&self) -> bool {
        self.source.is_none()
    }

    /// Maximum tokens of an answer.
    pub(crate) fn answer_tokens(&self) -> u32 {
        answer_tokens(self.context_tokens)
    }

    /// Maximum tokens of a prompt by default.
    fn prompt_tokens(&self) -> u32 {
        default_budget(self.context_tokens)
    }
}

fn prompt_tokens(context: u32) -> u32 {
    context.saturating_sub(answer_tokens(Some(context)))
}

/// The budget of a prompt for a model that reads `context` tokens, prompt and answer; `None` if that is unknown.
fn default_budget(context: Option<u32>) -> u32 {
    context.map_or(DEFAULT_BUDGET, |context| prompt_tokens(context).clamp(MIN_BUDGET, DEFAULT_BUDGET))
}

/// The context of which `budget` is left for the prompt: the inverse of [`prompt_tokens`].
fn context_for_budget(budget: u32) -> u32 {
    budget.saturating_add(MAX_ANSWER_TOKENS.min(budget / (ANSWER_SHARE - 1)))
}

fn answer_tokens(context: Option<u32>) -> u32 {
    context.map_or(MAX_ANSWER_TOKENS, |context| MAX_ANSWER_TOKENS.min(context / ANSWER_SHARE).max(1))
}

/// The next budget for a prompt that was made under the budget `was`, came to `sent` tokens, and was too long for a
/// model which reads `context` (prompt and answer) where that is known. `None` when there is none that is smaller.
pub(crate) fn shorter_budget(was: u32, sent: u32, context: Option<u32>) -> Option<u32> {
    // Where the model counts tokens differently, its limit may not be usable.
    let reported = context.map(prompt_tokens).filter(|reported| *reported < sent);
    let budget = reported.unwrap_or(sent / 5 * 3).max(MIN_BUDGET);
    (budget < was).then_some(budget)
}

/// The model that writes.
impl Api {
    /// The model that writes now. Where the choice cannot be read it is the built-in one, with the reason.
    pub(crate) fn writing_model(&self) -> WritingModel {
        let built_in = |reason: Option<String>| WritingModel {
            model: Arc::clone(&self.model),
            context_tokens: None,
            source: None,
            reason: reason.map(|reason| format!("the built-in model writes: {reason}")),
        };
        let from_endpoint = |endpoint: &Endpoint, model: &str, context_tokens, chosen| WritingModel {
            model: self.writer_at(endpoint, model),
            context_tokens,
            source: Some(Source { endpoint: endpoint.clone(), model: model.to_owned(), chosen }),
            reason: None,
        };
        match &self.writing {
            Writing::BuiltIn => built_in(None),
            Writing::Given(endpoint, model) => {
                let learned = self.given_context.load(Ordering::SeqCst);
                from_endpoint(endpoint, model, (learned > 0).then_some(learned), None)
            }
            Writing::Chosen => {
                let models = self.engine.models();
                let chosen = models.for_purpose(Purpose::Writing);
                let provider = chosen.provider_id.as_deref().and_then(|id| models.provider(id));
                let (Some(provider), Some(model)) = (provider, &chosen.model) else {
                    return built_in(models.unread);
                };
                match self.endpoint(provider) {
                    Ok(endpoint) => from_endpoint(&endpoint, model, chosen.context_tokens, Some(chosen.clone())),
                    Err(_) => built_in(Some("the address of the chosen one cannot be used".into())),
                }
            }
        }
    }

    /// The model that answers questions, for a measurement of an answer: the one of its purpose, else the one that
    /// writes.
    pub(crate) fn asking_as_writing(&self) -> WritingModel {
        let models = self.engine.models();
        let chosen = models.for_purpose(Purpose::Asking);
        let provider = chosen.provider_id.as_deref().and_then(|id| models.provider(id));
        let endpoint = provider.and_then(|provider| self.endpoint(provider).or_log("read the address of a model"));
        match (&self.writing, endpoint, &chosen.model) {
            (Writing::Chosen, Some(endpoint), Some(model)) => WritingModel {
                model: self.writer_at(&endpoint, model),
                context_tokens: chosen.context_tokens,
                source: Some(Source { endpoint, model: model.clone(), chosen: Some(chosen.clone()) }),
                reason: None,
            },
            _ => self.writing_model(),
        }
    }

    /// The model that answers questions: the one of its purpose, else the one that writes. `None` where both are built
    /// in, because the sample model answers no question.
    pub(crate) fn asking_model(&self) -> Option<AskingModel> {
        let access = ModelAccess {
            engine: &self.engine,
            keys: &self.keys,
            network: &self.network,
            events: &self.events,
            writing: &self.writing,
        };
        let learned = self.given_context.load(Ordering::SeqCst);
        access.first_of(&[Purpose::Asking, Purpose::Writing], (learned > 0).then_some(learned))
    }

    /// The model at an endpoint: the same object as the last time if nothing has changed, because it learns which
    /// options its server rejects.
    fn writer_at(&self, endpoint: &Endpoint, model: &str) -> Arc<dyn TextModel> {
        let mut last = self.last_writer.lock();
        let is_same_endpoint =
            |e: &Endpoint| (e.kind, &e.base_url, &e.key) == (endpoint.kind, &endpoint.base_url, &endpoint.key);
        match &*last {
            Some((at, name, writer)) if name == model && is_same_endpoint(at) => Arc::clone(writer),
            _ => {
                let writer = text_model(&self.network, endpoint.clone(), model.to_owned());
                *last = Some((endpoint.clone(), model.to_owned(), Arc::clone(&writer)));
                writer
            }
        }
    }

    /// A changed or removed key is dropped here too.
    fn forget_writer(&self) {
        *self.last_writer.lock() = None;
    }

    /// The prompt for a passage within the context of this model. The preview and the run both use it: the prompt that
    /// is sent is the one that was shown.
    pub(crate) fn prompt(&self, request: &mut AssembleRequest, writing: &WritingModel) -> Result<Assembled, ApiError> {
        request.budget_tokens.get_or_insert(writing.prompt_tokens());
        let assembled = self.engine.assemble(request, &self.known_order(&request.project_id));
        self.wake_after_missed_vectors();
        let mut assembled = assembled?;
        if let Some(reason) = &writing.reason {
            assembled.context.memory_degraded = true;
            let reason = DegradedReason::new(DegradedCode::BuiltInWrites, reason.as_str());
            assembled.context.degraded_reasons.push(reason);
        }
        Ok(assembled)
    }

    /// A shorter prompt for a model that could not read the one of `sent` tokens; the limit is stored for the next
    /// prompts. `None` when it cannot be shorter.
    pub(crate) fn shorter_prompt(
        &self,
        request: &mut AssembleRequest,
        writing: &mut WritingModel,
        sent: u32,
        refusal: &ModelError,
    ) -> Option<Assembled> {
        let source = writing.source.as_ref()?;
        let reported =
            refusal.context_tokens.or_else(|| context_tokens(&self.network, &source.endpoint, &source.model));
        let budget = shorter_budget(request.budget_tokens.unwrap_or(DEFAULT_BUDGET), sent, reported)?;
        let mut request_now = AssembleRequest { budget_tokens: Some(budget), ..request.clone() };
        writing.context_tokens = Some(context_for_budget(budget));
        // A selection that does not fit ends the attempts: the model must not be asked about half of it.
        let assembled = self.prompt(&mut request_now, writing).or_log("assemble a shorter prompt");
        let assembled = assembled.filter(|now| now.context.total_tokens < sent && now.names_unread.is_none())?;
        *request = request_now;
        self.remember_context(writing);
        Some(assembled)
    }

    fn remember_context(&self, writing: &WritingModel) {
        let (Some(source), Some(context)) = (&writing.source, writing.context_tokens) else { return };
        match &source.chosen {
            None => self.given_context.store(context, Ordering::SeqCst),
            Some(chosen) => {
                let learned = PurposeModel { context_tokens: Some(context), ..chosen.clone() };
                if let Some(changed) = self.engine.note_context(&learned).or_log("note the context size") {
                    self.emit_changed(changed);
                }
            }
        }
    }

    /// How many of `wanted` requests the daily limit allows today.
    ///
    /// # Errors
    /// `MEMORY_MODEL_UNAVAILABLE` with the reason `dailyLimit` when it is none.
    pub(crate) fn allowed_today(&self, wanted: u32) -> Result<u32, ApiError> {
        match self.engine.usage().requests_left() {
            Some(0) => Err(ModelError::new(ModelErrorKind::DailyLimit, "the limit for today is reached").into()),
            Some(left) => Ok(wanted.min(left)),
            None => Ok(wanted),
        }
    }

    /// The endpoint of a provider, with its key.
    pub(crate) fn endpoint(&self, provider: &Stored) -> Result<Endpoint, ApiError> {
        Ok(Endpoint {
            kind: provider.kind,
            base_url: parse_url(&provider.base_url)?,
            key: self.keys.get(&provider.provider_id),
        })
    }

    fn find_provider(&self, provider_id: &str) -> Result<Stored, ApiError> {
        let models = self.engine.models();
        models.provider(provider_id).cloned().ok_or_else(|| match models.unread {
            None => ApiError::not_found("providerId", "provider"),
            Some(reason) => ApiError::new(Code::StoreUnavailable, reason),
        })
    }

    fn find_endpoint(&self, provider_id: &str) -> Result<Endpoint, ApiError> {
        self.endpoint(&self.find_provider(provider_id)?)
    }

    /// Uses the model that the writer has chosen for recall by meaning, from now on; the bundled encoder where there is
    /// none. No request is sent here: the key, which a keychain may return slowly, is read in the background.
    pub(crate) fn use_embedding(&self) {
        let models = self.engine.models();
        let chosen = models.for_purpose(Purpose::Embedding);
        let provider = chosen.provider_id.as_deref().and_then(|id| models.provider(id)).cloned();
        let chosen = provider.zip(chosen.model.clone()).map(|(provider, model)| {
            let name = format!("{} / {model}", provider.base_url);
            let (network, keys) = (Arc::clone(&self.network), Arc::clone(&self.keys));
            let connect: Connect = Arc::new(move || {
                let base_url = BaseUrl::parse(&provider.base_url)
                    .map_err(|why| EmbedderError(Cause::new(Reason::AddressInvalid, why)))?;
                let endpoint = Endpoint { kind: provider.kind, base_url, key: keys.get(&provider.provider_id) };
                embedder(&network, &endpoint, &model).map_err(|error| error.kind.into())
            });
            (name, connect)
        });
        self.engine.choose_encoder(chosen);
        self.indexer.wake();
    }

    /// Whether a provider serves recall by meaning.
    fn embeds(&self, provider_id: &str) -> bool {
        self.engine.models().for_purpose(Purpose::Embedding).provider_id.as_deref() == Some(provider_id)
    }
}

fn parse_url(url: &str) -> Result<BaseUrl, ApiError> {
    BaseUrl::parse(url).map_err(|reason| ApiError::invalid("baseUrl", reason))
}

/// Scheme, host and port of an address.
pub(crate) fn origin(url: &str) -> &str {
    let host = url.find("://").map_or(0, |at| at + 3);
    url[host..].find('/').map_or(url, |end| &url[..host + end])
}

/// The commands.
impl Api {
    pub(crate) fn provider_list(&self, _: NoArguments) -> Result<ProviderList, ApiError> {
        let models = self.engine.models();
        Ok(ProviderList {
            providers: models.providers.into_iter().map(|provider| self.provider_info(provider)).collect(),
            purposes: models.purposes,
            writing: self.writing_model().model.info(),
            keychain: self.keys.lasting(),
            degraded_reason: models.unread,
        })
    }

    fn provider_info(&self, provider: Stored) -> Provider {
        let Stored { provider_id, kind, name, base_url } = provider;
        let key_kept = self.keys.stored_in(&provider_id);
        Provider { provider_id, kind, name, base_url, key_kept }
    }

    pub(crate) fn provider_find(&self, _: NoArguments) -> Result<FoundModels, ApiError> {
        Ok(FoundModels { models: find_ollama(&self.network) })
    }

    pub(crate) fn provider_save(&self, args: SaveProvider) -> Result<Provider, ApiError> {
        let SaveProvider { provider_id, kind, name, base_url, key } = args;
        let was = provider_id.as_deref().map(|id| self.find_provider(id)).transpose()?;
        let base_url = match (base_url, &was) {
            (Some(url), _) => parse_url(&url)?.to_string(),
            (None, Some(was)) if was.kind == kind => was.base_url.clone(),
            (None, _) => BaseUrl::default_for(kind).ok_or_else(|| ApiError::invalid("baseUrl", "missing"))?.to_string(),
        };
        let key = key.map(|key| key.into_secret().map_err(|why| ApiError::invalid("key", why))).transpose()?;

        // A key belongs to the host that it was entered for. It is deleted before the provider points elsewhere.
        if let Some(was) = &was
            && (was.kind != kind || origin(&was.base_url) != origin(&base_url))
        {
            self.keys.remove(&was.provider_id);
        }
        let provider =
            self.emit_changed(self.engine.save_provider(ProviderDraft { provider_id, kind, name, base_url })?);
        match key {
            Some(Some(key)) => drop(self.keys.set(&provider.provider_id, key)),
            Some(None) => self.keys.remove(&provider.provider_id),
            None => {}
        }
        self.forget_writer();
        if self.embeds(&provider.provider_id) {
            self.use_embedding();
        }
        self.study.model_changed();
        Ok(self.provider_info(provider))
    }

    pub(crate) fn provider_delete(&self, args: ProviderArguments) -> Result<DeletedProvider, ApiError> {
        let embedded = self.embeds(&args.provider_id);
        let provider_id = self.emit_changed(self.engine.delete_provider(&args.provider_id)?);
        self.keys.remove(&provider_id);
        self.forget_writer();
        if embedded {
            self.use_embedding();
        }
        Ok(DeletedProvider { provider_id })
    }

    pub(crate) fn provider_models(&self, args: ProviderArguments) -> Result<ModelList, ApiError> {
        let endpoint = self.find_endpoint(&args.provider_id)?;
        Ok(ModelList { models: models(&self.network, &endpoint)? })
    }

    pub(crate) fn provider_test(&self, args: TestProvider) -> Result<Tested, ApiError> {
        let endpoint = self.find_endpoint(&args.provider_id)?;
        if args.model.is_some() {
            self.allowed_today(1)?;
        }
        let from = Instant::now();
        let listed = match models(&self.network, &endpoint) {
            Ok(models) => Some(saturating_u32(models.len())),
            // Some providers do not list their models and still write.
            Err(error) if args.model.is_some() && has_no_list(error.kind) => None,
            Err(error) => return Err(error.into()),
        };
        let answer = args.model.map(|model| self.request_one_word(endpoint, model)).transpose()?.unwrap_or(false);
        let milliseconds = saturating_u32(from.elapsed().as_millis());
        Ok(Tested { milliseconds, models: listed, answer })
    }

    /// Asks a model to write a word; returns whether it did.
    fn request_one_word(&self, endpoint: Endpoint, model: String) -> Result<bool, ApiError> {
        let messages = [Message { role: Role::User, content: "Answer with one word: ready".into() }];
        let request = GenerationRequest {
            messages: &messages,
            seed: 1,
            max_tokens: MAX_TEST_ANSWER_TOKENS,
            temperature: 0.0,
            schema: None,
            tools: &[],
            stop: &Stop::new(),
        };
        let completion = text_model(&self.network, endpoint, model).generate(&request, &mut |_| {})?;
        let tokens =
            completion.tokens.map_or(MAX_TEST_ANSWER_TOKENS, |tokens| tokens.prompt.saturating_add(tokens.answer));
        self.emit_changed(self.engine.count_usage(tokens));
        Ok(completion.stop == StopReason::Length || !completion.text.trim().is_empty())
    }

    pub(crate) fn purpose_set(&self, args: SetPurpose) -> Result<PurposeModel, ApiError> {
        let SetPurpose { purpose, provider_id, model } = args;
        let model = model.map(|model| model.trim().to_owned());
        let mut chosen = PurposeModel { purpose, provider_id, model, context_tokens: None };
        let endpoint = chosen.provider_id.as_deref().map(|id| self.find_endpoint(id)).transpose()?;
        if let (Some(endpoint), Some(model)) = (&endpoint, &chosen.model)
            && !matches!(purpose, Purpose::Embedding | Purpose::Reranking)
            && !model.is_empty()
        {
            let before = self.engine.models().for_purpose(purpose);
            let same = (&before.provider_id, &before.model) == (&chosen.provider_id, &chosen.model);
            let learned = before.context_tokens.filter(|_| same);
            chosen.context_tokens = context_tokens(&self.network, endpoint, model).or(learned);
        }
        let chosen = self.emit_changed(self.engine.set_purpose(chosen)?);
        match purpose {
            Purpose::Embedding => self.use_embedding(),
            Purpose::Studying | Purpose::Asking | Purpose::Writing => self.study.model_changed(),
            Purpose::Distilling | Purpose::Journal | Purpose::Reranking => {}
        }
        Ok(chosen)
    }

    pub(crate) fn usage_get(&self, _: NoArguments) -> Result<Usage, ApiError> {
        Ok(self.engine.usage())
    }

    pub(crate) fn usage_limit(&self, args: SetLimits) -> Result<Usage, ApiError> {
        let SetLimits { requests_per_day, tokens_per_day } = args;
        Ok(self.emit_changed(self.engine.set_limits(DailyLimits { requests_per_day, tokens_per_day })?))
    }
}

/// Whether an error may only mean that the provider has no list of models.
fn has_no_list(kind: ModelErrorKind) -> bool {
    matches!(kind, ModelErrorKind::ModelUnknown | ModelErrorKind::RequestRefused | ModelErrorKind::Malformed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shorter_prompt_is_shorter_and_keeps_room_for_the_answer() {
        assert_eq!(shorter_budget(6_000, 6_000, Some(4_096)), Some(3_096));
        assert_eq!(shorter_budget(6_000, 6_000, None), Some(3_600));
        // The model counts more tokens than the estimate: its own limit cannot be used.
        assert_eq!(shorter_budget(6_000, 3_000, Some(4_096)), Some(1_800));
        assert_eq!(shorter_budget(1_200, 1_200, Some(512)), Some(MIN_BUDGET));
        // Not every layer was full.
        assert_eq!(shorter_budget(1_900, 900, None), Some(MIN_BUDGET));
        assert_eq!(shorter_budget(MIN_BUDGET, 900, None), None);
        assert_eq!((answer_tokens(None), answer_tokens(Some(1_500)), answer_tokens(Some(1))), (1_000, 500, 1));
    }

    #[test]
    fn a_learned_context_length_gives_the_same_budget_next_time() {
        for budget in MIN_BUDGET..=DEFAULT_BUDGET {
            assert_eq!(prompt_tokens(context_for_budget(budget)), budget);
        }
    }

    #[test]
    fn an_origin_is_scheme_host_and_port() {
        assert_eq!(origin("https://api.example.org/v1"), "https://api.example.org");
        assert_eq!(origin("http://127.0.0.1:8091/v1"), "http://127.0.0.1:8091");
        assert_eq!(origin("https://api.example.org"), "https://api.example.org");
    }
}
