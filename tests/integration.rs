//! Integration tests in one program, because each further program costs a link. Each folder is a module: `cargo test
//! --workspace --test integration crash::` runs one of them. Scenarios have a program of their own, which compiles in
//! parallel.

mod agents;
mod breakage;
mod concurrency;
mod contract;
mod crash;
mod llm;
#[cfg(unix)]
mod mcp;
mod providers;
