//! Parses a stream of events (`text/event-stream`) from chunks of bytes.
//!
//! Own code instead of a library: it works on bytes without a stream of futures, bounds the size of an event, and reads
//! the field `error:` that some servers use.

/// The longest event, in bytes: longer than a whole candidate with every character escaped.
const MAX_EVENT_BYTES: usize = 1 << 20;

/// An event: the lines of its data, joined.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Event {
    /// The value of `event:`, or `error` if the field `error:` was used.
    pub name: String,
    pub data: String,
}

/// An event is longer than its limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooLong;

/// An incremental parser of a stream of events.
#[derive(Default)]
pub(crate) struct EventParser {
    line: Vec<u8>,
    /// Whether the last byte was a carriage return; a following newline belongs to it.
    returned: bool,
    begun: bool,
    name: String,
    data: Option<String>,
}

impl EventParser {
    /// Parses the next bytes and calls `on_event` with each complete event.
    pub(crate) fn push(&mut self, bytes: &[u8], mut on_event: impl FnMut(Event)) -> Result<(), TooLong> {
        let mut rest = bytes;
        while let Some(&first) = rest.first() {
            if std::mem::take(&mut self.returned) && first == b'\n' {
                rest = &rest[1..];
                continue;
            }
            let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
                self.line.extend_from_slice(rest);
                return self.check_length();
            };
            self.line.extend_from_slice(&rest[..end]);
            self.returned = rest[end] == b'\r';
            rest = &rest[end + 1..];
            self.check_length()?;
            if let Some(event) = self.end_line() {
                on_event(event);
            }
        }
        Ok(())
    }

    /// Ends the stream and returns an event without a final empty line. The standard drops it, but some servers omit
    /// the last empty line.
    pub(crate) fn finish(mut self) -> Option<Event> {
        if !self.line.is_empty() {
            // The last line is not empty, so it dispatches no event.
            drop(self.end_line());
        }
        self.dispatch()
    }

    fn check_length(&self) -> Result<(), TooLong> {
        let length = self.line.len() + self.data.as_ref().map_or(0, String::len);
        if length > MAX_EVENT_BYTES { Err(TooLong) } else { Ok(()) }
    }

    fn end_line(&mut self) -> Option<Event> {
        let bytes = std::mem::take(&mut self.line);
        // Lines end at ASCII bytes, so no character is split.
        let whole = String::from_utf8_lossy(&bytes);
        let line = if std::mem::replace(&mut self.begun, true) {
            &whole
        } else {
            whole.strip_prefix('\u{feff}').unwrap_or(&whole)
        };
        if line.is_empty() {
            return self.dispatch();
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut self.name),
            "data" => self.add(value),
            "error" => {
                "error".clone_into(&mut self.name);
                self.add(value);
            }
            // Comments (empty field name), `id`, `retry`, and unknown fields.
            _ => {}
        }
        None
    }

    fn add(&mut self, value: &str) {
        match &mut self.data {
            Some(data) => {
                data.push('\n');
                data.push_str(value);
            }
            None => self.data = Some(value.to_owned()),
        }
    }

    fn dispatch(&mut self) -> Option<Event> {
        let name = std::mem::take(&mut self.name);
        let data = self.data.take()?;
        (!data.trim().is_empty()).then_some(Event { name, data })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(chunks: &[&[u8]]) -> Vec<(String, String)> {
        let mut events = EventParser::default();
        let mut found = Vec::new();
        for chunk in chunks {
            events.push(chunk, |event| found.push((event.name, event.data))).unwrap();
        }
        found.extend(events.finish().map(|event| (event.name, event.data)));
        found
    }

    #[test]
    fn fields_comments_and_line_ends_are_read_as_the_standard_has_them() {
        let stream =
            b"\xef\xbb\xbf: hello\r\n\r\nevent: a\r\ndata: one\r\ndata:two\r\nid: 7\r\nretry: 5\r\n\r\ndata\n\n\
            data:  spaced \rdata: and more\r\rerror: {}\n\ndata: last";
        let expected = [("a", "one\ntwo"), ("", " spaced \nand more"), ("error", "{}"), ("", "last")];
        let expected: Vec<_> = expected.map(|(name, data)| (name.to_owned(), data.to_owned())).into();
        assert_eq!(read(&[stream]), expected);
        let bytes: Vec<&[u8]> = stream.chunks(1).collect();
        assert_eq!(read(&bytes), expected);
    }

    #[test]
    fn an_event_without_end_is_refused_before_it_fills_the_memory() {
        let mut events = EventParser::default();
        let chunk = [b'x'; 1 << 16];
        let refused = (0..=MAX_EVENT_BYTES >> 16).any(|_| events.push(&chunk, |_| {}).is_err());
        assert!(refused);
    }

    proptest! {
        #[test]
        fn any_bytes_are_survived(chunks in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..20)) {
            let chunks: Vec<&[u8]> = chunks.iter().map(Vec::as_slice).collect();
            let whole = chunks.concat();
            prop_assert_eq!(read(&chunks), read(&[&whole]));
        }

        #[test]
        fn events_are_the_same_however_they_are_cut(
            texts in prop::collection::vec("[^\r\n]{1,12}", 1..8),
            ends in prop::sample::select(vec!["\n", "\r\n", "\r"]),
            cuts in prop::collection::vec(0_usize..400, 0..30),
        ) {
            let stream: String = texts.iter().map(|text| format!("data: {text}{ends}{ends}")).collect();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(stream.len())).collect();
            cuts.sort_unstable();
            let mut chunks = Vec::new();
            let mut from = 0;
            for cut in cuts {
                chunks.push(&stream.as_bytes()[from..cut]);
                from = cut;
            }
            chunks.push(&stream.as_bytes()[from..]);
            let found: Vec<String> = read(&chunks).into_iter().map(|(_, data)| data).collect();
            let meant: Vec<String> = texts.into_iter().filter(|text| !text.trim().is_empty()).collect();
            prop_assert_eq!(found, meant);
        }
    }
}
