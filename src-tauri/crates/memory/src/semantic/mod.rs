//! Semantic memory: the rules, and the writer's own word on them.

pub mod rules;
