//! Prompts: *continue*, with the memory in it.

use rmcp::{
    ErrorData,
    model::{
        ContentBlock, GetPromptRequestParams, GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role,
    },
};
use serde_json::{Value, json};

use super::{
    Binding, Handler,
    results::{Refusal, into_fields},
    tools,
};

const CONTINUE: &str = "continue";
/// Names, whether they are required, and descriptions.
const ARGUMENTS: &[(&str, bool, &str)] = &[
    ("chapter", true, "Id of the chapter."),
    ("before", true, "The text before the caret."),
    ("after", false, "The text after the caret."),
    ("scene", false, "The kind of scene, such as dialogue; guessed from the text by default."),
    ("language", false, "zh or en: the language to write in. Default: that of the text."),
];
const PROJECT: (&str, bool, &str) = ("projectId", true, "Id of the book.");

fn arguments_of(binding: &Binding) -> impl Iterator<Item = &'static (&'static str, bool, &'static str)> {
    let project = (binding.projects.len() > 1).then_some(&PROJECT);
    project.into_iter().chain(ARGUMENTS)
}

pub(super) fn list(binding: &Binding) -> Vec<Prompt> {
    let arguments = arguments_of(binding).map(|(name, is_required, about)| {
        PromptArgument::new(*name).with_required(*is_required).with_description(*about)
    });
    let about = "Continues a chapter: the writer's rules, past passages that stand out, the story as of the caret, and \
        the text around it.";
    vec![Prompt::new(CONTINUE, Some(about), Some(arguments.collect())).with_title("Continue")]
}

pub(super) async fn get(handler: &Handler, request: GetPromptRequestParams) -> Result<GetPromptResult, Refusal> {
    if request.name != CONTINUE {
        return Err(Refusal::Request(ErrorData::invalid_params("there is no such prompt", None)));
    }
    let (scope, mut given) = handler.scope(request.arguments.unwrap_or_default())?;
    let mut fields = JsonObject::new();
    for (name, is_required, _) in ARGUMENTS {
        match given.remove(*name) {
            Some(Value::String(text)) => {
                fields.insert((*name).to_owned(), text.into());
            }
            Some(_) => return Err(Refusal::argument(name, "not a text")),
            None if *is_required => return Err(Refusal::argument(name, "missing")),
            None => {}
        }
    }
    if !given.is_empty() {
        return Err(Refusal::argument("arguments", "unknown field"));
    }
    let instruction = match fields.get("language").and_then(Value::as_str) {
        None => Value::Null,
        Some("zh") => "用中文写。".into(),
        Some("en") => "Write in English.".into(),
        Some(_) => return Err(Refusal::argument("language", "zh or en")),
    };
    let request = json!({
        "chapterId": fields["chapter"],
        "before": fields["before"],
        "after": fields.get("after"),
        "sceneType": fields.get("scene"),
        "instruction": instruction,
    });
    let context = Handler::in_thread(CONTINUE, move || {
        Ok(scope.hide_names(tools::prompt_context(&scope, into_fields(request))?)?)
    });
    let context = context.await?;
    let messages = context["messages"].as_array().into_iter().flatten().map(|message| {
        // The protocol has no role for the system: its part comes first, as the user's.
        let role = if message["role"] == "assistant" { Role::Assistant } else { Role::User };
        PromptMessage::new(role, ContentBlock::text(message["content"].as_str().unwrap_or_default()))
    });
    Ok(GetPromptResult::new(messages.collect()))
}
