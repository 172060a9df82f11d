//! A relay between the program and the server of the model: it passes requests and answers on, piece by piece, and
//! records the prompts and the texts before any filter.
//!
//! One request a connection, plain HTTP.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex, PoisonError},
    thread,
};

use serde_json::Value;

/// A request to the model, and as much of the answer as has come.
#[derive(Debug, Default, Clone)]
pub struct Exchange {
    /// Role and content of each message.
    pub messages: Vec<(String, String)>,
    /// The bytes of the answer, with its head.
    received: Arc<Mutex<Vec<u8>>>,
}

impl Exchange {
    /// The text of a complete answer; `None` for an error, and for an answer that broke off.
    pub fn complete_text(&self) -> Option<String> {
        streamed_text(&self.received.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A relay to one server, which runs until the end of the program.
pub struct Relay {
    /// The base URL under which the server is reached through the relay.
    pub url: String,
    exchanges: Arc<Mutex<Vec<Exchange>>>,
}

impl Relay {
    /// Starts a relay to the server at `url`, `http://HOST[:PORT][/PATH]`.
    pub fn start(url: &str) -> Result<Self, String> {
        let rest = url.strip_prefix("http://").ok_or("MODEL_URL begins with http://")?;
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let upstream = if authority.contains(':') { authority.to_owned() } else { format!("{authority}:80") };
        let listener = TcpListener::bind("127.0.0.1:0").map_err(|error| error.to_string())?;
        let port = listener.local_addr().map_err(|error| error.to_string())?.port();
        let exchanges = Arc::<Mutex<Vec<Exchange>>>::default();
        let recorded = Arc::clone(&exchanges);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let (upstream, recorded) = (upstream.clone(), Arc::clone(&recorded));
                // A broken connection is an error of the model for the program, which reports it.
                thread::spawn(move || pass_on(client, &upstream, &recorded).ok());
            }
        });
        Ok(Self { url: format!("http://127.0.0.1:{port}{path}"), exchanges })
    }

    /// The exchanges since the last call, in the order of the requests.
    pub fn take_exchanges(&self) -> Vec<Exchange> {
        std::mem::take(&mut *self.exchanges.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn pass_on(client: TcpStream, upstream: &str, recorded: &Mutex<Vec<Exchange>>) -> std::io::Result<()> {
    let mut input = BufReader::new(client.try_clone()?);
    let mut head = format!("{}\r\n", head_line(&mut input)?);
    let mut length = 0;
    loop {
        let line = head_line(&mut input)?;
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(':').unwrap_or((&line, ""));
        match name.to_ascii_lowercase().as_str() {
            "host" | "connection" => continue,
            "content-length" => length = value.trim().parse().unwrap_or(0),
            _ => {}
        }
        head += &format!("{line}\r\n");
    }
    head += &format!("host: {upstream}\r\nconnection: close\r\n\r\n");
    let mut body = vec![0; length];
    input.read_exact(&mut body)?;
    let mut server = TcpStream::connect(upstream)?;
    server.write_all(head.as_bytes())?;
    server.write_all(&body)?;
    let messages = messages_of(&body);
    let received = Arc::<Mutex<Vec<u8>>>::default();
    if !messages.is_empty() {
        let exchange = Exchange { messages, received: Arc::clone(&received) };
        recorded.lock().unwrap_or_else(PoisonError::into_inner).push(exchange);
    }
    let (mut client, mut buffer) = (client, [0; 16_384]);
    loop {
        let bytes = server.read(&mut buffer)?;
        // Recorded before it is passed on: with the end of the answer the program may be done.
        let is_end = {
            let mut received = received.lock().unwrap_or_else(PoisonError::into_inner);
            received.extend_from_slice(&buffer[..bytes]);
            // Some servers leave the connection open.
            bytes == 0 || is_whole(&received)
        };
        client.write_all(&buffer[..bytes])?;
        if is_end {
            return Ok(());
        }
    }
}

/// The next line of a head, without its end.
fn head_line(input: &mut impl BufRead) -> std::io::Result<String> {
    let mut line = String::new();
    input.read_line(&mut line)?;
    Ok(line.trim_end().to_owned())
}

/// The messages of a request to a chat; empty for other requests.
fn messages_of(body: &[u8]) -> Vec<(String, String)> {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let messages = body["messages"].as_array().into_iter().flatten();
    messages.map(|message| (text(&message["role"]), text(&message["content"]))).collect()
}

/// The head of an answer in lower case, and the body as far as it has come; `None` before the end of the head.
fn head_and_body(answer: &[u8]) -> Option<(String, &[u8])> {
    let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n")?;
    Some((String::from_utf8_lossy(&answer[..end]).to_lowercase(), &answer[end + 4..]))
}

fn is_chunked(head: &str) -> bool {
    head.lines().any(|line| line.starts_with("transfer-encoding:") && line.contains("chunked"))
}

/// Whether an answer says that it has ended. The end of others is that of the connection.
fn is_whole(answer: &[u8]) -> bool {
    let Some((head, body)) = head_and_body(answer) else { return false };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
    match length.and_then(|length| length.trim().parse::<usize>().ok()) {
        _ if is_chunked(&head) => body.ends_with(b"\r\n0\r\n\r\n") || body == b"0\r\n\r\n",
        Some(length) => body.len() >= length,
        None => false,
    }
}

/// The text of a whole streamed answer of an OpenAI-compatible server.
fn streamed_text(answer: &[u8]) -> Option<String> {
    let (head, body) = head_and_body(answer)?;
    if head.split_whitespace().nth(1) != Some("200") {
        return None;
    }
    let body = if is_chunked(&head) { without_chunks(body) } else { body.to_vec() };
    let (mut text, mut has_ended) = (String::new(), false);
    for line in String::from_utf8_lossy(&body).lines() {
        let Some(data) = line.strip_prefix("data:").map(str::trim) else { continue };
        let event: Value = serde_json::from_str(data).unwrap_or_default();
        let choice = &event["choices"][0];
        text.push_str(choice["delta"]["content"].as_str().unwrap_or_default());
        has_ended |= data == "[DONE]" || choice["finish_reason"].is_string();
    }
    has_ended.then_some(text)
}

/// The content of a body in chunks, as far as it has come.
fn without_chunks(mut body: &[u8]) -> Vec<u8> {
    let mut content = Vec::new();
    while let Some(end) = body.windows(2).position(|bytes| bytes == b"\r\n") {
        let size = String::from_utf8_lossy(&body[..end]);
        let size = usize::from_str_radix(size.split(';').next().unwrap_or_default().trim(), 16).unwrap_or(0);
        let rest = &body[end + 2..];
        content.extend_from_slice(&rest[..size.min(rest.len())]);
        if size == 0 || rest.len() < size + 2 {
            break;
        }
        body = &rest[size + 2..];
    }
    content
}

#[cfg(test)]
mod tests {
    use palimpsest_tests::server::{Answer, Server};

    use super::*;

    #[test]
    fn an_answer_is_passed_on_as_it_came_and_its_text_recorded() {
        let server = Server::start();
        server.always("/v1/chat/completions", Answer::chat(&["门外", "没有人。"]));
        let relay = Relay::start(&server.url("/v1")).unwrap();
        let address = relay.url.strip_prefix("http://").unwrap().strip_suffix("/v1").unwrap();
        let body = r#"{"messages":[{"role":"user","content":"Go on."}]}"#;
        let request =
            format!("POST /v1/chat/completions HTTP/1.1\r\nhost: here\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        let mut client = TcpStream::connect(address).unwrap();
        client.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        client.read_to_end(&mut answer).unwrap();
        assert_eq!(streamed_text(&answer).as_deref(), Some("门外没有人。"));
        let exchanges = relay.take_exchanges();
        assert_eq!(exchanges.len(), 1);
        assert_eq!(exchanges[0].messages, [("user".to_owned(), "Go on.".to_owned())]);
        assert_eq!(exchanges[0].complete_text().as_deref(), Some("门外没有人。"));
        assert_eq!(server.requests()[0].header("connection"), Some("close"));
    }

    #[test]
    fn an_answer_that_broke_off_or_failed_has_no_complete_text() {
        let event = "data: {\"choices\":[{\"delta\":{\"content\":\"Rain\"}}]}\n\n";
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
        let open = format!("{head}{:x}\r\n{event}\r\n", event.len());
        assert_eq!(streamed_text(open.as_bytes()), None);
        let whole = format!("{open}e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n");
        assert_eq!(streamed_text(whole.as_bytes()).as_deref(), Some("Rain"));
        assert_eq!(streamed_text(whole.replace(" 200 ", " 500 ").as_bytes()), None);
    }
}
