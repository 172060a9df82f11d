//! The team's answer service: its settings and its connection beside the engine.

use std::sync::Arc;

use palimpsest_memory::{
    model::{AnswerServiceSettings, QueuedValidation, ValidateServiceAnswer},
    ports::{AnswerMemory, Stop},
};
use palimpsest_providers::{AnswerService, parse_service_url};
use parking_lot::Mutex;

use crate::{
    Api,
    dto::{NoArguments, ServiceSettings, SetService},
    error::{ApiError, OrLog},
    models::origin,
};

/// The identity of the service among the keys.
const KEY_ID: &str = "answer-service";

/// The connection to the service. Dropping it ends requests under way.
#[derive(Default)]
pub(crate) struct ServiceConnection {
    stop: Stop,
    /// Whether the settings were read; until then they are read again before each question.
    is_known: Mutex<bool>,
}

impl Drop for ServiceConnection {
    fn drop(&mut self) {
        self.stop.set();
    }
}

impl Api {
    /// Connects the service of the settings, or none. No request is sent here, and the key is read with each request.
    pub(crate) fn use_answer_service(&self) {
        let Some(settings) = self.engine.answer_service_settings().or_log("read the answer service") else {
            *self.service_connection.is_known.lock() = false;
            return;
        };
        *self.service_connection.is_known.lock() = true;
        let AnswerServiceSettings { base_url, enabled, send_candidates } = settings;
        let base_url = base_url.filter(|_| enabled).and_then(|url| parse_service_url(&url).ok());
        let service = base_url.map(|base_url| {
            let keys = Arc::clone(&self.keys);
            let read_key = Arc::new(move || keys.get(KEY_ID));
            let stop = self.service_connection.stop.clone();
            let service = AnswerService::new(Arc::clone(&self.network), base_url, read_key, stop);
            (Arc::new(service) as Arc<dyn AnswerMemory>, send_candidates)
        });
        self.engine.set_answer_service(service);
        self.learner.wake();
    }

    /// Reads the settings again that could not be read so far.
    pub(crate) fn connect_answer_service(&self) {
        let is_known = *self.service_connection.is_known.lock();
        if !is_known {
            self.use_answer_service();
        }
    }
}

/// The commands.
impl Api {
    pub(crate) fn answer_service_get(&self, _: NoArguments) -> Result<ServiceSettings, ApiError> {
        Ok(self.service_settings(self.engine.answer_service_settings()?))
    }

    pub(crate) fn answer_service_set(&self, args: SetService) -> Result<ServiceSettings, ApiError> {
        let SetService { base_url, key, enabled, send_candidates } = args;
        let was = self.engine.answer_service_settings()?;
        let base_url = match base_url {
            Some(url) => {
                let url = parse_service_url(&url).map_err(|why| ApiError::invalid("baseUrl", why))?;
                Some(url.to_string())
            }
            None => was.base_url.clone(),
        };
        if enabled && base_url.is_none() {
            return Err(ApiError::invalid("baseUrl", "missing"));
        }
        let key = key.map(|key| key.into_secret().map_err(|why| ApiError::invalid("key", why))).transpose()?;
        // A key belongs to the host that it was entered for. It is deleted before the service is another one.
        if was.base_url.as_deref().map(origin) != base_url.as_deref().map(origin) {
            self.keys.remove(KEY_ID);
        }
        let now = AnswerServiceSettings { base_url, enabled, send_candidates };
        self.emit_changed(self.engine.set_answer_service_settings(&now)?);
        match key {
            Some(Some(key)) => drop(self.keys.set(KEY_ID, key)),
            Some(None) => self.keys.remove(KEY_ID),
            None => {}
        }
        self.use_answer_service();
        Ok(self.service_settings(now))
    }

    pub(crate) fn answer_service_validate(&self, args: ValidateServiceAnswer) -> Result<QueuedValidation, ApiError> {
        let queued = self.engine.validate_service_answer(&args)?;
        self.learner.wake();
        Ok(queued)
    }

    fn service_settings(&self, settings: AnswerServiceSettings) -> ServiceSettings {
        let AnswerServiceSettings { base_url, enabled, send_candidates } = settings;
        ServiceSettings { base_url, enabled, send_candidates, key_kept: self.keys.stored_in(KEY_ID) }
    }
}
