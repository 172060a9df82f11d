use proptest::prelude::*;

use super::*;

fn read(kind: Assistant, lines: &[&str]) -> StreamReader {
    let mut reader = StreamReader::new(kind);
    for line in lines {
        reader.read_line(line.as_bytes());
    }
    reader
}

#[test]
fn the_words_of_a_refusal_are_not_an_answer() {
    let reader = read(
        Assistant::Claude,
        &[r#"{"type":"result","subtype":"success","is_error":true,"result":"Please run /login"}"#],
    );
    assert_eq!((reader.answer(), reader.result()), ("", Some(false)));
    assert_eq!(reader.state.refusal, Some(Reason::NotLoggedIn));
}

#[test]
fn a_message_about_an_author_is_no_refusal() {
    assert_eq!(refusal_of("the author of the chapter"), None);
    assert_eq!(refusal_of("Not inside a trusted directory"), Some(Reason::UntrustedFolder));
}

#[test]
fn several_messages_of_the_assistant_are_paragraphs_of_one_answer() {
    let line =
        |text: &str| format!(r#"{{"type":"assistant","message":{{"content":[{{"type":"text","text":"{text}"}}]}}}}"#);
    assert_eq!(read(Assistant::Claude, &[&line("One."), &line("Two.")]).answer(), "One.\n\nTwo.");
    let line = |text: &str| format!(r#"{{"type":"item.completed","item":{{"type":"agent_message","text":"{text}"}}}}"#);
    assert_eq!(read(Assistant::Codex, &[&line("One."), &line("Two.")]).answer(), "Two.");
}

proptest! {
    #[test]
    fn no_line_is_refused_or_stops_the_reader(
        lines in proptest::collection::vec(
            prop_oneof![
                proptest::collection::vec(any::<u8>(), 0..40),
                Just(br#"{"type":"assistant","message":{"content":[1,{"type":"text"},{"type":"tool_use"}]}}"#.to_vec()),
                Just(br#"{"type":"item.completed","item":{"type":"file_change","changes":7}}"#.to_vec()),
                Just(br#"{"type":"result","usage":{"input_tokens":"x"}}"#.to_vec()),
            ],
            0..20,
        ),
    ) {
        for kind in Assistant::KNOWN {
            let mut reader = StreamReader::new(kind);
            for line in &lines {
                reader.read_line(line);
            }
            let bad = reader.bad_lines();
            reader.read_line(b"no json");
            prop_assert_eq!(reader.bad_lines(), bad + 1);
        }
    }
}
