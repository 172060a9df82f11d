//! The English words; `two_words` is a phrase.

use palimpsest_text::style::Feature;

use super::vocabulary::{Class, Measure};

pub(super) const LISTS: &[(Class, &str)] = &[
    // Expressions that are an instruction on their own.
    (
        Class::Says(Feature::ShortSentences, 1),
        "very_short_sentences very_short_sentence very_short_ones one_word_sentences fragments sentence_fragments",
    ),
    (
        Class::Says(Feature::LongSentences, 1),
        "very_long_sentences very_long_sentence run_on_sentences sentences_run_very_long",
    ),
    (
        Class::Says(Feature::SentenceVariation, 1),
        "vary_sentence_length vary_sentence_lengths vary_the_length_of_sentences vary_the_length_of_your_sentences varied_sentence_length varied_sentence_lengths vary_the_sentence_length \
         mix_long_and_short_sentences mix_short_and_long_sentences mix_of_long_and_short_sentences mix_of_short_and_long_sentences sentences_of_varied_length varying_sentence_length",
    ),
    (
        Class::Says(Feature::SentenceVariation, -1),
        "even_in_length sentences_of_even_length uniform_sentence_length sentences_of_the_same_length even_sentence_length",
    ),
    (
        Class::Says(Feature::Adjectives, 1),
        "purple_prose ornate ornate_prose ornate_language ornate_style flowery flowery_language flowery_prose flowery_style lush_prose lush rich_description lavish",
    ),
    (
        Class::Says(Feature::Adjectives, -1),
        "plain plain_style plain_prose plain_words plain_language spare_prose spare_style spare sparse_prose lean_prose minimalist simple_style simple_prose simple_language unadorned understated concise concise_style",
    ),
    (Class::Says(Feature::PastTense, 1), "past_tense simple_past"),
    (Class::Says(Feature::PastTense, -1), "present_tense simple_present"),
    (
        Class::Says(Feature::FirstPerson, 1),
        "first_person 1st_person first_person_narration first_person_narrator first_person_voice",
    ),
    (
        Class::Says(Feature::FirstPerson, -1),
        "third_person 3rd_person third_person_limited third_person_omniscient omniscient_narrator third_person_narration close_third",
    ),
    (Class::Says(Feature::SecondPerson, 1), "second_person"),
    (Class::Says(Feature::Length, -1), "brief keep_it_short keep_it_brief keep_to_the_point get_to_the_point"),
    (
        Class::Says(Feature::LexicalVariety, 1),
        "varied_vocabulary rich_vocabulary varied_words vary_the_words vary_word_choice vary_your_words different_words varied_word_choice vary_the_vocabulary",
    ),
    (
        Class::Says(Feature::LexicalVariety, -1),
        "repeat_words repeating_words repeated_words word_repetition repeat_the_same_words repeating_the_same_words repeat_the_same_few_words the_same_words_over_and_over repetition_of_words",
    ),
    (
        Class::Says(Feature::RepeatedOpenings, 1),
        "with_the_same_word open_with_the_same_word repeated_openings repetitive_openings",
    ),
    (
        Class::Says(Feature::RepeatedOpenings, -1),
        "with_a_different_word with_different_words vary_the_openings vary_sentence_openings vary_how_sentences_open varied_openings",
    ),
    (
        Class::Says(Feature::AbstractNouns, -1),
        "concrete_nouns concrete_things concrete_details concrete_detail concrete_words",
    ),
    (
        Class::Says(Feature::Archaic, 1),
        "archaic archaic_words archaic_language archaic_diction archaisms old_fashioned_language old_fashioned_words",
    ),
    (Class::Says(Feature::Archaic, -1), "modern_language modern_words modern_english contemporary_language"),
    (
        Class::Says(Feature::Colloquial, 1),
        "colloquial colloquial_voice colloquial_language colloquial_words conversational conversational_voice conversational_tone informal informal_language everyday_words everyday_language slang casual_language",
    ),
    (
        Class::Says(Feature::Colloquial, -1),
        "formal formal_language formal_voice formal_tone formal_register formal_words bookish bookish_language stiff_language literary_register",
    ),
    (Class::Says(Feature::DialogueTurns, 1), "quick_back_and_forth back_and_forth rapid_exchanges"),
    (Class::Says(Feature::DialogueShare, 1), "dialogue_heavy dialogue_driven heavy_on_dialogue"),
    (Class::Says(Feature::DialogueShare, -1), "light_on_dialogue"),
    (Class::Says(Feature::Adverbs, -1), "light_on_adverbs"),
    // Nouns with an amount.
    (Class::Thing(Feature::ActionVerbs), "action_verbs verbs_of_action active_verbs verbs_of_motion"),
    (Class::Thing(Feature::TimeShifts), "jumps_in_time time_jumps time_skips time_shifts suddenly"),
    (
        Class::Thing(Feature::Exclamations),
        "exclamation_mark exclamation_marks exclamation_point exclamation_points exclamations",
    ),
    (
        Class::Thing(Feature::Questions),
        "questions question question_marks question_mark rhetorical_questions rhetorical_question",
    ),
    (Class::Thing(Feature::Ellipses), "ellipsis ellipses"),
    (Class::Thing(Feature::Dashes), "dash dashes em_dash em_dashes"),
    (Class::Thing(Feature::Commas), "comma commas"),
    (Class::Thing(Feature::Semicolons), "semicolon semicolons colon colons semi_colons semicolons_and_colons"),
    (Class::Thing(Feature::Adverbs), "adverb adverbs adverbs_of_manner ly_adverbs"),
    (Class::Thing(Feature::Adjectives), "adjective adjectives modifiers description_words"),
    (Class::Thing(Feature::Hedges), "hedge hedges hedging hedge_words hedging_words"),
    (Class::Thing(Feature::Similes), "simile similes metaphor metaphors comparisons figures_of_speech"),
    (
        Class::Thing(Feature::Sight),
        "what_is_seen visual_detail visual_details visual_description words_of_sight colours colors",
    ),
    (Class::Thing(Feature::Sound), "what_is_heard sounds sound words_of_sound sound_words"),
    (
        Class::Thing(Feature::BodySense),
        "of_touch smells sense_of_smell textures bodily_sensation bodily_sensations physical_sensation physical_sensations",
    ),
    (
        Class::Thing(Feature::ConjunctionOpenings),
        "conjunction conjunctions with_conjunctions with_a_conjunction with_and with_but with_and_or_but with_and_but_or_so opening_conjunctions",
    ),
    (Class::Thing(Feature::Negation), "negation negations negative_sentences negatives"),
    (Class::Thing(Feature::ParagraphDensity), "paragraph_break paragraph_breaks line_breaks new_paragraphs"),
    (Class::Thing(Feature::DialogueTurns), "turns_of_speech exchanges turns_of_dialogue"),
    (
        Class::Thing(Feature::SpeechTags),
        "speech_tag speech_tags dialogue_tag dialogue_tags he_said she_said said_tags attributions",
    ),
    (Class::Thing(Feature::ThirdPerson), "third_person_pronouns third_person_pronoun"),
    (Class::Thing(Feature::FirstPerson), "first_person_pronouns first_person_pronoun"),
    (Class::Thing(Feature::SecondPerson), "second_person_pronouns"),
    (
        Class::Thing(Feature::Emotion),
        "emotion emotions words_of_emotion emotion_words emotional_words emotions_people_feel feeling_words sentimentality",
    ),
    (
        Class::Thing(Feature::Thought),
        "what_people_think inner_thoughts internal_thoughts thoughts_of_characters interiority what_characters_think inner_monologue internal_monologue introspection",
    ),
    (
        Class::Thing(Feature::AbstractNouns),
        "abstract_noun abstract_nouns abstractions abstract_words abstract_language",
    ),
    (Class::Thing(Feature::Colloquial), "contractions contraction colloquialisms"),
    (Class::Thing(Feature::Intensifiers), "intensifier intensifiers"),
    (
        Class::Thing(Feature::Cliches),
        "cliche cliches cliché clichés stock_phrases stock_phrase ai_cliches ai_clichés purple_cliches hackneyed_phrases",
    ),
    (Class::Thing(Feature::NamesAndNumbers), "names_and_numbers proper_names proper_nouns numbers numerals"),
    // Nouns with a length.
    (
        Class::Subject(Measure::Sentence),
        "sentence sentences sentence_length average_sentence_length sentence_lengths sentences_short_on_average",
    ),
    (Class::Subject(Measure::Paragraph), "paragraph paragraphs paragraph_length"),
    (
        Class::Subject(Measure::Passage),
        "passage passages text_length word_count continuation continuations output answers",
    ),
    (Class::Subject(Measure::Word), "words word"),
    (Class::Quality(1), "long longer lengthy lengthen lengthened lengthening extended flowing winding sprawling"),
    (
        Class::Quality(-1),
        "short shorter shorten shortened shortening terse clipped punchy brisk snappy staccato choppy",
    ),
    (Class::Too(1), "too_long overlong overly_long so_long"),
    (Class::Too(-1), "too_short so_short overly_short"),
    (Class::Extreme(1), "very_long"),
    (Class::Extreme(-1), "very_short"),
    (
        Class::Cap,
        "no_more_than not_more_than not_over no_longer_than not_longer_than at_most up_to under below fewer_than less_than shorter_than max maximum within or_fewer or_less",
    ),
    (
        Class::Floor,
        "no_fewer_than no_less_than not_less_than no_shorter_than not_shorter_than at_least over above more_than longer_than or_more minimum_of",
    ),
    // Verbs and quantities.
    (
        Class::Do,
        "use uses using used write writes writing keep keeps keeping prefer prefers preferring prefer_to want_to like_to stick_with like likes want wants favour favours favor favors go_for aim_for stick_to sticks_to stay_in \
         include includes add make give gives show name open opens begin begins start starts link tell narrate narrated told rely_on lean_on let let_people keep_people should_be must_be with embrace love loves go_with choose",
    ),
    (
        Class::More,
        "more many plenty plenty_of lots lots_of much a_lot_of freely often frequent frequently liberally heavy_use_of generous more_of mix_in so_many so_much as_many",
    ),
    (
        Class::Less,
        "no not never avoid avoids avoiding don't do_not doesn't does_not dont shouldn't should_not mustn't must_not can't cannot won't without fewer less few little rarely seldom sparingly hardly_ever sparing drop \
         drops remove removes cut cuts cut_out cut_down_on cut_back_on skip skips stop stops reduce reduces limit limits minimise minimize minimal minimum ban bans refrain_from stay_away_from steer_clear_of \
         keep_away_from leave_out leaves_out step_back_from steps_back_from split splits break_up breaks_up fold folds hate hates dislike dislikes less_of to_a_minimum omit omits not_use free_of go_easy_on goes_easy_on \
         delete eliminate trim strip strip_out none get_rid_of restrain kill_your",
    ),
    (Class::TooMany, "too_many too_much overuse overusing overdo overdone excessive excess"),
    (Class::TooFew, "too_few too_little not_enough"),
    (Class::Must, "must always_have make_sure ensure"),
    // Conjunctions and negations.
    (Class::Not, "instead_of rather_than as_opposed_to and_not"),
    (Class::Into, "into"),
    (Class::End, "and but to"),
    (Class::Speech, "dialogue dialog dialogues speech conversation conversations spoken_lines direct_speech"),
    (
        Class::Filler,
        "a an the it of in on for or as at by is are be been being am was were that this these those its it's i i'd i'm my me we our you your you're who all any every each some both \
         please always generally usually mostly mainly largely primarily throughout everywhere anywhere wherever whenever when where possible as_possible try try_to tries tend tends seem seems_to seem_to should shall can may will would \
         only just strictly strict very quite fairly rather somewhat really truly completely entirely totally absolutely at_all ever again instead style prose voice text story book novel narration narrative narrating tone \
         language vocabulary diction register writing_style all_characters all_the_characters every_character the_characters author writer reader scene scenes passages_of pace pacing fast_pace fast_paced quick_pace tight average on_average mean per length about around roughly \
         a_few a_little a_bit slightly bit ones one such such_as like_these even more_or_less than so too also still limited omniscient close point_of_view pov perspective view mode there here then nice better best good fine okay \
         when_continuing when_polishing when_rewriting when_expanding when_condensing when_answering full_stop full_stops period periods unnecessary needless familiar what do does how which from neighbouring taste smell such_as_seemed over_long_ones over_short_ones over_long_sentences over_short_sentences with_words together it_up sure necessary needed unless_necessary unless_needed if_possible where_possible overall default in_general \
         whole entire everything something do_you_mind thanks thank_you side use_of usage amount number_of say_who_is_speaking what_is_not_there in_dialogue_lines rule preference preferences person",
    ),
];

/// The built-in scene types, by their names.
pub(super) const SCENES: &[(&str, &str)] = &[
    ("dialogue", "dialogue_scenes dialogue_scene conversation_scenes dialogue conversations dialogues"),
    (
        "action",
        "action_scenes action_scene fight_scenes fight_scene fighting_scenes battle_scenes chase_scenes combat_scenes action_sequences fights battles combat action",
    ),
    (
        "description",
        "description_scenes description_scene descriptive_scenes descriptive_passages descriptions description",
    ),
    ("monologue", "monologue_scenes monologue_scene monologues monologue interior_monologue"),
    ("narration", "narration_scenes narration_scene narrative_scenes narrative_passages narration"),
    ("transition", "transition_scenes transition_scene transitional_scenes transitions transition_passages"),
];

/// Prefixes that make such a word a place.
pub(super) const BEFORE_SCENES: &[&str] = &["", "in ", "in the ", "in my ", "in all ", "during ", "for ", "within "];
