//! Studies with a scripted model, for benchmarks and evaluations.

use palimpsest_tests::{
    Writer,
    server::{Request, Server},
};
use serde_json::{Value, json};

/// The path of the model's requests.
pub const CHAT: &str = "/v1/chat/completions";

/// A study of one book.
pub struct Study<'w> {
    writer: &'w Writer,
    project: &'w str,
}

impl<'w> Study<'w> {
    /// Chooses the model of a server for studies, and agrees to its host.
    pub fn agreed(writer: &'w Writer, project: &'w str, server: &Server) -> Self {
        let provider = json!({ "kind": "openAi", "name": "scripted", "baseUrl": server.url("/v1") });
        let provider = writer.ask("ai:provider:save", provider);
        let choice = json!({ "purpose": "studying", "providerId": provider["providerId"], "model": "reader" });
        writer.ask("ai:purpose:set", choice);
        let study = Self { writer, project };
        let host = study.ask_about_book("knowledge:study:estimate", json!({}))["host"].clone();
        let version = study.ask_about_book("knowledge:study:get", json!({}))["version"].clone();
        study.ask_about_book(
            "knowledge:study:set",
            json!({ "isEnabled": true, "agreedHost": host, "version": version }),
        );
        study
    }

    /// The answer to a command about the book.
    pub fn ask_about_book(&self, command: &str, more: Value) -> Value {
        let mut args = json!({ "projectId": self.project });
        args.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
        self.writer.ask(command, args)
    }

    /// Studies a question of the writer's to its end.
    pub fn run(&self, question: &str) {
        self.ask_about_book("memory:editor:activity", json!({}));
        self.ask_about_book("knowledge:question:add", json!({ "question": question }));
        self.ask_about_book("knowledge:study:run", json!({}));
        self.writer.ask_until("knowledge:study:get", json!({ "projectId": self.project }), |state| {
            ["idle", "stopped", "backingOff"].contains(&state["currentPhase"].as_str().unwrap_or_default())
        });
    }
}

/// Whether a request of a study asks for its summary.
pub fn is_summary(asked: &Request) -> bool {
    asked.body["response_format"].to_string().contains("\"statements\"")
}
