//! Finds credentials in a text: keys, tokens and passwords that must not be stored or sent.
//!
//! Seven families: keys of model providers (`sk-`, `sk-ant-`, `AIza`), of cloud providers (`AKIA`), tokens of code
//! hosts (`ghp_`, `github_pat_`, `npm_`), of chat services (`xoxb-`), web tokens (`eyJ….….…`, `Bearer …`), private-key
//! blocks, and passwords in addresses (`scheme://user:password@`). A credential is made of ASCII, so it begins and ends
//! at any other character: it is found directly beside Han. The scan takes linear time.

use std::ops::Range;

/// Replaces a secret.
const REDACTED: &str = "[REDACTED]";
/// Maximum bytes of a secret that are examined for being random.
const MAX_RANDOM_BYTES: usize = 64;
/// Maximum bytes from the begin of a private-key block to its end.
const MAX_BLOCK_BYTES: usize = 16 * 1024;
/// Minimum bytes of a line that belongs to a private-key block without an end.
const MIN_BLOCK_LINE_BYTES: usize = 16;
/// Maximum bytes of the scheme of an address.
const MAX_SCHEME_BYTES: usize = 32;
/// Minimum bytes of a bearer token.
const MIN_BEARER_BYTES: usize = 20;

/// The characters of a secret after its prefix.
#[derive(Clone, Copy, PartialEq)]
enum Alphabet {
    Alphanumeric,
    CapitalsAndDigits,
    /// Alphanumeric characters and `_`.
    Underscore,
    /// Alphanumeric characters, `_` and `-`.
    Dashes,
}

impl Alphabet {
    const fn contains(self, byte: u8) -> bool {
        match self {
            Self::Alphanumeric => byte.is_ascii_alphanumeric(),
            Self::CapitalsAndDigits => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Underscore => byte.is_ascii_alphanumeric() || byte == b'_',
            Self::Dashes => byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-',
        }
    }
}

/// A family of secrets with a fixed beginning.
struct Prefixed {
    prefix: &'static str,
    is_case_sensitive: bool,
    alphabet: Alphabet,
    /// Minimum and maximum bytes after the prefix.
    length: (usize, usize),
    /// Whether words in lower case are no secret: the prefix occurs in names of styles and the like.
    is_random: bool,
}

const fn prefixed(prefix: &'static str, alphabet: Alphabet, min: usize) -> Prefixed {
    Prefixed { prefix, is_case_sensitive: false, alphabet, length: (min, usize::MAX), is_random: false }
}

const fn exact(prefix: &'static str, alphabet: Alphabet, length: (usize, usize)) -> Prefixed {
    Prefixed { prefix, is_case_sensitive: true, alphabet, length, is_random: false }
}

const fn random(prefix: &'static str, min: usize) -> Prefixed {
    Prefixed { is_random: true, ..prefixed(prefix, Alphabet::Dashes, min) }
}

/// Secrets with a fixed beginning, longer prefixes first.
const PREFIXED: &[Prefixed] = &[
    random("sk-ant-", 20),
    random("sk-proj-", 20),
    random("sk-svcacct-", 20),
    random("sk-admin-", 20),
    random("sk-or-", 20),
    prefixed("sk-", Alphabet::Alphanumeric, 20),
    prefixed("sk_live_", Alphabet::Alphanumeric, 16),
    prefixed("rk_live_", Alphabet::Alphanumeric, 16),
    prefixed("gsk_", Alphabet::Alphanumeric, 20),
    exact("hf_", Alphabet::Alphanumeric, (30, usize::MAX)),
    exact("AIza", Alphabet::Dashes, (30, usize::MAX)),
    exact("AKIA", Alphabet::CapitalsAndDigits, (16, 16)),
    exact("ASIA", Alphabet::CapitalsAndDigits, (16, 16)),
    exact("AKID", Alphabet::Alphanumeric, (32, 32)),
    exact("LTAI", Alphabet::Alphanumeric, (12, 20)),
    prefixed("ghp_", Alphabet::Alphanumeric, 20),
    prefixed("gho_", Alphabet::Alphanumeric, 20),
    prefixed("ghu_", Alphabet::Alphanumeric, 20),
    prefixed("ghs_", Alphabet::Alphanumeric, 20),
    prefixed("ghr_", Alphabet::Alphanumeric, 20),
    prefixed("github_pat_", Alphabet::Underscore, 20),
    random("glpat-", 20),
    exact("npm_", Alphabet::Alphanumeric, (36, 36)),
    random("xoxa-", 10),
    random("xoxb-", 10),
    random("xoxe-", 10),
    random("xoxo-", 10),
    random("xoxp-", 10),
    random("xoxr-", 10),
    random("xoxs-", 10),
    random("xapp-", 10),
];

/// Whether `text` has a secret in it.
#[must_use]
pub fn contains_secret(text: &str) -> bool {
    Scan::new(text).next().is_some()
}

/// `text` with `[REDACTED]` in place of each secret.
#[must_use]
pub fn redact_secrets(text: &str) -> String {
    let mut redacted = String::with_capacity(text.len());
    let mut at = 0;
    for range in Scan::new(text) {
        redacted.push_str(text.get(at..range.start).unwrap_or_default());
        redacted.push_str(REDACTED);
        at = range.end;
    }
    redacted.push_str(text.get(at..).unwrap_or_default());
    redacted
}

/// The byte ranges of the secrets of a text, ascending.
struct Scan<'t> {
    bytes: &'t [u8],
    at: usize,
    /// The address whose scheme ends at the next `://`: the range of what is secret in it, and the end of the search.
    address: (Option<Range<usize>>, usize),
    /// No web token begins before this offset.
    web_token_from: usize,
    /// The next end of a private-key block: where it was searched from, and where it was found.
    block_end: (usize, Option<usize>),
}

impl Iterator for Scan<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        while self.at < self.bytes.len() {
            let at = self.at;
            let found = self.address_at(at).or_else(|| match self.bytes.get(at) {
                Some(b'-') => self.block_at(at),
                Some(byte) if byte.is_ascii_alphabetic() && self.is_word_start(at) => {
                    prefixed_at(self.bytes, at).or_else(|| self.web_token_at(at)).or_else(|| bearer_at(self.bytes, at))
                }
                _ => None,
            });
            match found {
                Some(range) => {
                    self.at = range.end.max(at + 1);
                    return Some(range);
                }
                None => self.at += 1,
            }
        }
        None
    }
}

impl<'t> Scan<'t> {
    fn new(text: &'t str) -> Self {
        Self { bytes: text.as_bytes(), at: 0, address: (None, 0), web_token_from: 0, block_end: (0, None) }
    }

    /// Whether no ASCII letter, digit or `_` is directly before `at`.
    fn is_word_start(&self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|before| self.bytes.get(before));
        !before.is_some_and(|byte| Alphabet::Underscore.contains(*byte))
    }

    /// An address with a password, from its scheme to the `@`.
    fn address_at(&mut self, at: usize) -> Option<Range<usize>> {
        if self.address.1 <= at {
            self.address = next_address(self.bytes, at);
        }
        self.address.0.clone().filter(|range| range.start == at)
    }

    /// A web token: three parts of base64 with dots between them, the first one a JSON object.
    fn web_token_at(&mut self, at: usize) -> Option<Range<usize>> {
        if at < self.web_token_from || !self.bytes.get(at..)?.starts_with(b"eyJ") {
            return None;
        }
        let part = |from: usize| run_end(self.bytes, from, |byte| Alphabet::Dashes.contains(byte) || byte == b'=');
        let first = part(at);
        self.web_token_from = first;
        let second = (self.bytes.get(first) == Some(&b'.')).then(|| part(first + 1)).filter(|end| *end > first + 1)?;
        let third =
            (self.bytes.get(second) == Some(&b'.')).then(|| part(second + 1)).filter(|end| *end > second + 1)?;
        Some(at..third)
    }

    /// A private key with its begin and end lines; without an end line, the lines of base64 that follow.
    fn block_at(&mut self, at: usize) -> Option<Range<usize>> {
        const BEGIN: &[u8] = b"-----BEGIN ";
        const MAX_LABEL_BYTES: usize = 48;
        let label = at + BEGIN.len();
        if !self.bytes.get(at..)?.starts_with(BEGIN) {
            return None;
        }
        let is_label = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b' ';
        let end = run_end(self.bytes.get(..self.bytes.len().min(label + MAX_LABEL_BYTES))?, label, is_label);
        let name = self.bytes.get(label..end)?;
        let is_private = name.ends_with(b"PRIVATE KEY") || name.ends_with(b"PRIVATE KEY BLOCK");
        if !is_private || !self.bytes.get(end..)?.starts_with(b"-----") {
            return None;
        }
        let header = end + 5;
        Some(at..self.block_end_after(header).unwrap_or_else(|| base64_lines(self.bytes, header)))
    }

    /// The end of the end line that belongs to a block, if it is near and only ASCII is before it.
    fn block_end_after(&mut self, header: usize) -> Option<usize> {
        const END: &[u8] = b"-----END ";
        let (searched_from, found) = self.block_end;
        let is_known = searched_from > 0 && found.is_none_or(|found| found >= header);
        if !is_known {
            let rest = self.bytes.get(header..)?;
            let found = rest.windows(END.len()).position(|window| window == END).map(|at| header + at);
            self.block_end = (header, found);
        }
        let end = self.block_end.1.filter(|end| end - header <= MAX_BLOCK_BYTES)?;
        let label = run_end(self.bytes, end + END.len(), |byte| byte != b'-' && byte != b'\n' && byte.is_ascii());
        let is_end = self.bytes.get(label..).is_some_and(|rest| rest.starts_with(b"-----"));
        (is_end && self.bytes.get(header..end)?.is_ascii()).then_some(label + 5)
    }
}

/// The end of the run of bytes from `from` on that are in a class.
fn run_end(bytes: &[u8], from: usize, is_in_class: impl Fn(u8) -> bool) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    from + rest.iter().position(|byte| !is_in_class(*byte)).unwrap_or(rest.len())
}

/// Whether the bytes are not a word or words of one case: a digit is among the first of them, or letters of both cases.
fn is_random(bytes: &[u8]) -> bool {
    let start = bytes.get(..MAX_RANDOM_BYTES).unwrap_or(bytes);
    start.iter().any(u8::is_ascii_digit)
        || (start.iter().any(u8::is_ascii_uppercase) && start.iter().any(u8::is_ascii_lowercase))
}

fn prefixed_at(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let rest = bytes.get(at..)?;
    PREFIXED.iter().find_map(|family| {
        let prefix = family.prefix.as_bytes();
        let begin = rest.get(..prefix.len())?;
        let is_prefix = if family.is_case_sensitive { begin == prefix } else { begin.eq_ignore_ascii_case(prefix) };
        if !is_prefix {
            return None;
        }
        let body = at + prefix.len();
        // A family that asks for randomness is not scanned further than that takes: its alphabet has the characters
        // of its own prefix in it.
        if family.is_random {
            let near = bytes.get(..bytes.len().min(body + MAX_RANDOM_BYTES)).unwrap_or(bytes);
            let end = run_end(near, body, |byte| family.alphabet.contains(byte));
            if end - body < family.length.0 || !is_random(near.get(body..end)?) {
                return None;
            }
        }
        let end = run_end(bytes, body, |byte| family.alphabet.contains(byte));
        let is_bound =
            family.length.1 == usize::MAX || !bytes.get(end).is_some_and(|b| Alphabet::Underscore.contains(*b));
        ((family.length.0..=family.length.1).contains(&(end - body)) && is_bound).then_some(at..end)
    })
}

/// The token after the word `Bearer`.
fn bearer_at(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    const WORD: &[u8] = b"bearer";
    if !bytes.get(at..at + WORD.len())?.eq_ignore_ascii_case(WORD) {
        return None;
    }
    let space = run_end(bytes, at + WORD.len(), |byte| byte == b' ' || byte == b'\t' || byte == b':');
    let end = run_end(bytes, space, |byte| Alphabet::Dashes.contains(byte) || b".~+/=".contains(&byte));
    let token = bytes.get(space..end)?;
    let is_token = space > at + WORD.len() && token.len() >= MIN_BEARER_BYTES && is_random(token);
    is_token.then_some(space..end)
}

/// The next address with a password at or after `from`, if the next `://` belongs to one; and the end of that `://`.
fn next_address(bytes: &[u8], from: usize) -> (Option<Range<usize>>, usize) {
    let rest = bytes.get(from..).unwrap_or_default();
    let Some(mark) = rest.windows(3).position(|window| window == b"://").map(|at| from + at) else {
        return (None, usize::MAX);
    };
    let is_scheme = |byte: &u8| byte.is_ascii_alphanumeric() || b"+.-".contains(byte);
    let before = bytes.get(from.max(mark.saturating_sub(MAX_SCHEME_BYTES))..mark).unwrap_or_default();
    let length = before.iter().rev().take_while(|byte| is_scheme(byte)).count();
    let scheme = before.get(before.len() - length..).unwrap_or_default();
    let skipped = scheme.iter().take_while(|byte| !byte.is_ascii_alphabetic()).count();
    let user = mark + 3;
    let is_part = |byte: u8| byte.is_ascii_graphic() && !b"/\"'<>()`".contains(&byte);
    let end = run_end(bytes, user, is_part);
    let part = bytes.get(user..end).unwrap_or_default();
    let host = part.iter().rposition(|byte| *byte == b'@');
    let colon = part.iter().position(|byte| *byte == b':');
    let secret = match (colon, host) {
        (Some(colon), Some(host)) if colon + 1 < host && skipped < length => {
            Some(mark - length + skipped..user + host + 1)
        }
        _ => None,
    };
    (secret, user)
}

/// The end of the lines of base64 from `from` on.
fn base64_lines(bytes: &[u8], from: usize) -> usize {
    let mut end = from;
    loop {
        let start = run_end(bytes, end, |byte| byte.is_ascii_whitespace());
        let next = run_end(bytes, start, |byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte));
        if next - start < MIN_BLOCK_LINE_BYTES || next - from > MAX_BLOCK_BYTES {
            return end;
        }
        end = next;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::random::SplitMix64;

    const GOLDEN: &str = include_str!("../testdata/secrets.tsv");
    const PERSUASION: &str = include_str!("../testdata/persuasion.txt");
    const HOMETOWN: &str = include_str!("../testdata/hometown.txt");
    /// Prose and code with the beginnings of secrets in it, none of which is one.
    const HARMLESS: &[&str] = &[
        "She was the bearer of uncommonly disappointing intelligence, and the standard-bearer fell.",
        "Bearer: internationalization-considerations were discussed",
        "Please ask-permission-before-entering-the-lighthouse, said the task-force-commander-in-chief.",
        "sk-proj-ect-loading-indicator-wrapper-of-the-page",
        "https://example.org:8080/tide@noon and https://example.org/a:b@c",
        "见http://host:8080，联系我@张三",
        "AKIA 是什么？ghp_ 又是什么？xoxb-short",
        "他说密码是芝麻开门，钥匙在第九章的抽屉里。",
        "-----BEGIN CERTIFICATE-----",
        "eyJ. eyJa.b, eyJa.b.",
    ];

    /// `length` random characters of an alphabet.
    fn characters(random: &mut SplitMix64, alphabet: &str, length: usize) -> String {
        let alphabet: Vec<char> = alphabet.chars().collect();
        (0..length).map(|_| alphabet[random.below(alphabet.len())]).collect()
    }

    /// A key of a random family, as its provider makes them.
    fn key(random: &mut SplitMix64) -> String {
        const ALL: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
        const CAPITALS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
        let mut of = |prefix: &str, alphabet: &str, length| prefix.to_owned() + &characters(random, alphabet, length);
        match of("", "0123456789ABCD", 1).as_str() {
            "0" => of("sk-", ALL, 48),
            "1" => of("sk-ant-api03-", &format!("{ALL}-_"), 95),
            "2" => of("sk-proj-", &format!("{ALL}-_"), 120),
            "3" => of("ghp_", ALL, 36),
            "4" => of("gho_", ALL, 36),
            "5" => of("github_pat_11", &format!("{ALL}_"), 80),
            "6" => of("AKIA", CAPITALS, 16),
            "7" => of("xoxb-", "0123456789", 12) + &of("-", ALL, 24),
            "8" => of("Bearer ", ALL, 40),
            "9" => of("eyJ", ALL, 20) + &of(".eyJ", ALL, 60) + &of(".", &format!("{ALL}-_"), 43),
            "A" => {
                let body = of("", &format!("{ALL}+/"), 64);
                format!("-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----")
            }
            "B" => of("postgres://mei:", ALL, 12) + "@",
            "C" => of("AIza", &format!("{ALL}-_"), 35),
            _ => of("npm_", ALL, 36),
        }
    }

    #[test]
    fn the_golden_decisions_hold() {
        let cases: Vec<_> = GOLDEN.lines().filter(|line| !line.starts_with('#')).collect();
        assert_eq!(cases.len(), 28);
        for (input, redacted) in cases.iter().filter_map(|line| line.split_once('\t')) {
            assert_eq!(redact_secrets(input), redacted);
            assert_eq!(contains_secret(input), input != redacted, "{input}");
        }
    }

    #[test]
    fn each_of_500_random_keys_is_found_directly_beside_chinese() {
        let mut random = SplitMix64::new(7);
        for (number, (before, after)) in
            [("密钥", "泄漏了"), ("「", "」"), ("他把", "写在第九章。"), ("key=", "，"), ("　", "\n")]
                .iter()
                .cycle()
                .take(500)
                .enumerate()
        {
            let key = key(&mut random);
            let text = format!("{before}{key}{after}");
            let redacted = redact_secrets(&text);
            let shown = if key.starts_with("Bearer ") { "Bearer [REDACTED]" } else { "[REDACTED]" };
            assert_eq!(redacted, format!("{before}{shown}{after}"), "key {number}");
            assert!(contains_secret(&text));
        }
    }

    #[test]
    fn prose_in_both_languages_has_no_secret() {
        for text in [PERSUASION, HOMETOWN].iter().chain(HARMLESS) {
            assert_eq!(redact_secrets(text), **text);
        }
    }

    #[test]
    fn the_body_of_a_private_key_is_redacted_with_its_header() {
        let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC";
        let block = format!("-----BEGIN RSA PRIVATE KEY-----\n{body}\n{body}\n");
        assert_eq!(redact_secrets(&format!("看{block}-----END RSA PRIVATE KEY-----完")), "看[REDACTED]完");
        assert_eq!(redact_secrets(&format!("{block}She closed the file.")), "[REDACTED]\nShe closed the file.");
        let far = format!("{block}她合上文件。-----END RSA PRIVATE KEY-----");
        assert_eq!(redact_secrets(&far), "[REDACTED]\n她合上文件。-----END RSA PRIVATE KEY-----");
    }

    #[test]
    fn beginnings_of_secrets_in_a_row_take_linear_time() {
        for piece in
            ["sk-ant-", "eyJ-", "-----BEGIN PRIVATE KEY-----", "a://b:", "bearer ", "xoxb-", "eyJa.", "-----END "]
        {
            let text = piece.repeat(400_000 / piece.len());
            let start = std::time::Instant::now();
            let _ = redact_secrets(&text);
            assert!(start.elapsed().as_secs() < 5, "{piece}");
        }
    }

    proptest! {
        #[test]
        fn redaction_leaves_no_secret_and_never_panics(text in "(\\PC|sk-|ghp_|://|:|@|eyJ|[A-Za-z0-9]{20}|密){0,40}") {
            let redacted = redact_secrets(&text);
            prop_assert_eq!(contains_secret(&text), redacted != text);
        }
    }
}
