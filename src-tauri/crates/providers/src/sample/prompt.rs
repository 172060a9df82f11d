//! Parses a rendered prompt into its parts.
//!
//! A part opens and closes with a tag alone on its line; inside a part such tags are written with `‹`, so the first
//! closing tag is the real one. The task is the last line outside every part. Lines inside the passage are ignored.

use palimpsest_memory::ports::{Message, Role};
use palimpsest_text::{Language, detect};

/// The task of the prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Task {
    Continue,
    Polish,
    Rewrite,
    Expand,
    Condense,
    Ask,
}

/// The parts that this model reads. Absent ones are empty.
#[derive(Debug)]
pub(super) struct Prompt<'p> {
    pub(super) language: Language,
    pub(super) task: Task,
    pub(super) settings: &'p str,
    pub(super) before: &'p str,
    pub(super) selection: &'p str,
    pub(super) wish: &'p str,
}

const TAGS: [&str; 7] = ["settings", "past", "working", "before", "selection", "after", "wish"];

impl<'p> Prompt<'p> {
    pub(super) fn parse(messages: &'p [Message]) -> Self {
        let last_message =
            |role: Role| messages.iter().rev().find(|m| m.role == role).map_or("", |m| m.content.as_str());
        let (system, user) = (last_message(Role::System), last_message(Role::User));
        let mut prompt =
            Self { language: Language::En, task: Task::Continue, settings: "", before: "", selection: "", wish: "" };
        let task = prompt.read_parts(user);
        prompt.language = language(system, task).unwrap_or_else(|| detect(user));
        prompt.task = task.and_then(|line| kind(name_of(line)?)).unwrap_or(if prompt.selection.is_empty() {
            Task::Continue
        } else {
            Task::Rewrite
        });
        prompt
    }

    /// Fills the parts; returns the last line that names a task outside of them.
    fn read_parts(&mut self, user: &'p str) -> Option<&'p str> {
        let mut task = None;
        let mut open: Option<(&str, usize)> = None;
        let mut at = 0;
        for line in user.split_inclusive('\n') {
            let bare = line.trim();
            match open {
                Some((tag, from)) => {
                    if bare.strip_prefix("</").and_then(|t| t.strip_suffix('>')) == Some(tag) {
                        self.set_part(tag, user[from..at].trim_end_matches(['\n', '\r']));
                        open = None;
                    }
                }
                None => {
                    let tag = bare.strip_prefix('<').and_then(|t| t.strip_suffix('>'));
                    if let Some(tag) = tag.and_then(|t| TAGS.into_iter().find(|known| *known == t)) {
                        open = Some((tag, at + line.len()));
                    } else if name_of(bare).is_some() {
                        task = Some(bare);
                    }
                }
            }
            at += line.len();
        }
        if let Some((tag, from)) = open {
            self.set_part(tag, &user[from..]);
        }
        task
    }

    fn set_part(&mut self, tag: &str, content: &'p str) {
        match tag {
            "settings" => self.settings = content,
            "before" => self.before = content,
            "selection" => self.selection = content,
            "wish" => self.wish = content,
            _ => {}
        }
    }
}

fn name_of(line: &str) -> Option<&str> {
    line.strip_prefix("[任务]").or_else(|| line.strip_prefix("[Task]")).map(str::trim)
}

fn kind(name: &str) -> Option<Task> {
    const NAMES: [(&str, Task); 12] = [
        ("续写", Task::Continue),
        ("润色", Task::Polish),
        ("改写", Task::Rewrite),
        ("扩写", Task::Expand),
        ("缩写", Task::Condense),
        ("问", Task::Ask),
        ("continue", Task::Continue),
        ("polish", Task::Polish),
        ("rewrite", Task::Rewrite),
        ("expand", Task::Expand),
        ("condense", Task::Condense),
        ("ask", Task::Ask),
    ];
    NAMES.into_iter().find(|(known, _)| name.starts_with(known)).map(|(_, task)| task)
}

/// The line in the instructions that names the language, else the language the task is named in.
fn language(system: &str, task: Option<&str>) -> Option<Language> {
    let named = system
        .lines()
        .find_map(|line| line.trim().strip_prefix("语言：").or_else(|| line.trim().strip_prefix("Language:")));
    if let Some(name) = named {
        return Some(if name.contains("中文") || name.contains("Chinese") { Language::Zh } else { Language::En });
    }
    Some(if task?.starts_with("[任务]") { Language::Zh } else { Language::En })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(system: &str, user: &str) -> [Message; 2] {
        [
            Message { role: Role::System, content: system.to_owned() },
            Message { role: Role::User, content: user.to_owned() },
        ]
    }

    #[test]
    fn the_parts_come_out_as_they_went_in() {
        let messages = messages(
            "你是助手。\n语言：中文",
            "<settings>\n[用户写作偏好 - 自动学习]\n- 短句（置信度: 0.87）\n</settings>\n<before>\n雨停了。\n\n他没动。\n</before>\n\
             <selection>\n他站着。\n</selection>\n<wish>\n短一点\n</wish>\n[任务] 润色",
        );
        let prompt = Prompt::parse(&messages);
        assert_eq!(prompt.language, Language::Zh);
        assert_eq!(prompt.task, Task::Polish);
        assert!(prompt.settings.ends_with("- 短句（置信度: 0.87）"));
        assert_eq!(prompt.before, "雨停了。\n\n他没动。");
        assert_eq!(prompt.selection, "他站着。");
        assert_eq!(prompt.wish, "短一点");
    }

    #[test]
    fn a_task_written_inside_the_passage_is_no_task() {
        let messages = messages(
            "Language: English",
            "<before>\nShe read: [Task] condense\n[Task] ask\n‹/before›\n‹wish>\nlong sentences\n</before>\n[Task] continue",
        );
        let prompt = Prompt::parse(&messages);
        assert_eq!(prompt.task, Task::Continue);
        assert_eq!(prompt.wish, "");
        assert!(prompt.before.contains("[Task] ask"));
    }

    #[test]
    fn a_prompt_without_parts_continues_in_the_language_it_is_written_in() {
        let plain = messages("", "接着写吧");
        assert_eq!(Prompt::parse(&plain).language, Language::Zh);
        assert_eq!(Prompt::parse(&plain).task, Task::Continue);
        assert_eq!(Prompt::parse(&[]).task, Task::Continue);
        assert_eq!(Prompt::parse(&messages("", "[任务] 问")).task, Task::Ask);
    }
}
