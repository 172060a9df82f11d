//! Use by content: answers that a reply resembles, compared with the regenerations without them, by a model whose truth
//! is known.
//!
//! The model takes one sentence of each answer that it minds, with a part of its words, and adds sentences of its own
//! from other texts. It minds half of the answers of a prompt, whatever they say. A reply is judged by its likeness to
//! each answer over that of earlier replies, as the program judges it, and by thirty-two regenerations with answers
//! left out.

use palimpsest_memory::provenance::{
    compliance::{Recent, judge_example},
    likeness::{self, Likeness, Words},
    masked,
};
use palimpsest_text::{
    Language,
    random::SplitMix64,
    sentences,
    style::{self, measure_as},
};

use crate::{Passage, Set};

/// Questions of each set.
const QUESTIONS: usize = 150;
/// Answers in a prompt.
const ANSWERS: usize = 4;
/// Earlier replies that a reply is compared with.
const EARLIER: usize = 40;
/// Sentences of a reply that no answer has.
const OWN_SENTENCES: usize = 3;
/// Share of the words of a sentence that the model keeps, in percent.
const KEPT_WORDS: usize = 70;

/// The counts of the answers of one set.
#[derive(Default)]
struct Counts {
    /// Shown as used by content; of them by the regenerations too; of them minded.
    content: [usize; 3],
    masked: usize,
    /// Minded; of them by the regenerations.
    minded: [usize; 2],
    all: usize,
}

/// Prints the precision and the recall of use by content.
pub fn print_content(sets: &[Set]) {
    println!(
        "use by content against {} regenerations (target: precision .80 at a recall of .60), and against the truth",
        masked::RUNS.end()
    );
    println!(
        "| set | answers in prompts | by content | by regenerations | precision | recall | precision, truth | recall, truth | regenerations' recall, truth |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for (name, language, passages) in sets {
        let language = if *language == "zh" { Language::Zh } else { Language::En };
        let Counts { content: [by_content, of_masked, of_minded], masked, minded: [minded, found], all } =
            count_uses(passages, language);
        let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
        println!(
            "| {name} | {all} | {by_content} | {masked} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} |",
            share(of_masked, by_content),
            share(of_masked, masked),
            share(of_minded, by_content),
            share(of_minded, minded),
            share(found, minded)
        );
    }
    println!();
}

/// An answer of a prompt, and whether the model minds it.
struct Given<'a> {
    text: &'a str,
    /// The sentence that the model takes.
    sentence: &'a str,
    is_minded: bool,
}

/// A question with the answers of its prompt.
struct Prompt<'a> {
    answers: Vec<Given<'a>>,
    seed: u64,
}

/// A text as it is compared.
struct Measured {
    words: Words,
    style: Vec<f32>,
}

impl Measured {
    fn new(text: &str, language: Language) -> Self {
        Self { words: Words::from_text(text), style: measure_as(text, language).as_slice().to_vec() }
    }
}

fn count_uses(passages: &[(String, Passage)], language: Language) -> Counts {
    let texts: Vec<&str> = passages.iter().map(|(_, passage)| passage.text.as_str()).collect();
    let words: Vec<Words> = texts.iter().map(|text| Words::from_text(text)).collect();
    let mut random = SplitMix64::new(29);
    let mut prompts: Vec<Prompt<'_>> = Vec::new();
    for _ in 0..QUESTIONS + EARLIER {
        let at = random.below(passages.len());
        let question = Words::from_text(&passages[at].1.questions[1]);
        // The answers that share most words with the question, as a search finds them.
        let mut order: Vec<usize> = (0..texts.len()).collect();
        let shares: Vec<f64> = words.iter().map(|one| question.in_draft(one)).collect();
        order.sort_by(|a, b| shares[*b].total_cmp(&shares[*a]).then(a.cmp(b)));
        let answers = order.into_iter().take(ANSWERS).map(|at| {
            let all = sentences::split(texts[at]);
            Given { text: texts[at], sentence: all[random.below(all.len())], is_minded: random.below(2) == 0 }
        });
        let answers = answers.collect();
        prompts.push(Prompt { answers, seed: random.next_u64() });
    }
    let drafts: Vec<Measured> = prompts
        .iter()
        .map(|prompt| Measured::new(&reply(prompt, &[true; ANSWERS], prompt.seed, &texts), language))
        .collect();
    let (earlier, asked) = drafts.split_at(EARLIER);
    let mut counts = Counts::default();
    for (prompt, draft) in prompts[EARLIER..].iter().zip(asked) {
        let masks = masked::design(ANSWERS, *masked::RUNS.end(), prompt.seed);
        let regenerated: Vec<Measured> = masks
            .iter()
            .enumerate()
            .map(|(run, mask)| Measured::new(&reply(prompt, mask, masked::seed_of(run, prompt.seed), &texts), language))
            .collect();
        for (at, answer) in prompt.answers.iter().enumerate() {
            let of_answer = Measured::new(answer.text, language);
            let like = |other: &Measured| Likeness {
                words: of_answer.words.in_draft(&other.words),
                style: likeness::style(&of_answer.style, &other.style, style::default_spread(language).as_slice()),
            };
            let recent: Vec<Recent<Likeness>> =
                earlier.iter().map(|one| Recent { measure: like(one), with: false }).collect();
            let by_content = judge_example(like(draft), &recent).is_some_and(|judged| judged.effect > 0.0);
            let likenesses: Vec<Likeness> = regenerated.iter().map(like).collect();
            let is_masked = masked::measure_example(at, like(draft), &masks, &likenesses)
                .and_then(|measures| masked::effect(at, &masks, &measures.regenerations))
                .is_some_and(|effect| effect.low > 0.0);
            counts.all += 1;
            counts.masked += usize::from(is_masked);
            counts.minded[0] += usize::from(answer.is_minded);
            counts.minded[1] += usize::from(answer.is_minded && is_masked);
            if by_content {
                counts.content[0] += 1;
                counts.content[1] += usize::from(is_masked);
                counts.content[2] += usize::from(answer.is_minded);
            }
        }
    }
    counts
}

/// The reply to a prompt with some of its answers.
fn reply(prompt: &Prompt<'_>, with: &[bool], seed: u64, texts: &[&str]) -> String {
    let mut random = SplitMix64::new(seed);
    let mut parts: Vec<String> = Vec::new();
    for _ in 0..OWN_SENTENCES {
        let all = sentences::split(texts[random.below(texts.len())]);
        parts.push(all[random.below(all.len())].to_owned());
    }
    for (answer, is_with) in prompt.answers.iter().zip(with) {
        let said = shortened(answer.sentence, &mut random);
        if answer.is_minded && *is_with {
            parts.push(said);
        }
    }
    random.shuffle(&mut parts);
    parts.join(" ")
}

/// A sentence without a part of its words, or in Chinese of its pairs of characters.
fn shortened(sentence: &str, random: &mut SplitMix64) -> String {
    let chars: Vec<char> = sentence.chars().collect();
    if sentence.is_ascii() || sentence.contains(' ') {
        let words: Vec<&str> = sentence.split(' ').filter(|_| random.below(100) < KEPT_WORDS).collect();
        return words.join(" ");
    }
    chars.chunks(2).filter(|_| random.below(100) < KEPT_WORDS).flatten().collect()
}
