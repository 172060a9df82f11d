//! Lines of a stream of bytes, bounded in length.

/// Divides chunks into lines. A line that is too long is dropped and counted, and the next one is read as usual.
#[derive(Debug)]
pub(crate) struct LineSplitter {
    max_bytes: usize,
    held: Vec<u8>,
    is_dropping: bool,
    /// Lines that were too long.
    pub(crate) dropped: u32,
}

impl LineSplitter {
    pub(crate) fn new(max_bytes: usize) -> Self {
        Self { max_bytes, held: Vec::new(), is_dropping: false, dropped: 0 }
    }

    /// Passes each complete line on, without its end.
    pub(crate) fn push(&mut self, chunk: &[u8], on_line: &mut dyn FnMut(&[u8])) {
        let mut rest = chunk;
        while let Some(at) = rest.iter().position(|byte| *byte == b'\n') {
            let (line, after) = rest.split_at(at);
            rest = after.get(1..).unwrap_or_default();
            if std::mem::take(&mut self.is_dropping) {
                continue;
            }
            if self.held.len() + line.len() > self.max_bytes {
                self.dropped += 1;
            } else if self.held.is_empty() {
                on_line(without_return(line));
            } else {
                self.held.extend_from_slice(line);
                on_line(without_return(&self.held));
            }
            self.held.clear();
        }
        if self.is_dropping {
            return;
        }
        if self.held.len() + rest.len() > self.max_bytes {
            self.dropped += 1;
            self.is_dropping = true;
            self.held = Vec::new();
        } else {
            self.held.extend_from_slice(rest);
        }
    }

    /// Passes on the last line, which has no end.
    pub(crate) fn finish(&mut self, on_line: &mut dyn FnMut(&[u8])) {
        if !self.held.is_empty() {
            on_line(without_return(&self.held));
            self.held.clear();
        }
    }
}

fn without_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn split(text: &[u8], sizes: &[usize], max: usize) -> (Vec<Vec<u8>>, u32) {
        let mut splitter = LineSplitter::new(max);
        let mut lines = Vec::new();
        let (mut rest, mut sizes) = (text, sizes.iter().cycle());
        while !rest.is_empty() {
            let (chunk, after) = rest.split_at(sizes.next().copied().unwrap_or(1).clamp(1, rest.len()));
            splitter.push(chunk, &mut |line| lines.push(line.to_vec()));
            rest = after;
        }
        splitter.finish(&mut |line| lines.push(line.to_vec()));
        (lines, splitter.dropped)
    }

    #[test]
    fn a_line_that_is_too_long_is_dropped_and_the_next_one_is_read() {
        let text = b"one\r\n\nfar too long\ntwo\nthree";
        let (lines, dropped) = split(text, &[4], 5);
        assert_eq!(lines, [&b"one"[..], b"", b"two", b"three"].map(<[u8]>::to_vec));
        assert_eq!(dropped, 1);
        assert_eq!(split(b"endless without an end", &[3], 5), (vec![], 1));
    }

    proptest! {
        #[test]
        fn lines_do_not_depend_on_how_the_stream_is_divided(
            text in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), any::<u8>()], 0..200),
            sizes in proptest::collection::vec(1_usize..9, 1..5),
        ) {
            prop_assert_eq!(split(&text, &sizes, 12), split(&text, &[text.len().max(1)], 12));
        }
    }
}
