//! The server of the Model Context Protocol, driven by the SDK's own client: the real host with `--mcp`.

mod asking;
mod errors;
mod isolation;
mod lines;
mod schema;
mod session;
mod tools;

use std::{
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex},
};

use palimpsest_tests::{Host, host_binary, server::Server, text};
use rmcp::{
    ClientHandler, RoleClient, ServiceError,
    model::{
        CallToolRequest, CallToolRequestParams, CallToolResult, ClientRequest, ErrorData, GetPromptRequestParams,
        ProgressNotificationParam, ReadResourceRequestParams,
    },
    service::{
        ClientLifecycleMode, NotificationContext, PeerRequestOptions, RequestHandle, RunningService,
        serve_client_with_lifecycle,
    },
};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{
    net::unix::pipe::{Receiver, Sender},
    runtime::{Builder, Runtime},
};

/// A word that is only in the book of another project.
const MARK: &str = "zyxquorn";

const FERRY: &str = "# The Ferry\n\n\
    “You are early,” said Mara Venn. She looked at Tobias, and Tobias laughed. The lamps of Harwick were lit, and in \
    Harwick there was not a soul about.\n\n\
    “It is cold,” said Tobias. Mara Venn took the rope. They had met in Harwick on 15 May 1983, when Tobias was \
    twelve.\n";
const LEDGER: &str = "# The Ledger\n\n\
    Three days later Venn opened the ledger. “It is not signed,” said Venn. Tobias looked at Venn, and then at the \
    door.\n\n\
    “Sign it,” said Aldous Pike. So that was Aldous Pike, thought Tobias, and gave the pen to Aldous Pike.\n";
const CROSSING: &str = "# 渡口\n\n\
    “你来早了。”沈青禾说。她看了看陆怀山，陆怀山笑了。雁回渡的灯都亮着，渡口上一个人也没有。\n\n\
    “冷。”陆怀山说。沈青禾接过缆绳。一九八三年五月十五日，他们在雁回渡第一次见面。\n";
const ACCOUNTS: &str = "# 账本\n\n\
    三天以后，沈青禾打开账本。“没有签字。”沈青禾说。陆怀山看着沈青禾，又看了看门。\n";

/// A data folder with a book in English and one in Chinese, each with something of every kind.
struct Books {
    folder: TempDir,
    english: String,
    chinese: String,
    /// Ids of what the Chinese book has, by kind.
    of_chinese: Value,
    server: Server,
}

impl Books {
    fn new() -> Self {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let server = Server::start();
        let mut books =
            Self { folder, english: String::new(), chinese: String::new(), of_chinese: Value::Null, server };
        let host = books.open_host();
        (books.english, _) = add_book(&host, "The Ferry House", "en", &[FERRY, LEDGER], "Mara Venn");
        (books.chinese, books.of_chinese) = add_book(&host, "雁回渡", "zh", &[CROSSING, ACCOUNTS], "沈青禾");
        books.mark(&host);
        assert!(host.end());
        books
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// The other mode of the host, on the same folder.
    fn open_host(&self) -> Host {
        Host::start(&self.data(), &["--embedder", "nowhere"])
    }

    /// Puts the mark into all that the Chinese book has.
    fn mark(&self, host: &Host) {
        let of_book = |more: Value| with_project(&self.chinese, more);
        host.ask("memory:semantic:add", of_book(json!({ "rule": MARK, "category": "style", "scope": "project" })));
        host.ask("journal:store", of_book(json!({ "kind": "note", "content": format!("the ferry {MARK}") })));
        let chapter =
            json!([{ "chapterId": "c9", "text": format!("# IX\n\nThe ferry {MARK} took the rope of Mara Venn.") }]);
        host.ask("story:analyze", of_book(json!({ "chapters": chapter })));
        let recorded =
            json!({ "question": "Who took the rope of the ferry?", "answer": format!("{MARK}, of the ferry.") });
        host.ask("answer:record", of_book(recorded));
        host.ask("memory:episode:record", of_book(episode(&format!("The ferry {MARK} came in."))));
    }

    /// Chooses the scripted server as the model of questions.
    fn choose_model(&self) {
        let host = self.open_host();
        let provider = json!({ "kind": "openAi", "name": "at home", "baseUrl": self.server.url("/v1") });
        let provider = host.ask("ai:provider:save", provider);
        let choice = json!({ "purpose": "asking", "providerId": provider["providerId"], "model": "reader" });
        host.ask("ai:purpose:set", choice);
        assert!(host.end());
    }

    /// A server for the English book.
    fn agent(&self, more: &[&str]) -> Agent {
        self.agent_of(&[&self.english], more)
    }

    fn agent_of(&self, projects: &[&str], more: &[&str]) -> Agent {
        Agent::start(self.command(projects, more))
    }

    fn command(&self, projects: &[&str], more: &[&str]) -> Command {
        let mut command = Command::new(host_binary());
        command.arg("--data-dir").arg(self.data()).args(["--embedder", "nowhere", "--mcp"]);
        projects.iter().for_each(|project| {
            command.args(["--project", project]);
        });
        command.args(more);
        command
    }
}

fn with_project(project: &str, mut arguments: Value) -> Value {
    arguments["projectId"] = project.into();
    arguments
}

/// A decision on one draft, which the writer took and edited.
fn episode(text: &str) -> Value {
    json!({
        "chapterId": "c1", "skillUsed": "continue", "sceneType": "dialogue", "inputContext": "The lamps were lit.",
        "candidates": [text, "It rained."], "selectedIndex": 0, "finalText": text,
    })
}

/// Adds a book in a folder, with an accepted entity; its id, and ids of what it has.
fn add_book(host: &Host, title: &str, language: &str, chapters: &[&str], name: &str) -> (String, Value) {
    let project = text(&host.ask("project:create", json!({ "title": title, "language": language })), "projectId");
    let of_book = |more: Value| with_project(&project, more);
    let chapters: Vec<Value> =
        (1..).zip(chapters).map(|(number, text)| json!({ "chapterId": format!("c{number}"), "text": text })).collect();
    host.ask("story:analyze", of_book(json!({ "chapters": chapters, "isWhole": true })));
    let saved = host.ask("story:entity:save", of_book(json!({ "kind": "character", "name": name })));
    let listed = host.ask("story:entity:list", of_book(json!({})));
    let all = listed["entities"].as_array().unwrap().iter().chain(listed["unnamed"].as_array().unwrap());
    let entity = all.into_iter().find(|entity| entity["name"] == name).unwrap_or_else(|| panic!("{saved} {listed}"));
    let run = host.ask("answer:prepare", of_book(json!({ "query": "Who took the rope?" })));
    (project.clone(), json!({ "entityId": entity["entityId"], "runId": run["runId"] }))
}

/// The client's side: progress is noted.
#[derive(Clone, Default)]
struct Listener {
    progress: Arc<Mutex<Vec<ProgressNotificationParam>>>,
}

impl ClientHandler for Listener {
    async fn on_progress(&self, progress: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.progress.lock().unwrap().push(progress);
    }
}

/// An agent, connected to a server.
struct Agent {
    runtime: Runtime,
    client: Option<RunningService<RoleClient, Listener>>,
    listener: Listener,
    child: Child,
}

impl Agent {
    fn start(command: Command) -> Self {
        Self::start_with(command, ClientLifecycleMode::Initialize)
    }

    fn start_with(mut command: Command, mode: ClientLifecycleMode) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let listener = Listener::default();
        let handler = listener.clone();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let client = runtime.block_on(async move {
            let input = Sender::from_owned_fd(input.into()).unwrap();
            let output = Receiver::from_owned_fd(output.into()).unwrap();
            serve_client_with_lifecycle(handler, (output, input), mode).await.unwrap()
        });
        Self { runtime, client: Some(client), listener, child }
    }

    fn client(&self) -> &RunningService<RoleClient, Listener> {
        self.client.as_ref().unwrap()
    }

    fn tools(&self) -> Vec<rmcp::model::Tool> {
        self.runtime.block_on(self.client().list_all_tools()).unwrap()
    }

    fn try_call(&self, tool: &str, arguments: Value) -> Result<CallToolResult, ServiceError> {
        self.runtime.block_on(self.client().call_tool(call_request(tool, arguments)))
    }

    /// The structured result of a tool, which is the same as its text.
    #[track_caller]
    fn use_tool(&self, tool: &str, arguments: Value) -> Value {
        let result = self.try_call(tool, arguments).unwrap_or_else(|error| panic!("{tool}: {error}"));
        let value = result.structured_content.unwrap();
        assert_ne!(result.is_error, Some(true), "{tool}: {value}");
        let text: Value = serde_json::from_str(&result.content[0].as_text().unwrap().text).unwrap();
        assert_eq!((result.content.len(), text), (1, value.clone()), "{tool}");
        value
    }

    /// The error of a command that a tool executed.
    #[track_caller]
    fn command_error(&self, tool: &str, arguments: Value) -> Value {
        let result = self.try_call(tool, arguments).unwrap_or_else(|error| panic!("{tool}: {error}"));
        assert_eq!(result.is_error, Some(true), "{tool}");
        result.structured_content.unwrap()
    }

    /// The protocol error of a call.
    #[track_caller]
    fn call_error(&self, tool: &str, arguments: Value) -> ErrorData {
        protocol_error(self.try_call(tool, arguments))
    }

    fn read(&self, uri: &str) -> Result<Value, ServiceError> {
        let read = self.runtime.block_on(self.client().read_resource(ReadResourceRequestParams::new(uri)))?;
        let content = serde_json::to_value(&read.contents[0]).unwrap();
        assert_eq!((&content["uri"], &content["mimeType"]), (&json!(uri), &json!("application/json")));
        Ok(serde_json::from_str(content["text"].as_str().unwrap()).unwrap())
    }

    fn continue_prompt(&self, arguments: Value) -> Result<Vec<String>, ServiceError> {
        let request = GetPromptRequestParams::new("continue").with_arguments(arguments.as_object().unwrap().clone());
        let prompt = self.runtime.block_on(self.client().get_prompt(request))?;
        let text = |message: &rmcp::model::PromptMessage| message.content.as_text().unwrap().text.clone();
        Ok(prompt.messages.iter().map(text).collect())
    }

    /// Begins a call that can be cancelled.
    fn begin(&self, tool: &str, arguments: Value) -> RequestHandle<RoleClient> {
        let call = ClientRequest::CallToolRequest(CallToolRequest::new(call_request(tool, arguments)));
        let options = PeerRequestOptions::no_options();
        self.runtime.block_on(self.client().send_cancellable_request(call, options)).unwrap()
    }

    fn progress(&self) -> Vec<ProgressNotificationParam> {
        self.listener.progress.lock().unwrap().clone()
    }

    /// Ends the input, and returns whether the process exited successfully.
    fn end(mut self) -> bool {
        let client = self.client.take().unwrap();
        self.runtime.block_on(client.cancel()).unwrap();
        self.child.wait().unwrap().success()
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _gone = self.child.wait();
    }
}

fn call_request(tool: &str, arguments: Value) -> CallToolRequestParams {
    CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments.as_object().unwrap().clone())
}

#[track_caller]
fn protocol_error<T: std::fmt::Debug>(result: Result<T, ServiceError>) -> ErrorData {
    match result {
        Err(ServiceError::McpError(error)) => error,
        other => panic!("{other:?}"),
    }
}
