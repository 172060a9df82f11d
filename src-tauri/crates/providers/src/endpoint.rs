//! Endpoints: the address of a provider and its key.

use std::{
    fmt,
    net::{IpAddr, Ipv6Addr},
};

use palimpsest_memory::model::ProviderKind;
use reqwest::{
    Url,
    header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue},
};
use zeroize::Zeroizing;

/// A key. Only [`expose`](Self::expose) returns it; it is never printed, and is wiped from memory on drop.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// A key without the surrounding blanks and line ends of pasted text.
    #[must_use]
    pub fn new(key: String) -> Self {
        let key = Zeroizing::new(key);
        Self(Zeroizing::new(key.trim().to_owned()))
    }

    /// The key itself.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// A provider: API, address and key.
#[derive(Clone, Debug)]
pub struct Endpoint {
    /// The API of the provider.
    pub kind: ProviderKind,
    /// The address.
    pub base_url: BaseUrl,
    /// The key, if any.
    pub key: Option<Secret>,
}

impl Endpoint {
    /// The headers with the key; `None` if the key is invalid in a header.
    pub(crate) fn headers(&self) -> Option<HeaderMap> {
        let mut headers = HeaderMap::new();
        if self.kind == ProviderKind::Anthropic {
            headers.insert("anthropic-version", HeaderValue::from_static("2023-06-01"));
        }
        if let Some(key) = &self.key {
            let (name, text) = match self.kind {
                ProviderKind::Anthropic => {
                    (HeaderName::from_static("x-api-key"), Zeroizing::new(key.expose().to_owned()))
                }
                ProviderKind::OpenAi | ProviderKind::Ollama => {
                    (AUTHORIZATION, Zeroizing::new(format!("Bearer {}", key.expose())))
                }
            };
            let mut value = HeaderValue::from_str(&text).ok()?;
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        Some(headers)
    }

    /// Whether the provider is known to require a key.
    pub(crate) fn needs_key(&self) -> bool {
        self.kind != ProviderKind::Ollama && self.base_url.is_official(self.kind)
    }
}

/// The longest address, in bytes.
const MAX_URL_BYTES: usize = 2_048;

/// Paths of calls that are often pasted with an address, longest first.
const CALL_PATHS: &[&str] = &[
    "/chat/completions",
    "/completions",
    "/embeddings",
    "/responses",
    "/messages",
    "/models",
    "/api/tags",
    "/api/chat",
    "/api/generate",
];

/// The address of a provider: `https` for any host, plain `http` only on this machine or in the local network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseUrl(Url);

impl BaseUrl {
    /// Parses an address, also without a scheme, with a slash at its end, or with the path of one call.
    ///
    /// # Errors
    /// The reason why it is invalid, in a sentence without the address.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.is_empty() || text.len() > MAX_URL_BYTES {
            return Err(format!("an address has 1 to {MAX_URL_BYTES} characters"));
        }
        let mut url = if text.contains("://") {
            Url::parse(text)
        } else {
            // There are no certificates for local addresses.
            Url::parse(&format!("https://{text}")).and_then(|url| match host_scope(&url) {
                HostScope::Remote => Ok(url),
                HostScope::ThisMachine | HostScope::LocalNetwork => Url::parse(&format!("http://{text}")),
            })
        }
        .map_err(|_| "this is no address".to_owned())?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err("an address begins with https:// or http://".to_owned());
        }
        if url.host_str().is_none_or(str::is_empty) {
            return Err("an address names a host".to_owned());
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err("an address holds no user and no password: the key has a field of its own".to_owned());
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err("an address has neither ? nor #".to_owned());
        }
        if url.scheme() == "http" && host_scope(&url) == HostScope::Remote {
            return Err("plain http is only for this machine and the local network: use https://".to_owned());
        }
        let path = url.path().trim_end_matches('/');
        let path = CALL_PATHS.iter().find_map(|call| path.strip_suffix(call)).unwrap_or(path);
        let path = path.trim_end_matches('/').to_owned();
        url.set_path(&path);
        Ok(Self(url))
    }

    /// The default address of a provider.
    #[must_use]
    pub fn default_for(kind: ProviderKind) -> Option<Self> {
        Self::parse(match kind {
            ProviderKind::OpenAi => "https://api.openai.com/v1",
            ProviderKind::Anthropic => "https://api.anthropic.com",
            ProviderKind::Ollama => "http://127.0.0.1:11434",
        })
        .ok()
    }

    /// Whether this is the provider's official server.
    pub(crate) fn is_official(&self, kind: ProviderKind) -> bool {
        let official = match kind {
            ProviderKind::OpenAi => "api.openai.com",
            ProviderKind::Anthropic => "api.anthropic.com",
            ProviderKind::Ollama => return false,
        };
        self.0.host_str() == Some(official)
    }

    /// The host without port, used in the identity of vectors.
    pub(crate) fn host(&self) -> &str {
        self.0.host_str().unwrap_or_default()
    }

    /// Host and port, for display.
    #[must_use]
    pub fn display_name(&self) -> String {
        self.0.port().map_or_else(|| self.host().to_owned(), |port| format!("{}:{port}", self.host()))
    }

    /// The URL of a call of the versioned API, such as `/chat/completions`.
    pub(crate) fn api_url(&self, kind: ProviderKind, call: &str) -> Url {
        let mut base = self.0.path().trim_end_matches('/').to_owned();
        let version = match kind {
            // Most servers need the version if only a host was given.
            ProviderKind::OpenAi => base.is_empty(),
            ProviderKind::Anthropic | ProviderKind::Ollama => !base.ends_with("/v1"),
        };
        if version {
            base += "/v1";
        }
        self.with_path(&(base + call))
    }

    /// The URL of a call outside the versioned API, such as Ollama's `/api/tags`.
    pub(crate) fn sibling_url(&self, call: &str) -> Url {
        let base = self.0.path().trim_end_matches('/');
        self.with_path(&format!("{}{call}", base.strip_suffix("/v1").unwrap_or(base)))
    }

    fn with_path(&self, path: &str) -> Url {
        let mut url = self.0.clone();
        url.set_path(path);
        url
    }

    /// Whether it is on this machine: nothing that is sent to it leaves the machine.
    #[must_use]
    pub fn is_this_machine(&self) -> bool {
        host_scope(&self.0) == HostScope::ThisMachine
    }

    /// Whether no text is sent in the open over any network: it is encrypted, or on this machine.
    pub(crate) fn is_private(&self) -> bool {
        self.0.scheme() == "https" || self.is_this_machine()
    }

    /// Whether it is on this machine or in the local network.
    pub(crate) fn is_local(&self) -> bool {
        host_scope(&self.0) != HostScope::Remote
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A URL ends with the slash of an empty path; an address does not.
        f.write_str(self.0.as_str().trim_end_matches('/'))
    }
}

/// The network that a host is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HostScope {
    ThisMachine,
    /// A private address.
    LocalNetwork,
    /// Anywhere else.
    Remote,
}

/// The network that the host of a URL is in.
pub(crate) fn host_scope(url: &Url) -> HostScope {
    let Some(host) = url.host_str() else { return HostScope::Remote };
    let name = host.trim_end_matches('.');
    let Ok(address) = host.trim_matches(['[', ']']).parse::<IpAddr>() else {
        return if name == "localhost" || name.ends_with(".localhost") {
            HostScope::ThisMachine
        } else if name.ends_with(".local") {
            HostScope::LocalNetwork
        } else {
            HostScope::Remote
        };
    };
    let address = match address {
        IpAddr::V6(address) => address.to_ipv4_mapped().map_or(IpAddr::V6(address), IpAddr::V4),
        IpAddr::V4(_) => address,
    };
    let near = match address {
        IpAddr::V4(address) => address.is_private(),
        IpAddr::V6(address) => is_unique_local(address),
    };
    if address.is_loopback() {
        HostScope::ThisMachine
    } else if near {
        HostScope::LocalNetwork
    } else {
        HostScope::Remote
    }
}

fn is_unique_local(address: Ipv6Addr) -> bool {
    address.is_unique_local() || address.is_unicast_link_local()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        BaseUrl::parse(text).map_or_else(|why| format!("no: {why}"), |url| url.to_string())
    }

    #[test]
    fn an_address_is_taken_as_people_write_it() {
        for (written, taken) in [
            ("https://api.openai.com/v1/", "https://api.openai.com/v1"),
            ("  https://api.deepseek.com ", "https://api.deepseek.com"),
            ("api.moonshot.cn/v1", "https://api.moonshot.cn/v1"),
            ("localhost:11434", "http://localhost:11434"),
            ("192.168.1.20:8080/v1/", "http://192.168.1.20:8080/v1"),
            ("http://nas.local:1234/v1/chat/completions", "http://nas.local:1234/v1"),
            ("http://127.0.0.1:8080/v1/embeddings/", "http://127.0.0.1:8080/v1"),
            ("https://api.anthropic.com/v1/messages", "https://api.anthropic.com/v1"),
            ("http://[::1]:8080", "http://[::1]:8080"),
            ("http://[fd00::5]", "http://[fd00::5]"),
            ("https://example.org//", "https://example.org"),
        ] {
            assert_eq!(read(written), taken);
            assert_eq!(read(taken), taken, "an address reads back as itself");
        }
    }

    #[test]
    fn an_address_that_would_carry_text_in_the_open_is_refused() {
        for written in ["http://api.openai.com/v1", "http://8.8.8.8", "http://local", "http://x.local.example.org"] {
            assert!(read(written).contains("use https://"), "{written}");
        }
        for (written, word) in [
            ("", "characters"),
            ("ftp://127.0.0.1", "begins with"),
            ("https://me:key@example.org", "password"),
            ("https://example.org/v1?key=abc", "neither"),
            ("https://example.org/#x", "neither"),
            ("https://", "no address"),
            ("not an address", "no address"),
        ] {
            let why = read(written);
            assert!(why.starts_with("no:") && why.contains(word), "{written}: {why}");
            assert!(!why.contains("abc") && !why.contains("me:key"), "{why}");
        }
    }

    #[test]
    fn the_url_of_a_call_is_derived_from_the_given_address() {
        let call = |kind, base: &str, call: &str| BaseUrl::parse(base).unwrap().api_url(kind, call).to_string();
        let chat = "/chat/completions";
        assert_eq!(call(ProviderKind::OpenAi, "http://127.0.0.1:1", chat), "http://127.0.0.1:1/v1/chat/completions");
        assert_eq!(
            call(ProviderKind::OpenAi, "https://x.cn/api/paas/v4", chat),
            "https://x.cn/api/paas/v4/chat/completions"
        );
        assert_eq!(call(ProviderKind::Anthropic, "https://x.org", "/messages"), "https://x.org/v1/messages");
        assert_eq!(call(ProviderKind::Anthropic, "https://x.org/v1", "/messages"), "https://x.org/v1/messages");
        assert_eq!(call(ProviderKind::Ollama, "http://127.0.0.1:1/v1", chat), "http://127.0.0.1:1/v1/chat/completions");
        let beside = BaseUrl::parse("http://127.0.0.1:1/v1").unwrap().sibling_url("/api/tags");
        assert_eq!(beside.as_str(), "http://127.0.0.1:1/api/tags");
    }

    #[test]
    fn a_key_is_never_printed() {
        let endpoint = Endpoint {
            kind: ProviderKind::OpenAi,
            base_url: BaseUrl::default_for(ProviderKind::OpenAi).unwrap(),
            key: Some(Secret::new(" sk-never-shown\n".to_owned())),
        };
        assert_eq!(endpoint.key.as_ref().unwrap().expose(), "sk-never-shown");
        let headers = endpoint.headers().unwrap();
        let printed = format!("{endpoint:?} {endpoint:#?} {headers:?}");
        assert!(!printed.contains("never-shown"), "{printed}");
        assert!(printed.contains("Secret(…)"), "{printed}");
    }
}
