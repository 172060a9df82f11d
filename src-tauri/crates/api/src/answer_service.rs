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

/// The id of the service's key.
const KEY_ID: &str = "answer-service";

/// The connection to the service. Dropping it ends requests under way.
#[derive(Default)]
pub(crate) struct ServiceConnection {
    /// Ends the requests of the present connection, and refuses it the key.
    stop: Mutex<Stop>,
    /// Whether the settings were read. If not, they are read again before each question.
    is_known: Mutex<bool>,
}

impl ServiceConnection {
    /// Ends the requests under way, and returns the flag of a new connection.
    fn renew(&self) -> Stop {
        let mut stop = self.stop.lock();
        stop.set();
        *stop = Stop::new();
        stop.clone()
    }
}

impl Drop for ServiceConnection {
    fn drop(&mut self) {
        self.stop.lock().set();
    }
}

impl Api {
    /// Connects the service of the settings, or none. No request is sent here, and the key is read with each request.
    pub(crate) fn use_answer_service(&self) {
        // Held to the end: of two threads that connect at once, the later one ends the connection of the earlier.
        let mut is_known = self.service_connection.is_known.lock();
        let settings = self.engine.answer_service_settings().or_log("read the answer service");
        *is_known = settings.is_some();
        let Some(settings) = settings else { return };
        let AnswerServiceSettings { base_url, enabled, send_candidates } = settings;
        let base_url = base_url.filter(|_| enabled).and_then(|url| parse_service_url(&url).ok());
        let stop = self.service_connection.renew();
        let service = base_url.map(|base_url| {
            let keys = Arc::clone(&self.keys);
            let ended = stop.clone();
            // A retry of an ended connection may read the key of its successor: it is checked after the reading.
            let read_key = Arc::new(move || keys.get(KEY_ID).filter(|_| !ended.is_set()));
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
        // The previous connection, perhaps to another host, ends before the new key is stored.
        self.service_connection.renew();
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
