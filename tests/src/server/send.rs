//! Sends the steps of an answer to a client.

use std::{
    io::{ErrorKind, Write},
    net::TcpStream,
    time::Duration,
};

use super::{Answer, Board, Framing, Request, State, Step};

/// After this time without progress, a client is considered stalled. Only a client that accepts more later could make a
/// test fail by it.
const STALL: Duration = Duration::from_secs(1);

/// Bytes per write in a flood.
const FLOOD_WRITE: usize = 64 << 10;

/// Sends an answer, and returns whether the connection may be used again.
pub(super) fn send(out: &mut TcpStream, answer: &Answer, asked: &Request, board: &Board) -> std::io::Result<bool> {
    if answer.status == 0 {
        return Ok(false);
    }
    let mut head = format!("HTTP/1.1 {} Scripted\r\n", answer.status);
    for (name, value) in &answer.headers {
        head += &format!("{name}: {value}\r\n");
    }
    head += &match answer.framing {
        Framing::Length => {
            // A body that breaks off declares a length of one byte more than it has.
            let breaks = answer.steps.iter().any(|step| matches!(step, Step::Break));
            format!("content-length: {}\r\n\r\n", answer.body().len() + usize::from(breaks))
        }
        Framing::Chunked => "transfer-encoding: chunked\r\n\r\n".to_owned(),
        Framing::UntilClosed => "connection: close\r\n\r\n".to_owned(),
    };
    // A script that begins with a gate waits before the head: the client has no part of the answer yet.
    let mut head = Some(head);
    for step in &answer.steps {
        if !matches!(step, Step::Hold(_))
            && let Some(head) = head.take()
        {
            out.write_all(head.as_bytes())?;
        }
        match step {
            Step::Send(bytes) if bytes.is_empty() => {}
            Step::Send(bytes) if answer.framing == Framing::Chunked => {
                let mut chunk = format!("{:x}\r\n", bytes.len()).into_bytes();
                chunk.extend(bytes);
                chunk.extend(b"\r\n");
                out.write_all(&chunk)?;
            }
            Step::Send(bytes) => out.write_all(bytes)?,
            Step::Hold(gate) => {
                let held = |state: &State| state.gates[gate.number] || state.gone[asked.number] || state.over;
                let state = board.wait("a gate to be opened", held);
                if !state.gates[gate.number] {
                    return Ok(false);
                }
            }
            Step::Flood(bytes, total) => {
                let piece = bytes.repeat(FLOOD_WRITE.div_ceil(bytes.len().max(1)));
                let mut sent = 0;
                while sent < *total {
                    if answer.framing == Framing::Chunked {
                        write_counted(out, format!("{:x}\r\n", piece.len()).as_bytes(), board)?;
                    }
                    write_counted(out, &piece, board)?;
                    if answer.framing == Framing::Chunked {
                        write_counted(out, b"\r\n", board)?;
                    }
                    sent += piece.len();
                }
            }
            Step::Break => return Ok(false),
        }
    }
    if let Some(head) = head {
        out.write_all(head.as_bytes())?;
    }
    if answer.framing == Framing::Chunked {
        out.write_all(b"0\r\n\r\n")?;
    }
    board.change(|state| state.answered[asked.number] = true);
    Ok(answer.framing != Framing::UntilClosed)
}

/// Writes all of these bytes, counts the accepted ones, and reports a stall where none is accepted for [`STALL`].
fn write_counted(out: &mut TcpStream, mut bytes: &[u8], board: &Board) -> std::io::Result<()> {
    out.set_write_timeout(Some(STALL))?;
    while !bytes.is_empty() {
        match out.write(bytes) {
            Ok(accepted) => {
                bytes = &bytes[accepted..];
                board.change(|state| state.flooded += accepted);
            }
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                board.change(|state| state.stalled = true);
            }
            Err(error) => return Err(error),
        }
    }
    out.set_write_timeout(None)
}
