//! The comparison of pairs of sentences in the loop of a study.

use super::*;

#[test]
fn pairs_are_compared_one_after_the_other_before_questions() {
    let mut run = Run::new();
    assert_eq!(run.on(&Event::Woken), Action::FindGaps);
    assert_eq!(run.on(&checked_with_pair(0, 2, "one")), compare("one", 1));
    assert_eq!((run.at(), run.state.comparisons_today), ((Phase::Comparing, None), 1));
    assert_eq!(run.on(&Event::Compared), Action::FindGaps);
    assert_eq!(run.on(&checked_with_pair(0, 2, "two")), compare("two", 1));
    assert_eq!(run.on(&Event::Compared), Action::FindGaps);
    assert_eq!(run.on(&checked(0, 2, 2)), Action::GenerateQuestions { limit: 3 });
    assert_eq!((run.counts(), run.state.comparisons_today), ((1, 0), 2), "a comparison is no question");
}

#[test]
fn a_question_that_the_writer_asks_comes_before_pairs() {
    let mut run = Run::new();
    run.on(&Event::Run);
    assert_eq!(run.on(&checked_with_pair(0, 1, "one")), Action::GenerateQuestions { limit: 3 });
    let mut run = Run::new();
    run.book.has_own_question = true;
    run.on(&Event::Woken);
    assert_eq!(run.on(&checked_with_pair(1, 0, "one")), Action::TakeQueued);
    let mut run = Run::new();
    run.on(&Event::Run);
    assert_eq!(run.on(&checked_with_pair(0, 0, "one")), compare("one", 1), "there is nothing else to do");
}

#[test]
fn the_writer_starts_the_comparison_of_all_pairs_and_no_question() {
    let mut run = Run::new();
    (run.book.is_idle, run.book.is_on, run.book.has_own_question) = (false, false, true);
    assert_eq!(run.on(&Event::Compare), Action::FindGaps);
    for pair in ["one", "two"] {
        assert_eq!(run.on(&checked_with_pair(1, 1, pair)), compare(pair, 1));
        assert_eq!(run.on(&Event::Compared), Action::FindGaps);
    }
    assert_eq!((run.on(&checked(1, 1, 1)), run.at()), (WAIT, (Phase::Idle, None)));
    assert_eq!((run.on(&Event::Woken), run.counts()), (WAIT, (0, 0)));
    run.book.is_agreed = false;
    assert_eq!(run.on(&Event::Compare), WAIT, "without an agreement nothing is sent");

    let mut run = Run::new();
    run.on(&Event::Stop);
    assert_eq!(run.on(&Event::Compare), Action::FindGaps);
    run.on(&checked_with_pair(0, 1, "one"));
    run.on(&Event::Compared);
    let stopped = (WAIT, (Phase::Stopped, Some(StopReason::User)));
    assert_eq!((run.on(&checked(0, 1, 1)), run.at()), stopped, "the writer had stopped it");

    let mut run = Run::new().exploring();
    run.on(&call("lamp"));
    run.on(&Event::Stop);
    assert_eq!(run.on(&Event::Compare), Action::FindGaps, "nothing is sent for the question that was stopped");
    assert_eq!(run.kill(), Action::FindGaps);
    assert_eq!(run.on(&checked_with_pair(0, 1, "one")), compare("one", 1));
    run.on(&Event::Compared);
    assert_eq!((run.on(&checked(0, 1, 1)), run.at()), stopped);
    assert_eq!(run.on(&Event::Run), Action::RunTool(find("lamp")), "it goes on with its steps");
    assert_eq!(run.counts(), (1, 1));

    let mut run = Run::new();
    run.on(&Event::Stop);
    run.on(&Event::Compare);
    run.on(&checked_with_pair(0, 1, "one"));
    run.on(&Event::Failed { error: RequestError::Cancelled, jitter: 0.0 });
    assert_eq!((run.on(&Event::Woken), run.at()), stopped, "also where the comparison was cancelled");

    let mut run = Run::new().exploring();
    assert_eq!(run.on(&Event::Compare), Action::Ignore);
    run.on(&STOP);
    run.on(&Event::Summarized(json!({})));
    run.on(&Event::Committed);
    run.book.is_idle = false;
    assert_eq!(run.on(&Event::Woken), Action::FindGaps, "after the question at work");
    assert_eq!(run.on(&checked_with_pair(0, 1, "one")), compare("one", 1));
}

#[test]
fn the_writer_stops_comparisons_without_stopping_the_study() {
    let mut run = Run::new().exploring();
    run.on(&call("lamp"));
    run.on(&Event::Failed { error: RequestError::Cancelled, jitter: 0.0 });
    run.on(&Event::Compare);
    run.on(&checked_with_pair(0, 1, "one"));
    assert_eq!((run.on(&Event::StopComparing), run.at()), (WAIT, (Phase::Idle, None)));
    assert_eq!(run.on(&Event::Compared), Action::Ignore, "a late result");
    assert_eq!(run.on(&Event::Woken), Action::RunTool(find("lamp")), "the question goes on");

    let stopped = (WAIT, (Phase::Stopped, Some(StopReason::User)));
    let mut run = Run::new();
    run.on(&Event::Stop);
    run.on(&Event::Compare);
    run.on(&checked_with_pair(0, 1, "one"));
    assert_eq!((run.on(&Event::StopComparing), run.at()), stopped, "it was stopped before");

    let mut run = Run::new();
    run.on(&Event::Woken);
    run.on(&checked_with_pair(0, 1, "one"));
    assert_eq!((run.on(&Event::StopComparing), run.at()), stopped, "the study compares them by itself");

    let mut run = Run::new();
    run.on(&Event::Compare);
    run.on(&checked_with_pair(0, 1, "one"));
    run.on(&failed());
    assert!(matches!(run.on(&Event::StopComparing), Action::Wait { until: Some(_) }));
    assert_eq!(run.state.phase, Phase::BackingOff, "the model is left alone until then");
}

#[test]
fn comparisons_have_a_limit_of_their_own_and_go_on_tomorrow() {
    let mut run = Run::new();
    run.book.limits.comparisons_per_day = 1;
    run.on(&Event::Woken);
    run.on(&checked_with_pair(0, 1, "one"));
    run.on(&Event::Compared);
    assert_eq!(run.on(&checked_with_pair(0, 1, "two")), Action::GenerateQuestions { limit: 3 });
    run.on(&Event::Questions(None));
    run.on(&Event::Woken);
    let wait = (WAIT, (Phase::Idle, Some(StopReason::Unchanged)));
    assert_eq!((run.on(&checked_with_pair(0, 0, "two")), run.at()), wait);
    assert_eq!(run.on(&Event::Woken), WAIT);
    run.on(&Event::Compare);
    let wait = (WAIT, (Phase::Idle, Some(StopReason::Quota)));
    assert_eq!((run.on(&checked_with_pair(0, 0, "two")), run.at()), wait, "also on demand");
    run.on(&Event::Woken);
    run.on(&checked_with_pair(0, 0, "two"));
    run.day = NEXT_DAY;
    assert_eq!(run.on(&Event::Woken), Action::FindGaps);
    assert_eq!(run.on(&checked_with_pair(0, 0, "two")), compare("two", 1));
}

#[test]
fn a_pair_without_a_readable_reply_is_asked_about_twice_and_then_given_up() {
    let comparing = || {
        let mut run = Run::new();
        run.on(&Event::Woken);
        assert_eq!(run.on(&checked_with_pair(0, 1, "one")), compare("one", 1));
        run
    };
    let mut run = comparing();
    assert_eq!(run.on(&Event::Refused(FailureKind::UnreadableReply)), compare("one", 2));
    let given_up = Action::GiveUpPair { pair: "one".into() };
    assert_eq!(run.on(&Event::Refused(FailureKind::WrongLanguage)), given_up);
    assert_eq!((run.state.comparisons_today, run.state.consecutive_errors), (2, 1));
    assert_eq!((run.at(), &run.state.work), ((Phase::Idle, None), &None));

    let mut run = comparing();
    assert_eq!(run.kill(), compare("one", 2), "a lost reply is not waited for, and its request was counted");
    assert_eq!((run.kill(), run.state.comparisons_today), (given_up, 2));

    let mut run = comparing();
    run.on(&failed());
    assert_eq!((run.state.phase, &run.state.work), (Phase::BackingOff, &None));
    run.now += 10_000;
    run.on(&Event::Woken);
    assert_eq!(run.on(&checked_with_pair(0, 1, "one")), compare("one", 1), "the model failed, and not the pair");

    let mut run = comparing();
    assert_eq!((run.on(&Event::Stop), &run.state.work), (WAIT, &None));
    assert_eq!(run.on(&Event::Compared), Action::Ignore, "a late reply");
}
