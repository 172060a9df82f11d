//! The end of a host that receives a signal.

#![cfg(unix)]

use palimpsest_tests::{
    Host,
    server::{Answer, Server, chat_piece},
    text,
};
use serde_json::json;
use tempfile::TempDir;

use crate::passage;

const FIXED: [&str; 2] = ["--clock", "fixed:2026-03-15T21:00:00Z"];

fn book(host: &Host) -> String {
    text(&host.ask("project:create", json!({ "title": "夜航", "language": "zh" })), "projectId")
}

fn add_signal(host: &Host, project: &str) {
    let signal = json!({ "projectId": project, "kind": "signal", "text": "把长句断成短句", "weight": 1.0 });
    host.ask("memory:working:put", signal);
}

#[test]
fn a_signal_records_the_session_as_the_end_of_the_input_does() {
    for signal in ["TERM", "INT", "HUP"] {
        let folder = TempDir::new().unwrap();
        let host = Host::start(folder.path(), &[]);
        let project = book(&host);
        add_signal(&host, &project);
        host.signal(signal);
        assert_eq!(host.wait(), Some(0), "{signal}");
        let host = Host::start(folder.path(), &[]);
        assert_eq!(
            host.ask("memory:semantic:list", json!({ "projectId": project }))["episodesRecorded"],
            1,
            "{signal}"
        );
        assert!(host.end());
    }
}

#[test]
fn a_signal_stops_requests_that_wait_for_a_server() {
    let server = Server::start();
    let gate = server.gate();
    server.always("/v1/chat/completions", Answer::stream().event(&chat_piece("雨")).wait_at(&gate));
    let folder = TempDir::new().unwrap();
    let url = server.url("/v1");
    let host = Host::start(folder.path(), &["--provider", "openai", "--base-url", &url, "--model", "scripted"]);
    let project = book(&host);
    add_signal(&host, &project);
    host.ask("ai:skill:run", passage(&project, "雨停了。"));
    let asked = server.wait_for_request_to("/v1/chat/completions");
    host.signal("TERM");
    assert_eq!(host.wait(), Some(0));
    server.wait_until_gone(&asked);
    let host = Host::start(folder.path(), &[]);
    assert_eq!(host.ask("memory:semantic:list", json!({ "projectId": project }))["episodesRecorded"], 1);
}

/// A host with a request that never ends.
fn stuck(folder: &TempDir) -> Host {
    let host = Host::start(folder.path(), &FIXED);
    let project = book(&host);
    host.ask("test:clear:halt", json!({ "after": 1 }));
    drop(host.send("memory:clear:project", json!({ "projectId": project, "confirmed": true })));
    host.wait_for_event("test:clear:halted");
    host
}

#[test]
fn a_signal_ends_a_host_of_which_a_request_never_ends() {
    let folder = TempDir::new().unwrap();
    let host = stuck(&folder);
    host.signal("TERM");
    assert_eq!(host.wait(), Some(0));
}

#[test]
fn a_second_signal_ends_the_host_at_once() {
    for (signal, code) in [("TERM", 128 + 15), ("INT", 128 + 2), ("HUP", 128 + 1)] {
        let folder = TempDir::new().unwrap();
        assert_eq!(stuck(&folder).signal_until_gone(signal), Some(code), "{signal}");
    }
}
