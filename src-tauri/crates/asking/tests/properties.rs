//! Rules that hold for any replies of a model, and for any division of its stream.

#![allow(clippy::unwrap_used)]

use palimpsest_asking::{
    cognition::{Action, Event, Limits, Phase, State, next},
    kind::guess_kind,
    reply::{Reply, ReplyError, parse_reply},
    statements::{AnswerReader, Piece},
    tools::{MAX_AROUND, MAX_LIMIT, MAX_QUERY_CHARS, ToolCall},
    unanswerable::{Ranking, unanswerable_score},
    verify::{Mark, Passage, Status, verify_statement},
};
use proptest::prelude::*;

fn call() -> impl Strategy<Value = ToolCall> {
    let name = || prop::sample::select(vec!["Mei", "mei", "Jun", "潮"]).prop_map(str::to_owned);
    prop_oneof![
        (name(), 1..=MAX_LIMIT).prop_map(|(query, limit)| ToolCall::FindInBook { query, limit }),
        (1..4_u8).prop_map(|n| ToolCall::ReadPassage { passage: format!("P{n}"), around: 0 }),
        (name(), name()).prop_map(|(first, second)| ToolCall::Together { first, second }),
        name().prop_map(|name| ToolCall::Entity { name }),
    ]
}

fn reply() -> impl Strategy<Value = Result<Reply, ReplyError>> {
    prop_oneof![
        1 => Just(Ok(Reply::Answer)),
        4 => prop::sample::select(vec!["a", "b", "c", "d", "e"]).prop_map(|need| Ok(Reply::Need(need.to_owned()))),
        8 => call().prop_map(|call| Ok(Reply::Act(call))),
        1 => Just(Ok(Reply::Stop)),
        2 => Just(Err(ReplyError::NoObject)),
    ]
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        4 => (0..3_usize).prop_map(|found| Event::Recalled { found }),
        1 => Just(Event::RecallFailed),
        8 => reply().prop_map(Event::Replied),
        1 => Just(Event::ModelFailed),
        4 => (0..3_usize, any::<bool>()).prop_map(|(found, is_ok)| Event::ToolEnded { found, is_ok }),
        1 => Just(Event::Answered),
        1 => Just(Event::Stopped),
    ]
}

fn limits() -> impl Strategy<Value = Limits> {
    prop_oneof![
        2 => Just(Limits::default()),
        1 => (0..12_u8, 0..25_u8).prop_map(|(rounds, tool_steps)| Limits { rounds, tool_steps }),
    ]
}

/// The event that answers an action.
fn fitting(action: &Action, reply: Result<Reply, ReplyError>, is_recalled: bool) -> Event {
    match action {
        Action::Recall { .. } if is_recalled => Event::Recalled { found: 0 },
        Action::Recall { .. } => Event::RecallFailed,
        Action::AskForReply => Event::Replied(reply),
        Action::RunTool(_) | Action::RepeatTool(_) => Event::ToolEnded { found: 0, is_ok: is_recalled },
        Action::WriteAnswer => Event::Answered,
        Action::End => Event::Stopped,
    }
}

/// Checks the actions of a run, whatever caused them.
fn check_run(limits: Limits, actions: &[Action], state: &State) -> Result<(), TestCaseError> {
    let count = |is_counted: fn(&Action) -> bool| actions.iter().filter(|action| is_counted(action)).count();
    let rounds = usize::from(limits.rounds.min(10));
    let steps = usize::from(limits.tool_steps.min(20));
    let recalls = count(|action| matches!(action, Action::Recall { .. }));
    let tools = count(|action| matches!(action, Action::RunTool(_) | Action::RepeatTool(_)));
    prop_assert!(recalls <= rounds && tools <= steps);
    prop_assert!(usize::from(state.round()) <= rounds && usize::from(state.step()) <= steps);
    prop_assert!(count(|action| *action == Action::WriteAnswer) <= 1);
    // Each round and each step asks once, and once more after an invalid reply.
    prop_assert!(count(|action| *action == Action::AskForReply) <= 2 * (rounds + steps + 1));
    if let Some(at) = actions.iter().position(|action| *action == Action::WriteAnswer) {
        prop_assert!(actions[at + 1..].iter().all(|action| *action == Action::End));
    }
    let mut run: Vec<&ToolCall> = Vec::new();
    for action in actions {
        match action {
            Action::RunTool(call) => {
                prop_assert!(!run.iter().any(|earlier| earlier.is_repetition_of(call)), "{:?}", call);
                run.push(call);
            }
            Action::RepeatTool(call) => prop_assert!(run.contains(&call)),
            _ => {}
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn no_run_is_longer_than_its_limits(limits in limits(), events in prop::collection::vec(event(), 0..120)) {
        let mut state = State::new(limits);
        let mut actions = Vec::new();
        for event in &events {
            let (after, action) = next(&state, event);
            state = after;
            actions.push(action);
        }
        check_run(limits, &actions, &state)?;
    }

    #[test]
    fn every_run_with_a_dutiful_caller_ends_with_an_answer(
        limits in limits(),
        replies in prop::collection::vec((reply(), prop::bool::weighted(0.9)), 120),
    ) {
        let mut state = State::new(limits);
        let (mut actions, mut event) = (Vec::new(), Event::Recalled { found: 0 });
        for (reply, is_recalled) in replies {
            let (after, action) = next(&state, &event);
            state = after;
            event = fitting(&action, reply, is_recalled);
            actions.push(action.clone());
            if action == Action::End {
                break;
            }
        }
        check_run(limits, &actions, &state)?;
        prop_assert_eq!(state.phase(), Phase::Ended);
        prop_assert!(actions.contains(&Action::WriteAnswer));
    }

    #[test]
    fn no_reply_is_too_strange(text in "[\\PC\\n{}\"':,\\[\\]]{0,200}", kind in "[a-z_]{0,12}", value in "\\PC{0,20}") {
        let object = format!("{{\"kind\": \"{kind}\", \"tool\": {value}, \"need\": \"{value}\"}}");
        for text in [&text, &object, &format!("{text}{object}")] {
            match parse_reply(text) {
                Ok(Reply::Need(need)) => prop_assert!(!need.trim().is_empty() && !need.contains('\n')),
                Ok(Reply::Act(ToolCall::FindInBook { query, limit })) => {
                    prop_assert!((1..=MAX_LIMIT).contains(&limit) && query.chars().count() <= MAX_QUERY_CHARS);
                }
                Ok(Reply::Act(ToolCall::ReadPassage { around, .. })) => prop_assert!(around <= MAX_AROUND),
                _ => {}
            }
        }
    }
}

/// The pieces of a stream, with joined texts.
fn read<'t>(parts: impl IntoIterator<Item = &'t str>) -> Vec<Piece> {
    let mut reader = AnswerReader::new();
    let mut pieces: Vec<Piece> = parts.into_iter().flat_map(|part| reader.push(part)).collect();
    pieces.extend(reader.finish());
    let mut joined: Vec<Piece> = Vec::new();
    for piece in pieces {
        match (joined.last_mut(), piece) {
            (Some(Piece::Text(last)), Piece::Text(text)) => last.push_str(&text),
            (_, piece) => joined.push(piece),
        }
    }
    joined
}

/// Answers as models write them, and brackets that are none.
fn answer() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        prop::sample::select(vec![
            "Her eyes are grey",
            "他走了",
            "Mr. Zhou",
            "“走吧。”他说",
            "\"Go,\" he said",
            ". ",
            "。",
            "!",
            "……",
            "—",
            "\n",
            " ",
            "[P3]",
            "[P3 \"a “b” c\"]",
            "【P2：“原文”】",
            "(P1)",
            "([P1 \"x\"], [P2])",
            "[QA:1]",
            "[none]",
            "[",
            "(",
            "[P3 \"",
            "]",
            ")",
            "\"",
            "”",
            "[sic]",
            "P3",
            "[P",
            "3.14",
            "👨‍👩‍👧",
            "\u{2028}",
            "\r\n",
        ])
        .prop_map(str::to_owned),
        "\\PC{0,3}",
    ];
    prop::collection::vec(part, 0..24).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn the_division_of_a_stream_has_no_influence(
        text in answer(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
    ) {
        let whole = read([text.as_str()]);
        let boundaries: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| *cut.get(&boundaries)).chain([0, text.len()]).collect();
        cuts.sort_unstable();
        prop_assert_eq!(&read(cuts.windows(2).map(|pair| &text[pair[0]..pair[1]])), &whole);
        let characters = boundaries.windows(2).map(|pair| &text[pair[0]..pair[1]]);
        prop_assert_eq!(&read(characters), &whole);
    }

    #[test]
    fn no_word_of_an_answer_is_lost_and_no_mark_is_shown(text in answer()) {
        let shown: String = read([text.as_str()]).iter().map(|piece| match piece {
            Piece::Text(text) => text.as_str(),
            _ => "",
        }).collect();
        for mark in ["[P3]", "【P2", "[QA:1]", "[P3 \"a"] {
            prop_assert!(!shown.contains(mark), "{}", shown);
        }
        for word in ["grey", "走了", "Zhou", "3.14"] {
            // An open quotation may take the words after it into a mark.
            if !text.contains('[') && !text.contains('(') && !text.contains('【') {
                prop_assert_eq!(shown.matches(word).count(), text.matches(word).count(), "{}", shown);
            }
        }
    }

    #[test]
    fn each_end_of_a_sentence_follows_a_text(text in answer()) {
        let mut has_text = false;
        for piece in read([text.as_str()]) {
            match piece {
                Piece::Text(text) => has_text |= !text.trim().is_empty(),
                Piece::SentenceEnd => prop_assert!(std::mem::take(&mut has_text)),
                Piece::Mark(mark) => prop_assert!(mark.passage.starts_with('P')),
                Piece::NotInBook => prop_assert!(!has_text),
            }
        }
        prop_assert!(!has_text, "the last sentence ends");
    }

    #[test]
    fn a_citation_is_always_a_range_of_its_passage(
        statement in "[\\PCa-z雨9九 ]{0,40}",
        texts in prop::collection::vec("[a-e雨夜。. ]{0,60}", 0..4),
        marks in prop::collection::vec((0..5_usize, prop::option::of("[a-e雨夜…\" ]{0,30}")), 0..5),
        is_about_book in any::<bool>(),
    ) {
        let handles: Vec<String> = (0..texts.len()).map(|n| format!("P{n}")).collect();
        let passages: Vec<Passage<'_>> =
            handles.iter().zip(&texts).map(|(handle, text)| Passage { handle, text }).collect();
        let marks: Vec<Mark> =
            marks.into_iter().map(|(n, quote)| Mark { passage: format!("P{n}"), quote }).collect();
        let found = verify_statement(&statement, &marks, &passages, is_about_book);
        prop_assert_eq!(found.status == Status::Verified, !found.citations.is_empty());
        prop_assert!(found.corrected <= found.citations.len());
        for cited in &found.citations {
            let passage = passages.iter().find(|passage| passage.handle == cited.passage).unwrap();
            prop_assert!(passage.text.get(cited.range.clone()).is_some_and(|text| !text.trim().is_empty()));
        }
        if marks.is_empty() {
            prop_assert!(found.status != Status::Verified);
        }
    }

    #[test]
    fn a_score_is_between_none_and_one(
        cosines in prop::collection::vec(any::<f64>(), 0..6),
        cosine_by_words in prop::option::of(any::<f64>()),
        question in "\\PC{0,60}",
    ) {
        let ranking = Ranking { cosines, cosine_by_words };
        prop_assert!((0.0..=1.0).contains(&unanswerable_score(&ranking)));
        let _kind = guess_kind(&question, false, None);
    }
}
