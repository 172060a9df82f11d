//! Providers of models, the model of each purpose, and the daily usage.

use std::mem;

use super::{Engine, stores::Stores};
use crate::{
    error::{Error, OrLog, Result},
    lock::{Mutex, RwLock},
    model::{Changed, DailyLimits, Models, Provider, ProviderDraft, PurposeModel, Topic, Usage},
    storage::{Tx, models},
    validate,
};

/// Maximum characters of a provider's name.
const MAX_NAME_CHARS: usize = 80;
/// Maximum characters of an address.
const MAX_URL_CHARS: usize = 2_048;
/// Maximum characters of a model's name.
const MAX_MODEL_CHARS: usize = 200;

/// State known without the store: while `rules.db` cannot be read, writing continues with the chosen models and within
/// the limits.
#[derive(Default)]
pub(super) struct ModelCache {
    models: RwLock<Models>,
    spending: Mutex<Spending>,
}

#[derive(Default)]
struct Spending {
    limits: DailyLimits,
    /// As last read.
    written: Spent,
    /// Usage that could not be written yet.
    unwritten: Spent,
}

#[derive(Default, Clone)]
struct Spent {
    day: String,
    requests: u32,
    tokens: u32,
}

impl Spent {
    /// The usage of that day; the usage of other days is dropped.
    fn for_day(&mut self, day: &str) -> &mut Self {
        if self.day != day {
            *self = Self { day: day.into(), ..Self::default() };
        }
        self
    }

    fn add(&mut self, more: &Self) {
        self.requests = self.requests.saturating_add(more.requests);
        self.tokens = self.tokens.saturating_add(more.tokens);
    }
}

impl ModelCache {
    fn models(&self, stores: &Stores) -> Models {
        let read = || models::get(&*stores.rules.open()?.reader()?);
        match read() {
            Ok(fresh) => {
                self.models.write().clone_from(&fresh);
                fresh
            }
            Err(error) => Models { unread: Some(error.message), ..self.models.read().clone() },
        }
    }

    fn note_context(&self, learned: &PurposeModel) {
        let mut models = self.models.write();
        let same = models.purposes.iter_mut().filter(|one| is_same_model(one, learned));
        same.for_each(|one| one.clone_from(learned));
    }

    /// The usage of a day, with what could not be written yet.
    fn usage(&self, stores: &Stores, day: String) -> Usage {
        let read = || -> Result<(DailyLimits, (u32, u32))> {
            let db = stores.rules.open()?;
            let reader = db.reader()?;
            Ok((models::limits(&reader)?, models::spent(&reader, &day)?))
        };
        let fresh = read().or_log("read usage");
        let mut spending = self.spending.lock();
        if let Some((limits, (requests, tokens))) = fresh {
            spending.limits = limits;
            spending.written = Spent { day: day.clone(), requests, tokens };
        }
        let mut total = spending.written.for_day(&day).clone();
        total.add(spending.unwritten.for_day(&day));
        Usage {
            day,
            requests: total.requests,
            tokens: total.tokens,
            requests_per_day: spending.limits.requests_per_day,
            tokens_per_day: spending.limits.tokens_per_day,
        }
    }

    /// Counts one answered request, on disk or, where it cannot be written, for this session.
    fn add_usage(&self, stores: &Stores, day: &str, tokens: u32) {
        let due = {
            let mut spending = self.spending.lock();
            spending.unwritten.for_day(day).add(&Spent { requests: 1, tokens, ..Spent::default() });
            mem::take(&mut spending.unwritten)
        };
        let write =
            || stores.rules.open()?.write("record usage", |tx| models::spend(tx, &due.day, due.requests, due.tokens));
        if write().is_err() {
            self.spending.lock().unwritten.for_day(day).add(&due);
        }
    }
}

/// Whether both are the same model for the same purpose.
fn is_same_model(one: &PurposeModel, other: &PurposeModel) -> bool {
    (one.purpose, &one.provider_id, &one.model) == (other.purpose, &other.provider_id, &other.model)
}

impl Engine {
    /// The providers and their purposes; while the store cannot be read, the last known ones with the reason.
    #[must_use]
    pub fn models(&self) -> Models {
        self.model_cache.models(&self.stores)
    }

    /// Adds or changes a provider. The context length of its models is asked again when the server has changed.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`, `MEMORY_NOT_FOUND`, those of the store.
    pub fn save_provider(&self, draft: ProviderDraft) -> Result<Changed<Provider>> {
        let ProviderDraft { provider_id, kind, name, base_url } = draft;
        validate::line("name", &name, MAX_NAME_CHARS)?;
        validate::line("baseUrl", &base_url, MAX_URL_CHARS)?;
        if let Some(id) = &provider_id {
            validate::identity("providerId", id)?;
        }
        let is_new = provider_id.is_none();
        let now = self.clock.now();
        let provider = Provider {
            provider_id: provider_id.unwrap_or_else(|| self.ids.next(now)),
            kind,
            name: name.trim().to_owned(),
            base_url,
        };
        self.stores.rules.open()?.write("save a provider", |tx| {
            if !is_new {
                let was = find_provider(tx, &provider.provider_id)?;
                if (was.kind, &was.base_url) != (provider.kind, &provider.base_url) {
                    models::clear_contexts(tx, &provider.provider_id)?;
                }
            }
            models::upsert_provider(tx, &provider, now)
        })?;
        Ok(Changed::new(provider, None, [Topic::Models]))
    }

    /// Deletes a provider. Its purposes return to the built-in model.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, those of the store.
    pub fn delete_provider(&self, provider_id: &str) -> Result<Changed<String>> {
        validate::identity("providerId", provider_id)?;
        self.stores.rules.open()?.write("delete a provider", |tx| {
            if models::delete_provider(tx, provider_id)? { Ok(()) } else { Err(unknown_provider()) }
        })?;
        Ok(Changed::new(provider_id.to_owned(), None, [Topic::Models]))
    }

    /// Chooses the model of a purpose.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT` for a provider without a model or a model without a provider; `MEMORY_NOT_FOUND`.
    pub fn set_purpose(&self, chosen: PurposeModel) -> Result<Changed<PurposeModel>> {
        match (&chosen.provider_id, &chosen.model) {
            (Some(_), None) => return Err(Error::invalid("model", "a provider needs one")),
            (None, Some(_)) => return Err(Error::invalid("model", "only a provider has one to choose")),
            (None, None) => {}
            (Some(id), Some(model)) => {
                validate::identity("providerId", id)?;
                validate::line("model", model, MAX_MODEL_CHARS)?;
            }
        }
        self.stores.rules.open()?.write("set the model of a purpose", |tx| {
            if let Some(id) = &chosen.provider_id {
                find_provider(tx, id)?;
            }
            models::upsert_purpose(tx, &chosen)
        })?;
        Ok(Changed::new(chosen, None, [Topic::Models]))
    }

    /// Stores the context length of a purpose's model, unless another model was chosen meanwhile. If it cannot be
    /// written, it is known for this session.
    ///
    /// # Errors
    /// Those of the store.
    pub fn note_context(&self, learned: &PurposeModel) -> Result<Changed<()>> {
        self.model_cache.note_context(learned);
        self.stores.rules.open()?.write("store a context length", |tx| {
            if is_same_model(&models::get(tx)?.for_purpose(learned.purpose), learned) {
                models::upsert_purpose(tx, learned)
            } else {
                Ok(())
            }
        })?;
        Ok(Changed::new((), None, [Topic::Models]))
    }

    /// Reads what is served from memory while the store cannot be read: models, usage, the pause of learning.
    pub(super) fn cache_settings(&self) {
        drop((self.models(), self.usage(), self.is_learning_paused()));
        self.cache_books_without_journal();
        // Those of the settings of answers.
        drop(self.answer_config_in_effect());
    }

    /// Today's usage, and the limits.
    #[must_use]
    pub fn usage(&self) -> Usage {
        self.model_cache.usage(&self.stores, self.clock.day())
    }

    /// Counts one answered request. While it cannot be written it is counted for this session: a limit on money must
    /// hold without the store.
    pub fn count_usage(&self, tokens: u32) -> Changed<Usage> {
        self.model_cache.add_usage(&self.stores, &self.clock.day(), tokens);
        Changed::new(self.usage(), None, [Topic::Usage])
    }

    /// Sets the daily limits; `None` for none.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT` for a limit of 0, those of the store.
    pub fn set_limits(&self, limits: DailyLimits) -> Result<Changed<Usage>> {
        for (field, limit) in [("requestsPerDay", limits.requests_per_day), ("tokensPerDay", limits.tokens_per_day)] {
            if let Some(limit) = limit {
                validate::within(field, limit, 1, u32::MAX)?;
            }
        }
        self.stores.rules.open()?.write("set usage limits", |tx| models::upsert_limits(tx, limits))?;
        Ok(Changed::new(self.usage(), None, [Topic::Usage]))
    }
}

fn find_provider(tx: &Tx<'_>, provider_id: &str) -> Result<Provider> {
    models::get(tx)?.provider(provider_id).cloned().ok_or_else(unknown_provider)
}

fn unknown_provider() -> Error {
    Error::not_found("providerId", "provider")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{
        error::Code,
        model::{ProviderKind, Purpose, Time},
        testing::{FixedClock, open_engine},
    };

    /// As if the disk were gone.
    fn lose_the_store(engine: &mut Engine) {
        engine.stores.rules.path = engine.stores.rules.path.join("gone/rules.db");
    }

    #[test]
    fn without_the_store_the_chosen_model_is_known_and_the_limit_still_holds() {
        let folder = tempfile::TempDir::new().unwrap();
        let clock = Arc::new(FixedClock::at(Time::from_millis(0)));
        let mut engine = open_engine(folder.path(), &clock);
        let draft = ProviderDraft {
            provider_id: None,
            kind: ProviderKind::OpenAi,
            name: "家".into(),
            base_url: "http://127.0.0.1:1/v1".into(),
        };
        let provider = engine.save_provider(draft.clone()).unwrap().value;
        let chosen = PurposeModel {
            purpose: Purpose::Writing,
            provider_id: Some(provider.provider_id.clone()),
            model: Some("scribe".into()),
            context_tokens: None,
        };
        assert_eq!(engine.set_purpose(chosen.clone()).unwrap().value, chosen);
        let limits = DailyLimits { requests_per_day: Some(3), tokens_per_day: None };
        assert_eq!(engine.set_limits(limits).unwrap().value.requests_left(), Some(3));
        assert_eq!(engine.count_usage(10).value.requests_left(), Some(2));
        assert_eq!(engine.models().unread, None);

        lose_the_store(&mut engine);
        let known = engine.models();
        assert_eq!(
            (known.for_purpose(Purpose::Writing), known.provider(&provider.provider_id)),
            (chosen.clone(), Some(&provider))
        );
        assert!(known.unread.is_some());
        let learned = PurposeModel { context_tokens: Some(4_096), ..chosen };
        assert!(engine.note_context(&learned).is_err(), "it cannot be written");
        assert_eq!(engine.models().for_purpose(Purpose::Writing), learned, "and is remembered");
        assert_eq!(engine.count_usage(10).value.requests_left(), Some(1));
        let usage = engine.count_usage(10).value;
        assert_eq!((usage.requests_left(), usage.tokens), (Some(0), 30));
        assert_eq!(engine.save_provider(draft).unwrap_err().code, Code::StoreUnavailable);

        engine.stores.rules.path = folder.path().join("rules.db");
        assert_eq!(engine.usage().requests, 3, "not yet written, and not forgotten");
        assert_eq!(engine.count_usage(10).value.requests, 4);
        drop(engine);
        let again = open_engine(folder.path(), &clock);
        assert_eq!((again.usage().requests, again.usage().tokens), (4, 40));
    }
}
