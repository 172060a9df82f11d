//! The tool call of an answer, put together from its pieces. The first of several counts.

use palimpsest_memory::ports::{MAX_CANDIDATE_BYTES, RequestedCall};

use crate::json;

/// A piece of a tool call. Texts that it does not have are empty.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct CallPiece {
    /// The number of the call in the answer.
    pub position: usize,
    /// The id of the call, which most servers send with its first piece only.
    pub id: String,
    /// The name of the tool.
    pub name: String,
    /// The next part of the arguments, JSON text.
    pub arguments: String,
}

/// The first call of an answer.
#[derive(Debug)]
pub(crate) struct PartialCall {
    position: usize,
    id: String,
    name: String,
    arguments: String,
    /// Whether another call began under the same number.
    is_closed: bool,
}

impl PartialCall {
    /// A call that begins with this piece.
    pub(crate) fn new(piece: &CallPiece) -> Self {
        Self {
            position: piece.position,
            id: String::new(),
            name: String::new(),
            arguments: String::new(),
            is_closed: false,
        }
    }

    /// Adds a piece, and ignores it if it is of another call. Returns `false` if the arguments become longer than
    /// [`MAX_CANDIDATE_BYTES`].
    pub(crate) fn add_piece(&mut self, piece: CallPiece) -> bool {
        // Some servers give all calls the same number. Without ids too, the arguments of all calls follow each other,
        // and the first object among them is read.
        self.is_closed |= !self.id.is_empty() && !piece.id.is_empty() && piece.id != self.id;
        if self.is_closed || piece.position != self.position {
            return true;
        }
        for (text, piece) in [(&mut self.id, piece.id), (&mut self.name, piece.name)] {
            if text.is_empty() {
                *text = piece;
            }
        }
        self.arguments.push_str(&piece.arguments);
        self.arguments.len() <= MAX_CANDIDATE_BYTES && self.name.len() <= MAX_CANDIDATE_BYTES
    }

    /// The call at the end of the answer. Arguments that are JSON are normalized: names in them have no escapes.
    pub(crate) fn finish(self) -> RequestedCall {
        let arguments = match json::parse_lenient(&self.arguments) {
            _ if self.arguments.trim().is_empty() => "{}".to_owned(),
            Some(value) => value.to_string(),
            None => self.arguments,
        };
        RequestedCall { name: self.name, arguments }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The call that is put together from pieces of position, id, name and arguments.
    fn call(pieces: &[(usize, &str, &str, &str)]) -> (String, String) {
        let mut partial: Option<PartialCall> = None;
        for &(position, id, name, arguments) in pieces {
            let (id, name, arguments) = (id.to_owned(), name.to_owned(), arguments.to_owned());
            let piece = CallPiece { position, id, name, arguments };
            assert!(partial.get_or_insert_with(|| PartialCall::new(&piece)).add_piece(piece));
        }
        let RequestedCall { name, arguments } = partial.unwrap().finish();
        (name, arguments)
    }

    #[test]
    fn pieces_of_the_first_call_are_joined_and_others_are_left_out() {
        let whole = ("entity".to_owned(), "{\"name\":\"梅\"}".to_owned());
        let (first, second) = ("{\"name\":", "\"\\u6885\"}");
        for pieces in [
            &[(0, "a", "entity", ""), (0, "", "", first), (0, "", "", second)][..],
            // A number that does not begin at 0, and one that follows.
            &[(1, "a", "entity", first), (1, "a", "", second), (2, "b", "where", "{\"name\": 1}")],
            // The name and the id in each piece.
            &[(0, "a", "entity", first), (0, "a", "entity", second), (0, "a", "entity", "")],
            &[(0, "", "entity", first), (0, "", "entity", second)],
            // Every call under the same number, with and without ids.
            &[(0, "a", "entity", first), (0, "", "", second), (0, "b", "where", first), (0, "", "", second)],
            &[(0, "", "entity", first), (0, "", "", second), (0, "", "where", first), (0, "", "", second)],
        ] {
            assert_eq!(call(pieces), whole, "{pieces:?}");
        }
        let without_arguments = [(0, "a", "stop", ""), (0, "b", "entity", first), (0, "b", "", second)];
        assert_eq!(call(&without_arguments), ("stop".to_owned(), "{}".to_owned()));
    }

    #[test]
    fn arguments_that_are_no_json_stay_as_they_are() {
        for (written, normalized) in [
            ("", "{}"),
            (" ", "{}"),
            ("[1, 2]", "[1,2]"),
            ("\"{}\"", "\"{}\""),
            ("梅", "梅"),
            ("{\"name\": \"梅\", \"first\": \"cu", "{\"name\":\"梅\"}"),
        ] {
            assert_eq!(call(&[(0, "a", "entity", written)]).1, normalized, "{written}");
        }
    }

    #[test]
    fn endless_arguments_are_refused() {
        let piece = |arguments: String| CallPiece { position: 0, id: String::new(), name: String::new(), arguments };
        let mut partial = PartialCall::new(&piece(String::new()));
        assert!(partial.add_piece(piece(" ".repeat(MAX_CANDIDATE_BYTES))));
        assert!(!partial.add_piece(piece(" ".to_owned())));
    }
}
