//! Tests in one program, because each further one costs a link. A module is a folder: `cargo test --workspace --test
//! integration crash::` runs one of them. Scenarios have a program of their own, which compiles beside this one.

mod breakage;
mod concurrency;
mod contract;
mod crash;
mod llm;
mod providers;
