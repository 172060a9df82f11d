// Generated from the table of commands. Do not edit: run `npm run generate`.

/** Accepts detected entities, or changes kind and name of an accepted one. */
export type AcceptEntities = {
	/** UUID of the book. */
	projectId: string,
	/** The entities as of `at`, 1..5,000. */
	entityIds: string[],
	/**
	 *  The position that the writer looked from; by default the end of the book. Forms that belong to an entity only
	 *  from here on are not joined to it as of earlier positions.
	 */
	at?: Position | null,
	/** The kind of the one entity; by default the detected one. */
	kind?: EntityKind | null,
	/** The name of the one entity; by default the detected one. 1..100 characters, one line. */
	name?: string | null,
	/** The version of the one entity, required if it is accepted already. */
	version?: number | null,
};

/** Adds a craft note, or changes one. */
export type AddPractice = {
	/** The note to change; without it, a new one is added. */
	practiceId?: string | null,
	/** The version that a change is based on. */
	version?: number | null,
	/** 1..200 characters. */
	title: string,
	/** 0..4,000 characters. */
	description?: string,
	/** At most 20, each 1..200 characters. */
	applicableScenarios?: string[],
	/** Known books. */
	sourceProjects?: string[],
};

/** Adds a question of the writer's. It is asked next. */
export type AddQuestion = {
	/** UUID of the book. */
	projectId: string,
	/** 1..2,000 characters, with a letter or a digit. */
	question: string,
	/** Default `plot`. */
	questionType?: QuestionType | null,
};

/** Other memories and texts that contain a whole sentence of a deleted memory. They are never changed. */
export type AlsoIn = {
	/** Number of other episodes. */
	episodes?: number,
	/** Traces, by their passage. */
	traces?: number,
	/** Rules, by their present words or those of their history. */
	rules?: number,
	/** Items of working memory. */
	workingItems?: number,
	/** Recovery copies of chapters. */
	recoveryCopies?: number,
};

/** Progress of the analysis of a book. */
export type AnalysisProgress = {
	projectId: string,
	/** The step under way. */
	step: AnalysisStep,
	/** Number of its chapters or passages that are done. */
	done: number,
	/** Number of those to do. */
	total: number,
};

/** The state of the analysis of a book. */
export type AnalysisStatus = {
	/** Number of chapters of the book; of one in another editor, of the known ones. */
	chapters: number,
	/** Number of chapters whose passages are those of their present text. */
	analyzed: number,
	/** Number of passages. */
	passages: number,
	/** Number of passages of a Chinese book that the tagger has not read yet. */
	untagged: number,
	/**
	 *  Whether this is a Chinese book and the files of the tagger are missing or damaged: names are then found by
	 *  surnames and titles only.
	 */
	isTaggerMissing: boolean,
};

/** A step of the analysis of a book. */
export type AnalysisStep = 
/** Chapters are split into passages. */
"chapters" | 
/** The tagger reads the passages of a Chinese book. */
"passages";

/** Analyzes a book now. */
export type AnalyzeBook = {
	projectId: string,
	/**
	 *  The chapters of a book in another editor: those that changed, or all. Refused for a book in a folder, whose
	 *  files are read.
	 */
	chapters?: ChapterToAnalyze[] | null,
	/** Whether `chapters` are the whole book, so that passages of other chapters are deleted. Default `false`. */
	isWhole?: boolean | null,
};

/** A question with the answer that was kept, and how far it may be trusted. */
export type Answer = {
	/** UUID. */
	answerId: string,
	/** UUID of the book; the nil UUID for a promoted answer, which is of no book. */
	projectId: string,
	/** `global` for a promoted answer: every book finds it. */
	scope: Scope,
	/** True if it has a copy that every book finds. */
	isPromoted: boolean,
	/** Grows with each change by the writer. */
	version: number,
	/** The subject of the question. */
	kind: AnswerKind,
	/** The way in which it came into the memory. */
	origin: AnswerOrigin,
	/** 1..10,000 bytes. */
	question: string,
	/** 1..100,000 bytes. */
	answer: string,
	/** The language of the answer. */
	language: Language,
	/** Confidence of the run that it comes from, 0..1. */
	confidence: number | null,
	/** The rest that is known of it. */
	details: AnswerDetails,
	/** The sentences of the book that it rests on. */
	citations: Citation[],
	/** `stale` if the text has lost one of them. */
	staleness: Staleness,
	/**
	 *  Ids of the other answers to the same question that say something else. None of them is blocked, and of two that
	 *  the writer confirmed both are right.
	 */
	disagreesWith: string[],
	/** The sentence for which it is `maybe`. */
	nearby: MentionRange | null,
	/** `blocked` if no run is given it. */
	status: AnswerStatus,
	/** Who blocked it; `null` if it is not blocked. */
	blockedBy: BlockedBy | null,
	/** 0 candidate, 1 checked, 2 reliable, 3 settled. */
	validationLevel: number,
	/** 0..1, moved by fixed steps. */
	trust: number | null,
	/** Failures since the last pass; a partial one counts half. */
	consecutiveFail: number | null,
	/** Number of validations that passed since it was last edited. */
	passes: number,
	/** Number of runs that were given it. */
	hitCount: number,
	/** Number of runs that used it. */
	useCount: number,
	/** The estimated chance that it is right. */
	posterior: AnswerPosterior,
	/** True if the writer confirmed it: no run lowers or blocks it. */
	userConfirmed: boolean,
	/** True if the writer edited it. */
	userModified: boolean,
	/** True if it failed since the writer confirmed it. */
	isChallenged: boolean,
	/** Time at which it was recorded. */
	createdAt: Time,
	/** Time of the last change. */
	updatedAt: Time,
	/** Time at which a validation or the writer last said that it is right; before that, `createdAt`. */
	verifiedAt: Time,
	/** Time at which it was last put into a prompt. */
	lastShownAt: Time | null,
};

/** One answer of a book. */
export type AnswerArguments = {
	/** UUID of the book. */
	projectId: string,
	/** UUID of the answer. */
	answerId: string,
};

/** An answer after a change, with the event that changed it. */
export type AnswerChange = {
	/** The answer as it is now. */
	answer: Answer,
	/** The event, for `answer:undo`; `null` if nothing changed. */
	eventId: string | null,
};

/** The signals from which the score of a match is computed. */
export type AnswerComponents = {
	/** Share of the query's words in the question of the answer, 0 to about 2. */
	questionWords: number | null,
	/** Cosine of the two questions; `null` without vectors. */
	questionMeaning: number | null,
	/** Share of the query's words in the answer, 0 to about 2. */
	answerWords: number | null,
	/** Cosine of the query and the answer; `null` without vectors. */
	answerMeaning: number | null,
};

/** The settings of answers. */
export type AnswerConfig = {
	/** All of them, in the order of the sections. */
	settings: ConfigSetting[],
	/** Keys of the file that are not taken; empty without a file. */
	problems: ConfigProblem[],
	/** Sections and keys of the file without effect. */
	ignored: string[],
};

/** Numbers of answers by filter. */
export type AnswerCounts = {
	/** All of them. */
	all: number,
	/** Those that rest on text that has changed. */
	stale: number,
	/** Those on trial. */
	onTrial: number,
	/** Blocked ones. */
	blocked: number,
	/** Learning records: those of origin `studied`. */
	studied: number,
};

/** The rest that is known of an answer, all of it optional. */
export type AnswerDetails = {
	/** The type of the question of a learning record. */
	questionType?: QuestionType | null,
	/** The domain that it belongs to, 1..100 characters. */
	domain?: string | null,
	/** At most 20, each 1..40 characters. */
	tags?: string[],
	/** The files that it was found in, at most 100. */
	sourceFiles?: string[],
	/** Ids of other answers that it has to do with, at most 100. */
	relatedRecords?: string[],
	/** The steps that led to it, at most 100. */
	explorationPath?: ExplorationStep[],
	/** At most 50 entries. */
	metadata?: { [key in string]: string },
};

/** One event of an answer. */
export type AnswerEvent = {
	/** UUID. */
	eventId: string,
	/** Time of the event. */
	at: Time,
	/** A validation has `result`, `signalStrength` and `source`; an edit has `texts`. */
	kind: AnswerEventKind,
	/** Of a validation. */
	result: ValidationResult | null,
	/** Of a validation. */
	signalStrength: SignalStrength | null,
	/** Of a validation. */
	source: ValidationSource | null,
	/** The run that it comes from. */
	runId: string | null,
	/** True if a run was given the answer. */
	wasShown: boolean,
	/** True if the run used it. */
	wasUsed: boolean,
	/** False if it was stored and moves neither trust nor level. */
	isApplied: boolean,
	/** The remark that came with it. */
	note: string | null,
	/** Of an edit. */
	texts: EditedTexts | null,
	/** Of the verdict that an answer which rests on changed text is still right. */
	citations: MovedCitations | null,
	/** Level and trust after it. */
	validationLevel: number,
	/** 0..1. */
	trust: number | null,
	/** Time at which it was undone. */
	undoneAt: Time | null,
};

/** The cause of a change of standing. */
export type AnswerEventKind = 
/** A run was given it, or used it. */
"hit" | 
/** A validation. */
"validated" | 
/** The writer edited the texts. */
"edited" | 
/** The writer confirmed it. */
"confirmed" | 
/** The writer blocked it. */
"blocked" | 
/** The writer unblocked it. */
"unblocked" | 
/** The writer made a copy of it for all books. */
"promoted";

/** The answers that a list has. */
export type AnswerFilter = 
/** All of them. */
"all" | 
/** Those that rest on text that has changed. */
"stale" | 
/** Those without a validation that passed, and those that failed and are tried again. */
"onTrial" | 
/** Blocked ones. */
"blocked";

/** The events of an answer, latest first. */
export type AnswerHistory = {
	/** At most 200. */
	events: AnswerEvent[],
};

/** That an answer was shown or used. */
export type AnswerHit = {
	/** UUID of the answer. */
	answerId: string,
	/** True if a run was given it. Default true. */
	shown?: boolean,
	/** True if the run used it. */
	used?: boolean,
};

/** The subject of a question. */
export type AnswerKind = 
/** An answer about the book: it rests on citations. */
"canon" | 
/** Facts outside the book. */
"research" | 
/** A question of writing. */
"craft" | 
/** A decision of the writer's. */
"decision" | 
/** A task of an agent's. */
"task";

/** Lists the answers of a book, latest change first. */
export type AnswerListQuery = {
	/** UUID of the book. */
	projectId: string,
	/** Default `all`. */
	filter?: AnswerFilter,
	/** Default all kinds. */
	kinds?: AnswerKind[],
	/** Only those of this origin; default all. */
	origin?: AnswerOrigin | null,
	/** Only those whose question or answer has these words, as they are written. */
	words?: string | null,
	/** Number of answers to skip. */
	offset?: number,
	/** 1..200; default 50. */
	limit?: number | null,
};

/** An answer that a search found. */
export type AnswerMatch = {
	/** As it is now. */
	answer: Answer,
	/** The chance that the answer bears on the query, 0..1. */
	score: number | null,
	/** The similarity of the two questions. */
	questionMatch: QuestionMatchKind,
	/** 0..1; 1 if they are the same, under .85 unless they are probably the same. */
	same: number | null,
	/** Where the questions differ, for a question that is not the same. */
	differences: QuestionDifference[],
	/** 1 at the time of its last verification, .5 after 30 days. */
	freshness: number | null,
	/** Estimated share of the runs given it that used it, 0..1. */
	useRate: number | null,
	/** `question` for the same question, `words`, `meaning`. */
	matchedBy: string[],
	/** The signals that the score is computed from. */
	components: AnswerComponents,
};

/** The answers that a search found, best first. */
export type AnswerMatches = {
	/** Best first. */
	matches: AnswerMatch[],
	/** True if the search worked by words only or on part of the vectors. */
	degraded: boolean,
	/** The reason, if `degraded` is true. */
	degradedReason: string | null,
	/** The answers of the team's service; `null` without one, and where `kinds` is given: its answers have none. */
	service: ServiceMatches | null,
};

/** How an answer came into the memory. */
export type AnswerOrigin = 
/** The writer asked. */
"asked" | 
/** The program studied the book: a learning record. */
"studied" | 
/** Another program recorded it. */
"agent" | 
/** It came with a file. */
"imported";

/** The outcome of a run. */
export type AnswerOutcome = {
	/** 0 if it went well. */
	exitCode: number,
	/** Default `itself`. */
	endedBy?: RunEnd,
	/** The words of the model, without the results of tools; may be empty. At most 100,000 bytes. */
	answer: string,
	/** At most 10,000. */
	tools?: ToolUse[],
	/**
	 *  The end of what its tools printed, at most 10,000 bytes. It is looked at for words of success and failure, and
	 *  not stored.
	 */
	outputTail?: string,
	/** The end of its error output, at most 10,000 bytes; not stored. */
	errorTail?: string,
	/** Sentences of the book that say so, at most 8; for the candidate. One that the text does not have is left out. */
	citations?: CitationDraft[],
	/** The rest that is known of the answer, for the candidate. */
	details?: AnswerDetails,
	/** As in `answer:record`; for the candidate. */
	basis?: string[],
	/** As in `answer:record`; for the candidate. */
	notInBook?: boolean,
};

/** Some of the answers of a book, and how many there are. */
export type AnswerPage = {
	/** Latest change first. */
	answers: Answer[],
	/** Number of answers that the filters leave. */
	total: number,
	/** Of the whole book. */
	counts: AnswerCounts,
};

/** The estimated chance that an answer is right, by its validations. */
export type AnswerPosterior = {
	/** The estimated share of uses in which it is right, 0..1. */
	value: number | null,
	/** Lower end of the 90 % interval. */
	low: number | null,
	/** Upper end of the 90 % interval. */
	high: number | null,
	/** The weight of its validations: a strong one weighs 1. */
	weight: number | null,
	/** Number of its validations. With less than three it counts as not tried yet. */
	tries: number,
	/** Number of those that passed. */
	passed: number,
};

/** Searches the answers of a book. */
export type AnswerQuery = {
	/** UUID of the book. */
	projectId: string,
	/** 1..10,000 bytes. */
	query: string,
	/** 1..50; default 6. */
	limit?: number | null,
	/** 0..1; default .20. */
	minScore?: number | null,
	/** Default all kinds. */
	kinds?: AnswerKind[],
	/** 0..3; default 0. */
	minLevel?: number,
	/** Default false. */
	includeBlocked?: boolean,
};

/** A run with all that was decided in it. It has no text. */
export type AnswerRun = {
	/** As in a list. */
	summary: AnswerRunSummary,
	/** Those of the prompt first, in its order. */
	matches: AnswerRunMatch[],
	/** Assessment, hits, validations and candidate; `null` for a run that was not completed. */
	completed: CompletedAnswer | null,
};

/** A run of a book. */
export type AnswerRunArguments = {
	/** UUID of the book. */
	projectId: string,
	/** UUID of the run. */
	runId: string,
};

/** The runs of a book, latest first. */
export type AnswerRunList = {
	/** Latest first. */
	runs: AnswerRunSummary[],
};

/** An answer that a run found, in the numbers of that moment. */
export type AnswerRunMatch = {
	/** UUID. */
	answerId: string,
	/** Version of the answer. */
	version: number,
	/** Its mark in the prompt; `null` if it was left out. */
	handle: string | null,
	/** The chance that it bears on the question, 0..1. */
	score: number | null,
	/** Sameness of the questions, 0..1. */
	same: number | null,
	/** 0..3. */
	validationLevel: number,
	/** 0..1. */
	trust: number | null,
	/** 0..1. */
	freshness: number | null,
	/** Failures in a row; a partial result is half of one. */
	consecutiveFail: number | null,
	/** Runs in whose prompt it was before. */
	hitCount: number,
	/** Runs that used it before. */
	useCount: number,
	/** At that moment. */
	status: AnswerStatus,
	/** Who blocked it; `null` if it was not blocked. */
	blockedBy: BlockedBy | null,
	/** True if the writer had confirmed it. */
	userConfirmed: boolean,
	/** The status of the sentences that it rests on when the run was prepared. */
	staleness: Staleness,
	/** The decision on it. */
	decision: MatchDecision,
	/** Why it was left out, in one word of the gatekeeper. */
	why: string | null,
	/** True if the run used the answer; `null` until the run has ended. */
	wasUsed: boolean | null,
};

/** Lists the runs of a book. */
export type AnswerRunQuery = {
	/** UUID of the book. */
	projectId: string,
	/** UUID of a run: those before it. Default from the latest on. */
	before?: string | null,
	/** 1..200; default 50. */
	limit?: number | null,
};

/** The progress of a run. */
export type AnswerRunState = 
/** It may be completed. */
"prepared" | 
/** A question to the book that this process answers. */
"running" | 
/** It was completed. */
"completed" | 
/** It was not completed within 24 hours, or the limit of the day refused it. */
"expired" | 
/** A question to the book that the process ended before its answer. */
"interrupted";

/** A run in a list. */
export type AnswerRunSummary = {
	/** UUID. */
	runId: string,
	/** The subject of its question. */
	kind: AnswerKind,
	/** Its progress. */
	state: AnswerRunState,
	/** The time of its prompt. */
	preparedAt: Time,
	/** `null` until it has ended. */
	endedAt: Time | null,
	/** Number of answers that its search found. */
	found: number,
	/** Number of answers in its prompt, the one on trial included. */
	shown: number,
	/** Number of answers that it used. */
	used: number,
	/** `null` for a run that says nothing about answers, or has not ended. */
	result: ValidationResult | null,
	/** UUID of the answer that it left; `null` for none. */
	candidateId: string | null,
};

/** Whether an answer may be put into a prompt. */
export type AnswerStatus = 
/** It may, and no validation has passed yet. */
"active" | 
/** It may, and at least one validation has passed. */
"verified" | 
/** It failed several times in a row, or the writer blocked it. */
"blocked";

/** One answer of a book, in the version that the caller has seen. */
export type AnswerVersion = {
	/** UUID of the book. */
	projectId: string,
	/** UUID of the answer. */
	answerId: string,
	/** The version that the change is based on. */
	version: number,
};

/** A whole answer. */
export type Answered = {
	/** All pieces joined; empty where the book alone was asked. */
	text: string,
	/** The statements of the text, in their order. */
	statements: AskStatement[],
	/** The citations of the statements, in their order. */
	citations: AskCitation[],
	/** True if the model says that the book does not answer the question. */
	notInBook: boolean,
	/** The chapters whose passages were looked at, in the order of the book. */
	lookedAt: string[],
	/**
	 *  Probability that the book does not answer the question, 0..1, by the passages that are nearest to it; `null` if
	 *  nothing was searched.
	 */
	unanswerable: number | null,
	/**
	 *  The passages that bear on the question, closest first, where the book alone was asked: stretches of at most 400
	 *  characters, where a Han character counts as 2.5.
	 */
	passages: AskCitation[],
	/** The answer that was kept; `null` if none was. */
	kept: Answer | null,
	/** The reasons why none was kept, as the gatekeeper names them; empty if one was. */
	whyNot: string[],
	/** True if the answer is in another language than the question. It is kept all the same. */
	isOtherLanguage: boolean,
	/** The parts of the memory that were unavailable, also those that failed after the start. */
	degradedReasons: DegradedReason[],
	/** UUID of the trace; `null` where no model was asked or no trace could be stored. */
	generationId: string | null,
	/** Number of rounds in which the model said what it needs to know. */
	rounds: number,
	/** Number of steps. */
	steps: number,
	/** Duration in milliseconds. */
	millis: number,
};

/** The next part of an answer. */
export type AskChunk = {
	/** UUID of the run. */
	runId: string,
	/** To be appended; may be empty. Marks of passages are not in it. */
	text: string,
	/** The statements that end in this part, in their order. */
	statements: AskStatement[],
	/** Their citations that no earlier part had. */
	citations: AskCitation[],
};

/** A passage that a statement rests on: its quote was found in the saved text. */
export type AskCitation = {
	/** 1 for the first. */
	number: number,
	/** Id of the chapter. */
	chapterId: string,
	/** Start in the chapter's text, in UTF-16 code units. */
	from: number,
	/** End, exclusive. */
	to: number,
	/** The words of the text. */
	quote: string,
};

/** A run has ended. */
export type AskDone = {
	/** UUID of the run. */
	runId: string,
	/** Finished, cancelled or failed. */
	status: AskStatus,
	/** The answer, or the part of it that came. */
	answered: Answered,
	/** The cause of a failure; `null` otherwise. */
	error: Error | null,
};

/** The questions of a book, from its journal: those of redacted entries are not among them. */
export type AskHistory = {
	/** Latest first, each once. */
	questions: EarlierQuestion[],
	/** True if new questions are written into the journal of the book. */
	isJournalKept: boolean,
};

/** Lists the questions that were asked about a book. */
export type AskHistoryQuery = {
	/** UUID of the book. */
	projectId: string,
	/** Maximum number of questions, 1..200. Default 50. */
	limit?: number | null,
};

/** The first request of a question, before it is asked. */
export type AskPreview = {
	/** The source of the answer. */
	askedOf: AskedOf,
	/**
	 *  The first prompt, with the hidden names replaced. A program replaces them itself, perhaps by other aliases.
	 *  `null` where nothing would be sent.
	 */
	context: AssembledContext | null,
};

/** A question that is being answered. */
export type AskStarted = {
	/** UUID of the run; the events carry it. */
	runId: string,
	/** The source of the answer. */
	askedOf: AskedOf,
	/** The subject of the question, as given or guessed. */
	kind: AnswerKind,
	/** The answer that is kept for the same question in the same words; with `fresh` it is listed in `nearly`. */
	served: Answer | null,
	/** Answers to nearly the same question, best first. None of them is taken for the answer. */
	nearly: AnswerMatch[],
	/** Number of kept answers that the model is given. */
	injected: number,
	/** True if a part of the memory was unavailable: perhaps the answer is not kept. */
	memoryDegraded: boolean,
	/** The reasons; empty if nothing was unavailable. */
	degradedReasons: DegradedReason[],
};

/** A statement of an answer. */
export type AskStatement = {
	/** Start in the text of the answer, in UTF-16 code units. */
	from: number,
	/** End, exclusive. */
	to: number,
	/** Verified, unverified or plain. */
	status: StatementStatus,
	/** The numbers of its citations, in their order. */
	citations: number[],
};

/** The outcome of a run. */
export type AskStatus = 
/** The answer is complete. */
"finished" | 
/** The writer stopped it; nothing is kept. */
"cancelled" | 
/** There is no answer, or only a part of one; nothing is kept. */
"failed";

/** One step of a run, sent when it starts and again when it ends. */
export type AskStep = {
	/** UUID of the run. */
	runId: string,
	/** 1 for the first; a step that is sent again has the same number. */
	number: number,
	/** The round of the loop, from 1 on; 0 before the model was asked. */
	round: number,
	/** The action. */
	kind: AskStepKind,
	/** The query, the name, or the description of the need; may be empty. */
	subject: string,
	/** Number of items that were found; `null` while it is under way. */
	found: number | null,
	/** The chapter of a passage that was read. */
	chapterId: string | null,
	/** Started, done or failed. */
	state: AskStepState,
};

/** The action of a step. */
export type AskStepKind = 
/** The model has said what it needs to know; `subject` is its description. */
"need" | 
/** The journal was searched. */
"journal" | 
/** Kept answers were searched. */
"answers" | 
/** Past passages of the writer and drafts were searched. */
"episodes" | 
/** The passages of the book were searched. */
"book" | 
/** A passage was read; `chapter_id` is its chapter. */
"read" | 
/** The card of an entity was read; `subject` is its name. */
"entity" | 
/** The chapters that name an entity were counted; `subject` is its name. */
"where" | 
/** The passages that name two entities were searched; `subject` is both names. */
"together" | 
/** Times of the story were read. */
"times" | 
/** A program used a tool of its own; `subject` is the name of the tool. */
"program";

/** A step is sent when it starts and again when it ends. */
export type AskStepState = 
/** Under way. */
"started" | 
/** It has ended; `found` is known. */
"done" | 
/** It failed; the run goes on without it. */
"failed";

/** The source of the answer. */
export type AskedOf = 
/** An answer that is kept. Nothing is sent, and no event follows. */
{ kind: "kept" } | 
/** The model of the purpose `asking`. */
{ kind: "model"; model: ModelInfo; host: string; isLocal: boolean } | 
/** A program of this machine, which reads a copy of the book up to the position, with the hidden names replaced. */
{ kind: "program"; backendId: string; name: string; leavesMachine: boolean } | 
/** The book alone: no model is chosen, or none was wanted. */
{ kind: "book" };

/** The passage to work on, and the request. */
export type AssembleRequest = {
	/** UUID of the project. */
	projectId: string,
	/** Id of the chapter, as its editor names it. */
	chapterId: string,
	/** The skill to run. */
	skill: string,
	/** The kind of scene; guessed from the passage when missing. */
	sceneType?: string | null,
	/** The text before the caret or the selection, at most 400,000 bytes; its end counts. */
	before: string,
	/** The selected text, at most 100,000 bytes. */
	selection?: string | null,
	/** The text after, at most 400,000 bytes; its beginning counts. */
	after?: string | null,
	/** The instruction for this run, at most 10,000 bytes. */
	instruction?: string | null,
	/** The whole prompt, 1,000 to 200,000 tokens; default 6,000. */
	budgetTokens?: number | null,
	/**
	 *  The position in the chapter of the end of `before`, in UTF-16 code units: the story is known up to it. Default:
	 *  the length of `before`.
	 */
	offset?: number | null,
};

/** A prompt ready to be sent, with the origin of every part. */
export type AssembledContext = {
	/** Language of the project. */
	language: Language,
	/** The scene type that was given or guessed. */
	sceneType: string | null,
	/** The layers, in order. */
	layers: Layer[],
	/** The memories that went in, in order. */
	memoryReferences: Reference[],
	/** Items that matched and were cut. */
	cut: CutItem[],
	/** The messages exactly as they are sent. */
	messages: Message[],
	/** Tokens of all messages together. */
	totalTokens: number,
	/** At least one part of the memory was unavailable. */
	memoryDegraded: boolean,
	/** The unavailable parts, and why. */
	degradedReasons: DegradedReason[],
};

/** A program that answers questions, as it is stored. It belongs to the installation, not to a book. */
export type Backend = {
	/** Id; stays when other fields change. */
	backendId: string,
	/** Decides over the arguments, and how the output is read. */
	kind: BackendKind,
	/** The writer's name for it, 1 to 80 characters. */
	name: string,
	/** An absolute path, or a name that is looked up in `PATH`. */
	program: string,
	/** The arguments of a program of the kind `own`, `{model}` for the model; empty for other kinds. */
	arguments: string[],
	/** The model that is asked of the program; `null` for its own choice. */
	model: string | null,
	/** The condition under which its runs need the fence of the system. */
	isolation: BackendIsolation,
};

/** The arguments of a command about one program. */
export type BackendArguments = {
	backendId: string,
};

/** The obstacle to reading other files than the copy of the book. */
export type BackendFence = 
/** The system: Landlock. */
"system" | 
/** Its own options. */
"asked" | 
/** Nothing prevents it. */
"none";

/** The condition under which a run needs the fence of the system. */
export type BackendIsolation = 
/** Always. */
"system" | 
/**
 *  Where names are hidden, or the copy of the book ends before the book does. Otherwise the program's own options
 *  that keep it from writing are enough.
 */
"asked";

/** The kind of a program that answers questions. */
export type BackendKind = 
/** Claude Code. */
"claude" | 
/** OpenAI's Codex. */
"codex" | 
/** The Gemini CLI. */
"gemini" | 
/** A program of the writer's own, whose output is the answer. */
"own";

/** The programs that the writer has set up. */
export type BackendList = {
	/** In the order in which they were added. */
	backends: Backend[],
	/** The reason why some are missing, in English; absent if all could be read. */
	degradedReason?: string | null,
};

/** A copy of one of the two files, verified when it was made. */
export type Backup = {
	/** Name of the backup. */
	backupId: string,
	/** The file that was copied. */
	file: StoreFile,
	/** When it was made. */
	createdAt: Time,
	/** Size in bytes. */
	bytes: number,
	/** Why it was made. */
	reason: BackupReason,
};

/** One backup. */
export type BackupArguments = {
	backupId: string,
};

export type BackupList = {
	/** Newest first. */
	backups: Backup[],
};

/** Why a backup was made. */
export type BackupReason = 
/** Nightly: the file had changed since the last backup. */
"changed" | 
/** The writer requested it. */
"manual" | 
/** Before a schema migration. */
"migration" | 
/** Before an import. */
"import" | 
/** Before a clearing; it contains the data that stays. */
"clearing" | 
/** Before the restore of another backup. */
"restore";

/** Replaces a damaged file by an empty one. */
export type BeginAnew = {
	file: StoreFile,
	/** Must be `true`. */
	confirmed?: boolean | null,
};

/** The report of replacing a damaged or missing file by an empty one. */
export type BegunAnew = {
	/** The replaced file. */
	file: StoreFile,
	/** Name of the damaged file that was moved aside; `null` if it was missing. */
	setAside: string | null,
};

/** Whose decision it is that an answer is blocked. */
export type BlockedBy = 
/** It failed in runs. It may be tried again, one at a time, after a while. */
"run" | 
/** The writer blocked it: only the writer unblocks it. */
"writer";

/** An open book. */
export type Book = {
	project: Project,
	/** Its chapters, in reading order. */
	chapters: ChapterInfo[],
};

/** A run of a question. */
export type CancelAsk = {
	/** UUID of the run. */
	runId: string,
};

/** A run to stop. */
export type CancelSkill = {
	generationId: string,
};

/** The outcome of a cancellation. */
export type Cancelled = {
	/** Whether the generation was still running. */
	cancelled: boolean,
};

/** Usage of a project's capacity. Values that cannot be read at present are `null`. */
export type Capacity = {
	/** UUID of the project; `null` for global rules. */
	projectId: string | null,
	/** Episodes with their texts. */
	active: Fill | null,
	/** Compressed episodes. */
	compressed: Fill | null,
	/** Number of rules in force, and their limits. */
	rules: Fill | null,
	/** Answers; of the global entry, those of all books. */
	answers: Fill | null,
	/** Number of answers that rest on changed text, or that the book may contradict now. */
	staleAnswers: number | null,
};

/** A fact on a card. */
export type CardFact = {
	/** Whether it has citations, none of which holds: it is in no prompt until the writer confirms it. */
	isStale: boolean,
	/** The facts that it replaced, the latest first. */
	earlier: Fact[],
} & Fact;

/** Asks for the card of an entity. */
export type CardQuery = {
	/** UUID of the book. */
	projectId: string,
	/** The entity, as of `at`. */
	entityId: string,
	/** The position up to which the book is known; by default its end. Nothing after it has an influence. */
	at?: Position | null,
};

/** The category of a rule; the panel groups by it. */
export type Category = 
/** Sentences and rhythm. */
"style" | 
/** Narration. */
"structure" | 
/** Narrative person, emotion and thought. */
"character" | 
/** Pace. */
"pacing" | 
/** Words that are preferred or avoided. */
"vocabulary";

/** How certain the story is of a fact. */
export type Certainty = 
/** The narration tells it: it holds. */
"told" | 
/** Somebody says it: it may be wrong. */
"said" | 
/** Somebody believes it: it may be wrong. */
"believed" | 
/** The writer plans it: the text does not tell it yet. It is in no prompt, unless the entity is always visible. */
"planned";

/** The changed parts and their project. */
export type Change = {
	/** UUID of the project, or `null` for all of them. */
	projectId: string | null,
	/** The parts that changed. */
	what: Topic[],
};

/** The kinds of changes that a run makes to a rule. */
export type ChangeKind = 
/** A new rule. */
"learned" | 
/** Higher confidence, or more evidence. */
"strengthened" | 
/** Lower confidence. */
"weakened" | 
/** The evidence has reversed: the rule now has the opposite direction. */
"replaced" | 
/** The evidence has drifted without a new direction: inactive. */
"steppedBack" | 
/** The evidence no longer supports it: inactive. */
"withdrawn" | 
/** Active again. */
"returned" | 
/** Supported in several projects: now global. */
"globalised" | 
/** Supported in one project only: now limited to it. */
"localised" | 
/** A suggestion to the writer: inactive until confirmed. */
"proposed" | 
/** Confirmed by the writer, and the evidence has turned against it. Nothing else changed. */
"challenged" | 
/** The feature of a rule in words was recognized. */
"understood" | 
/** Evicted: rules with the lowest confidence go when there are too many. */
"dropped";

/** The outcome of a split or merge, or of the undo of one. */
export type ChangedChapters = {
	/** For its undo. */
	changeId: string,
	/** The chapter that was split or merged with the next one. */
	chapterId: string,
	/** The second chapter: it exists after a split and after the undo of a merge. */
	secondId: string,
	/** All chapters now. */
	chapters: ChapterInfo[],
	/** Whether the memories of the passages were moved; if `false`, they are moved once the memory can be written. */
	memoriesMoved: boolean,
};

/** One chapter. */
export type ChapterArguments = {
	projectId: string,
	chapterId: string,
};

/** A chapter was changed outside the program. */
export type ChapterChanged = {
	projectId: string,
	chapterId: string,
	/** The content hash now; `null` when the file is missing. */
	contentHash: string | null,
};

/** A chapter as the list shows it. */
export type ChapterInfo = {
	/** Stable when the file is renamed. */
	chapterId: string,
	/** The first heading, else the file's name. */
	title: string,
	/** The file, relative to the book's folder. */
	file: string,
	/** Han characters and words of other scripts. */
	words: number,
	/** The scene type of its passages, where the writer has set one; otherwise it is detected for each passage. */
	sceneType: string | null,
};

export type ChapterList = {
	/** In reading order. */
	chapters: ChapterInfo[],
};

/** The mentions of an entity in one chapter. */
export type ChapterPresence = {
	/** Index in [`EntityList::chapters`]. */
	chapter: number,
	/** Number of mentions, at least 1. */
	mentions: number,
};

/** A chapter to edit. */
export type ChapterText = {
	chapterId: string,
	title: string,
	/** The whole text, lines ended by LF. */
	text: string,
	/** The content hash to send with the next write. */
	contentHash: string,
	/** The line ends inside wrapped paragraphs, in order: an editor shows them as a space or as nothing. */
	softBreaks: SoftBreakAt[],
	/** The passages that generations wrote. */
	origins: OriginMark[],
	/** Passages whose words no longer occur, or occur more than once. */
	unanchored: OriginMark[],
	/**
	 *  Recovery copies, newest first: of this chapter, and of chapters of the book whose files are missing, which
	 *  have no other place to be shown.
	 */
	kept: RecoveryCopyText[],
};

/** A chapter of a book in another editor. */
export type ChapterToAnalyze = {
	chapterId: string,
	/** The whole text, at most 16 MB, as of a file. */
	text: string,
};

/** Asks whether an operation has failed before. */
export type CheckFailure = {
	/** UUID of the book. */
	projectId: string,
	/** The kind of the operation. */
	operationType: OperationType,
	/** The signature it was recorded with. */
	signature: string,
};

/** Whether an operation has failed before and should not be tried now. */
export type CheckedFailure = {
	/** True while a failure with this signature is pending for less than a day, or has failed for good. */
	hasFailedBefore: boolean,
	/** The failure, if there is one. */
	failure: Failure | null,
};

/** A sentence of the book that says so. */
export type Citation = {
	/** Id of the chapter. */
	chapterId: string,
	/** Start in the chapter's text, in UTF-16 code units. */
	from: number,
	/** End, exclusive. */
	to: number,
	/** Hash of the quote, by which it is found again after edits. */
	quoteHash: string,
	/** The text of the range when it was cited, 1..500 characters. */
	quote: string,
	/** Whether the text still has it. */
	status: CitationStatus,
};

/** A passage to cite. */
export type CitationDraft = {
	/** A chapter of the book. */
	chapterId: string,
	/** The start of the quote as the editor has it, in UTF-16 code units: the nearest place of the quote is cited. */
	from: number,
	/**
	 *  The words to cite, 1..500 characters. Compared with the saved text; quotation marks, white space and dashes may
	 *  differ.
	 */
	quote: string,
};

/** A citation that the book has lost, with the sentence in its place. */
export type CitationReplacement = {
	/** Its place among the citations of the answer, from 0. */
	ordinal: number,
	/** The citation as it would be; `null` if its chapter is gone or empty. */
	citation: Citation | null,
};

/** The sentences that are now in the places of the citations that the book has lost. */
export type CitationReplacements = {
	/** One for each citation that was lost, in their order. */
	replacements: CitationReplacement[],
};

/** Whether the text still has the quote of a citation. */
export type CitationStatus = 
/** The quote is where it was. */
"holds" | 
/** The quote is at another place, the only one. */
"moved" | 
/** The chapter does not have the quote any more, or has it several times. */
"changed" | 
/** The chapter is not in the book any more, and no other chapter has the quote. */
"gone" | 
/** The quote was not compared with the text. */
"unverified";

/** Clearing the whole memory. */
export type ClearAll = {
	/** Must be `true`: a clearing cannot be undone. */
	confirmed?: boolean | null,
};

/** Clearing the memory of one book. */
export type ClearProject = {
	projectId: string,
	/** Must be `true`: a clearing cannot be undone. */
	confirmed?: boolean | null,
};

/** Deleted rows and files, by kind. */
export type ClearedCounts = {
	/** Number of deleted episodes. */
	episodes?: number,
	/** Their vectors. */
	vectors?: number,
	/** Texts in the index of words. */
	words?: number,
	/** Traces of generations. */
	traces?: number,
	/** Marks of origin. */
	origins?: number,
	/** Entries of the journal. */
	journal?: number,
	/** Questions that were kept with their answers. */
	answers?: number,
	/** Number of deleted rules. */
	rules?: number,
	/** Versions of rules, including those of rules deleted earlier. */
	ruleVersions?: number,
	/** Items of working memory. */
	workingItems?: number,
	/** Backups, and damaged files that were moved aside. */
	backups?: number,
};

/** One line of the audit log. */
export type Clearing = {
	/** UUID. */
	clearingId: string,
	/** UUID of the project, or `null` for everything. */
	projectId: string | null,
	/** Who asked for it: the user of the system, or `writer` where that is not known. */
	requestedBy: string,
	/** When it was requested. */
	requestedAt: Time,
	/** When the last copy was deleted; `null` while the clearing is under way. */
	finishedAt: Time | null,
	/** Deleted rows and files. */
	counts: ClearedCounts,
	/** The project itself was deleted too: title, folder, names and recovery copies. */
	forgetsBook: boolean,
};

/** The audit log of clearings and erasures. */
export type ClearingLog = {
	/** Newest first. */
	clearings: Clearing[],
	/** Erasures of deleted memories and of removed names; newest first. */
	erasures: Erasure[],
};

/**
 *  Why the clock is implausible: it is more than 60 days from the newest time that the memory knows, and was neither
 *  seen on two different days nor confirmed by the writer (`memory:clock:confirm`).
 */
export type ClockDoubt = {
	/** The direction of the error. */
	reason: ClockReason,
	/** The clock's time. */
	now: Time,
	/** The newest time that the memory knows. */
	newest: Time,
};

/** The direction of a clock's error. */
export type ClockReason = 
/** After the newest known time. */
"ahead" | 
/** Before it: new rows get times that continue from the newest known time. */
"behind";

/** The kind of an error. The names are part of the wire. */
export type Code = 
/** An argument is missing, unknown, of the wrong type, empty, too large or out of range. */
"MEMORY_INVALID_ARGUMENT" | 
/** The item does not exist. */
"MEMORY_NOT_FOUND" | 
/** The item belongs to another project. */
"MEMORY_SCOPE_DENIED" | 
/** The seal of a trace does not match its content: the row was changed after it was written. */
"MEMORY_TRACE_MISMATCH" | 
/** The item was changed since it was read. */
"MEMORY_STALE_VERSION" | 
/** A confidence outside 0..1. */
"MEMORY_CONFIDENCE_OUT_OF_RANGE" | 
/** Everything that could be evicted is protected. */
"MEMORY_CAPACITY_EXCEEDED" | 
/** Too many concurrent recalls; `retryAfterSeconds` is the delay. */
"MEMORY_BACKPRESSURE" | 
/** A clearing is irreversible and was not confirmed. */
"MEMORY_CLEAR_CONFIRM_REQUIRED" | 
/** A write failed, and its retries too. */
"MEMORY_WRITE_FAILED" | 
/** A database cannot be opened or read. */
"MEMORY_STORE_UNAVAILABLE" | 
/** A maintenance job failed; it is retried at its next window. */
"MEMORY_CLEANUP_FAILED" | 
/** Learning is paused: no run until the writer resumes it. */
"MEMORY_LEARNING_PAUSED" | 
/** The text does not have the words that were to be cited, or they are too short to be found again. */
"MEMORY_CITATION_NOT_FOUND" | 
/** The model failed. */
"MEMORY_MODEL_UNAVAILABLE";

/** Arguments and answer of one command, for the bindings. */
export type Command<A, R> = {
	args: A,
	result: R,
};

/** Every command with its types, for the bindings. */
export type Commands = {
	"ai:provider:delete": Command<ProviderArguments, DeletedProvider>,
	"ai:provider:find": Command<NoArguments, FoundModels>,
	"ai:provider:list": Command<NoArguments, ProviderList>,
	"ai:provider:models": Command<ProviderArguments, ModelList>,
	"ai:provider:save": Command<SaveProvider, Provider>,
	"ai:provider:test": Command<TestProvider, Tested>,
	"ai:purpose:set": Command<SetPurpose, PurposeModel>,
	"ai:skill:cancel": Command<CancelSkill, Cancelled>,
	"ai:skill:run": Command<RunSkill, SkillStarted>,
	"ai:usage:get": Command<NoArguments, Usage>,
	"ai:usage:limit": Command<SetLimits, Usage>,
	"answer:block": Command<AnswerVersion, AnswerChange>,
	"answer:complete": Command<CompleteAnswer, CompletedAnswer>,
	"answer:config:get": Command<NoArguments, AnswerConfig>,
	"answer:config:set": Command<SetAnswerConfig, AnswerConfig>,
	"answer:confirm": Command<ConfirmAnswer, AnswerChange>,
	"answer:copied": Command<AnswerArguments, AnswerChange>,
	"answer:delete": Command<DeleteAnswer, DeletedAnswer>,
	"answer:get": Command<AnswerArguments, Answer>,
	"answer:history": Command<AnswerArguments, AnswerHistory>,
	"answer:hit": Command<RecordHits, RecordedHits>,
	"answer:list": Command<AnswerListQuery, AnswerPage>,
	"answer:measure": Command<MeasureRun, MeasureAnswer>,
	"answer:prepare": Command<PrepareAnswer, PreparedAnswer>,
	"answer:promote": Command<AnswerVersion, PromotedAnswer>,
	"answer:reaffirm": Command<AnswerVersion, AnswerChange>,
	"answer:recheck": Command<RecheckAnswers, RecheckedAnswers>,
	"answer:record": Command<RecordAnswer, AnswerChange>,
	"answer:replacements": Command<AnswerArguments, CitationReplacements>,
	"answer:replay": Command<ReplayAnswers, ReplayedAnswers>,
	"answer:run:get": Command<AnswerRunArguments, AnswerRun>,
	"answer:run:list": Command<AnswerRunQuery, AnswerRunList>,
	"answer:search": Command<AnswerQuery, AnswerMatches>,
	"answer:service:get": Command<NoArguments, ServiceSettings>,
	"answer:service:set": Command<SetService, ServiceSettings>,
	"answer:service:validate": Command<ValidateServiceAnswer, QueuedValidation>,
	"answer:unblock": Command<AnswerVersion, AnswerChange>,
	"answer:undo": Command<UndoAnswerEvent, AnswerChange>,
	"answer:update": Command<UpdateAnswer, AnswerChange>,
	"answer:validate": Command<ValidateAnswer, AnswerChange>,
	"ask:cancel": Command<CancelAsk, Cancelled>,
	"ask:history": Command<AskHistoryQuery, AskHistory>,
	"ask:preview": Command<RunAsk, AskPreview>,
	"ask:run": Command<RunAsk, AskStarted>,
	"backend:delete": Command<BackendArguments, DeletedBackend>,
	"backend:find": Command<NoArguments, FoundBackends>,
	"backend:list": Command<NoArguments, BackendList>,
	"backend:save": Command<SaveBackend, Backend>,
	"backend:test": Command<BackendArguments, TestedBackend>,
	"chapter:change:undo": Command<UndoChapterChange, ChangedChapters>,
	"chapter:create": Command<CreateChapter, ChapterInfo>,
	"chapter:delete": Command<ChapterArguments, DeletedChapter>,
	"chapter:deleted:list": Command<ProjectArguments, DeletedChapterList>,
	"chapter:deleted:restore": Command<RestoreDeletedChapter, ChapterInfo>,
	"chapter:keep": Command<StoreRecoveryCopy, StoredRecoveryCopy>,
	"chapter:keep:drop": Command<DiscardRecoveryCopy, DiscardedRecoveryCopy>,
	"chapter:list": Command<ProjectArguments, ChapterList>,
	"chapter:merge": Command<MergeChapters, ChangedChapters>,
	"chapter:move": Command<MoveChapter, ChapterList>,
	"chapter:read": Command<ChapterArguments, ChapterText>,
	"chapter:rename": Command<RenameChapter, ChapterInfo>,
	"chapter:scene": Command<SetScene, ChapterInfo>,
	"chapter:snapshot:list": Command<ChapterArguments, SnapshotList>,
	"chapter:snapshot:read": Command<SnapshotArguments, SnapshotText>,
	"chapter:split": Command<SplitChapter, ChangedChapters>,
	"chapter:write": Command<WriteChapter, Written>,
	"journal:export": Command<ExportJournal, ExportedJournal>,
	"journal:import": Command<ImportJournal, ImportedJournal>,
	"journal:keep": Command<KeepJournal, KeptJournal>,
	"journal:list": Command<JournalQuery, JournalPage>,
	"journal:recall": Command<RecallJournal, FoundEntries>,
	"journal:redact": Command<RedactEntry, RedactedEntry>,
	"journal:store": Command<StoreEntry, StoredEntry>,
	"journal:verify": Command<ProjectArguments, JournalCheck>,
	"knowledge:domain:get": Command<DomainQuery, Domain>,
	"knowledge:failure:check": Command<CheckFailure, CheckedFailure>,
	"knowledge:failure:get": Command<FailureArguments, Failure>,
	"knowledge:failure:record": Command<RecordFailure, Failure>,
	"knowledge:failure:update": Command<UpdateFailure, Failure>,
	"knowledge:global:get": Command<NoArguments, GlobalMemory>,
	"knowledge:load": Command<LoadKnowledge, LoadedKnowledge>,
	"knowledge:practice:add": Command<AddPractice, Practice>,
	"knowledge:practice:delete": Command<PracticeArguments, Practice>,
	"knowledge:project:get": Command<ProjectArguments, ProjectMemory>,
	"knowledge:project:update": Command<UpdateProjectMemory, ProjectMemory>,
	"knowledge:question:add": Command<AddQuestion, StudyQuestion>,
	"knowledge:question:drop": Command<QuestionArguments, QuestionList>,
	"knowledge:question:list": Command<ProjectArguments, QuestionList>,
	"knowledge:record:judge": Command<JudgeRecord, JudgedRecord>,
	"knowledge:record:list": Command<ListRecords, RecordList>,
	"knowledge:record:save": Command<SaveRecord, Answer>,
	"knowledge:record:search": Command<SearchRecords, FoundRecords>,
	"knowledge:study:estimate": Command<ProjectArguments, StudyEstimate>,
	"knowledge:study:get": Command<ProjectArguments, StudyState>,
	"knowledge:study:run": Command<ProjectArguments, StudyState>,
	"knowledge:study:set": Command<SetStudy, StudyState>,
	"knowledge:study:stop": Command<ProjectArguments, StudyState>,
	"memory:backup:create": Command<NoArguments, BackupList>,
	"memory:backup:list": Command<NoArguments, BackupList>,
	"memory:backup:restore": Command<BackupArguments, Restored>,
	"memory:clear:all": Command<ClearAll, ClearedCounts>,
	"memory:clear:log": Command<NoArguments, ClearingLog>,
	"memory:clear:project": Command<ClearProject, ClearedCounts>,
	"memory:clock:confirm": Command<NoArguments, Status>,
	"memory:conflict:list": Command<OptionalProjectArguments, ConflictList>,
	"memory:conflict:resolve": Command<ResolveConflict, Rule>,
	"memory:context:assemble": Command<AssembleRequest, AssembledContext>,
	"memory:distill:approve": Command<RunArguments, Run>,
	"memory:distill:cancel": Command<RunArguments, Run>,
	"memory:distill:list": Command<OptionalProjectArguments, RunList>,
	"memory:distill:undo": Command<RunArguments, Run>,
	"memory:editor:activity": Command<ProjectArguments, EmptyAnswer>,
	"memory:episode:confirm": Command<ConfirmEpisode, Episode>,
	"memory:episode:delete": Command<DeleteEpisode, DeletedEpisode>,
	"memory:episode:feedback": Command<EpisodeFeedback, Episode>,
	"memory:episode:query": Command<EpisodeQuery, RecallAnswer>,
	"memory:episode:record": Command<EpisodeDraft, Recorded>,
	"memory:export": Command<ExportMemory, Exported>,
	"memory:import": Command<ImportMemory, Imported>,
	"memory:learning:pause": Command<NoArguments, LearningState>,
	"memory:learning:resume": Command<ResumeLearning, LearningState>,
	"memory:maintenance:run": Command<RunMaintenance, MaintenanceReport>,
	"memory:missing:acknowledge": Command<NoArguments, Status>,
	"memory:names:list": Command<ProjectArguments, NameList>,
	"memory:names:set": Command<SetNames, NameList>,
	"memory:names:suggest": Command<ProjectArguments, NameForms>,
	"memory:promote": Command<PromoteRule, PromotedRule>,
	"memory:scene:guess": Command<GuessScene, GuessedScene>,
	"memory:semantic:add": Command<RuleDraft, Rule>,
	"memory:semantic:confirm": Command<ConfirmRule, Rule>,
	"memory:semantic:delete": Command<DeleteRule, DeletedRule>,
	"memory:semantic:distill": Command<Distill, RunAnswer>,
	"memory:semantic:evidence": Command<RuleInProjectArguments, RuleEpisodes>,
	"memory:semantic:history": Command<RuleArguments, RuleHistory>,
	"memory:semantic:list": Command<ListRules, RuleList>,
	"memory:semantic:undo": Command<RuleArguments, Rule>,
	"memory:semantic:update": Command<RulePatch, Rule>,
	"memory:skills:order": Command<OrderSkills, SkillOrder>,
	"memory:status": Command<NoArguments, Status>,
	"memory:store:begin-anew": Command<BeginAnew, BegunAnew>,
	"memory:trace:feedback": Command<TraceFeedback, JudgedTrace>,
	"memory:trace:get": Command<GenerationArguments, Trace>,
	"memory:trace:measure": Command<MeasureTrace, MeasureAnswer>,
	"memory:trace:record": Command<RecordTrace, Trace>,
	"memory:working:end-session": Command<ProjectArguments, EndedSession>,
	"memory:working:list": Command<ProjectArguments, WorkingList>,
	"memory:working:put": Command<WorkingDraft, WorkingItem>,
	"memory:working:remove": Command<WorkingItemArguments, RemovedItem>,
	"project:create": Command<CreateProject, Project>,
	"project:export": Command<ExportBook, ExportedBook>,
	"project:forget": Command<ClearProject, ClearedCounts>,
	"project:import": Command<ImportBook, ImportedBook>,
	"project:import:last": Command<ProjectArguments, LastImport>,
	"project:import:paragraphs": Command<ImportSectionArguments, ImportParagraphs>,
	"project:import:undo": Command<UndoImport, ChapterList>,
	"project:list": Command<NoArguments, ProjectList>,
	"project:open": Command<OpenProject, OpenAnswer>,
	"project:sample": Command<OpenSample, Book>,
	"project:style": Command<ProjectArguments, StyleProfile>,
	"settings:get": Command<NoArguments, Settings>,
	"settings:set": Command<SettingsPatch, Settings>,
	"story:analyze": Command<AnalyzeBook, AnalysisStatus>,
	"story:at": Command<PresenceQuery, Presence>,
	"story:continuity:compare": Command<ProjectArguments, StudyState>,
	"story:continuity:list": Command<ProjectArguments, ContinuityList>,
	"story:continuity:resolve": Command<ResolveContinuity, ContinuityIssue>,
	"story:continuity:stop": Command<ProjectArguments, StudyState>,
	"story:entity:accept": Command<AcceptEntities, EntityChange>,
	"story:entity:delete": Command<DeleteEntity, EntityChange>,
	"story:entity:dismiss": Command<DismissEntity, EntityChange>,
	"story:entity:get": Command<CardQuery, EntityCard>,
	"story:entity:list": Command<EntityQuery, EntityList>,
	"story:entity:merge": Command<MergeEntities, EntityChange>,
	"story:entity:save": Command<SaveEntity, EntityChange>,
	"story:entity:split": Command<SplitEntity, EntityChange>,
	"story:events": Command<PlotQuery, EventList>,
	"story:export": Command<ExportStory, ExportedStory>,
	"story:fact:confirm": Command<ConfirmFact, FactChange>,
	"story:fact:delete": Command<DeleteFact, FactChange>,
	"story:fact:known-by": Command<SetFactKnown, FactChange>,
	"story:fact:save": Command<SaveFact, FactChange>,
	"story:find": Command<PassageQuery, FoundPassages>,
	"story:history": Command<StoryHistoryQuery, StoryHistory>,
	"story:import": Command<ImportStory, ImportedStory>,
	"story:mentions": Command<MentionQuery, MentionList>,
	"story:status": Command<ProjectArguments, AnalysisStatus>,
	"story:threads": Command<PlotQuery, ThreadList>,
	"story:timeline": Command<TimelineQuery, Timeline>,
	"story:undo": Command<UndoEntityChange, EntityChange>,
};

/** An entity that is mentioned together with another one. */
export type Companion = {
	/** Id of the entity. */
	entityId: string,
	/** Its name as of the position. */
	name: string,
	/** Number of passages up to the position that mention both. */
	passages: number,
};

/** Completes a run: hits, validations and the candidate are stored together, once. */
export type CompleteAnswer = {
	/** UUID of the book. */
	projectId: string,
	/** UUID of the run. */
	runId: string,
	/** As the caller saw it. */
	outcome: AnswerOutcome,
};

/** A completed run. */
export type CompletedAnswer = {
	/** UUID of the run. */
	runId: string,
	/** The judgement on the run. */
	assessment: RunAssessment,
	/** The answers that were shown or used. */
	hits: AnswerHit[],
	/** The validations of them. */
	validations: RunValidation[],
	/** The new answer, if one was recorded. */
	candidateId: string | null,
	/** Why none was, each in one word of the gatekeeper; empty if one was. */
	whyNot: string[],
	/** Number of marks, such as `[QA:9]`, that name no answer of the prompt. */
	invented: number,
	/** Its uses of tools in order, true for one that worked. */
	tools: boolean[],
};

/** The measured parts of one candidate's score. */
export type Components = {
	/** Share of the query's terms in the text, weighed by rarity: 0 to about 2. */
	words: number | null,
	/** The cosine to the query, -1 to 1; `null` while vectors are not searched. */
	meaning: number | null,
	/** The scene type matches the query. */
	scene: boolean,
	/** The skill matches the query. */
	skill: boolean,
	/** The decay score, 0 to 1. */
	decay: number | null,
};

/** A concept of a domain: a fact. */
export type Concept = {
	/** The attribute. */
	name: string,
	/** The value. */
	description: string,
	/** The chapters that say so. */
	relatedFiles: string[],
};

/** A key that is not taken from a settings file; its setting has the stored or the built-in value. */
export type ConfigProblem = {
	/** Section and key; `null` for the whole file, and for a name that may be a secret. */
	key: string | null,
	/** From 1; `null` for a file that was not read. */
	line: number | null,
	/** Why it is not taken. */
	kind: ConfigProblemKind,
};

/** The kind of a problem of a settings file. */
export type ConfigProblemKind = 
/** The file cannot be read: a folder, no UTF-8, more than 64 KiB, or refused by the system. */
"unreadable" | 
/** The file was named on the command line and does not exist. */
"missing" | 
/** The text is no TOML; nothing of it is taken. */
"syntax" | 
/** The section has no such key. */
"unknownKey" | 
/** The value is of another type. */
"wrongType" | 
/** The value is out of range. */
"outOfRange" | 
/** A key of a service that is not empty: keys are stored in the system's keychain. */
"serviceKey";

/** A setting of answers. */
export type ConfigSetting = {
	/** Section and key as in `config.toml`, for example `gatekeeper.max_inject`. */
	key: string,
	/** The value in effect. */
	value: ConfigValue,
	/** Its origin. */
	source: ConfigSource,
	/** The stored value, in effect or not; `null` if there is none. */
	stored: ConfigValue | null,
	/** The value without a file and a stored setting. */
	builtIn: ConfigValue,
	/** The type of its values, which lie between `min` and `max`. */
	type: ConfigType,
	/** The smallest value; of a list, its smallest length. */
	min: number | null,
	/** The largest value; of a list, its largest length. */
	max: number | null,
};

/** The origin of a value in effect. */
export type ConfigSource = 
/** Neither the file nor a stored setting has one. */
"builtIn" | 
/** `answer:config:set`. */
"stored" | 
/** `config.toml`, which goes before a stored setting. */
"file";

/** The permitted values of a setting. */
export type ConfigType = 
/** On or off. */
"switch" | 
/** A whole number. */
"whole" | 
/** With a fraction. */
"number" | 
/** A list of texts of 1..64 bytes. */
"texts";

/** The value of a setting. */
export type ConfigValue = 
/** On or off. */
boolean | 
/** Whole or with a fraction, as the setting says. */
number | null | 
/** A list of texts. */
string[];

/** Confirms an answer, or takes the confirmation back. */
export type ConfirmAnswer = {
	/** UUID of the book. */
	projectId: string,
	/** UUID of the answer. */
	answerId: string,
	/** The version that the change is based on. */
	version: number,
	/** True to confirm it, false to take the confirmation back. */
	userConfirmed: boolean,
};

/** Pins an episode. */
export type ConfirmEpisode = {
	projectId: string,
	episodeId: string,
	/** Default `true`; `false` unpins it, so that it decays again. */
	userConfirmed?: boolean | null,
};

/** Says that a fact still holds although the text of its citations has changed. */
export type ConfirmFact = {
	/** UUID of the book. */
	projectId: string,
	/** The fact. Its citations that do not hold any more are dropped. */
	factId: string,
	/** The version that the writer has read. */
	version: number,
	/** The sentence that says so now. */
	citation?: CitationDraft | null,
};

/** One version of a rule. */
export type ConfirmRule = {
	ruleId: string,
	/** The version that was read; an older one than the current is refused. */
	version: number,
};

/** Two rules that contradict each other; the writer decides. */
export type Conflict = {
	/** UUID. */
	conflictId: string,
	/** UUID of the project, or `null` where both rules are global. */
	projectId: string | null,
	/** The first rule, with its episodes. */
	first: Rule,
	/** The second rule, with its episodes. */
	second: Rule,
	/** When it was found. */
	openedAt: Time,
};

/** Unanswered conflicts. */
export type ConflictList = {
	/** Oldest first. */
	conflicts: Conflict[],
};

/** Two places of a book that do not agree. */
export type ContinuityIssue = {
	/**
	 *  64 hexadecimal digits: the hash of the kind, the entity and the words of both places. Another wording of a place
	 *  is another issue.
	 */
	issueId: string,
	/** The kind of the disagreement. */
	kind: ContinuityKind,
	/** The method that found it. */
	foundBy: FoundBy,
	/** The entity that it is about; `null` for one about the calendar alone. */
	entityId: string | null,
	/** The name of the entity in the list of names. */
	entityName: string | null,
	/** The place that comes first in the book. */
	first: ContinuityPlace,
	/** The other place. */
	second: ContinuityPlace,
	/** The values that differ, such as `24` and `27`, in the order of the places; empty where there are none. */
	values: string[],
	/**
	 *  Why a model calls it a conflict, in a sentence of the model's; `null` for one that no model found, and where the
	 *  model says nothing.
	 */
	why: string | null,
	/** The writer's verdict; `null` for an open issue. */
	verdict: ContinuityVerdict | null,
	/** Time of the verdict. */
	resolvedAt: Time | null,
};

/** The kind of a disagreement. */
export type ContinuityKind = 
/** A name differs by one letter or character from a frequent one, and is probably misspelt. */
"nameDrift" | 
/** Two people have one name. */
"twoForOne" | 
/** An exclusive attribute of an entity has two values, by two facts of the writer or by a model. */
"attribute" | 
/** Two ages of a character do not fit the years between them, with one year of tolerance. */
"age" | 
/** A whole date has another weekday than the text says, or two dates do not fit the days between them. */
"date" | 
/** A month does not lie in the season beside it. */
"season" | 
/** Two weekdays do not fit the days between them. A wrong weekday of a date is `date`. */
"weekday" | 
/** A character acts after the text or a fact of the writer says that it died. */
"deadActs" | 
/** A character acts before the text introduces it, or two have to do with each other before they meet. */
"beforeIntroduced" | 
/** A character knows or says something before the text or a fact of the writer says that it learns it. */
"knowsTooEarly" | 
/** A character is in two places at one time. */
"where" | 
/** A sentence breaks a rule of the world by the writer's word. */
"worldRule" | 
/** A thread of the writer's is not touched for a quarter of the chapters, three at the least. */
"openThread";

/** The continuity issues of a book. */
export type ContinuityList = {
	/** The open ones first, in the order of the book; then the resolved ones, the last verdict first. */
	issues: ContinuityIssue[],
	/** The pairs of sentences that a model compares. */
	pairs: PairCounts,
	/** True if the tagger or one of the two files is missing, so that some may not have been found. */
	isIncomplete: boolean,
};

/** One of the two places of an issue. */
export type ContinuityPlace = {
	/** Id of the chapter. */
	chapterId: string,
	/** Start of the quote in the chapter's text, in UTF-16 code units. */
	from: number,
	/** End, exclusive. */
	to: number,
	/** The sentence of the place. */
	quote: string,
	/**
	 *  The words of the quote that differ from the other place, as a range in the quote, in UTF-16 code units; `null`
	 *  where no words do.
	 */
	differs: QuoteRange | null,
};

/** The writer's verdict on an issue. */
export type ContinuityVerdict = 
/** The book means both. */
"intended" | 
/** A slip that the writer is going to correct. */
"mistake" | 
/** The first place is right. */
"first" | 
/** The second place is right. */
"second";

/** The writer's decision on a copied folder. */
export type CopiedAs = 
/** The same book, in a new folder. */
"sameBook" | 
/** A new book, without the other's memory. */
"newBook";

/** A new chapter. */
export type CreateChapter = {
	projectId: string,
	/** 1 to 200 characters. */
	title: string,
};

/** A new book. */
export type CreateProject = {
	/** 1 to 200 characters. */
	title: string,
	/** Of the book. */
	language: Language,
	/** A folder, created if needed; without one the manuscript lives in another editor. */
	path?: string | null,
	/**
	 *  The identity of the book in that editor, for a memory whose `rules.db` was created again and that still has
	 *  the book's episodes. Refused for a known book, and together with `path`.
	 */
	projectId?: string | null,
};

/** An item that matched and was cut. */
export type CutItem = {
	/** `rule`, `episode`, `working`, `entity`, `passage`, or the part of the passage: `before`, `selection`, `after`. */
	kind: string,
	/** Id of a memory; empty for a part of the passage. */
	id: string,
	/** The layer that it was meant for. */
	layer: LayerName,
	/** Text of a memory; empty for a part of the passage. */
	text: string,
	/** Tokens that it needs. */
	tokens: number,
	/** Why it was cut. */
	reason: CutReason,
};

/** Why an item was cut from the prompt. */
export type CutReason = 
/** The token budget is used up. */
"budget" | 
/** A rule of the project says the same. */
"overruled" | 
/** The writer's verdict: it does not belong here, or, of an example, it is wrong. */
"notHere" | 
/** The prompt already has examples of the same scene. */
"alike" | 
/** No past passage stands out from the book; this one is the nearest. */
"notOutstanding";

/** A part that was unavailable or replaced, as a code for programs. */
export type DegradedCode = 
/** The rules come from a backup. */
"rulesFromBackup" | 
/** No rules could be read: the built-in ones are used. */
"rulesBuiltIn" | 
/** No past episodes are available as examples. */
"pastUnavailable" | 
/** The story cannot be read: the prompt has no cards and no passages of the book. */
"storyUnavailable" | 
/** The story of the writer is that of the last reading or of a backup. */
"storyFromBackup" | 
/** The hidden names cannot be read. Then nothing is sent to a model. */
"namesUnread" | 
/** The built-in model writes in place of the chosen one. */
"builtInWrites" | 
/** No trace is stored. */
"untraced" | 
/** Neither the answer to a question nor an entry of the journal is stored. */
"answerUnkept" | 
/** The answer service of the team was not reached, or refused: its answers are missing. */
"answerServiceUnavailable" | 
/** A trace from before reasons had codes. */
"other";

/** A part of the memory that was unavailable, and why. Holds no text of the writer's. */
export type DegradedReason = {
	/** The part. */
	code: DegradedCode,
	/** The reason, as a sentence. */
	message: string,
};

/** Deletes an answer for good: its words are removed from every file, also from the backups. */
export type DeleteAnswer = {
	/** UUID of the book. */
	projectId: string,
	/** UUID of the answer. */
	answerId: string,
	/** The version that the caller has seen. */
	version: number,
	/** Must be true. */
	confirmed: boolean,
};

/** Deletes an accepted entity with its facts. It is not proposed again. */
export type DeleteEntity = {
	/** UUID of the book. */
	projectId: string,
	/** Id of the entity to delete. */
	entityId: string,
	/** The version that the writer has read. */
	version: number,
};

/** An episode to be deleted. */
export type DeleteEpisode = {
	projectId: string,
	episodeId: string,
	/** `true`: its words are erased too, in traces, notes, logs and backups. Default `false`. */
	everywhere?: boolean | null,
};

/** Deletes a fact. One that it replaced holds again. */
export type DeleteFact = {
	/** UUID of the book. */
	projectId: string,
	/** Id of the fact to delete. */
	factId: string,
	/** The version that the writer has read. */
	version: number,
};

/** A rule to be deleted. */
export type DeleteRule = {
	ruleId: string,
	/**
	 *  `true`: its words are erased too, in its history, tombstone, runs, traces, logs and backups; it cannot be
	 *  restored. Default `false`.
	 */
	everywhere?: boolean | null,
};

/** The report of a deletion. */
export type DeletedAnswer = {
	/** UUID of the answer that is gone. */
	answerId: string,
	/** Time at which its words were gone from every file; `null` while that continues in the background. */
	finishedAt: Time | null,
};

/** A program that was deleted from the list. */
export type DeletedBackend = {
	backendId: string,
};

/** The outcome of a deletion. */
export type DeletedChapter = {
	/** For its restoration. */
	deletedId: string,
	/** The remaining chapters. */
	chapters: ChapterInfo[],
};

/** A chapter that was deleted and can be restored. */
export type DeletedChapterInfo = {
	deletedId: string,
	/** The id that it has again once it is restored. */
	chapterId: string,
	title: string,
	/** Han characters and words of other scripts. */
	words: number,
	deletedAt: Time,
};

export type DeletedChapterList = {
	/** The last one first. */
	deleted: DeletedChapterInfo[],
};

export type DeletedEpisode = {
	episodeId: string,
	/** Counts of its remaining or erased words; `null` where they could not be counted. */
	words: DeletedWords | null,
};

export type DeletedProvider = {
	providerId: string,
};

export type DeletedRule = {
	ruleId: string,
	/** Counts of its remaining or erased words; `null` where they could not be counted. */
	words: DeletedWords | null,
};

/** The words of a memory that was deleted. */
export type DeletedWords = {
	/** `true`: the words are erased. `false`: only the memory itself is deleted. */
	everywhere: boolean,
	/**
	 *  When the erasure ended. `null` without an erasure, and while it is under way; it ends at the latest when the
	 *  memory is opened again.
	 */
	finishedAt: Time | null,
	/** Places where they were erased, or where they remain. */
	places: WordCounts,
	/** Other texts that contain them; `null` without an erasure. */
	alsoIn: AlsoIn | null,
};

/** Details of an error, for programs. Names of fields and versions only. */
export type Details = {
	/** The argument that was refused, as a path such as `candidates[2]`. */
	field?: string | null,
	/** The reason, for codes with several. */
	reason?: Reason | null,
	/** The line of a file that was refused, counted from 1. */
	line?: number | null,
	/** Seconds to wait before a retry, if known. */
	retryAfterSeconds?: number | null,
	/** The current version, if an outdated one was given. */
	currentVersion?: number | null,
	/** The current content hash, if an outdated one was given. */
	currentHash?: string | null,
};

/** The feature of a rule as the writer corrects it; `null` for a rule about no measurable feature. */
export type DimensionPatch = {
	/** Name of the feature, or `null`. */
	pattern: Pattern | null,
};

export type DiscardRecoveryCopy = {
	projectId: string,
	chapterId: string,
	/** The recovery copy. */
	keptId: string,
};

export type DiscardedRecoveryCopy = {
	/** Whether the copy existed. */
	letGo: boolean,
};

/** Says that an entity is none, or that two are not one. */
export type DismissEntity = {
	/** UUID of the book. */
	projectId: string,
	/** The entity as of `at`. Its forms are no names from now on. An accepted entity is deleted. */
	entityId: string,
	/** The entity that it is not: only the question is dismissed, and no entity. */
	otherId?: string | null,
	/** The position that the writer looked from; by default the end of the book. */
	at?: Position | null,
};

/** A run of distillation. */
export type Distill = {
	/** The book; without one, all of them. */
	projectId?: string | null,
	/** Answer when the run has ended. Default `false`: it continues in the background and sends progress events. */
	wait?: boolean | null,
	/** Only compute the changes; implies `wait`. Default `false`. */
	dryRun?: boolean | null,
};

/** A domain: an entity of the story with what is known of it. */
export type Domain = {
	/** The entity of the story that the domain is. */
	entityId: string,
	/** Its name. */
	domain: string,
	/** Its facts in one line, in the language of the book. */
	summary: string,
	/** Its facts by attribute. */
	keyConcepts: Concept[],
	/** Chapters that mention it, those with the most mentions first, at most 20. */
	keyFiles: string[],
	/** Learning records about it, the newest first. */
	sourceRecordIds: string[],
};

/** Asks for a domain. */
export type DomainQuery = {
	/** UUID of the book. */
	projectId: string,
	/** A name of the entity, or its id. */
	domain: string,
};

/** A domain in a list. */
export type DomainSummary = {
	/** The entity of the story that the domain is. */
	entityId: string,
	/** The name, by which `knowledge:domain:get` finds it. */
	domain: string,
	/** The kind of the entity. */
	kind: EntityKind,
	/** Number of learning records about it. */
	records: number,
};

/** A question that was asked about a book. */
export type EarlierQuestion = {
	/** In one line; one without a kept answer ends with an ellipsis after 300 characters. */
	question: string,
	/** The last time that it was asked. */
	askedAt: Time,
	/** True if the program ended before its answer. */
	isInterrupted: boolean,
};

/** The reason for a snapshot. */
export type EarlierReason = 
/** Before a generation was inserted. */
"beforeInsertion" | 
/** Before an earlier text was restored. */
"beforeRestore" | 
/** In a conflict of two texts the writer chose the other one. */
"setAside";

/** An earlier text of a chapter. */
export type EarlierText = {
	/** The whole text, lines ended by LF. */
	text: string,
	/** The reason for the snapshot. */
	reason: EarlierReason,
	/** The generation that was inserted afterwards. */
	generationId?: string | null,
};

/** The texts of an answer before and after an edit. */
export type EditedTexts = {
	/** As it was until the edit. */
	questionBefore: string,
	/** As the writer wrote it. */
	questionAfter: string,
	/** As it was until the edit. */
	answerBefore: string,
	/** As the writer wrote it. */
	answerAfter: string,
};

export type EmptyAnswer = Record<string, never>;

/** The fate of a session's signals at its end. */
export type EndedSession = {
	/** Signals that reached the threshold and were condensed into episodes. */
	archived: number,
	/** Signals that did not reach it. */
	dropped: number,
};

/** An entity as of a position. */
export type Entity = {
	/**
	 *  Of a detected entity, made of the form of its first mention: it is the same as of all positions from which on
	 *  that form is detected. It stays when the entity is accepted.
	 */
	entityId: string,
	/** By the writer's word, else by its surroundings in the text. */
	kind: EntityKind,
	/** By the writer's word, else the fullest of its forms up to the position. */
	name: string,
	/** Its other forms up to the position, the most frequent first. */
	aliases: string[],
	/** Whether the writer has accepted it. */
	standing: EntityStanding,
	/** Version of an accepted entity; it grows with each change by the writer. */
	version: number | null,
	/** The value of the first of its facts that hold as of the position. */
	firstFact: string | null,
	/** Mentions of all its forms up to the position. */
	mentions: number,
	/** The chapters that mention it, in order. */
	presence: ChapterPresence[],
	/** The first mention. */
	first: MentionRange,
	/** The last mention up to the position. */
	last: MentionRange,
	/** The sentence of the first mention, at most 200 characters of it. */
	sentence: string,
	/**
	 *  Number of speeches in the chapter of the position that the text tags with one of its names; 0 as of the end of
	 *  the book.
	 */
	taggedSpeeches: number,
	/** Places where one of its names is probably misspelt. */
	misspellings: Misspelling[],
};

/** An entity with its facts, as of a position. */
export type EntityCard = {
	/** Id of the entity. */
	entityId: string,
	/** By the writer's word, else by its surroundings in the text. */
	kind: EntityKind,
	/** By the writer's word, else the fullest of its forms up to the position. */
	name: string,
	/** Its other forms up to the position. */
	aliases: string[],
	/** Whether the writer has accepted it. */
	standing: EntityStanding,
	/** When models may have it. */
	visibility: Visibility,
	/** Whether it is in every prompt as of whose position it is known. */
	isPinned: boolean,
	/** Version of an accepted entity. */
	version: number | null,
	/** The chapters up to the position, in order. */
	chapters: string[],
	/** Mentions of all its forms up to the position. */
	mentions: number,
	/** The chapters that mention it, in order. */
	presence: ChapterPresence[],
	/** The first mention; `null` if the text does not name it up to the position. */
	first: MentionRange | null,
	/** The last mention up to the position. */
	last: MentionRange | null,
	/** The sentence of the first mention, at most 200 characters of it. */
	sentence: string | null,
	/** The entities that the same passages mention most often, at most eight, the most frequent first. */
	companions: Companion[],
	/** The facts that hold as of the position, in the order in which they were written. */
	facts: CardFact[],
	/** Whether the mentions could not be read: the card has the writer's word alone. */
	degraded: boolean,
};

/** A change of the writer's entities, or of several facts. */
export type EntityChange = {
	/** Id of the change, for `story:undo`. */
	changeId: string,
	/** The accepted entities after the change, of those it concerns. */
	entityIds: string[],
};

/** Whether an entity is a character, a place, or something else. The analysis detects the first four. */
export type EntityKind = 
/** A person or an animal with a name. */
"character" | 
/** A place, a building or a country. */
"place" | 
/** A ship, a book or anything else that has a name. */
"thing" | 
/** A family, an organisation or a people. */
"faction" | 
/** A question that the story opens and answers later. Its facts `planted`, `touched` and `paid` say where. */
"thread" | 
/** A rule of the world of the story. */
"worldRule" | 
/** Something that happens, or has happened before the story. */
"event";

/** The answer to an [`EntityQuery`]. */
export type EntityList = {
	/** Those that the text names up to the position, the most frequent first. */
	entities: Entity[],
	/** Pairs that may be one: questions for the writer. */
	possibleMerges: PossibleMerge[],
	/**
	 *  The accepted entities that the text does not name up to the position, but that the writer's facts tell of up to
	 *  it, or that are always visible; as of the end of the book, all.
	 */
	unnamed: UnnamedEntity[],
	/** The chapters up to the position, in order. */
	chapters: string[],
	/** The method by which the names were found. */
	method: NameMethod,
	/** Whether the text could not be read: the list has the writer's word alone, all of it in `unnamed`. */
	degraded: boolean,
};

/** The entities of a book, as of a position. */
export type EntityQuery = {
	/** UUID of the book. */
	projectId: string,
	/** The position up to which the book is known; by default its end. Nothing after it has an influence. */
	at?: Position | null,
};

/** Whether the writer has accepted an entity. */
export type EntityStanding = 
/** The analysis detected it. */
"detected" | 
/** The writer accepted it. */
"accepted";

/** The names and settings of an entity. */
export type EntityState = {
	/** Id of the entity. */
	entityId: string,
	/** By the writer's word. */
	kind: EntityKind,
	/** The name it is listed by. */
	name: string,
	/** All its forms. */
	names: string[],
	/** When models may have it. */
	visibility: Visibility,
	/** Whether it is in every prompt as of whose position it is known. */
	isPinned: boolean,
};

/** A stored episode. The fields are fixed by the owner. */
export type Episode = {
	/** UUID. */
	id: string,
	/** UUID of the project. */
	projectId: string,
	/** Id of the chapter, as its editor names it. */
	chapterId: string,
	/** Always `project`: an episode belongs to one project. */
	scope: Scope,
	/** Increases by one with each change. */
	version: number,
	/** When it happened. */
	createdAt: Time,
	/** The skill that was run. */
	skillUsed: string,
	/** The scene type; `null` if unknown. */
	sceneType: string | null,
	/** The end of the text the assistant was given. */
	inputContext: string,
	/** All candidates, in the order they were shown in. */
	candidates: string[],
	/** Index of the taken candidate, or -1 when all were rejected. */
	selectedIndex: number,
	/** The text in the manuscript; empty when all were rejected and nothing was written instead. */
	finalText: string,
	/** The writer's remarks, in words. */
	explicit: string | null,
	/** The signal of the writer's behaviour. */
	implicit: ImplicitSignal,
	/** Weight of the signal, -1.5 to 1. */
	implicitWeight: number | null,
	/** Edit distance from the chosen candidate to the final text, 0..1; `null` when all were rejected. */
	editDistance: number | null,
	/** Importance, 0..1. */
	importance: number | null,
	/** Number of generations whose prompt included it. */
	recallCount: number,
	/** Time of the last such generation; `null` if none. */
	lastRecalledAt: Time | null,
	/** Pinned by the writer: exempt from decay and eviction. */
	userConfirmed: boolean,
	/** Compressed: only a summary is left. */
	compressed: boolean,
	/** The summary; `null` unless compressed. */
	summary: string | null,
	/** The generation that offered the candidates; `null` if unknown. */
	generationId: string | null,
};

/** The report of an editor after a skill has run. */
export type EpisodeDraft = {
	/** UUID of a known project. */
	projectId: string,
	/** 1 to 200 characters. */
	chapterId: string,
	/** 1 to 40 characters. */
	skillUsed: string,
	/** 1 to 40 characters. */
	sceneType?: string | null,
	/** At most 100,000 bytes; may be empty at the beginning of a chapter. */
	inputContext: string,
	/**
	 *  At most 16, in the order in which they were shown, none empty, each at most 100,000 bytes. An empty list counts
	 *  as a rejection.
	 */
	candidates: string[],
	/** Into `candidates`, or -1 when all were rejected; without candidates always -1. */
	selectedIndex: number,
	/**
	 *  The text of the taken candidate, as the editor has it: an index alone can be off by one. If it matches another
	 *  candidate, that one counts; if it matches none or several, the draft is refused.
	 */
	selectedText?: string | null,
	/** At most 100,000 bytes. Required when one was taken; empty when all were rejected and nothing was written. */
	finalText: string,
	/** At most 10,000 bytes. */
	explicit?: string | null,
	/** Id of the generation, if this program made it. */
	generationId?: string | null,
	/** When it happened, if not just now; never in the future. */
	occurredAt?: Time | null,
};

/** An episode, or the requested fields of it. */
export type EpisodeExtract = {
	/** UUID. */
	id: string,
	/** UUID of the project. */
	projectId?: string | null,
	/** Id of the chapter, as its editor names it. */
	chapterId?: string | null,
	/** Always `project`: an episode belongs to one project. */
	scope?: Scope | null,
	/** Increases by one with each change. */
	version?: number | null,
	/** When it happened. */
	createdAt?: Time | null,
	/** The skill that was run. */
	skillUsed?: string | null,
	/** The scene type; `null` if unknown. */
	sceneType?: string | null,
	/** The end of the text the assistant was given. */
	inputContext?: string | null,
	/** All candidates, in the order they were shown in. */
	candidates?: string[] | null,
	/** Index of the taken candidate, or -1 when all were rejected. */
	selectedIndex?: number | null,
	/** The text in the manuscript; empty when all were rejected and nothing was written instead. */
	finalText?: string | null,
	/** The writer's remarks, in words. */
	explicit?: string | null,
	/** The signal of the writer's behaviour. */
	implicit?: ImplicitSignal | null,
	/** Weight of the signal, -1.5 to 1. */
	implicitWeight?: number | null,
	/** Edit distance from the chosen candidate to the final text, 0..1; `null` when all were rejected. */
	editDistance?: number | null,
	/** Importance, 0..1. */
	importance?: number | null,
	/** Number of generations whose prompt included it. */
	recallCount?: number | null,
	/** Time of the last such generation; `null` if none. */
	lastRecalledAt?: Time | null,
	/** Pinned by the writer: exempt from decay and eviction. */
	userConfirmed?: boolean | null,
	/** Compressed: only a summary is left. */
	compressed?: boolean | null,
	/** The summary; `null` unless compressed. */
	summary?: string | null,
	/** The generation that offered the candidates; `null` if unknown. */
	generationId?: string | null,
};

/** Feedback on an episode. */
export type EpisodeFeedback = {
	/** UUID of the episode. */
	episodeId: string,
	/** UUID of its project; the feedback is refused if it is another one. */
	projectId?: string | null,
	/** The kind of feedback. */
	signal: FeedbackSignal,
	/** The remark, at most 10,000 bytes together with earlier ones. Required for `explicit`. */
	text?: string | null,
};

/** A member of an episode that a query can request. */
export type EpisodeField = 
/** UUID; always in the answer. */
"id" | 
/** UUID of the project. */
"projectId" | 
/** Id of the chapter, as its editor names it. */
"chapterId" | 
/** Always `project`: an episode belongs to one project. */
"scope" | 
/** Increases by one with each change. */
"version" | 
/** When it happened. */
"createdAt" | 
/** The skill that was run. */
"skillUsed" | 
/** The scene type; `null` if unknown. */
"sceneType" | 
/** The end of the text the assistant was given. */
"inputContext" | 
/** All candidates, in the order they were shown in. */
"candidates" | 
/** Index of the taken candidate, or -1 when all were rejected. */
"selectedIndex" | 
/** The text in the manuscript; empty when all were rejected and nothing was written instead. */
"finalText" | 
/** The writer's remarks, in words. */
"explicit" | 
/** The signal of the writer's behaviour. */
"implicit" | 
/** Weight of the signal, -1.5 to 1. */
"implicitWeight" | 
/** Edit distance from the chosen candidate to the final text, 0..1; `null` when all were rejected. */
"editDistance" | 
/** Importance, 0..1. */
"importance" | 
/** Number of generations whose prompt included it. */
"recallCount" | 
/** Time of the last such generation; `null` if none. */
"lastRecalledAt" | 
/** Pinned by the writer: exempt from decay and eviction. */
"userConfirmed" | 
/** Compressed: only a summary is left. */
"compressed" | 
/** The summary; `null` unless compressed. */
"summary" | 
/** The generation that offered the candidates; `null` if unknown. */
"generationId";

/** A recall query. */
export type EpisodeQuery = {
	/** UUID of the project; episodes of other projects are never found. */
	projectId: string,
	/** At most 400,000 bytes; its last part counts. */
	queryText?: string | null,
	/** Prefers episodes of this scene type; for a search, the only scene type. */
	sceneType?: string | null,
	/** Prefers episodes of this skill; for a search, the only skill. */
	skillUsed?: string | null,
	/** Default `prompt`. */
	purpose?: RecallPurpose | null,
	/** 1 to 50; default 5, for a search 8. */
	limit?: number | null,
	/** The wanted fields of each episode, besides its id; default all. With an empty list only the id. */
	fields?: EpisodeField[] | null,
};

/** One erasure: a line of the audit log. Holds no words. */
export type Erasure = {
	/** UUID. */
	erasureId: string,
	/** The kind of the erased memory. */
	kind: ErasureKind,
	/** Id of the episode or rule; for names, of the project. */
	targetId: string,
	/** UUID of the project, or `null` for a global rule. */
	projectId: string | null,
	/** The generation of the episode; `null` if unknown. */
	generationId: string | null,
	/** Who asked for it: the user of the system, or `writer` where that is not known. */
	requestedBy: string,
	/** When it was requested. */
	requestedAt: Time,
	/** When the last copy was erased; `null` while it is under way. */
	finishedAt: Time | null,
	/** Erased places. */
	counts: WordCounts,
};

/** The kind of memory whose words are erased. */
export type ErasureKind = 
/** The words of an episode. */
"episode" | 
/** The words of a rule. */
"rule" | 
/** Names that were removed from a project's map. */
"names" | 
/** The words of a journal entry, which stays as an empty one. */
"journal" | 
/** The words of an answer, its events and citations. */
"answer";

/** The error of every engine operation. */
export type Error = {
	/** The kind. */
	code: Code,
	/** One sentence. Contains no text of the writer's. */
	message: string,
	/** Field names and versions. */
	details?: Details | null,
};

/** The events of a book, as of a position. */
export type EventList = {
	/**
	 *  As they happened: those with a year in the order of their dates, then the others in the order in which they are
	 *  first told.
	 */
	events: StoryEvent[],
};

/** Every event with its payload, for the bindings. */
export type Events = {
	"ai:skill:chunk": SkillChunk,
	"ai:skill:candidate": SkillCandidate,
	"ai:skill:retry": SkillRetry,
	"ai:skill:trimmed": SkillTrimmed,
	"ai:skill:done": SkillDone,
	"ask:step": AskStep,
	"ask:chunk": AskChunk,
	"ask:done": AskDone,
	"knowledge:study:progress": StudyProgress,
	"memory:changed": Change,
	"memory:distill:progress": RunProgress,
	"memory:trace:progress": MeasureProgress,
	"memory:index:progress": IndexProgress,
	"memory:maintenance:done": MaintenanceReport,
	"memory:maintenance:failed": MaintenanceFailure,
	"story:analyze:progress": AnalysisProgress,
	"chapter:changed": ChapterChanged,
	"project:changed": ProjectChanged,
};

/** The format of an exported file. */
export type ExchangeFormat = 
/** All memories, one JSON object per line. */
"jsonLines" | 
/** The active rules, as text that people read and write. */
"markdown";

/** A step of the exploration that led to a learning record. */
export type ExplorationStep = {
	/** As its provider names it. */
	toolName: string,
	/** The arguments that it was given. */
	parameters?: { [key in string]: string },
	/** Its findings, in a sentence. */
	resultSummary: string,
	/** Milliseconds since 1970. */
	timestamp: Time,
};

/** Exports a book as one file. */
export type ExportBook = {
	projectId: string,
	/** The file, absolute; an existing file is replaced. */
	path: string,
	format: ExportFormat,
};

/** The format of an exported book. */
export type ExportFormat = 
/** One Markdown file. */
"markdown" | 
/** A Word document. */
"docx";

/** Writes the entries of a book into a file. */
export type ExportJournal = {
	/** UUID of the book. */
	projectId: string,
	/** Absolute path of the file, which is replaced. */
	path: string,
	/** Default `entries`. */
	format?: JournalFormat,
};

/** Exports the memory to a file. */
export type ExportMemory = {
	/** Only this book; without one, everything (as Markdown: the global rules). */
	projectId?: string | null,
	/** An absolute path; an existing file is replaced. */
	path: string,
	/** Default `jsonLines`. */
	format?: ExchangeFormat | null,
};

/** Exports the accepted entities of a book with their facts. */
export type ExportStory = {
	/** UUID of the book. */
	projectId: string,
	/** An absolute path; an existing file is replaced. */
	path: string,
	/** The format of the file. */
	format: LorebookFormat,
	/** The position up to which the book is known; by default its end. */
	at?: Position | null,
};

/** The report of a completed export. */
export type Exported = {
	/** By kind, in the order of the file; kinds without lines are left out. */
	kinds: KindCount[],
	/** Rows that were not exported: their seal does not match, or their project is unknown. */
	leftOut: number,
	/** When the file was written. */
	exportedAt: Time,
};

export type ExportedBook = {
	/** Number of chapters. */
	chapters: number,
	/** Size of the file in bytes. */
	bytes: number,
};

/** The report of an export. */
export type ExportedJournal = {
	/** Number of entries in the file. */
	entries: number,
	/** Number of redacted ones, which are not in it. */
	redacted: number,
	/** The time of the export. */
	exportedAt: Time,
};

/** The report of an exported story. */
export type ExportedStory = {
	/** Number of entities. */
	entities: number,
	/** Number of facts that hold. */
	facts: number,
	/** The time of the export. */
	exportedAt: Time,
};

/** A fact of the story by the writer's word. */
export type Fact = {
	/** UUID. */
	factId: string,
	/** The entity that it is about. */
	entityId: string,
	/**
	 *  The side of the entity that it tells of, for example its age or its place of birth; of a relation, its name.
	 *  1..60 characters.
	 */
	attribute: string,
	/** 1..500 characters. */
	value: string,
	/** The entity that a relation leads to. */
	objectId: string | null,
	/** How certain the story is of it. */
	certainty: Certainty,
	/**
	 *  The position from which the reader knows it. `null`: from the end of the first of its citations in the order of
	 *  the book on, or, without one, from the beginning.
	 */
	toldAt: Position | null,
	/** The time of the story from which it holds, in the writer's words. */
	validFrom: string | null,
	/** The time of the story until which it holds, in the writer's words. */
	validUntil: string | null,
	/** The later fact that replaces it, as of positions from which that one is known. */
	supersededBy: string | null,
	/** The characters that know it. */
	knownBy: Knower[],
	/** The sentences that say so. */
	citations: Citation[],
	/** Whose word it is. */
	origin: FactOrigin,
	/** From 1; it grows with each change by the writer. */
	version: number,
	/** When it was written. */
	createdAt: Time,
	/** When the writer changed it last. */
	updatedAt: Time,
};

/** The answer to a command that changes one fact. */
export type FactChange = {
	/** Id of the change, for `story:undo`. */
	changeId: string,
	/** The fact after the change; `null` if it was deleted. */
	fact: Fact | null,
};

/** Whose word a fact is. */
export type FactOrigin = 
/** The writer wrote it. */
"written" | 
/** The program proposed it, and the writer confirmed it. */
"confirmed";

/** A failed operation. */
export type Failure = {
	/** UUID. */
	failureId: string,
	/** UUID of the book. */
	projectId: string,
	/** The kind of the operation. */
	operationType: OperationType,
	/** The operation in words: of a question, the question. */
	operation: string,
	/** By which it is known to have failed before. */
	signature: string,
	/** A short code, such as `noEvidence`. */
	error: string,
	/** Ids and numbers. */
	context: { [key in string]: string },
	/** Time of the last failure. */
	failedAt: Time,
	/** Number of attempts after the first one. */
	retryCount: number,
	/** Whether it is tried again. */
	status: FailureStatus,
	/** A sentence on avoiding it. */
	avoidStrategy: string | null,
};

/** One failure. */
export type FailureArguments = {
	/** UUID of the book. */
	projectId: string,
	/** UUID of the failure. */
	failureId: string,
};

/** Whether a failed operation is tried again. The names of the original system are read too. */
export type FailureStatus = 
/** Not yet. */
"pending" | 
/** Not yet. */
"PENDING" | 
/** It is tried again. */
"retrying" | 
/** It is tried again. */
"RETRYING" | 
/** A later attempt succeeded. */
"recovered" | 
/** A later attempt succeeded. */
"RECOVERED" | 
/** It is not tried again. */
"failed" | 
/** It is not tried again. */
"FAILED";

/** The kinds of feedback on an episode. */
export type FeedbackSignal = 
/** The writer undid the insertion. */
"undo" | 
/** The writer made a remark. */
"explicit";

/** Disk space of a database. */
export type FileSize = {
	/** One of the two databases. */
	file: StoreFile,
	/** Bytes; 0 if the file is missing. */
	bytes: number,
};

/** A count and its limits. */
export type Fill = {
	/** The present count. */
	count: number,
	/** Soft limit: the count after maintenance or a learning run. */
	soft: number,
	/** Hard limit: no write exceeds it. */
	hard: number,
};

/** Whether a draft follows a memory, by chance or not. */
export type Followed = 
/** Clearly: more than nine in ten of the compared drafts. */
"yes" | 
/** More than half of the compared drafts. */
"partly" | 
/** No more than the usual draft. */
"no";

/** A known program that is installed. */
export type FoundBackend = {
	kind: BackendKind,
	/** Its absolute path. */
	program: string,
};

/** The known programs that are installed. */
export type FoundBackends = {
	/** At most one of each kind. */
	programs: FoundBackend[],
	/** The fence of their runs. */
	fence: BackendFence,
};

/** The method that found an issue. */
export type FoundBy = 
/** By arithmetic and by rules, from the text alone. */
"computed" | 
/** By comparison with facts that the writer wrote or confirmed. */
"facts" | 
/** A model compared two quotes. */
"model";

/** A chapter found in a file. */
export type FoundChapter = {
	/** Its heading, or the name of the file. */
	title: string,
	/** Number of characters other than white space. */
	characters: number,
	/** Han characters and words of other scripts. */
	words: number,
	/** The chapter it became; `null` after a dry run. */
	chapterId: string | null,
};

/** The answer to a [`RecallJournal`]. */
export type FoundEntries = {
	/** Best first. Redacted entries are never among them. */
	entries: FoundEntry[],
	/** True if the search worked by words only or on part of the vectors. */
	degraded: boolean,
	/** The reason, if `degraded` is true. */
	degradedReason: string | null,
};

/** An entry that a search found. */
export type FoundEntry = {
	/** The whole entry. */
	entry: JournalEntry,
	/** 0..1; the best first, of equal ones the later. Age has no part in it. */
	score: number | null,
	/** The signals that found it: `words`, `meaning`. */
	matchedBy: string[],
};

/** The models found on this machine. */
export type FoundModels = {
	/** The models of an Ollama on its default port; `null` when there is none. */
	models: string[] | null,
};

/** A passage that matches a search. */
export type FoundPassage = {
	/** With its text. */
	passage: Passage,
	/** The certainty of the match. */
	group: RecallGroup,
	/** 0..1; the best first. */
	score: number | null,
	/** The signals that found it: `words`, `meaning`. */
	matchedBy: string[],
};

/** The answer to a [`PassageQuery`]. */
export type FoundPassages = {
	/** Best first. */
	passages: FoundPassage[],
	/** Whether the search is less precise than possible. */
	degraded: boolean,
	/** Why it is. */
	degradedReason: string | null,
};

/** A learning record that a search found. */
export type FoundRecord = {
	/** An answer of origin `studied`. */
	record: Answer,
	/** Similarity, 0..1; best first. */
	score: number | null,
	/** Of the book that it is about; empty if that is not known. */
	projectTitle: string,
};

/** The result of a search of learning records. */
export type FoundRecords = {
	/** Best first. */
	records: FoundRecord[],
	/** Whether a model ordered them; otherwise words and meaning did. */
	isReranked: boolean,
};

/** A stretch of a file from one heading, or line that may be one, to the next. */
export type FoundSection = {
	/** The title of the chapter that would begin here. */
	title: string,
	kind: SectionKind,
	/** The use without a choice of the writer. */
	use: SectionUse,
	/** Han characters and words of other scripts below its heading. */
	words: number,
	/** The first words below its heading, at most 80 characters. */
	opening: string,
};

/** The reason for which something counts as not asked about yet. */
export type GapKind = 
/** A chapter that no answer cites. */
"unreadChapter" | 
/** An entity with many mentions and few facts. */
"thinEntity" | 
/** Two entities that are often together, and nothing says how they belong together. */
"unrelatedPair" | 
/** A thread that was dense and is gone for a quarter of the book. */
"openThread" | 
/** A learning record whose cited text has changed: its question is asked again. */
"staleRecord";

/** One generation. */
export type GenerationArguments = {
	projectId: string,
	generationId: string,
};

/** The knowledge of all books. */
export type GlobalMemory = {
	/** The writer's craft notes, the newest first. */
	bestPractices: Practice[],
	/** Habits that two or more books share. */
	crossProjectPatterns: SharedPattern[],
	/** Version of the shape: `2.0.0`. */
	version: string,
	/** Time of the last change of a practice. */
	updatedAt: Time | null,
	/** True: a file of the memory cannot be read, and its part is missing. */
	degraded: boolean,
};

/** A passage whose scene type is asked for. */
export type GuessScene = {
	/** The text before the caret or the selection. Only its end counts. */
	before: string,
	/** The selected text. */
	selection?: string | null,
};

export type GuessedScene = {
	/** `null` for too little text. */
	sceneType: string | null,
};

/** A property that most chapters of a book share, counted from the text. */
export type Habit = {
	/** One of a closed list. */
	kind: HabitKind,
	/** The value that most chapters share, such as `dialogue`, `third`, `2000-4000`. */
	value: string,
	/** One sentence, in the language of the book. */
	description: string,
	/** Number of chapters that do so, and of all that were counted. */
	chapters: number,
	/** Number of chapters that were counted. */
	of: number,
	/** Examples, at most 5. */
	exampleFiles: string[],
	/** The places where it is used, in the language of the book. */
	usageScenarios: string[],
};

/** The side of the writing that a habit is about. */
export type HabitKind = 
/** The first sentence of a chapter: dialogue, a time, a name, or anything else. */
"opening" | 
/** The last sentence of a chapter, by the same values. */
"ending" | 
/** Who tells: the first or the third person. */
"narration" | 
/** The length of a chapter, in steps. */
"chapterLength" | 
/** The share of dialogue in a chapter, in steps. */
"dialogue";

/** A name of a project and its alias for models. */
export type HiddenName = {
	/** As in the manuscript, 1 to 100 characters with a letter among them. Unique in the project. */
	name: string,
	/** The alias that is sent, 1 to 100 characters. Unique in the project, and contains no listed name. */
	alias: string,
	/** Whether the lower-case form is hidden too. `null`: yes, unless it is an everyday word (`Will`). */
	lowerCase?: LowerCase | null,
};

/** The writer's behaviour, as the engine classifies it. The weights are fixed by the owner (design, section 4). */
export type ImplicitSignal = 
/** Taken unchanged. */
"strongPositive" | 
/** Taken and changed by less than a fifth. */
"weakPositive" | 
/** Taken and changed by a fifth to three fifths. */
"neutral" | 
/** Taken and changed by more than three fifths. */
"weakNegative" | 
/** All candidates rejected. */
"strongNegative" | 
/** Taken and undone: the heaviest signal. */
"delayedNegative";

/** Imports a file into a book. */
export type ImportBook = {
	projectId: string,
	/** The file, absolute: text in any usual encoding, Markdown, or Word since 2007. */
	path: string,
	/** Only return its contents. Default `false`: its chapters are added behind the last one, all or none. */
	dryRun?: boolean | null,
	/** Joins wrapped lines into paragraphs. Default `true`. */
	joinLines?: boolean | null,
	/** Paragraphs at which sections are split, as [`ImportParagraph`] tells them: each begins a section of its own. */
	splits?: number[] | null,
	/**
	 *  The choices of the writer, one for each section of the dry run. By default the recognized headings begin
	 *  chapters.
	 */
	sections?: ImportSection[] | null,
	/** The content hash of the dry run; refused with `importFileChanged` if the file is another one now. */
	contentHash?: string | null,
	/** The import that is undone together with this one: the import of the file before. */
	continuedImportId?: string | null,
};

/** Reads entries from a file into a book. */
export type ImportJournal = {
	/** UUID of the book. */
	projectId: string,
	/** Absolute path of the file; either format. */
	path: string,
	/** True to report what an import would bring, without importing. */
	dryRun: boolean,
};

/** Imports an exported file. */
export type ImportMemory = {
	/** An absolute path. */
	path: string,
	/** Only returns the outcome. */
	dryRun: boolean,
	/** Default `jsonLines`. */
	format?: ExchangeFormat | null,
	/** Markdown only: the book of new rules, except for lines marked as global; without one, all are global. */
	projectId?: string | null,
};

/** A paragraph of a file at which a section can be split. */
export type ImportParagraph = {
	/** Its position, to split there: bytes of the text that was read. */
	at: number,
	/** Its first words, at most 80 characters. */
	opening: string,
};

/** Paragraphs of a section, without its first one. */
export type ImportParagraphs = {
	/** In their order, at most 200. */
	paragraphs: ImportParagraph[],
	/** The position of the next paragraph; `null` if there are no more. */
	next: number | null,
};

/** The writer's choice for a section of a file. */
export type ImportSection = {
	/** The use of the section. */
	use: SectionUse,
	/** Another title of the chapter that begins here, one line of at most 200 characters. */
	title?: string | null,
};

/** Lists the paragraphs of a section at which it can be split. */
export type ImportSectionArguments = {
	projectId: string,
	/** The file, absolute. */
	path: string,
	/** As in [`ImportBook`]. */
	joinLines?: boolean | null,
	/** As in [`ImportBook`]: the splits that the sections have already. */
	splits?: number[] | null,
	/** As in [`ImportBook`]. */
	contentHash?: string | null,
	/** Index of the section, from 0. */
	section: number,
	/** Only the paragraphs that contain this text, in capitals or small letters. */
	containing?: string | null,
	/** Only the paragraphs from this position on. Default: all. */
	from?: number | null,
};

/**
 *  Imports a story into a book, as the writer's word: a page, or a lorebook in any of the formats that are read, which
 *  the file itself says.
 */
export type ImportStory = {
	/** UUID of the book. */
	projectId: string,
	/** An absolute path. */
	path: string,
	/** Only returns the outcome. */
	dryRun: boolean,
};

/** The report of an import or of its preview. */
export type Imported = {
	/** Preview only: nothing was written. */
	dryRun: boolean,
	/** By kind, in the order of the file; kinds without lines are left out. */
	kinds: KindTaken[],
	/** Backups made before the import; none if nothing changes. */
	backedUp: boolean,
};

/** The contents of an imported file. */
export type ImportedBook = {
	/** The title above all chapters, where there is one: it is not used, because the book has its own. */
	title: string | null,
	/** In their order. */
	chapters: FoundChapter[],
	/** The sections that chapters can be made of, in their order. */
	sections: FoundSection[],
	/** Number of line ends inside wrapped paragraphs, which are joined by default. */
	wrappedLines: number,
	/** BLAKE3 of the file in hexadecimal. */
	contentHash: string,
	/** The import, to undo it; `null` after a dry run. */
	importId: string | null,
	/** The detected encoding of a text file, by its usual name; `null` for Word. */
	encoding: string | null,
	/** Number of places in a text file that could not be decoded. */
	unreadable: number,
	/** Number of footnotes and endnotes that are not imported. */
	notes: number,
	/** Number of pictures that are not imported. */
	pictures: number,
};

/** The report of an import or of its preview. */
export type ImportedJournal = {
	/** True if this is only a report and nothing was imported. */
	dryRun: boolean,
	/** Number of entries that the book does not have. */
	new: number,
	/** Number of entries that it has. */
	same: number,
	/** Number of entries that are not imported: they are redacted here, or are here with other words. */
	leftOut: number,
	/** True if a backup was made before the import. */
	backedUp: boolean,
};

/**
 *  The report of an import of a story, or of its preview. The import is one change: all of it or nothing is written,
 *  and `story:undo` takes it back.
 */
export type ImportedStory = {
	/** Preview only: nothing was written. */
	dryRun: boolean,
	/** Id of the change, for `story:undo`; `null` if nothing is new. */
	changeId: string | null,
	/** Entities that the book does not have yet, detected ones among them. */
	newEntities: number,
	/** Accepted entities that get names or facts. */
	changedEntities: number,
	/** Accepted entities that have all of it already. */
	sameEntities: number,
	/** Facts that the book does not have yet. */
	newFacts: number,
	/** Facts with the same words that the book has already. */
	sameFacts: number,
	/** New facts with a quote that the text does not have, or has in several chapters: they have no citation. */
	lostQuotes: number,
	/** Kinds of fields of the file that have no meaning here. */
	ignoredFields: number,
	/** Names that are patterns or too long, and relations to entities that there are not. */
	leftOut: number,
};

/** Progress of making vectors for a new model. */
export type IndexProgress = {
	/** The part of the memory: always the encoder. */
	part: Part,
	/** Number of episodes that have their vectors. */
	done: number,
	/** Number of all episodes. */
	total: number,
};

/** The weights of all memories in one draft. Weights and remainder sum to 1. */
export type Influence = {
	/** The method. */
	tier: Tier,
	/** One per reference, in their order. */
	weights: MemoryWeight[],
	/** Share of the passage itself and the model, 0..1. */
	remainder: number | null,
	/** When it was computed. */
	measuredAt: Time,
	/** Index of the draft, in the order on screen. */
	candidate: number,
	/** Number of regenerations behind it; `null` if none was needed. */
	regenerations: number | null,
};

/** An answer in the prompt of a run. */
export type InjectedAnswer = {
	/** UUID. */
	answerId: string,
	/** Its mark in the prompt, for example `QA:1`. */
	handle: string,
	/** True if it is there on trial: new, blocked for a while, or distrusted. */
	isProbation: boolean,
	/** True if it is an answer of the team's service. */
	isOfService: boolean,
};

/** Chinese or English, or as in the operating system. */
export type InterfaceLanguage = 
/** As the system's. */
"system" | 
/** Simplified Chinese. */
"zh-CN" | 
/** English. */
"en";

/** A scheduled job, which can also be requested. */
export type Job = 
/** Every night at 02:00 local time: decay, soft capacities, expired rows. */
"daily" | 
/** In the night to Monday: compression. */
"weekly" | 
/** In the night to the first of the month: eviction of episodes compressed a year ago, and a check of both files. */
"monthly" | 
/**
 *  Every night after the others: a verified copy of each changed file; old copies are thinned. A job of its own,
 *  because its cost depends on the file size and not on the work due, and a full disk stops nothing else.
 */
"backup";

/** Result of the check of a book's chain of entries. */
export type JournalCheck = {
	/** Number of entries, redacted ones included. */
	entries: number,
	/** Number of redacted ones among them. */
	redacted: number,
	/**
	 *  True if every entry has the content and the place that it was written with, and none is missing. A redacted one
	 *  is proved by its hash alone.
	 */
	isWhole: boolean,
	/** The first entry, in the order of writing, that does not agree with the chain. */
	brokenAt: string | null,
	/** Number of entries that were written and are not there any more, at least, apart from those of `leftBehind`. */
	missing: number,
	/**
	 *  Number of entries, at least, that a backup did not have which was put in the place of the file. They are not
	 *  counted as missing.
	 */
	leftBehind: number,
	/** The last time at which a backup was put in place that did not have all entries. */
	replacedAt: Time | null,
	/** Time of the earliest entry; `null` for an empty journal. */
	since: Time | null,
};

/** An entry of the journal. It never changes; the writer can redact it, which leaves an empty one. */
export type JournalEntry = {
	/** UUID. */
	id: string,
	/** UUID of the book. */
	projectId: string,
	/** Time of the action that the entry describes. */
	timestamp: Time,
	/** The kind of its event. */
	kind: JournalKind,
	/** A concise factual summary of 1 to 1,200 characters; empty if the entry is redacted. */
	content: string,
	/** Id of the episode, answer or session that it is about. */
	refId: string | null,
	/** Who worded it. */
	wordedBy: WordedBy,
	/** True if the writer has redacted the entry. */
	isRedacted: boolean,
	/** The chapter of the episode, while the episode exists. */
	chapterId: string | null,
	/** The generation of the episode, while the episode exists. */
	generationId: string | null,
	/** The answer that a question or a study kept, while it exists. */
	answerId: string | null,
};

/** The format of a journal in a file. */
export type JournalFormat = 
/** `entries.json`: an array of `{id, timestamp, content, embedding}`. */
"entries" | 
/** One entry a line, with kind and reference. */
"jsonLines";

/** The kind of event that an entry is about. */
export type JournalKind = 
/** The writer's decision on a run of a skill, or its undo. */
"skill" | 
/** A question and its answer. */
"ask" | 
/** A step of the study of the book. */
"study" | 
/** A session of writing. */
"session" | 
/** Anything else that a program stored. */
"note";

/** Some entries of a book. */
export type JournalPage = {
	/** Latest first; entries of the same time in the reverse order of writing. */
	entries: JournalEntry[],
	/** Number of all entries of the kind that was asked for. */
	total: number,
	/** True if the journal has earlier entries than these. */
	hasMore: boolean,
	/** True if new entries are written for the book. */
	isKept: boolean,
};

/** Lists the entries of a book, latest first. */
export type JournalQuery = {
	/** UUID of the book. */
	projectId: string,
	/** Only entries of this kind. */
	kind?: JournalKind | null,
	/** Only entries that come after this one in the list, which are the earlier ones. */
	before?: string | null,
	/** Maximum number of entries, 1..200. Default 50. */
	limit?: number | null,
};

/** Says whether a learning record is kept. */
export type JudgeRecord = {
	/** UUID of the book. */
	projectId: string,
	/** UUID of the record. */
	answerId: string,
	/** The version that the caller has seen. */
	version: number,
	/** Keeping can be undone, refusing cannot. */
	verdict: RecordVerdict,
	/** Its proposed facts that are kept in other words, or not at all; those that are not named are kept as they are. */
	facts?: JudgedFact[],
};

/** The writer's word on a proposed fact of a record that is kept. */
export type JudgedFact = {
	/** The proposed fact. */
	factId: string,
	/** The attribute in the writer's words; without it, that of the proposal. */
	attribute?: string | null,
	/** The value in the writer's words, 1..500 characters; without it, that of the proposal. */
	value?: string | null,
	/** Whether it does not become a fact, and is not proposed again. */
	isLeftOut?: boolean,
};

/** A learning record after a verdict. */
export type JudgedRecord = {
	/** The record as it is now; `null`: it is refused. */
	record: Answer | null,
	/** Number of its facts that became the writer's. */
	acceptedFacts: number,
	/** The change of the story that wrote them, for `story:undo`; `null`: none was written. */
	changeId: string | null,
};

/** The trace after a verdict. */
export type JudgedTrace = {
	/** `false` if the same verdict was already stored; then nothing changed. */
	changed: boolean,
} & Trace;

/** Sets whether a journal is kept of a book. */
export type KeepJournal = {
	/** UUID of the book. */
	projectId: string,
	/** True to write new entries, false to stop. Existing entries stay. */
	isKept: boolean,
};

/** The switch of a book's journal. */
export type KeptJournal = {
	/** True if new entries are written for the book. */
	isKept: boolean,
};

/** Where a provider's key is stored. */
export type KeyStorage = 
/** The provider has no key. */
"none" | 
/** In the system's keychain. */
"keychain" | 
/** In memory, until the program ends. */
"session";

/** Number of exported lines of one kind. */
export type KindCount = {
	/** The kind of line. */
	kind: RecordKind,
	/** Number of lines. */
	count: number,
};

/** Number of lines of one kind by the result of their import. */
export type KindTaken = {
	/** The kind of line. */
	kind: RecordKind,
	/** Number of lines without a row here. */
	new: number,
	/** Present in an older version, and updated. */
	newer: number,
	/** Present and equal. */
	same: number,
	/** Present in the same version with other content: the present content stays. */
	conflicting: number,
	/**
	 *  Not imported: the present version is newer, the row was deleted here, its owner is missing, or the capacity is
	 *  reached.
	 */
	leftOut: number,
};

/** A character that knows a fact. */
export type Knower = {
	/** An accepted entity. */
	entityId: string,
	/** The position from which it knows. */
	since: Position,
};

/** The language of a project's prompts, rules and words. */
export type Language = 
/** Chinese. */
"zh" | 
/** English. */
"en";

export type LastImport = {
	/** `null` if a chapter of it was changed, or nothing was imported. */
	last: UndoableImport | null,
};

/** The result of a job's last run. */
export type LastRun = {
	/** A task of the schedule. */
	job: Job,
	/** When it last started. */
	begunAt: Time,
	/** When the last successful run started; `null` if there was none. */
	doneAt: Time | null,
	/** Why the last run failed; `null` if it succeeded. */
	failure: string | null,
};

/** One layer as sent. */
export type Layer = {
	/** A part of the prompt with its own budget. */
	layer: LayerName,
	/** The text of the layer; empty when it has no content. */
	text: string,
	/** Tokens, counted by the tokenizer. */
	tokens: number,
	/** Maximum tokens of the layer. */
	budgetTokens: number,
};

/** The layers, in the order in which they are sent. */
export type LayerName = 
/** The assistant's fixed instructions. */
"rules" | 
/** The semantic rules that apply, most specific first; then the cards of the story. */
"settings" | 
/** Past episodes, as examples; then passages of the book. */
"retrieved" | 
/** Working memory and the text around the caret. */
"immediate";

/** Whether learning is paused. */
export type LearningState = {
	/** No distillation runs at present, and recorded episodes are marked. */
	learningPaused: boolean,
};

/** An answer that a run was not given. */
export type LeftOutAnswer = {
	/** UUID. */
	answerId: string,
	/** The reason in one word of the gatekeeper, for example `irrelevant`, `blocked`, `changed`, `distrusted`, `full`. */
	why: string,
};

/** Lists learning records, the newest first: of a domain, or the recent ones. */
export type ListRecords = {
	/** UUID of the book. */
	projectId: string,
	/** Only those of this domain. */
	domain?: string | null,
	/** Only those with this standing. */
	standing?: RecordStanding | null,
	/** Number of records to skip. */
	offset?: number,
	/** Maximum number, 1..200; default 10. */
	limit?: number | null,
};

/** Which rules. */
export type ListRules = {
	/** The global rules and this book's; without one, the global rules only. */
	projectId?: string | null,
	/** Only rules of this scope. */
	scope?: Scope | null,
	/** Only rules of this category. */
	category?: Category | null,
};

/** Asks for what a request needs to know of a book. */
export type LoadKnowledge = {
	/** UUID of the book. */
	projectId: string,
	/** The request: 1..10,000 bytes. */
	query: string,
	/** Maximum number of records, 1..50; default 5. */
	topK?: number | null,
};

/** The knowledge that a request needs of a book. */
export type LoadedKnowledge = {
	/** The records that bear on it. */
	learningRecords: FoundRecord[],
	/** The writer's words about the book. */
	background: string,
	/** The domains of the records and of the names in the request. */
	domains: Domain[],
	/** All of it in a few paragraphs, in the language of the book: for a prompt, where it is data. */
	contextSummary: string,
	/** True: a file of the memory cannot be read, and its part is missing. */
	degraded: boolean,
};

/** The format of a file with a story. */
export type LorebookFormat = 
/** A page that people read and write. It has all but the history, and reads back. */
"markdown" | 
/** A lorebook of `SillyTavern` (world info), as JSON. */
"sillyTavern" | 
/** A codex as `Novelcrafter` has its entries, as JSON. */
"novelcrafter";

/** The treatment of a name in lower case. */
export type LowerCase = 
/** The name is hidden in lower case too. */
"hidden" | 
/** Sent unchanged: in lower case it is a word and no name. */
"kept";

/** A failed job; it is retried at its next window. */
export type MaintenanceFailure = {
	/** A task of the schedule. */
	job: Job,
	/** When it started. */
	at: Time,
	/** Always `MEMORY_CLEANUP_FAILED`. */
	code: Code,
	/** The message. Names files and kinds of errors, no text of the writer's. */
	message: string,
};

/** The report of a job. */
export type MaintenanceReport = {
	/** The job; `null` when all were requested. */
	job: Job | null,
	/** When it started. */
	begunAt: Time,
	/** Its steps, in order. */
	steps: MaintenanceStep[],
};

/** One bounded piece of a job, after all its slices. */
export type MaintenanceStep = {
	/** The kind of work, such as `compressed`. */
	name: string,
	/** Number of affected items. */
	count: number,
};

/** A passage that a generation wrote, in a text that is not saved. Offsets are UTF-16 code units, end exclusive. */
export type MarkedPassage = {
	generationId: string,
	skill: string,
	/** Start of the range. */
	from: number,
	/** End of the range. */
	to: number,
};

/** The decision of the gatekeeper on a match. */
export type MatchDecision = 
/** It was in the prompt. */
"injected" | 
/** It was in the prompt on trial. */
"probation" | 
/** It was not in the prompt. */
"leftOut";

/** The answer to a request for a measurement. */
export type MeasureAnswer = {
	/** The state. */
	status: MeasureStatus,
	/** The cost, while it is not confirmed, or when the measurement has just begun. */
	cost: MeasureCost | null,
	/** Number of regenerations done, while it is under way. */
	done: number | null,
	/** The trace, with the measured weights next to the estimated ones. */
	trace: Trace | null,
};

/** The cost of a measurement. */
export type MeasureCost = {
	/** Number of drafts that are written and discarded; limited by the rest of the daily limit. */
	regenerations: number,
	/** Number of measurable memories. */
	memories: number,
	/** Estimated tokens sent, in all. */
	promptTokens: number,
	/** Maximum tokens returned, in all. */
	answerTokens: number,
	/** Requests left in the daily limit; `null` without a limit, and for the built-in model. */
	requestsLeft: number | null,
	/** The model that writes them. */
	provider: ModelInfo,
};

/** The outcome of a measurement. Only a complete one is stored. */
export type MeasureEnd = 
/** Stored next to the estimate. */
{ kind: "measured" } | 
/** The writer stopped it, or the book was cleared. */
{ kind: "cancelled" } | 
/** It ended with an error. */
{ kind: "failed"; error: Error };

/** Progress of a measurement of a generation. */
export type MeasureProgress = {
	projectId: string,
	generationId: string,
	/** Number of regenerations done. */
	done: number,
	/** Number of regenerations in all. */
	regenerations: number,
	/** The outcome; `null` while it is under way. */
	end: MeasureEnd | null,
};

/**
 *  Measures a question by leaving out answers and everything else that its prompt had. Without `confirmed`, nothing is
 *  sent: the answer states the cost. Validations by this run are undone for answers without a measurable influence.
 */
export type MeasureRun = {
	projectId: string,
	runId: string,
	/** 16 to 32, even; default 16. */
	regenerations?: number | null,
	/** The writer has confirmed the cost. */
	confirmed?: boolean | null,
	/** Answer when it has ended. */
	wait?: boolean | null,
	/** Stops the measurement under way; no result is stored. */
	cancel?: boolean | null,
};

/** The state of a measurement. */
export type MeasureStatus = 
/** Nothing was sent: the writer has not confirmed the cost. */
"unconfirmed" | 
/** This generation is being measured. */
"running" | 
/** Another generation is being measured; there is one at a time. */
"alreadyRunning" | 
/** It is measured, now or earlier; it is not measured twice. */
"measured" | 
/** It is being stopped. */
"cancelling" | 
/** It was stopped; no result is stored. */
"cancelled" | 
/** There was nothing to stop. */
"notRunning";

/** Measures a generation by leaving memories out. Without `confirmed`, nothing is sent: the answer states the cost. */
export type MeasureTrace = {
	projectId: string,
	generationId: string,
	/** The method. */
	tier: MeasuredTier,
	/** 16 to 32, even; default 32. */
	regenerations?: number | null,
	/** The writer has confirmed the cost. */
	confirmed?: boolean | null,
	/** Answer when it has ended. */
	wait?: boolean | null,
	/** Stops the measurement under way; no result is stored. */
	cancel?: boolean | null,
};

/**
 *  The effect of a memory's presence in the prompt on its own measure: for a rule, its feature in its direction; for an
 *  example, the likeness of the draft to it. In standard deviations of the drafts without it. An interval that contains
 *  zero means no measurable influence.
 */
export type MeasuredChange = {
	/** The estimate. */
	by: number | null,
	/** Lower end of its 90 % interval. */
	low: number | null,
	/** Upper end of its 90 % interval. */
	high: number | null,
};

/** The method of a measurement on demand. */
export type MeasuredTier = 
/** By regenerations with memories left out. */
"masked";

/** The weight of one memory. */
export type MemoryWeight = {
	/** Id of the reference. */
	referenceId: string,
	/** Its share, 0..1. */
	weight: number | null,
	/** The effect, 0..0.5; `null` if it could not be computed. */
	effect: number | null,
	/** Whether the draft followed it; `null` if unknown, and at tier `masked`, which does not test it. */
	followed: Followed | null,
	/** The measured effect; `null` at tier `compliance`, and if it could not be measured. */
	change?: MeasuredChange | null,
};

/** A mention of an entity with the text around it. */
export type Mention = {
	/** The place. */
	range: MentionRange,
	/** The text of its sentence before it, at most 60 characters. */
	before: string,
	/** The name as the text has it. */
	text: string,
	/** The text of its sentence after it, at most 60 characters. */
	after: string,
};

/** The answer to a [`MentionQuery`]. */
export type MentionList = {
	/** In the order of the book. */
	mentions: Mention[],
	/** Number of all mentions up to the position. */
	total: number,
};

/** Asks for the mentions of an entity, in the order of the book. */
export type MentionQuery = {
	/** UUID of the book. */
	projectId: string,
	/** The entity, as of `at`. */
	entityId: string,
	/** The position up to which the book is known; by default its end. */
	at?: Position | null,
	/** Number of mentions to skip. Default 0. */
	skip?: number | null,
	/** Maximum number of mentions, 1..200. Default 50. */
	limit?: number | null,
};

/** A range of a chapter's text. */
export type MentionRange = {
	/** Id of the chapter. */
	chapterId: string,
	/** Start in the chapter's text, in UTF-16 code units. */
	from: number,
	/** End, exclusive. */
	to: number,
};

/** A chapter to be merged with the next one. */
export type MergeChapters = {
	projectId: string,
	chapterId: string,
	/** The next chapter; refused if another one follows. */
	nextId: string,
};

/** Says that two entities are one. The first one takes all forms of the second. */
export type MergeEntities = {
	/** UUID of the book. */
	projectId: string,
	/** The entity that stays, as of `at`. It is accepted. */
	entityId: string,
	/** The entity that becomes part of it. */
	otherId: string,
	/**
	 *  The position that the writer looked from; by default the end of the book. As of earlier positions the two stay
	 *  two.
	 */
	at?: Position | null,
};

/** One message of a rendered prompt. */
export type Message = {
	/** Who speaks: system, user or assistant. */
	role: Role,
	/** The text, exactly as it is sent. */
	content: string,
};

/** A file that lacks acknowledged writes: its log was removed or damaged by something outside the program. */
export type MissingWrites = {
	/** One of the two databases. */
	file: StoreFile,
	/** Number of lost writes. */
	count: number,
};

/** A place where a name is probably misspelt. */
export type Misspelling = {
	/** The place. */
	range: MentionRange,
	/** The text of the place. */
	text: string,
	/** The form that was probably meant. */
	meant: string,
};

/** Names a model, for the label of its candidates and for the trace. */
export type ModelInfo = {
	/** Short name of the provider, such as `sample`. */
	provider: string,
	/** The model as the provider names it. */
	model: string,
	/** Whether it is the built-in sample model, which the interface labels as such. */
	sample: boolean,
};

/** The models of a provider. */
export type ModelList = {
	/** As the provider names them. */
	models: string[],
};

export type MoveChapter = {
	projectId: string,
	chapterId: string,
	/** The chapter it is placed before; without one, at the end. */
	before?: string | null,
};

/** The citations of an answer before and after the writer kept it although its sentences had changed. */
export type MovedCitations = {
	/** As they were, with the sentences that the text had lost. */
	before: Citation[],
	/** With the sentences in their places. */
	after: Citation[],
	/** The sentence that might have said what the answer did not find. */
	nearby: MentionRange | null,
};

/** A form of a hidden name that occurs in the manuscript and is sent unchanged. */
export type NameForm = {
	/** The listed name. */
	name: string,
	/** The form in its most frequent spelling. */
	form: string,
	/** Number of occurrences in the chapters, 1 or more. */
	count: number,
};

/** The forms of a book's hidden names that occur in its chapters and are sent unmasked. */
export type NameForms = {
	/** Most frequent first; at most 60 in all and 6 for each name. */
	forms: NameForm[],
	/** Number of chapters read; 0 for a book whose manuscript lives in another editor. */
	chapters: number,
};

/** The names of a book that are hidden from models. */
export type NameList = {
	/** In the order they were given. */
	names: HiddenName[],
	/**
	 *  Names whose lower case is an everyday word and for which the writer has not decided yet whether that is
	 *  hidden too; until then it is not.
	 */
	askLowerCase: string[],
};

/** The method by which the names of a book were found. */
export type NameMethod = 
/** By rules over the text: an English book. */
"text" | 
/** With the words of the bundled Chinese tagger. */
"tagger" | 
/**
 *  A Chinese book of which some passages were not tagged, because the tagger is missing or has not come to them:
 *  their names are found by surnames and titles.
 */
"surnames";

export type NoArguments = Record<string, never>;

/** The outcome of opening a folder. */
export type OpenAnswer = {
	/** Whether the book is open. */
	status: OpenStatus,
	/** The book, when it is open. */
	book: Book | null,
	/**
	 *  The folder of the known book, when this folder is a copy of it; `null` for one without a folder, which
	 *  another editor wrote or an import brought.
	 */
	copiedFrom: string | null,
	/** The title of that known book. */
	knownTitle: string | null,
};

/** A folder to open as a book. */
export type OpenProject = {
	/** An absolute path. */
	path: string,
	/** The writer's answer, when the folder has the identity of a known book. */
	copiedAs?: CopiedAs | null,
};

/** The sample book. */
export type OpenSample = {
	/** Which of the two. */
	language: Language,
};

/** The outcome of opening a folder. */
export type OpenStatus = 
/** It is open. */
"opened" | 
/** The folder has the identity of a known book that lies elsewhere, or has no folder: the writer has to decide. */
"copied";

/** The operation that failed. The names of the original system are read too. */
export type OperationType = 
/** Reading a book. */
"analysis" | 
/** Reading a book. */
"PROJECT_ANALYSIS" | 
/** Making vectors of its passages. */
"vectors" | 
/** Making vectors of its passages. */
"CODE_VECTORIZATION" | 
/** Finding a question. */
"studyQuestion" | 
/** Finding a question. */
"SELF_EVOLUTION_QUESTION" | 
/** Exploring for one. */
"studyExploration" | 
/** Exploring for one. */
"SELF_EVOLUTION_EXPLORATION" | 
/** Summing up. */
"studySummary" | 
/** Summing up. */
"SELF_EVOLUTION_SUMMARY";

/** One book, or none. */
export type OptionalProjectArguments = {
	/** The book; without one, items that belong to no book. */
	projectId?: string | null,
};

/** Requests the order of the skills. */
export type OrderSkills = {
	projectId: string,
	/** The scene type; without one, all scenes. */
	sceneType?: string | null,
};

/** A passage that a generation wrote. Offsets are UTF-16 code units, end exclusive. */
export type OriginAt = {
	generationId: string,
	/** Start of the range. */
	from: number,
	/** End of the range. */
	to: number,
};

/** The range of a passage that a generation wrote. Offsets are UTF-16 code units, end exclusive. */
export type OriginMark = {
	/** UUID of the generation. */
	generationId: string,
	/** The skill that was run; empty if the trace is deleted. */
	skill: string,
	/** Start offset. */
	from: number,
	/** End offset. */
	to: number,
	/** BLAKE3 of the passage as last saved, hexadecimal: finds it again after a change outside. */
	quoteHash: string,
};

/** The writer's decision on a generation. */
export type Outcome = {
	/** Index of the taken candidate, or -1. */
	selectedIndex: number,
	/** Edit distance, 0..1; `null` when all were rejected. */
	editDistance: number | null,
};

/** Number of pairs of sentences that code cannot compare. */
export type PairCounts = {
	/** Those that no model has compared yet. */
	waiting: number,
	/** Those that are issues by the word of a model. */
	conflicts: number,
	/** Those that tell a change. */
	changes: number,
	/** Those of which both sentences may be right. */
	unclear: number,
};

/** A part that can fail by itself. */
export type Part = 
/** `rules.db`. */
"rules" | 
/** `episodes.db`. */
"episodes" | 
/** The encoder, for semantic search. */
"embedder" | 
/** The word index. */
"words" | 
/** The scheduled jobs. */
"maintenance" | 
/** The style evidence of episodes, for learning. */
"evidence" | 
/** `config.toml`: what is not taken of it has its stored or built-in value. */
"config" | 
/** `audit/run.events.jsonl`. */
"audit";

/** One part's health. */
export type PartHealth = {
	/** One of the parts of the memory. */
	part: Part,
	/** How well it serves now. */
	state: PartState,
	/** The reason; `null` when the part is available, or when only the operating system's message is known. */
	reason: Reason | null,
	/**
	 *  The same as an English sentence, for a report: files and kinds of errors, no text of the writer's. `null` when
	 *  the part is available.
	 */
	message: string | null,
};

/** How well a part of the memory serves. */
export type PartState = 
/** Available. */
"ok" | 
/** Available, and processing a backlog. */
"catchingUp" | 
/** Unavailable; a substitute serves. */
"substituted" | 
/** Unavailable; the rest of the memory works. */
"unavailable";

/** A stretch of whole paragraphs of a chapter, the unit of search. */
export type Passage = {
	/** 32 hexadecimal digits, made of the book, the chapter and the text: an edited passage has another id. */
	passageId: string,
	/** The chapter that it is in. */
	chapterId: string,
	/** Start in the chapter's text, in UTF-16 code units. */
	from: number,
	/** End, exclusive. */
	to: number,
	/** Its whole paragraphs, as they are in the chapter. */
	text: string,
};

/** A search in the passages of a book. */
export type PassageQuery = {
	/** UUID of the book. */
	projectId: string,
	/** Words, or a description of the passage; not blank. */
	queryText: string,
	/** Maximum number of results, 1..50. Default 8. */
	limit?: number | null,
};

/** A measured preference behind a rule. */
export type Pattern = {
	/** Name of the style feature. */
	feature: string,
	/** +1: more of it, -1: less. */
	direction: number,
	/** Strength in the feature's unit; `null` without a unit. */
	threshold: number | null,
};

/** The source of a rule's pattern. */
export type PatternSource = 
/** Measured: learned with this pattern. */
"measured" | 
/** Parsed from its words. */
"lexicon" | 
/** Classified by a model. */
"model" | 
/** Set by the writer, including "no measurable feature". */
"writer";

/** Asks for the threads or the events of a book. */
export type PlotQuery = {
	/** UUID of the book. */
	projectId: string,
	/** The position up to which the book is known; by default its end. Nothing after it has an influence. */
	at?: Position | null,
};

/** A position in a book. The order of positions is the order of the book's chapters at the time of asking. */
export type Position = {
	/** A chapter of the book. */
	chapterId: string,
	/** Offset in the chapter's text, in UTF-16 code units. One behind the end of the text is its end. */
	offset: number,
};

/** Two entities that may be one. */
export type PossibleMerge = {
	/** The one with more mentions. */
	entityId: string,
	/** The other one. */
	otherId: string,
};

/** A craft note for all books. */
export type Practice = {
	/** UUID. */
	practiceId: string,
	/** 1..200 characters. */
	title: string,
	/** 0..4,000 characters. */
	description: string,
	/** Where it applies. */
	applicableScenarios: string[],
	/** The books that it comes from. */
	sourceProjects: string[],
	/** Grows with each change. */
	version: number,
	/** Time at which it was added. */
	createdAt: Time,
	/** Time of the last change. */
	updatedAt: Time,
};

/** Deletes a craft note. */
export type PracticeArguments = {
	/** UUID of the note. */
	practiceId: string,
	/** The version that the caller has seen. */
	version: number,
};

/** Prepares a run: finds answers, decides which of them the prompt has, and stores the run. */
export type PrepareAnswer = {
	/** UUID of the book. */
	projectId: string,
	/** The question, 1..10,000 bytes. */
	query: string,
	/** The subject of the question, for a candidate. Default `research`. */
	kind?: AnswerKind,
	/** 1..50 answers are looked at; default 6. */
	limit?: number | null,
	/** 0..1; default .20. */
	minScore?: number | null,
	/**
	 *  The book is known up to here: answers that rest on later text, or were given with later text at hand, are left
	 *  out. Default: the whole book.
	 */
	at?: Position | null,
};

/** A prepared run. */
export type PreparedAnswer = {
	/** UUID of the run, for `answer:complete` within 24 hours. */
	runId: string,
	/** The answers in the prompt, in its order. */
	injected: InjectedAnswer[],
	/** Those that were found and are not in it. */
	leftOut: LeftOutAnswer[],
	/** The question with the answers before it, hidden names replaced: what a model is to be sent. */
	mergedPrompt: string,
	/** Number of names that were replaced in it. */
	namesHidden: number,
	/** The answer to the same question in the same words, if one may be shown: no model needs to be asked. */
	served: Answer | null,
	/** Answers to the same question, the served one included, or to nearly the same, best first, with the differences. */
	nearly: AnswerMatch[],
	/** True if the search worked by words only or on part of the vectors. */
	degraded: boolean,
	/** The reason, if `degraded` is true. */
	degradedReason: string | null,
	/** The answers of the team's service that were looked at; `null` without one. */
	service: ServiceMatches | null,
};

/** The answer to a [`PresenceQuery`]. */
export type Presence = {
	/** The entity whose name is at the position. */
	named: string | null,
	/** The entities that the passage of the position and the one before it mention, the last mentioned first. */
	nearby: string[],
	/** The entities that the chapter mentions up to the position, the last mentioned first. */
	inChapter: string[],
	/** The whole passage of the position, also the part after it. */
	passage: Passage | null,
};

/** Asks who and what is named around a position. */
export type PresenceQuery = {
	/** UUID of the book. */
	projectId: string,
	/** The position. Nothing after its paragraph has an influence. */
	at: Position,
};

/** One book: a folder of chapters, or a manuscript in another editor, and its memory. */
export type Project = {
	/** UUID; for a folder, the one in its id file. */
	projectId: string,
	/** 1 to 200 characters. */
	title: string,
	/** Language of the book, not of the interface. */
	language: Language,
	/** The folder, or `null` where another editor keeps the manuscript. */
	path: string | null,
	/** When it was added to the memory. */
	createdAt: Time,
	/** When it was last opened. */
	lastOpenedAt: Time,
};

/** One book. */
export type ProjectArguments = {
	projectId: string,
};

/** The list of chapters was changed outside the program. */
export type ProjectChanged = {
	projectId: string,
};

/** Books. */
export type ProjectList = {
	/** Last opened first. */
	projects: Project[],
};

/** The knowledge of a book. */
export type ProjectMemory = {
	/** UUID of the book. */
	projectId: string,
	/** The folder of the book; `null` for a book in another editor. */
	projectPath: string | null,
	/** The writer's words about the book; empty: none. */
	background: string,
	/** Its domains: the entities of the story, the most mentioned first. */
	domainKnowledge: DomainSummary[],
	/** Ids of its learning records, the newest first. */
	learningRecordIds: string[],
	/** Ids of its failures, the newest first. */
	failureRecordIds: string[],
	/** Properties that most of its chapters share, counted from the text. */
	habits: Habit[],
	/** The progress of its study. */
	evolutionStatus: StudyState,
	/** Version of its settings; 0: none are stored. */
	version: number,
	/** Time at which its settings were first stored. */
	createdAt: Time | null,
	/** Time of the last change of its settings. */
	updatedAt: Time | null,
	/** True: a file of the memory cannot be read, and its part is missing. */
	degraded: boolean,
};

/** A rule to be made global. */
export type PromoteRule = {
	ruleId: string,
	/** Only count the hidden names in it, and change nothing. */
	preview?: boolean | null,
};

/** An answer of a book with its copy for all books. */
export type PromotedAnswer = {
	/** The answer of the book, as it is now. */
	answer: Answer,
	/** Its copy, without citations and details. */
	promoted: Answer,
	/** The event, for `answer:undo`; `null` if it was promoted before. */
	eventId: string | null,
};

/** A rule that was made global. */
export type PromotedRule = {
	/** Number of hidden names of all books that occur in it. Each is hidden wherever the rule is sent. */
	hiddenNames: number,
} & Rule;

/** A fact that a study proposes, with the sentence that says so. */
export type ProposedFact = {
	/** UUID; that of the fact, once it is accepted. */
	factId: string,
	/** The learning record that it came with. */
	answerId: string,
	/** The entity that it is about. */
	entityId: string,
	/** As the story lists it; empty if the book does not name it any more. */
	entityName: string,
	/** The attribute, such as *age*. */
	attribute: string,
	/** 1..500 characters. */
	value: string,
	/** The sentence that says so. */
	citation: Citation,
};

/** A provider that the writer has set up. */
export type Provider = {
	/** Stable when everything else changes. */
	providerId: string,
	/** The protocol. */
	kind: ProviderKind,
	/** The writer's name for it. */
	name: string,
	/** The address; requests go nowhere else. */
	baseUrl: string,
	/** Where its key is stored. The key itself is never returned. */
	keyKept: KeyStorage,
};

/** One provider. */
export type ProviderArguments = {
	providerId: string,
};

/** The protocol of a provider. */
export type ProviderKind = 
/** OpenAI's chat completions, which most other providers support too. */
"openAi" | 
/** Anthropic's messages. */
"anthropic" | 
/** Ollama's own API. */
"ollama";

/** The providers and their purposes. */
export type ProviderList = {
	/** In the order they were added. */
	providers: Provider[],
	/** Always all three. */
	purposes: PurposeModel[],
	/** The model that writes. */
	writing: ModelInfo,
	/** Whether keys are stored in the system's keychain; if not, they last for this session only. */
	keychain: boolean,
	/** Why the answer may be incomplete or outdated; `null` when it could be read. */
	degradedReason?: string | null,
};

/** The purpose of a model. */
export type Purpose = 
/** Writing candidates. */
"writing" | 
/** Wording learned rules. */
"distilling" | 
/** Semantic search. */
"embedding" | 
/** Wording entries of the journal. */
"journal" | 
/** Answering questions. Without a provider the model of [`Purpose::Writing`] answers; the sample model never does. */
"asking" | 
/** Studying the book. Without a provider the model of [`Purpose::Asking`] does. */
"studying" | 
/** Ordering what a search found. Without a provider words and meaning order it. */
"reranking";

/**
 *  The model of one purpose. Without a provider it is the built-in one: the sample model, templates, the bundled
 *  encoder.
 */
export type PurposeModel = {
	/** The task that the model does. */
	purpose: Purpose,
	/** Id of the provider, or `null` for the built-in model. */
	providerId: string | null,
	/** Model name at the provider; `null` exactly where the provider is. */
	model: string | null,
	/** Context length in tokens, prompt and answer together; `null` if unknown. */
	contextTokens: number | null,
};

/** One question of the study. */
export type QuestionArguments = {
	/** UUID of the book. */
	projectId: string,
	/** UUID of the question. */
	questionId: string,
};

/** A stretch of two questions that differs. */
export type QuestionDifference = {
	/** Start in the query, in UTF-16 code units. */
	queryFrom: number,
	/** End, exclusive. */
	queryTo: number,
	/** Start in the question of the answer. */
	questionFrom: number,
	/** End, exclusive. */
	questionTo: number,
};

/** The questions of the study of a book. */
export type QuestionList = {
	/** The queued ones first, in the order in which they are asked; then the others, the newest first. */
	questions: StudyQuestion[],
};

/** The similarity of two questions. */
export type QuestionMatchKind = 
/** The same content words in the same order. */
"exact" | 
/** Probably the same in other words: shown, and never served as the answer. */
"restated" | 
/** It may ask something else. */
"related";

/** Whether a question of the study has been answered. */
export type QuestionState = 
/** Not yet. */
"queued" | 
/** Its answer is a learning record. */
"answered" | 
/** No sentence of the book answers it. */
"failed" | 
/** The writer does not want it, or refused its answer: it is not asked again. */
"dropped";

/**
 *  The type of the question of a learning record. The names of the original system, such as `CODE_STRUCTURE`, are read
 *  too.
 */
export type QuestionType = 
/** How the book is built. */
"structure" | 
/** How the book is built. */
"CODE_STRUCTURE" | 
/** The events, and their causes. */
"plot" | 
/** The events, and their causes. */
"BUSINESS_LOGIC" | 
/** Who knows what from when on. */
"knowledgeFlow" | 
/** Who knows what from when on. */
"DATA_FLOW" | 
/** How people and things belong together. */
"relationship" | 
/** How people and things belong together. */
"DEPENDENCY" | 
/** How the world works. */
"worldRule" | 
/** How the world works. */
"CONFIGURATION" | 
/** Two places that may not agree. */
"continuity" | 
/** Two places that may not agree. */
"ERROR_ANALYSIS" | 
/** How it is written. */
"craft" | 
/** How it is written. */
"BEST_PRACTICE" | 
/** A person, place or thing. */
"entity" | 
/** A person, place or thing. */
"DOMAIN_KNOWLEDGE";

/** The report of a validation that is to be sent. */
export type QueuedValidation = {
	/** UUID of the validation. */
	validationId: string,
};

/** A range in a quote. */
export type QuoteRange = {
	/** Start, in UTF-16 code units. */
	from: number,
	/** End, exclusive. */
	to: number,
};

/**
 *  The reason of an error (`details.reason`) or of a part that does not serve (`parts[].reason` of `memory:status`),
 *  where the error's code covers several.
 */
export type Reason = 
/** The chapter's file no longer exists. */
"chapterGone" | 
/** The text is not UTF-8. */
"notUtf8" | 
/** The file is larger than its reader accepts. */
"tooLarge" | 
/** A step of the path is a link, and links are not followed. */
"link" | 
/** A file of that name exists already. */
"exists" | 
/** A later version of the program wrote the book's id file. */
"newerFormat" | 
/** The book's id file is damaged. */
"damagedIdFile" | 
/** The folder of this book now holds another book. */
"folderOfAnotherBook" | 
/** The operating system refused a file operation in the book's folder. */
"io" | 
/** A chapter cannot be split where a part would have no text besides its title. */
"emptyPart" | 
/** A split or merge cannot be carried out or undone: the chapters have changed since. */
"changedSince" | 
/** The file cannot be read. */
"fileUnreadable" | 
/** The format is not one of .txt, .md and .docx. */
"unknownFormat" | 
/** A .doc file, the format of Word before 2007. */
"oldWord" | 
/** The document has a password. */
"encrypted" | 
/** The .docx file is damaged. */
"damagedDocument" | 
/** The file holds no text. */
"notText" | 
/** The file is empty. */
"emptyFile" | 
/** The manuscript is larger than one import accepts. */
"importTooLarge" | 
/** The manuscript has more chapters than one import accepts. */
"tooManyChapters" | 
/** The file was changed after its contents were shown. */
"importFileChanged" | 
/** The choices of the writer make no chapters of the file. */
"importChoices" | 
/** A chapter of the import was changed, so that the import cannot be undone. */
"importChanged" | 
/** The path lies in the folder of a book. */
"insideTheBook" | 
/** The path lies in the memory's own folder. */
"insideTheMemory" | 
/** A folder, link or device has that name already. */
"notAFile" | 
/** The folder of the path does not exist. */
"noFolder" | 
/** The operating system refused to write the file. */
"exportFailed" | 
/** Something in `config.toml` is not taken; `answer:config:get` lists it. */
"configNotTaken" | 
/** `config.toml` sets the value, so that a stored one has no effect. */
"setByFile" | 
/** The files of the audit cannot be written. */
"auditUnwritable" | 
/** A database no longer exists. */
"fileGone" | 
/** A database's pages or values are damaged. */
"damaged" | 
/** A database has other tables, columns, indexes, triggers or views than the migrations make. */
"foreignSchema" | 
/** The path of a database holds a pipe, a device, a folder or a file without an end. */
"notADatabase" | 
/** A later version of the program wrote the database. */
"newerSchema" | 
/** The database can be read and not written: the disk is full, or another process holds a lock. */
"unwritable" | 
/** Another process has the data folder open. */
"inUse" | 
/** The data folder cannot be read or written. */
"folderUnusable" | 
/** The lock on the data folder was removed, and another process took it. */
"lockLost" | 
/** Another program removed or changed a database's log. */
"logLost" | 
/** A defect ended the operation; it is rolled back, or started again if it runs in the background. */
"brokeOff" | 
/** The memory of this project is being cleared. */
"clearing" | 
/** The encoder's files are not installed. */
"encoderMissing" | 
/** The encoder's files cannot be read, or are damaged. */
"encoderUnreadable" | 
/** A defect ended the loading of the encoder. */
"encoderBrokeOff" | 
/** The hidden names cannot be read, so no text is sent to a remote encoder. */
"namesUnread" | 
/** The text has characters that cannot be seen. */
"invisibleCharacters" | 
/** The words of this memory were erased. */
"wordsErased" | 
/** None of the references of this trace can be measured. */
"nothingToMeasure" | 
/** The text of the draft is not known, or not known any more. */
"draftGone" | 
/** The file cannot be opened. */
"noFile" | 
/** The file was not exported by this program. */
"otherFormat" | 
/** A later version of the program exported the file. */
"newerVersion" | 
/** The file ends before its last line. */
"cutOff" | 
/** The file has fewer lines than its end says. */
"linesMissing" | 
/** Lines follow after the end. */
"afterTheEnd" | 
/** The kinds of lines are out of order. */
"outOfOrder" | 
/** The line is not JSON. */
"notJson" | 
/** The operating system refused to read on. */
"unreadable" | 
/** The line is of a kind that this version does not know. */
"unknownKind" | 
/** The line has a field that this version does not know. */
"unknownField" | 
/** The line lacks a field. */
"missingField" | 
/** A field has a value that it cannot have. */
"badValue" | 
/** The line is longer than a line may be. */
"tooLong" | 
/** The line attributes something of one project to another. */
"otherBook" | 
/** A rule and its history disagree. */
"noHistory" | 
/** The heading names no category of rules. */
"unknownCategory" | 
/** A rule is broken over two lines. */
"brokenLine" | 
/** The provider wants a key and none is stored. */
"keyMissing" | 
/** The provider refused the key. */
"keyRefused" | 
/** The account has no credit left. */
"noCredit" | 
/** Too many requests; `details.retryAfterSeconds` says how long to wait where the provider did. */
"rateLimited" | 
/** The prompt is longer than the model can read. */
"contextTooLong" | 
/** The provider has no such model. */
"modelUnknown" | 
/** The provider refuses the content. */
"contentRefused" | 
/** No answer in time. */
"timeout" | 
/** No server answers at this address. */
"unreachable" | 
/** The address redirects to another host; nothing is sent there. */
"redirectRefused" | 
/** The answer does not follow the protocol, or ends early. */
"malformed" | 
/** The answer is longer than an answer may be. */
"answerTooLong" | 
/** The provider reported an error in the middle of its answer. */
"interrupted" | 
/** The provider failed (a status of 5xx). */
"providerFailed" | 
/** The provider refused the request for an unknown reason (another status of 4xx). */
"requestRefused" | 
/** The writer's own limit for the day is reached. */
"dailyLimit" | 
/** Another model wrote the passage than the one that is chosen now. */
"otherModel" | 
/** The address of the provider cannot be used. */
"addressInvalid" | 
/** The model's answer contradicts its material and was discarded. */
"unbelievable" | 
/** The run was completed with another outcome. */
"settled" | 
/** The run was not completed within 24 hours. */
"expired" | 
/** There is no such program. */
"programMissing" | 
/** The program has no login. */
"notLoggedIn" | 
/** The run needs the fence of the system, and there is none. */
"notFenced" | 
/** The program does not trust the folder of the copy. */
"untrustedFolder" | 
/** The program lacks the options that it is kept from writing by, or read by. */
"versionTooOld" | 
/** The copy of the book could not be made, or the program could not be started. */
"startFailed" | 
/** The program printed nothing in time. */
"silent" | 
/** The program printed more than is read. */
"tooMuch" | 
/** The program changed files of its copy of the book. */
"wroteFiles" | 
/** The text has hidden names of a project in it, and other projects would see it. */
"hiddenNames";

/** The answer to a recall. */
export type RecallAnswer = {
	/**
	 *  Best first; fewer than requested when the rest is not relevant. In a search, those of the group `found` come
	 *  before the others.
	 */
	episodes: RecalledEpisode[],
	/** At least one part could not be searched. */
	degraded: boolean,
	/** The parts that could not be searched. */
	degradedReason: string | null,
};

/** How certain it is that an episode is what a search asked for. */
export type RecallGroup = 
/** It matches the query. */
"found" | 
/** It is among the nearest there are, and may have nothing to do with the query. */
"perhaps";

/** Searches the entries of a book. */
export type RecallJournal = {
	/** UUID of the book. */
	projectId: string,
	/** A description of the information that is needed; not blank. */
	query: string,
	/** Maximum number of entries, 1..50. Default 5. */
	topK?: number | null,
	/** Only entries of this kind. */
	kind?: JournalKind | null,
};

/** The purpose of a recall, which decides which episodes are returned. */
export type RecallPurpose = 
/**
 *  The writer looks for something: the best there is, never nothing in a book that has matching episodes. Scene
 *  type and skill are filters.
 */
"search" | 
/**
 *  Examples for a prompt: only episodes that stand out from the book; none is a valid answer. Scene type and skill
 *  order the episodes and admit none.
 */
"prompt";

/** One episode in the answer to a recall. */
export type RecalledEpisode = {
	/** With its texts, or its summary if it is compressed; the requested fields only. */
	episode: EpisodeExtract,
	/** How certain the match is; `found` for every episode of a prompt. */
	group: RecallGroup,
	/** The score, 0..1. */
	score: number | null,
	/**
	 *  The signals that found it: `words`, `meaning`, `scene`, `skill`, `recent`; `sleeping` marks a faded episode,
	 *  `compressed` one of which only a summary is left.
	 */
	matchedBy: string[],
	/** The parts of the score. */
	components: Components,
};

/** Compares the citations of answers with the present text of the book. */
export type RecheckAnswers = {
	/** UUID of the book. */
	projectId: string,
};

/** Numbers of citations of answers by status. */
export type RecheckedAnswers = {
	/** All of them. */
	checked: number,
	/** Found at another place. */
	moved: number,
	/** Not in their chapter any more. */
	changed: number,
	/** Whose chapter is not in the book any more. */
	gone: number,
};

/** Records an answer as a candidate, of level 0. */
export type RecordAnswer = {
	/** UUID of the book. */
	projectId: string,
	/** 1..10,000 bytes, with a letter or a digit. */
	question: string,
	/** 1..100,000 bytes. */
	answer: string,
	/** Default `research`; with citations `canon`. */
	kind?: AnswerKind | null,
	/** Default `agent`. */
	origin?: AnswerOrigin | null,
	/** 0..1; default .45. */
	confidence?: number | null,
	/** Sentences of the book that say so, at most 8. Each is looked up in the saved text. */
	citations?: CitationDraft[],
	/** The rest that is known of it. */
	details?: AnswerDetails,
	/** The chapters that were looked at, for an answer that says that something is not in them. */
	basis?: string[],
	/** True: it says so of the whole book. `basis` is then all chapters, if it is empty. */
	notInBook?: boolean,
};

/** Records a failure. One with the same operation type and signature is counted as a retry of the first. */
export type RecordFailure = {
	/** UUID of the book. */
	projectId: string,
	/** The kind of the operation. */
	operationType: OperationType,
	/** 1..2,000 characters. */
	operation: string,
	/** 1..200 characters; by default the hash of `operation`. */
	signature?: string | null,
	/** 1..200 characters. */
	error: string,
	/** At most 50 entries. */
	context?: { [key in string]: string },
	/** At most 500 characters. */
	avoidStrategy?: string | null,
};

/** Records that answers were shown or used outside a run of this memory. */
export type RecordHits = {
	/** UUID of the book. */
	projectId: string,
	/** 1..50 of them, each once. */
	references: AnswerHit[],
};

/** The kind of a line in a file of memories, in the order of the file. */
export type RecordKind = "project" | "deletion" | "name" | "pause" | "run" | "runChange" | "learned" | "ruleVersion" | "tombstone" | "rule" | "support" | "foundIn" | "verdict" | "conflict" | "evidence" | "entity" | "entityName" | "dismissal" | "fact" | "knower" | "citation" | "continuityResolution" | "knowledgeSettings" | "practice" | "episode" | "features" | "skillUse" | "trace" | "traceFeedback" | "influence" | "followed" | "draft" | "journalEntry" | "answer" | "answerCitation" | "answerEvent" | "question" | "comparedPair" | "studiedRecord" | "origin";

/** Learning records. */
export type RecordList = {
	/** The newest first. */
	records: Answer[],
	/** Facts that they propose, in the same order. */
	proposedFacts: ProposedFact[],
	/** Number of records that the filters leave, on all pages. */
	total: number,
	/** Number of those on which the writer has not said anything yet. */
	proposed: number,
};

/** Whether the writer keeps a learning record. */
export type RecordStanding = 
/** The writer has not said yet. Its answer is in no writing prompt, only its quotes are. */
"proposed" | 
/** The writer keeps it. */
"kept";

/**
 *  A generation of an editor that queries a model itself. First `request`, `provider` and `model`: the answer holds
 *  the messages to send. Then, after the model's answer, `generationId` and `drafts`.
 */
export type RecordTrace = {
	projectId: string,
	/** The generation whose drafts these are. */
	generationId?: string | null,
	/** The passage and the task. */
	request?: AssembleRequest | null,
	/** The name of the provider, 1 to 40 characters. */
	provider?: string | null,
	/** The model as its provider names it, 1 to 200 characters. */
	model?: string | null,
	/** The seed of the run; drawn when missing. */
	seed?: number | null,
	/** The drafts of the model, in the order in which the writer saw them, 1 to 16. */
	drafts?: string[] | null,
};

/** The writer's verdict on a learning record. */
export type RecordVerdict = 
/** Kept: no run changes it, and those of its facts whose sentences the text still has become the writer's. */
"keep" | 
/**
 *  Refused: it is deleted for good, as by `answer:delete`, with its facts and the words of its question, in the
 *  backups too. The question is not asked again.
 */
"refuse";

/** A recorded episode. */
export type Recorded = {
	episodeId: string,
};

/** The report of recorded hits. */
export type RecordedHits = {
	/** Number of answers whose counts grew. */
	recorded: number,
	/** Ids that the book does not have. */
	unknown: string[],
};

export type RecoveryCopyText = {
	keptId: string,
	chapterId: string,
	/** When it was stored. */
	at: Time,
	/** The content hash of the text that it was based on; differs from the chapter's if the file has changed since. */
	baseHash: string,
	/** Han characters and words of other scripts. */
	words: number,
	/** The whole text, lines ended by LF. */
	text: string,
	/** The passages in it that generations wrote, as reported by its editor. */
	origins: MarkedPassage[],
};

/** Empties an entry for good. */
export type RedactEntry = {
	/** UUID of the book. */
	projectId: string,
	/** An entry of the book. */
	entryId: string,
	/** Must be `true`: it cannot be undone. */
	confirmed: boolean,
};

/** The report of a redaction. */
export type RedactedEntry = {
	/** The entry as it is now. */
	entry: JournalEntry,
	/**
	 *  Time at which the words were gone from every file, also from the backups; `null` while that continues in the
	 *  background.
	 */
	finishedAt: Time | null,
};

/** One memory in a prompt, as it was at that time. */
export type Reference = {
	/** Kind and id; unique in the generation. */
	referenceId: string,
	/** The kind of memory. */
	kind: ReferenceKind,
	/** Id of the memory. */
	id: string,
	/** Version of the memory in the prompt. */
	version: number,
	/** The layer that contains it. */
	layer: LayerName,
	/** Its text in the prompt. */
	text: string,
	/** The recall score, 0..1; `null` for a memory that was not recalled. */
	score: number | null,
	/**
	 *  The recall signals that found it. Of an entity, why it has a card: `pinned`, `named`, `present`,
	 *  `related` or `meaning`.
	 */
	matchedBy: string[],
};

/** The kind of memory that a reference points at. An open set: later layers bring their own kinds. */
export type ReferenceKind = 
/** A semantic rule. */
"rule" | 
/** A past passage, as an example. */
"episode" | 
/** An item of working memory. */
"working" | 
/** The card of an entity of the story. */
"entity" | 
/** A passage of the book. */
"passage" | 
/** An answer that was kept. */
"answer" | 
/** An entry of the journal. */
"entry";

export type RemovedItem = {
	itemId: string,
};

/** Another title. */
export type RenameChapter = {
	projectId: string,
	chapterId: string,
	/** 1 to 200 characters. */
	title: string,
};

/** Decides about the runs of a book with other settings. */
export type ReplayAnswers = {
	/** UUID of the book. */
	projectId: string,
	/** Runs from this time on; default all. At most the latest 10,000. */
	since?: Time | null,
	/** The settings that differ from those in effect, by section and key. */
	config: { [key in string]: ConfigValue },
};

/** The answers of a prompt. */
export type ReplayDecision = {
	/** UUIDs, in the order of the prompt. */
	injected: string[],
	/** UUID of the answer on trial. */
	probation: string | null,
	/**
	 *  True if no candidate is kept because a strong answer or one to the same question is there; `null` for a run that
	 *  was not completed.
	 */
	isAnswered: boolean | null,
};

/** The decisions of other settings about past runs. */
export type ReplayedAnswers = {
	/** Number of runs that were decided again. */
	runs: number,
	/** Number of answers that the other settings leave out of prompts. */
	removed: number,
	/** Number of answers that the other settings put into prompts. */
	added: number,
	/** Those that differ, earliest first. */
	changed: ReplayedRun[],
};

/** A run that other settings decide differently. */
export type ReplayedRun = {
	/** UUID. */
	runId: string,
	/** As it was decided. */
	before: ReplayDecision,
	/** As the other settings decide. */
	after: ReplayDecision,
};

/** The writer's answer to a conflict. */
export type ResolveConflict = {
	conflictId: string,
	/** The rule to keep; the other is deleted. */
	keepRuleId: string,
};

/** Resolves an issue, or opens it again. */
export type ResolveContinuity = {
	/** UUID of the book. */
	projectId: string,
	/** 64 hexadecimal digits. */
	issueId: string,
	/** `null`: the verdict is taken back. */
	verdict: ContinuityVerdict | null,
};

export type RestoreDeletedChapter = {
	projectId: string,
	deletedId: string,
};

/** The report of a restore. */
export type Restored = {
	/** Name of the restored backup. */
	restored: Backup,
	/** Name of the damaged file that was moved aside; `null` if it was intact and became a backup itself. */
	setAside: string | null,
};

export type ResumeLearning = {
	/** Episodes recorded during the pause become evidence. Default `false`. */
	useRecorded?: boolean | null,
};

/** The role of a message. */
export type Role = 
/** The program's fixed instructions. */
"system" | 
/** The writer's passage, the memories as data, and the task. */
"user" | 
/** The beginning of the answer, which the model continues. */
"assistant";

/** A stored rule. The fields are fixed by the owner. */
export type Rule = {
	/** UUID. */
	id: string,
	/** The sentence that goes into a prompt. */
	rule: string,
	/** The group under which it is listed. */
	category: Category,
	/** All projects, or one. */
	scope: Scope,
	/** UUID of the project; `null` for a global rule. */
	projectId: string | null,
	/** The scene type, or `null` for all. */
	sceneType: string | null,
	/** The skill, or `null` for all. */
	skillUsed: string | null,
	/** 0..1: the share of relevant choices that agree with it. */
	confidence: number | null,
	/** UUIDs of episodes whose evidence agrees. */
	supportingEpisodes: string[],
	/** UUIDs of episodes whose evidence disagrees. */
	contradictingEpisodes: string[],
	/** Confirmed by the writer: no run changes it. */
	userConfirmed: boolean,
	/** The wording was written by the writer. */
	userModified: boolean,
	/** Changed by the last run. */
	recentlyUpdated: boolean,
	/** The measured preference, or `null` for a statement. */
	pattern: Pattern | null,
	/** Number of relevant choices and edits. */
	evidenceCount: number,
	/** The lower confidence bound of `confidence`, 0..1. */
	confidenceLow: number | null,
	/** Its source. */
	origin: RuleOrigin,
	/** Its status. */
	standing: RuleStanding,
	/** The source of `pattern`; `null` if it was never set. */
	patternBy: PatternSource | null,
	/** Confirmed by the writer, and recent choices contradict it. */
	challenged: boolean,
	/** Number of "wrong" verdicts by the writer. */
	wrongCount: number,
	/** Number of evidence episodes in other projects. Their ids are not given. */
	otherBooks: number,
	/** When the current wording and direction were learned; `null` for rules not learned. */
	learnedAt: Time | null,
	/** Increases by one with each change. */
	version: number,
	/** When it was created. */
	createdAt: Time,
	/** When it last changed. */
	updatedAt: Time,
};

/** One rule. */
export type RuleArguments = {
	ruleId: string,
};

/** The kinds of changes in a rule's history. */
export type RuleChange = 
/** Written by hand. */
"added" | 
/** Edited or moved by hand. */
"edited" | 
/** Confirmed by the writer. */
"confirmed" | 
/** Made global. */
"promoted" | 
/** The rule no longer exists; its history stays. */
"deleted" | 
/** Learned by a run. */
"learned" | 
/** Numbers or wording updated by a run. */
"updated" | 
/** Direction reversed by a run. */
"replaced" | 
/** Deactivated or reactivated by a run. */
"stood" | 
/** Restored to an earlier version: by the writer, or because a run was undone. */
"restored" | 
/** Called wrong by the writer. */
"disputed";

/** A rule written by hand. */
export type RuleDraft = {
	/** 1 to 500 characters, one line. */
	rule: string,
	/** The group under which it is listed. */
	category: Category,
	/** All projects, or one. */
	scope: Scope,
	/** Required for `project`, refused for `global`. */
	projectId?: string | null,
	/** The scene type; missing means all. */
	sceneType?: string | null,
	/** The skill; missing means all. */
	skillUsed?: string | null,
	/** The feature, as set by the writer; if missing, it is parsed from the words. */
	dimension?: DimensionPatch | null,
};

/** An episode that supports or opposes a rule. */
export type RuleEpisode = {
	/** UUID of the episode. */
	episodeId: string,
	/** `true`: supports the rule. */
	agrees: boolean,
	/** When it happened; `null` if the episode is deleted and only its evidence is left. */
	at: Time | null,
	/** The taken candidate, or its beginning. Empty if it is deleted. */
	before: string,
	/** The final text, or its beginning. Empty if it is deleted. */
	after: string,
	/** For an unedited choice: the other candidates, which it is compared with. Empty if they are deleted. */
	passedOver: string[],
	/** The feature's value of both texts, in its own unit; `null` if the rule has no feature. */
	measured: [number | null, number | null] | null,
};

/** The episodes that bear on a rule. */
export type RuleEpisodes = {
	/** Newest first; at most fifty that support it and fifty that contradict it. */
	episodes: RuleEpisode[],
};

/** How often the last generations of a project with a rule in the prompt followed it, ten at most. */
export type RuleFollowed = {
	/** UUID of the rule. */
	ruleId: string,
	/** Followed clearly: more than nine in ten of the compared drafts. */
	yes: number,
	/** Followed: more than half of the compared drafts. */
	partly: number,
	/** Not followed: no more than the usual draft. */
	no: number,
	/** Not followed in eight of the last ten: the model ignores it. */
	ignored: boolean,
};

/** The versions of a rule. */
export type RuleHistory = {
	/** Oldest first. */
	versions: RuleVersion[],
};

/** One rule, seen from one book. */
export type RuleInProjectArguments = {
	ruleId: string,
	projectId: string,
};

/** Rules, with the figures of the panel's footer. */
export type RuleList = {
	/** By category, then the writer's own first, then by confidence. */
	rules: Rule[],
	/** Learning is paused. */
	learningPaused: boolean,
	/** Episodes recorded in the project (in all projects without a `projectId`). */
	episodesRecorded: number,
	/** When a run last finished; `null` if none did. */
	lastDistilledAt: Time | null,
	/**
	 *  How often recent generations of the project followed each rule. Rules without a measurable feature or without a
	 *  generation are left out; the list is empty without a project, and without `episodes.db`.
	 */
	followed: RuleFollowed[],
	/** Why the rules are those of a backup and cannot be changed; `null` if they are not. */
	degradedReason?: string | null,
};

/** The source of a rule. */
export type RuleOrigin = 
/** Learned from episodes. */
"distilled" | 
/** Written by the writer. */
"manual" | 
/** Built in; used while no other rule applies. */
"builtin";

/** A change by the writer; missing fields stay as they are. */
export type RulePatch = {
	/** UUID of the rule. */
	ruleId: string,
	/** The version that was read; an outdated one is refused. */
	version: number,
	/** 1 to 500 characters, one line. */
	rule?: string | null,
	/** The group under which it is listed. */
	category?: Category | null,
	/** The scene type; an empty string means all. */
	sceneType?: string | null,
	/** The skill; an empty string means all. */
	skillUsed?: string | null,
	/** The feature, as set by the writer. */
	dimension?: DimensionPatch | null,
};

/** The status of a rule. */
export type RuleStanding = 
/** In prompts, and tested for drift. */
"active" | 
/** A suggestion: in no prompt until confirmed. */
"proposed" | 
/** Its evidence drifted or is gone: in no prompt. */
"steppedBack" | 
/** Called wrong twice: in no prompt until the writer decides. */
"suspended";

/** One version of a rule. */
export type RuleVersion = {
	/** The version after this change. */
	version: number,
	/** The wording after this change. */
	rule: string,
	/** The kind of change. */
	change: RuleChange,
	/** UUID of the run; `null` for a change by the writer. */
	runId: string | null,
	/** When it happened. */
	at: Time,
};

/** A run of distillation. */
export type Run = {
	/** UUID. */
	runId: string,
	/** UUID of the project, or `null` for all of them. */
	projectId: string | null,
	/** Why it started. */
	cause: RunCause,
	/** `running` until the run ends or waits for approval. */
	status: RunStatus,
	/** When it started. */
	begunAt: Time,
	/** When it ended; `null` while it is under way. */
	endedAt: Time | null,
	/** Number of episodes with evidence that it read. */
	episodes: number,
	/** Why it learned nothing or failed; else `null`. */
	reason: RunReason | null,
	/** The changes it made or proposes. */
	changes: RunChange[],
};

/** The answer to a request for a run. */
export type RunAnswer = {
	/** UUID of the run; of the one under way or waiting for approval if no new run was started. */
	runId: string,
	/** `running` until the run ends or waits for approval. */
	status: RunStatus,
	/** The changes it made or proposes; missing while it is under way. */
	diff?: RunChange[] | null,
	/** Why it learned nothing. */
	reason?: RunReason | null,
};

/** One run of distillation. */
export type RunArguments = {
	runId: string,
};

/** Asks a question about a book, or anything else. */
export type RunAsk = {
	/** UUID of the book. */
	projectId: string,
	/** 1..10,000 bytes. */
	question: string,
	/** The book is known up to here. Default: the whole book. */
	at?: Position | null,
	/** The selected text that the question is about, at most 100,000 bytes. */
	selection?: string | null,
	/** The subject of the question. Default: guessed from the question. */
	kind?: AnswerKind | null,
	/** Default `false`: the answer kept for the same question in the same words is returned and nothing is sent. */
	fresh?: boolean | null,
	/** Default `false`. If `true`, no model is asked: the passages that bear on the question are returned. */
	onlyBook?: boolean | null,
	/** Id of the program that answers. Default: the model of the purpose `asking`, or else that for writing. */
	backendId?: string | null,
	/**
	 *  Default `false`: a program that the system cannot keep from reading other files is refused (reason `notFenced`)
	 *  where names are hidden or the book is known up to a position only. If `true`, it may start this once.
	 */
	isUnfencedAllowed?: boolean | null,
};

/** The judgement on a run. */
export type RunAssessment = {
	/** `null` if it says nothing: the run was stopped or did not begin. */
	result: ValidationResult | null,
	/** How much it says. */
	signalStrength: SignalStrength,
	/** Its reasons, each in one word of the gatekeeper. */
	reasons: string[],
};

/** Why a run started. */
export type RunCause = 
/** Fifty new episodes since the last run. */
"episodes" | 
/** The editor was idle for over five minutes. */
"idle" | 
/** The writer requested it. */
"click" | 
/** A week has passed since the last run. */
"weekly" | 
/** New episodes contradict a rule. */
"contradiction";

/** One line of a run's diff. */
export type RunChange = {
	/** UUID of the rule that changes, or of the new one. */
	ruleId: string,
	/** UUID of the rule's project, before or after; `null` for a global one. */
	projectId: string | null,
	/** The kind of change. */
	kind: ChangeKind,
	/** The rule before, without its episodes; `null` for a new one. */
	before: Rule | null,
	/** The rule after, without its episodes; `null` for a deleted one. */
	after: Rule | null,
	/** The run was undone except for this change: the writer has changed the rule since. */
	kept: boolean,
};

/** How a run ended. */
export type RunEnd = 
/** By itself. */
"itself" | 
/** After its result, when it did not exit. */
"afterResult" | 
/** The writer stopped it. */
"cancelled" | 
/** It took too long. */
"timeout" | 
/** It printed nothing for too long. */
"silence" | 
/** It printed too much. */
"tooMuch" | 
/** It could not be started. */
"spawn";

/** Runs of distillation. */
export type RunList = {
	/** Newest first. */
	runs: Run[],
};

/** Runs maintenance now. */
export type RunMaintenance = {
	/** The job; without one, all of them. */
	job?: Job | null,
};

/** Sent at each stage of a run. */
export type RunProgress = {
	/** UUID of the run. */
	runId: string,
	/** UUID of its project, or `null` for all. */
	projectId: string | null,
	/** The present stage. */
	stage: RunStage,
	/** Progress, 0..1. */
	fraction: number | null,
	/** For a log: the stage in words, and the status at the end. */
	message: string,
};

/** Why a run learned nothing, or failed. */
export type RunReason = 
/** No episode has style evidence yet. */
{ kind: "noEvidence" } | 
/** The evidence is not significant yet. */
{ kind: "notYet"; 
/** Informative choices so far. */
choices: number; 
/** Informative edits and own texts so far. */
edits: number; 
/** The feature nearest to a rule. */
nearest: string | null; 
/** Progress towards a rule, 0..1. */
progress: number | null } | 
/** Significant effects are too small or too mixed for a rule. */
{ kind: "nothingToSay"; 
/** Number of features with a significant effect. */
features: number } | 
/** Nothing has changed since the last run. */
{ kind: "nothingNew" } | 
/** The model did not answer, or its answer was discarded. */
{ kind: "model"; 
/** One of the reasons of a model, or `unbelievable`, or `namesUnread`. */
trouble: Reason } | 
/** A part of the memory was unavailable. */
{ kind: "store" } | 
/** The program was closed, or the project's memory changed during every attempt. */
{ kind: "interrupted" };

export type RunSkill = {
	projectId: string,
	/** The chapter, as its editor names it. */
	chapterId: string,
	/** `continue`, `polish`, `rewrite`, `expand`, `condense`, `ask`, or a name of the editor's own. */
	skill: string,
	/** The scene type; detected from the passage when missing. */
	sceneType?: string | null,
	/** The text before the caret or the selection. */
	before: string,
	/** The selected text. */
	selection?: string | null,
	/** The text after. */
	after?: string | null,
	/** An instruction for this run. */
	instruction?: string | null,
	/** Number of candidates, 1 to 4; default 3. */
	candidates?: number | null,
	/** Repeats a run exactly, where the provider supports it. */
	seed?: number | null,
	/** The token budget of the whole prompt. */
	budgetTokens?: number | null,
	/**
	 *  The position in the chapter of the end of `before`, in UTF-16 code units: the story is known up to it.
	 *  Default: the length of `before`.
	 */
	offset?: number | null,
};

/** The steps of a run, in their order. */
export type RunStage = 
/** Reads the evidence. */
"gathering" | 
/** Tests it statistically. */
"testing" | 
/** Finds wordings. */
"wording" | 
/** Compares with known rules. */
"reconciling" | 
/** Writes the result. */
"committing" | 
/** Ended; the run's status says how. */
"done";

/** Whether a run is under way, waits, or how it ended. */
export type RunStatus = 
/** Under way. */
"running" | 
/** Only in answers: another run is under way, and no new one was started. */
"alreadyRunning" | 
/** Only in answers: a preview; nothing was changed. */
"dryRun" | 
/** Done, and rules changed. */
"committed" | 
/** Done without a change; `reason` says why. */
"nothing" | 
/**
 *  The run would drop more than a quarter of the rules and waits for approval. A later run over the same project
 *  replaces it.
 */
"waiting" | 
/** Failed without a change; `reason` has the kind of failure. Retried with the next trigger. */
"failed" | 
/** Cancelled by the writer. */
"cancelled" | 
/** Undone as a whole. */
"undone" | 
/** Rejected by the writer when approval was requested. */
"discarded";

/** A validation of an answer by a run. */
export type RunValidation = {
	/** UUID of the answer. */
	answerId: string,
	/** How it turned out. */
	result: ValidationResult,
	/** How much it says. */
	signalStrength: SignalStrength,
	/** False if it was stored and moves nothing. */
	isApplied: boolean,
};

/** A program to be added or changed. */
export type SaveBackend = {
	/** Id of the program to change; adds one where it is missing. */
	backendId?: string | null,
	/** Decides over the arguments, and how the output is read. */
	kind: BackendKind,
	/** The writer's name for it, 1 to 80 characters. */
	name: string,
	/**
	 *  An absolute path, or a name that is looked up in `PATH`; by default the usual name of the kind. Required for
	 *  `own`.
	 */
	program?: string | null,
	/** The arguments of a program of the kind `own`: at most 32 of 1,000 characters, `{model}` for the model. */
	arguments?: string[],
	/** The model that is asked of the program, 1 to 200 characters. */
	model?: string | null,
	/** By default `asked`. */
	isolation?: BackendIsolation,
};

/** Writes an entity that the text does not name yet, or changes an accepted one. */
export type SaveEntity = {
	/** UUID of the book. */
	projectId: string,
	/** The accepted entity to change; without it, a new one is written. */
	entityId?: string | null,
	/** The version of the entity to change. */
	version?: number | null,
	/** By the writer's word. */
	kind: EntityKind,
	/** The name it is listed by, 1..100 characters, one line. */
	name: string,
	/** All other forms by which the text names it, at most 99 of 1..100 characters; by default those that it has. */
	aliases?: string[] | null,
	/** By default that which it has; of a new one `asOf`, of a world rule `always`. */
	visibility?: Visibility | null,
	/** Whether it is in every prompt as of whose position it is known; by default as it is, or not. */
	isPinned?: boolean | null,
	/**
	 *  The position that the writer looked from: a new entity is listed from there on, or from where the text names it;
	 *  by default only with the whole book, until a fact of it is known.
	 */
	at?: Position | null,
};

/** Writes a fact, or changes one. */
export type SaveFact = {
	/** UUID of the book. */
	projectId: string,
	/** The fact to change; without it, a new one is written. */
	factId?: string | null,
	/** The version of the fact to change. */
	version?: number | null,
	/** The entity that it is about, as of `at`. A detected one is accepted. */
	entityId: string,
	/** The side of the entity that it tells of, 1..60 characters, one line. */
	attribute: string,
	/** 1..500 characters, one line. */
	value: string,
	/** The accepted entity that a relation leads to. */
	objectId?: string | null,
	/** By default `told`. */
	certainty?: Certainty | null,
	/**
	 *  The position from which the reader knows it; by default from its citation on, or, without one, from the
	 *  beginning.
	 */
	toldAt?: Position | null,
	/** In the writer's words, 1..100 characters. */
	validFrom?: string | null,
	/** In the writer's words, 1..100 characters. */
	validUntil?: string | null,
	/** The fact of the same entity that this one replaces from its own position on. */
	supersedes?: string | null,
	/** The sentence that says so. A fact that is changed keeps its citations without it. */
	citation?: CitationDraft | null,
	/** The position that the writer looked from; by default the end of the book. */
	at?: Position | null,
};

/** Adds or changes a provider. */
export type SaveProvider = {
	/** The provider to change; without one, a new one is added. */
	providerId?: string | null,
	/** The protocol. */
	kind: ProviderKind,
	/** The writer's name for it, 1 to 80 characters. */
	name: string,
	/** The address; when missing, the previous one or the default of the protocol. */
	baseUrl?: string | null,
	/** Missing: the key stays, unless the host has changed. Empty: the key is deleted. */
	key?: TypedKey | null,
};

/** Saves a learning record: an answer of origin `studied`. */
export type SaveRecord = {
	/** UUID of the book. */
	projectId: string,
	/** 1..10,000 bytes, with a letter or a digit. */
	question: string,
	/** One of a closed list. */
	questionType: QuestionType,
	/** 1..100,000 bytes. */
	answer: string,
	/** 0..1. A caller's number is stored and has no influence here; by default it is computed from verdicts. */
	confidence?: number | null,
	/** Sentences of the book that say so, at most 8. Each is looked up in the saved text. */
	citations?: CitationDraft[],
	/** Exploration path, source files, related records, domain, tags, metadata. */
	details?: AnswerDetails,
};

/** The scope of a rule. */
export type Scope = 
/** All projects. */
"global" | 
/** One project. */
"project";

/** Searches learning records, by words and by meaning of question and answer. */
export type SearchRecords = {
	/** 1..10,000 bytes. */
	query: string,
	/** UUID of the book. Required, unless `allProjects`. */
	projectId?: string | null,
	/** True: records of all books, each with its book. Such a result is never part of a prompt. */
	allProjects?: boolean,
	/** Maximum number of records, 1..50; default 5. */
	topK?: number | null,
};

/** The beginning of a section. */
export type SectionKind = 
/** The start of the file. */
"start" | 
/** A line that names a chapter, such as "Chapter 1". */
"heading" | 
/** A number alone in a line. */
"numeral" | 
/** A line of capitals. */
"capitals" | 
/** A centred line. */
"centred" | 
/** A short line between blank lines. */
"shortLine" | 
/** Signs that separate scenes. */
"ornament" | 
/** A paragraph at which the writer split a section. */
"paragraph" | 
/** The line that ends the text, before a licence. */
"licence";

/** The use of a section in an import. */
export type SectionUse = 
/** It begins a chapter. */
"chapter" | 
/** It continues the chapter before it. */
"continue" | 
/** It is left out. */
"omit";

/**
 *  An answer that a service has. Its words, level and trust are the service's; relevance and sameness are computed
 *  here.
 */
export type ServiceMatch = {
	/** `service:` and the id in the service; an answer of this memory never has such an id. */
	answerId: string,
	/** With the hidden names put back. */
	question: string,
	/** With the hidden names put back. */
	answer: string,
	/** The chance that the answer bears on the query, 0..1. */
	score: number | null,
	/** The similarity of the two questions. */
	questionMatch: QuestionMatchKind,
	/** As in a match of this memory. */
	same: number | null,
	/** 0..2: the service's, at most 2. */
	validationLevel: number,
	/** 0..1, the service's. */
	trust: number | null,
	/** 0..1, the service's. */
	freshness: number | null,
	/** Failures since the last pass, the service's; a partial one counts half. */
	consecutiveFail: number | null,
};

/** The answers of a service to a query. */
export type ServiceMatches = {
	/** Best first, without those that this memory has itself. */
	matches: ServiceMatch[],
	/** Number of items of its response that could not be read. */
	skipped: number,
	/** Why it did not serve; `null` if it did. The answers of this memory are complete in either case. */
	reason: Reason | null,
	/** Seconds after which it may be asked again, where it says so. */
	retryAfterSeconds: number | null,
};

/** The team's answer service. */
export type ServiceSettings = {
	/** The address; `null` if none was ever set. */
	baseUrl: string | null,
	/** Whether the service is asked. */
	enabled: boolean,
	/** Whether new answers of runs are sent to it. */
	sendCandidates: boolean,
	/** Where its key is stored. The key itself is never returned. */
	keyKept: KeyStorage,
};

/** Stores settings of answers. */
export type SetAnswerConfig = {
	/** Values by section and key; `null` removes a stored one. All are stored, or none. */
	values: { [key in string]: ConfigValue | null },
};

/** Says from which position on a character knows a fact. */
export type SetFactKnown = {
	/** UUID of the book. */
	projectId: string,
	/** Id of the fact that is known. */
	factId: string,
	/** The version that the writer has read. */
	version: number,
	/** An accepted entity. */
	entityId: string,
	/** The position from which it knows; without it, it does not know. */
	since?: Position | null,
};

/** Daily limits of the models; `null` for no limit. */
export type SetLimits = {
	/** Requests a day, 1 or more. */
	requestsPerDay: number | null,
	/** Tokens of prompts and answers together a day, 1 or more. */
	tokensPerDay: number | null,
};

/** The names of a book that are to be hidden from models. */
export type SetNames = {
	projectId: string,
	/** All of them, at most 500: a name that is missing here is no longer hidden. */
	names: HiddenName[],
};

/** The model of a purpose. */
export type SetPurpose = {
	purpose: Purpose,
	/** The provider, or `null` for the built-in model. */
	providerId: string | null,
	/** The model as the provider names it; `null` for the built-in one. */
	model: string | null,
};

/** Sets the scene type of a chapter's passages. */
export type SetScene = {
	projectId: string,
	chapterId: string,
	/**
	 *  One of the six or a name of the writer's, 1 to 40 characters in one line; without one it is detected for each
	 *  passage.
	 */
	sceneType?: string | null,
};

/** Sets the team's answer service. */
export type SetService = {
	/** `https://`, or `http://` on this machine; when missing, the previous one. */
	baseUrl?: string | null,
	/** Missing: the key stays, unless the host has changed. Empty: the key is deleted. */
	key?: TypedKey | null,
	/** Whether the service is asked, and sent hits and validations of its answers. */
	enabled: boolean,
	/** Whether new answers of runs are sent to it. */
	sendCandidates: boolean,
};

/** Switches the study of a book on or off. */
export type SetStudy = {
	/** UUID of the book. */
	projectId: string,
	/** Whether it is on. To switch it on, the estimate has to be agreed to. */
	isEnabled: boolean,
	/** Whether it takes more steps a question; without it, as before. */
	isDeep?: boolean | null,
	/** The host of the estimate that the writer agrees to. Required to switch it on; it has to be that of the model. */
	agreedHost?: string | null,
	/** The version that the change is based on; 0 for the first one. */
	version: number,
};

/** All settings, each with its default. */
export type Settings = {
	/** Applies to the window, not to prompts. */
	interfaceLanguage?: InterfaceLanguage,
	/** Light or dark. */
	theme?: Theme,
	/** UUID of the project that was open last. */
	lastProjectId?: string | null,
	/** Number of entries that a recall of the journal returns where it does not say, 1..50. Default 5. */
	journalTopK?: number,
	/** Maximum number of rounds in which a question recalls what has to be known for it, 1..3. Default 3. */
	journalCognitionRounds?: number,
	/** Whether readable copies of the knowledge of books are written into the data folder. Default false. */
	readableCopies?: boolean,
};

/** The settings to change; missing fields stay as they are. */
export type SettingsPatch = {
	/** Applies to the window, not to prompts. */
	interfaceLanguage?: InterfaceLanguage | null,
	/** Light or dark. */
	theme?: Theme | null,
	/** UUID of the project that was open last. */
	lastProjectId?: string | null,
	/** Number of entries that a recall of the journal returns where it does not say, 1..50. */
	journalTopK?: number | null,
	/** Maximum number of rounds in which a question recalls what has to be known for it, 1..3. */
	journalCognitionRounds?: number | null,
	/** Whether readable copies are written. Switching them off removes them. */
	readableCopies?: boolean | null,
};

/** A habit that several books share. */
export type SharedPattern = {
	/** The kind of the habit. */
	patternName: HabitKind,
	/** Its value, as in [`Habit::value`]. */
	description: string,
	/** Number of books. */
	occurrences: number,
	/** These books. */
	exampleProjects: string[],
};

/** How much a validation says. */
export type SignalStrength = 
/** The end of a run alone. */
"weak" | 
/** The answer was copied, cited, or its quotes are in the text. */
"medium" | 
/** The writer said so, or put it into the book. */
"strong";

/** One candidate of a run has ended; the others may still be written. */
export type SkillCandidate = {
	/** The run. */
	generationId: string,
	/** The candidate's place on screen. */
	candidate: number,
	/** The whole draft, or the part that came; empty if the text is no draft. */
	text: string,
	/** Why it is incomplete; `null` when it is complete or the writer stopped it. */
	error: Error | null,
	/** The text that is no draft, and why; `null` for a draft. */
	unusable: UnusableText | null,
	/**
	 *  The generation of the second try that wrote it: its trace has the prompt that was sent. `null` if the run wrote
	 *  it at once.
	 */
	writtenBy: string | null,
};

/** A chunk of a candidate, to be appended. */
export type SkillChunk = {
	/** The run. */
	generationId: string,
	/** The candidate's place on screen, in random order. */
	candidate: number,
	/** The chunk. */
	text: string,
};

/** A run has ended. */
export type SkillDone = {
	/** The run. */
	generationId: string,
	/** The outcome. */
	status: SkillStatus,
	/**
	 *  The candidates by their place on screen; incomplete when the run was stopped or failed, empty where the text is
	 *  no draft.
	 */
	candidates: string[],
	/** Why the run or one of its candidates failed. */
	error: Error | null,
};

/** Skills in the order of the menu. */
export type SkillOrder = {
	/** Most used first; all of this program's, and those of other editors. */
	skills: SkillWeight[],
};

/** The text of a candidate is no draft. What was shown of it is dropped, and its text begins again. */
export type SkillRetry = {
	/** The run. */
	generationId: string,
	/** The candidate's place on screen. */
	candidate: number,
	reason: UnusableReason,
};

/** A run has started. */
export type SkillStarted = {
	/** Identifies the generation and its trace. */
	generationId: string,
	/** Number of candidates that will come. */
	candidates: number,
	/** The model that writes. */
	provider: ModelInfo,
	/** The scene type, given or detected. */
	sceneType: string | null,
	/** The memories in the prompt. */
	memoryReferences: Reference[],
	/** Memories that were relevant and did not fit, or were left out for another reason. */
	cut: CutItem[],
	/** A part of the memory could not be read. */
	memoryDegraded: boolean,
	/** Which part, and why. */
	degradedReasons: DegradedReason[],
};

/** The outcome of a run. */
export type SkillStatus = 
/** All candidates are complete. */
"finished" | 
/** The writer stopped it. */
"cancelled" | 
/** No candidate is complete. */
"failed";

/** The prompt that was sent instead of one that the model could not read whole. The trace is updated too. */
export type SkillTrimmed = {
	/** The run. */
	generationId: string,
	/** The memories in the prompt. */
	memoryReferences: Reference[],
	/** Memories that were relevant and did not fit, or were left out for another reason. */
	cut: CutItem[],
	/** Tokens of the whole prompt. */
	totalTokens: number,
	/** Maximum tokens of prompt and answer together; remembered for the next prompt. */
	contextTokens: number,
};

/** A skill, and how often the writer uses it in a scene type. */
export type SkillWeight = {
	/** Name of the skill. */
	skill: string,
	/** The signal `sceneSkillPreference`: 0.1 for each use in the scene type. */
	weight: number | null,
};

/** One snapshot of a chapter. */
export type SnapshotArguments = {
	projectId: string,
	chapterId: string,
	snapshotId: string,
};

/** A snapshot of a chapter. */
export type SnapshotInfo = {
	snapshotId: string,
	/** When it was last the text of the chapter. */
	takenAt: Time,
	/** The reason for the snapshot. */
	reason: EarlierReason,
	/** The generation that was inserted afterwards. */
	generationId: string | null,
	/** Han characters and words of other scripts. */
	words: number,
};

/** The snapshots of a chapter. */
export type SnapshotList = {
	/** Newest first. */
	snapshots: SnapshotInfo[],
};

/** A snapshot with its text. */
export type SnapshotText = {
	snapshotId: string,
	/** The whole text, lines ended by LF. */
	text: string,
	/** Han characters and words of other scripts. */
	words: number,
	/** The passages in it that generations wrote, as far as the memory still knows them. */
	origins: OriginMark[],
};

/** A line end inside a wrapped paragraph. Offsets are UTF-16 code units, end exclusive. */
export type SoftBreakAt = {
	/** End of the words of a line. */
	from: number,
	/** Start of the words of the next line. */
	to: number,
	/** `true`: the line end is read as a space; `false`: as nothing. */
	isSpaced: boolean,
};

/** A chapter to be split in two. */
export type SplitChapter = {
	projectId: string,
	chapterId: string,
	/** The start of the second part, in UTF-16 code units of the text. */
	offset: number,
	/** The content hash of the text that was read; refused if the file has another one now. */
	baseHash: string,
	/** The title of the second part, 1 to 200 characters. Without one, the heading at the offset is its title. */
	title?: string | null,
};

/** Makes an entity of its own of some forms of another one. Both are accepted. */
export type SplitEntity = {
	/** UUID of the book. */
	projectId: string,
	/** The entity as of `at`. */
	entityId: string,
	/** The forms that are another entity: some of its forms, not all. */
	names: string[],
	/** The position that the writer looked from; by default the end of the book. */
	at?: Position | null,
};

/** Whether the book still has the sentences that an answer rests on. */
export type Staleness = 
/** All of them, or it has none. */
"current" | 
/** One is not in the text any more. */
"stale" | 
/** It says that something is not in the book, and the writer wrote a sentence near its question since. */
"maybe";

/** The standing of a statement. */
export type StatementStatus = 
/** Its passage was found. */
"verified" | 
/** No passage was found: shown struck, and not kept. */
"unverified" | 
/** It says nothing about the book and needs no passage. */
"plain";

/** The health of the whole memory. */
export type Status = {
	/** At least one part that should be available is not. */
	degraded: boolean,
	/** Part by part. */
	parts: PartHealth[],
	/**
	 *  Why the clock is implausible; `null` if it is plausible. While it is implausible, no irreversible deletion by
	 *  age happens.
	 */
	clock: ClockDoubt | null,
	/** Files that lack acknowledged writes, until the writer acknowledges it (`memory:missing:acknowledge`). */
	missing: MissingWrites[],
	/** The last run of each job. */
	maintenance: LastRun[],
	/** The newest backup; `null` when there is none yet. */
	lastBackup: Backup | null,
	/** Sizes of the two files, including their logs. */
	files: FileSize[],
	/** Usage of capacity by project, the last opened first; global rules at the end. */
	capacities: Capacity[],
	/** Number of journal entries that are still to be written; 0 within a moment after each decision. */
	journalDue: number,
	/** Number of hits, validations and new answers that are still to be sent to the team's answer service. */
	answerOutbox: number,
};

/** The attribute that a new fact of a thread has to have to be a step, by kind of step. */
export type StepAttributes = {
	/** Of the place where the story opens it. */
	planted: string,
	/** Of a place that reminds of it. */
	touched: string,
	/** Of the place where the story answers it. */
	paid: string,
	/** Of the decision that the story does not answer it. */
	leftOpen: string,
};

/** The kind of a step of a thread. */
export type StepKind = 
/** The story opens it. */
"planted" | 
/** The story reminds of it. */
"touched" | 
/** The story answers it. */
"paid" | 
/** The writer leaves it open on purpose: no place of the story. */
"leftOpen";

/** Stores an entry that the caller has worded. */
export type StoreEntry = {
	/** UUID of a known book. */
	projectId: string,
	/** 1 to 1,200 characters; line breaks are allowed, other control characters are not. */
	content: string,
	/** The kind of its event. */
	kind: JournalKind,
	/** Id of the episode, answer or session that it is about, 1 to 200 characters. */
	refId?: string | null,
	/** Time of the action, not in the future. Default now. */
	occurredAt?: Time | null,
};

/** One of the two database files. */
export type StoreFile = 
/** `rules.db`. */
"rules" | 
/** `episodes.db`. */
"episodes";

/** A text that cannot be saved now. */
export type StoreRecoveryCopy = {
	projectId: string,
	chapterId: string,
	/** The whole text, lines ended by LF. */
	text: string,
	/** The content hash of the text that it was based on. */
	baseHash: string,
	/** The passages in it that generations wrote. */
	origins?: MarkedPassage[] | null,
	/** The earlier recovery copy to replace. */
	keptId?: string | null,
};

/** The answer to a [`StoreEntry`]. */
export type StoredEntry = {
	/** UUID. */
	entryId: string,
};

export type StoredRecoveryCopy = {
	keptId: string,
	/** When it was stored. */
	at: Time,
};

/** A change of one entity or fact. */
export type StoryChange = {
	/** Id of the change, for `story:undo`. One change may concern several entities and facts. */
	changeId: string,
	/** When it was made. */
	at: Time,
	/** When it was taken back. */
	undoneAt: Time | null,
	/** The state before; `null` where there was none. */
	before: StoryState | null,
	/** The state after; `null` where there is none. */
	after: StoryState | null,
};

/** An entity of the kind `event`, or a fact with the time from which it holds. */
export type StoryEvent = {
	/** The event, or the entity that the fact is about. */
	entityId: string,
	/** `event`, or that of the entity with the fact. */
	kind: EntityKind,
	/** The name that it has as of the position. */
	name: string,
	/** The fact with the time: of an event, the first one that has one. */
	fact: Fact | null,
	/** Whether the fact has citations, none of which holds. */
	isStale: boolean,
	/** Whether the time has a year by which it is ordered. */
	isDated: boolean,
	/** The positions that tell of it, in the order of the book. */
	positions: Position[],
};

/** The answer to a [`StoryHistoryQuery`]. */
export type StoryHistory = {
	/** The latest first. */
	changes: StoryChange[],
};

/** Asks for the changes of an entity with its facts, or of one fact. */
export type StoryHistoryQuery = {
	/** UUID of the book. */
	projectId: string,
	/** The entity: its own changes and those of its facts. Either this or `factId`. */
	entityId?: string | null,
	/** The one fact whose changes are asked for. */
	factId?: string | null,
	/** Maximum number of changes, 1..200. Default 50. */
	limit?: number | null,
};

/** The state of an entity or of a fact. */
export type StoryState = 
/** That of an entity, without its facts. */
{ kind: "entity"; 
/** Its names and settings. */
entity: EntityState } | 
/** That of a fact, with its citations and knowers. */
{ kind: "fact"; 
/** The whole fact. */
fact: Fact };

/** A thread by the writer's word. */
export type StoryThread = {
	/** Id of an accepted entity of the kind `thread`. */
	entityId: string,
	/** The name it is listed by. */
	name: string,
	/** Version of the entity. */
	version: number,
	/** Whether the story has answered it up to the position. */
	status: ThreadStatus,
	/** In the order of the book; those without a place first. */
	steps: ThreadStep[],
	/**
	 *  Number of chapters since its last step, up to the chapter of the position; `null` if no step has a place, and of
	 *  a thread that is not open.
	 */
	untouchedFor: number | null,
};

/** The estimated cost of studying a book. */
export type StudyEstimate = {
	/** Name of the model; `null`: none is chosen, and the study cannot be switched on. */
	model: string | null,
	/** The host that its text is sent to; `null` without a model. */
	host: string | null,
	/** Whether that host is this machine. */
	isLocal: boolean,
	/** Number of open gaps. */
	gaps: number,
	/** The most urgent of them, at most 10. */
	topGaps: StudyGap[],
	/** Pairs of sentences that a model is to compare, one request each. */
	pairs: number,
	/** Requests of one question, at most. */
	requestsPerQuestion: number,
	/** Tokens of one question, at most. */
	tokensPerQuestion: number,
	/** Requests of a day, at most, with those of comparisons. */
	requestsPerDay: number,
	/** Tokens of a day, at most, with those of comparisons. */
	tokensPerDay: number,
	/** Passages of the book, any of which may be sent. */
	passages: number,
	/** Whether names are hidden from the model. */
	namesHidden: boolean,
};

/** Something that has not been asked about the book. */
export type StudyGap = {
	/** Why it counts as one. */
	kind: GapKind,
	/** 1..10; the most urgent first. */
	priority: number,
	/** A question about it, in the language of the book. */
	suggestedQuestion: string,
	/** The type of that question. */
	questionType: QuestionType,
	/** The entities that it is about. */
	entityIds: string[],
	/** The chapter that it is about. */
	chapterId: string | null,
};

/** The activity of a study. */
export type StudyPhase = 
/** It waits. */
"idle" | 
/** It looks whether there is something to do. */
"checking" | 
/** A model compares two sentences of the book. */
"comparing" | 
/** A model proposes questions. */
"generatingQuestion" | 
/** A model looks for the answer with tools. */
"exploring" | 
/** A model sums up. */
"summarizing" | 
/** The record is written. */
"committing" | 
/** It waits after an error. */
"backingOff" | 
/** It has stopped until the writer starts it. */
"stopped";

/** A progress report of a study. */
export type StudyProgress = {
	/** UUID of the book. */
	projectId: string,
	/** Its progress. */
	state: StudyState,
};

/** A question that the program asks itself about a book, or that the writer put into the queue. */
export type StudyQuestion = {
	/** UUID. */
	questionId: string,
	/** 1..2,000 characters. */
	question: string,
	/** As in the learning record that answers it. */
	questionType: QuestionType,
	/** The kind of the gap that it is about; `null`: the writer asks it. */
	gap: GapKind | null,
	/** 1..10. The writer's own come first, whatever it is. */
	priority: number,
	/** Whether it has been answered. */
	state: QuestionState,
	/** Its learning record. */
	answerId: string | null,
	/** Time at which it was asked. */
	createdAt: Time,
};

/** The progress of the study of a book. */
export type StudyState = {
	/** Whether the writer has switched it on. */
	isEnabled: boolean,
	/** Whether it takes more steps a question. */
	isDeep: boolean,
	/** The host that the writer agreed to; `null`: no agreement. */
	agreedHost: string | null,
	/** Its present phase. */
	currentPhase: StudyPhase,
	/** Why it waits or has stopped; `null` while it works, and before the first run. */
	stopReason: StudyStopReason | null,
	/** The question at work. */
	questionId: string | null,
	/** The words of that question. */
	question: string | null,
	/** Number of steps of its exploration. */
	step: number,
	/** Maximum number of steps. */
	maxSteps: number,
	/** Errors since the last success. */
	consecutiveErrors: number,
	/** A short code of the last error. */
	lastError: string | null,
	/** Time until which it waits after an error. */
	backoffUntil: Time | null,
	/** Questions begun today. */
	questionsToday: number,
	/** Maximum number of questions a day. */
	maxQuestions: number,
	/** Explorations begun today. */
	explorationsToday: number,
	/** Maximum number of explorations a day. */
	maxExplorations: number,
	/** Requests for a comparison of two sentences begun today. */
	comparisonsToday: number,
	/** Maximum number of requests for comparisons a day. */
	maxComparisons: number,
	/**
	 *  Whether comparisons that the writer asked for wait for the end of another book's study, or of a run of
	 *  distillation.
	 */
	isComparisonWaiting: boolean,
	/** The local day of these numbers, `YYYY-MM-DD`. */
	lastResetDate: string,
	/** Questions explored since the study began. */
	totalQuestionsExplored: number,
	/** Version of the settings; 0: none are stored. */
	version: number,
};

/** Why a study waits or has stopped. */
export type StudyStopReason = 
/** The writer stopped it. */
"user" | 
/** The provider refuses the key. */
"noKey" | 
/** No gap is left. */
"fullyLearned" | 
/** Five questions in a row were known: it waits for a change of the book. */
"duplicates" | 
/** The questions or explorations of the day are used: it waits for tomorrow. */
"quota" | 
/** Nothing has changed since: it waits for a change of the book. */
"unchanged" | 
/** Five errors in a row. */
"error" | 
/** No model is chosen. */
"noModel" | 
/** Learning is paused. */
"paused" | 
/** The book is not open. */
"bookClosed";

/** The style profile of a book. */
export type StyleProfile = {
	/** Number of chapters read. */
	chapters: number,
	/** Number of measured passages, of about three hundred words, or Chinese characters, each. */
	passages: number,
	/** Number of words, or Chinese characters, in them. */
	words: number,
	/** Number of words left out because the assistant wrote them. */
	byAssistant: number,
	/** Empty where there is no passage. */
	sides: StyleSide[],
};

/**
 *  One feature of a style. Its unit depends on the feature: units a sentence, sentences a paragraph, a share (0..1), a
 *  rate for each hundred units, or marks a sentence.
 */
export type StyleSide = {
	/** The feature, as in a rule's pattern. */
	feature: string,
	/** Mean over the passages, ≥ 0. */
	mean: number | null,
	/** Lower quartile over the passages. */
	low: number | null,
	/** Upper quartile over the passages. */
	high: number | null,
};

export type TestProvider = {
	providerId: string,
	/** A model that is asked to write a word. */
	model?: string | null,
};

/** The outcome of a successful test. */
export type Tested = {
	/** Duration of the whole test. */
	milliseconds: number,
	/** Number of its models; `null` where the provider does not list them. */
	models: number | null,
	/** Whether a model was named and has written. */
	answer: boolean,
};

/** The result of a test. */
export type TestedBackend = {
	/** The first line that the program prints about its version, at most 100 characters; `null` without one. */
	version: string | null,
	/** Whether a question can be asked. */
	ready: boolean,
	/** The fence of its runs. */
	fence: BackendFence,
	/** The reason why no question can be asked; `null` if one can. */
	reason: Reason | null,
};

/** Light or dark. */
export type Theme = 
/** As the system's. */
"system" | 
/** Dark on light. */
"light" | 
/** Light on dark. */
"dark";

/** The threads of a book, as of a position. */
export type ThreadList = {
	/**
	 *  The open ones first, of them those that were not touched for the most chapters; then those that are left open;
	 *  then those that are paid, in the order of the chapters that do.
	 */
	threads: StoryThread[],
	/** The attributes of the facts that are steps, in the language of the book. */
	attributes: StepAttributes,
};

/** Whether a thread is answered. */
export type ThreadStatus = 
/** Not yet. */
"open" | 
/** The writer leaves it open on purpose. */
"leftOpen" | 
/** The story answers it. */
"paid";

/** A place where a thread is told of. */
export type ThreadStep = {
	/** The kind, by the attribute of the fact. */
	kind: StepKind,
	/** A fact of the thread, with its citations and knowers up to the position. */
	fact: Fact,
	/** Whether it has citations, none of which holds. A stale step pays nothing. */
	isStale: boolean,
	/** The position from which the reader knows it; `null`: from the beginning. */
	position: Position | null,
};

/** The method behind a weight. */
export type Tier = 
/** Estimated: compares the draft with recent drafts. */
"compliance" | 
/** Measured: regenerates with memories left out at random. */
"masked";

/** Milliseconds since 1970-01-01T00:00:00Z. Written as RFC 3339 on the wire, as an integer on disk. */
export type Time = string;

/** The meaning of an expression of time, without what its context adds. */
export type TimeValue = 
/** A date, of which some parts may be missing. */
{ kind: "date"; 
/** 1 to 9999. */
year: number | null; 
/** 1 to 12. */
month: number | null; 
/** 1 to 31. */
day: number | null; 
/** The day of the week of a whole date, by the Gregorian calendar: 1 Monday to 7 Sunday. */
weekday: number | null } | 
/** A day of the week. */
{ kind: "weekday"; 
/** 1 Monday to 7 Sunday. */
weekday: number } | 
/** A part of the day: `dawn`, `morning`, `noon`, `afternoon`, `evening`, `night`, `midnight`. */
{ kind: "partOfDay"; 
/** Its name. */
part: string } | 
/** A season: `spring`, `summer`, `autumn`, `winter`. */
{ kind: "season"; 
/** Its name. */
season: string } | 
/** A distance from another time. */
{ kind: "after"; 
/** Number of units, negative for earlier times. */
amount: number; 
/** `hour`, `day`, `week`, `month`, `year`. */
unit: string; 
/** The date it leads to from the last whole date before it in the chapter, as `1983-05-15`. */
date: string | null } | 
/** An age in years. */
{ kind: "age"; 
/** In years. */
years: number };

/** The answer to a [`TimelineQuery`]. */
export type Timeline = {
	/** In the order of the text. */
	times: ToldTime[],
	/** Number of all expressions up to the position. */
	total: number,
};

/** Asks for the expressions of time in a book, in the order of the text. */
export type TimelineQuery = {
	/** UUID of the book. */
	projectId: string,
	/** The position up to which the book is known; by default its end. */
	at?: Position | null,
	/** Number of expressions to skip. Default 0. */
	skip?: number | null,
	/** Maximum number of expressions, 1..500. Default 200. */
	limit?: number | null,
};

/** An expression of time. */
export type ToldTime = {
	/** The place. */
	range: MentionRange,
	/** The words. */
	text: string,
	/** The meaning of the words. */
	value: TimeValue,
};

/** One use of a tool in a run. */
export type ToolUse = {
	/** Name of the tool, 1..100 characters. */
	name: string,
	/** True if it worked. */
	ok: boolean,
};

/** A part of the memory that can change. */
export type Topic = 
/** Semantic rules. */
"rules" | 
/** Recorded passages and what the writer did with them. */
"episodes" | 
/** Traces and marks of origin. */
"traces" | 
/** Working memory. */
"working" | 
/** Passages of the manuscript, and the program's findings in it. */
"story" | 
/** Entries of the journal. */
"journal" | 
/** Answers and their standing. */
"answers" | 
/** The knowledge of books: records, questions, the study. */
"knowledge" | 
/** The program's settings. */
"settings" | 
/** The known projects. */
"projects" | 
/** Providers, and the models of the purposes. */
"models" | 
/** Programs that answer questions. */
"backends" | 
/** Model costs of today, and the limits. */
"usage" | 
/** Names that are hidden from models. */
"names" | 
/** Copies of the databases. */
"backups" | 
/** Results of the last maintenance runs. */
"maintenance";

/** The trace of one generation, written when it ran and never recomputed. */
export type Trace = {
	/** UUID of the generation. */
	generationId: string,
	/** UUID of the project. */
	projectId: string,
	/** Id of the chapter, as its editor names it. */
	chapterId: string,
	/** The skill that was run. */
	skill: string,
	/** The scene type that was given or guessed. */
	sceneType: string | null,
	/** When it started. */
	createdAt: Time,
	/** The model. */
	provider: ModelInfo,
	/** The seed of the run; each candidate's own is derived from it. */
	seed: number,
	/** BLAKE3 of the messages, hexadecimal. */
	promptHash: string,
	/** The messages exactly as sent. */
	messages: Message[],
	/** Tokens of all messages together. */
	totalTokens: number,
	/** The memories in the prompt, in order, in their wording of that time. */
	memoryReferences: Reference[],
	/** Items that matched and were cut. */
	cut: CutItem[],
	/** At least one part of the memory was unavailable. */
	memoryDegraded: boolean,
	/** The unavailable parts, and why. */
	degradedReasons: DegradedReason[],
	/** The writer's verdicts on the memories, oldest first. */
	feedback: TraceVerdict[],
	/**
	 *  The weights of the memories in the taken draft, else in the first; empty until the generation has ended. The
	 *  estimate first, then a measurement if one was requested.
	 */
	influenceWeights: Influence[],
	/** UUID of the episode, once the writer has decided. */
	episodeId: string | null,
	/** The writer's decision; `null` until then. */
	outcome: Outcome | null,
	/** When its words were erased at the writer's request: messages, references and cut items then have empty texts. */
	blankedAt: Time | null,
	/**
	 *  UUID of the generation of which this one is the second try: some of its drafts were unusable. `null` if this is
	 *  no second try, and when that trace is deleted.
	 */
	firstTry: string | null,
	/** UUID of the generation that is the second try of this one; `null` if there is none. */
	secondTry: string | null,
};

/** A verdict to store. */
export type TraceFeedback = {
	/** UUID of the project. */
	projectId: string,
	/** UUID of the generation. */
	generationId: string,
	/** Id of one of its references. */
	referenceId: string,
	/** The latest one; it replaces earlier ones. */
	verdict: Verdict,
	/** The writer's explanation, 1 to 10,000 bytes. */
	note?: string | null,
};

/** The verdict on one memory. */
export type TraceVerdict = {
	/** Kind and id of the memory. */
	referenceId: string,
	/** The latest verdict. */
	verdict: Verdict,
	/** When it was given. */
	at: Time,
	/** The writer's explanation; `null` if none. */
	note: string | null,
};

/** A key on its way in. It cannot be printed, and it serialises to an empty text, so it is never returned. */
export type TypedKey = string;

/** Undoes an event of an answer: the standing is that of the other events. */
export type UndoAnswerEvent = {
	/** UUID of the book. */
	projectId: string,
	/** Id of the event. */
	eventId: string,
};

/** The last split or merge. */
export type UndoChapterChange = {
	projectId: string,
	changeId: string,
};

/** Takes a change of entities back. */
export type UndoEntityChange = {
	/** UUID of the book. */
	projectId: string,
	/** Id of the change. Refused if an entity that it concerns was changed since. */
	changeId: string,
};

export type UndoImport = {
	projectId: string,
	/** Of [`UndoableImport`]. */
	importId: string,
};

/** The last import into a book, while it can be undone. */
export type UndoableImport = {
	importId: string,
	/** Number of its chapters. */
	chapters: number,
};

/** An accepted entity that the text does not name up to a position. */
export type UnnamedEntity = {
	/** Id of the entity. */
	entityId: string,
	/** By the writer's word. */
	kind: EntityKind,
	/** The name it is listed by, or, while that is not known to be one of its own, the first of its forms that is. */
	name: string,
	/** The value of the first of its facts that hold as of the position. */
	firstFact: string | null,
	/** When models may have it. */
	visibility: Visibility,
	/** Version of the entity. */
	version: number,
	/** Number of its facts that hold as of the position. */
	facts: number,
};

/** The reason why a text is no draft. */
export type UnusableReason = 
/** It repeats the prompt. */
"promptEcho" | 
/** It repeats the passage, or returns the selection, or nearly all of it, unchanged. */
"repeatsPassage" | 
/** The model refuses. */
"refusal" | 
/** It speaks about the text. */
"advice" | 
/** It is in another language than the book. */
"wrongLanguage" | 
/** The same sentences again and again. */
"loop" | 
/** Without words of a draft. */
"empty";

/** A text of a model that is no draft. */
export type UnusableText = {
	reason: UnusableReason,
	/** The text as the model wrote it, with names restored; it may contain lines of the prompt. */
	text: string,
};

/** Edits an answer: its trust and level begin again. */
export type UpdateAnswer = {
	/** UUID of the book. */
	projectId: string,
	/** UUID of the answer. */
	answerId: string,
	/** The version that the change is based on. */
	version: number,
	/** As in `answer:record`; left out: it stays. */
	question?: string | null,
	/** As in `answer:record`; left out: it stays. */
	answer?: string | null,
	/** Left out: it stays. */
	kind?: AnswerKind | null,
	/** As in `answer:record`; left out: they stay. */
	citations?: CitationDraft[] | null,
};

/** Changes the status of a failure. */
export type UpdateFailure = {
	/** UUID of the book. */
	projectId: string,
	/** UUID of the failure. */
	failureId: string,
	/** The new status. */
	status: FailureStatus,
	/** At most 500 characters; without it, the stored one stays. */
	avoidStrategy?: string | null,
};

/** Changes the settings of the knowledge of a book. */
export type UpdateProjectMemory = {
	/** UUID of the book. */
	projectId: string,
	/** 0..2,000 characters that introduce the book: genre, period, setting, subject. */
	background: string,
	/** The version that the change is based on; 0 for the first one. */
	version: number,
};

/** Today's usage of models that are not built in, and the writer's limits. */
export type Usage = {
	/** Local day, `YYYY-MM-DD`. */
	day: string,
	/** Requests with a complete or partial answer. */
	requests: number,
	/** Tokens of prompts and answers together: the provider's count, else an estimate. */
	tokens: number,
	/** Maximum requests per day, or `null`. */
	requestsPerDay: number | null,
	/** Maximum tokens per day, or `null`. */
	tokensPerDay: number | null,
};

/** Validates an answer from outside a run. */
export type ValidateAnswer = {
	/** UUID of the book. */
	projectId: string,
	/** UUID of the answer. */
	answerId: string,
	/** How it turned out. */
	result: ValidationResult,
	/** Default `client`. `run` is refused: `answer:complete` validates by run. */
	source?: ValidationSource | null,
	/** At most `medium` for a client; the other sources have their own. */
	signalStrength?: SignalStrength | null,
	/** The run that was given the answer. A client's validation without one is stored and moves nothing. */
	runId?: string | null,
	/** The version that the writer has seen; refused if the answer has changed since. */
	version?: number | null,
	/** At most 1,000 characters. */
	note?: string | null,
};

/** Validates an answer of a service that a run was given: the validation is sent to the service. */
export type ValidateServiceAnswer = {
	/** UUID of the book. */
	projectId: string,
	/** UUID of the run that was given the answer. */
	runId: string,
	/** Id of the answer, with `service:`. */
	answerId: string,
	/** How it turned out, by the writer's word. */
	result: ValidationResult,
};

/** How a validation turned out. */
export type ValidationResult = 
/** The answer was right. */
"pass" | 
/** It was right in part. */
"partial" | 
/** It was wrong. */
"fail";

/** The origin of a validation. */
export type ValidationSource = 
/** A run that was given the answer. */
"run" | 
/** The writer said so. */
"writer" | 
/** The writer put it into a chapter. */
"inserted" | 
/** The writer copied it. */
"copied" | 
/** The writer asked the same again within ten minutes. */
"reasked" | 
/** Its quotes were found in the text of the book. */
"cited" | 
/** The program of an embedder. */
"client";

/** The writer's verdict on a memory in a generation. */
export type Verdict = 
/** The memory belonged in the prompt. */
"right" | 
/** Wrong. For a rule: counts against it. For other kinds: the memory stays out of prompts. */
"wrong" | 
/** Out of place: the memory stays out of prompts for this skill and scene type. */
"notHere";

/** When models and lists may have an entity. */
export type Visibility = 
/** From the position on at which the text tells of it. */
"asOf" | 
/** At every position, as a rule of the world. */
"always" | 
/** Only on its card: it is in no prompt. */
"hidden";

/** Places that hold the words of a deleted memory because of that memory, by kind. */
export type WordCounts = {
	/** Prompts of earlier generations, with the memories cited in them; and traces that list it among what was cut. */
	traces?: number,
	/** The writer's remarks on it in traces. */
	notes?: number,
	/** Episodes recorded by the program for a "wrong" verdict on a rule: they quote the rule. */
	remarks?: number,
	/** Versions of a rule in its history. */
	ruleVersions?: number,
	/** Tombstones of a rule. */
	tombstones?: number,
	/** Changes in the list of runs. */
	runChanges?: number,
	/** Backups. Before an erasure, all existing ones: their contents are not read. */
	backups?: number,
	/** Damaged files that were moved aside. An erasure deletes them. */
	setAside?: number,
};

/** Who worded an entry. */
export type WordedBy = 
/** The program, by a template. */
"template" | 
/** The model of the purpose. */
"model" | 
/** The program that stored it by `journal:store`, or the file it was imported from. */
"client";

/** An item to add. */
export type WorkingDraft = {
	/** UUID of the project. */
	projectId: string,
	/** Decides how long it stays. */
	kind: WorkingKind,
	/** 1 to 8,000 tokens. */
	text: string,
	/** 0..1, default by kind. */
	importance?: number | null,
	/** For a signal: -1.5..1.5, default 0.5. Adding the same signal again adds to it. */
	weight?: number | null,
	/** For a signal: its skill, default `ask`. */
	skillUsed?: string | null,
	/** For a signal: its scene type. */
	sceneType?: string | null,
};

/** One item. */
export type WorkingItem = {
	/** Unique in the session. */
	itemId: string,
	/** UUID of the project. */
	projectId: string,
	/** Always `project`: working memory is never shared between projects. */
	scope: Scope,
	/** Increases by one with each change. */
	version: number,
	/** Decides how long it stays. */
	kind: WorkingKind,
	/** As it goes into a prompt. */
	text: string,
	/** Counted by the tokenizer. */
	tokens: number,
	/**
	 *  Present importance, 0..1: the initial value, reduced by age and by distance from the present focus, raised by
	 *  each touch.
	 */
	importance: number | null,
	/** Accumulated weight of a signal; `null` for other kinds. */
	weight?: number | null,
	/** Skill of a signal. */
	skillUsed?: string | null,
	/** Scene type of a signal. */
	sceneType?: string | null,
	/** When it was added. */
	createdAt: Time,
	/** When it was last added again or used. */
	touchedAt: Time,
};

/** One working item. */
export type WorkingItemArguments = {
	projectId: string,
	itemId: string,
};

/** The kind of an item. */
export type WorkingKind = 
/** The writer's present position in the text. */
"focus" | 
/** The writer's intention. */
"intent" | 
/** An undo or redo. */
"undo" | 
/** A sign of a preference, not yet strong enough to be stored. */
"signal" | 
/** A request to the assistant and its result. */
"exchange";

/** The contents of working memory. */
export type WorkingList = {
	/** Most important first. */
	items: WorkingItem[],
	/** Tokens of all items together. */
	tokens: number,
	/** The hard limit, in tokens. */
	budgetTokens: number,
};

/** A chapter's new text. */
export type WriteChapter = {
	projectId: string,
	chapterId: string,
	/** The whole text, lines ended by LF. */
	text: string,
	/** The content hash of the text that was read; refused if the file has another one now. */
	baseHash: string,
	/** The passages that generations wrote, in the order of the text. */
	origins: OriginAt[],
	/**
	 *  Earlier texts of the chapter, in order, to be stored as snapshots before the chapter is replaced. A snapshot
	 *  that cannot be stored does not prevent the save; the answer reports it.
	 */
	before?: EarlierText[] | null,
	/** The recovery copy of this text, discarded after the save. */
	keptId?: string | null,
};

/** The outcome of a write. */
export type Written = {
	/** The content hash to send with the next write. */
	contentHash: string,
	/** Han characters and words of other scripts. */
	words: number,
	/** Whether the marks were saved too; if not, they are found again by their words. */
	originsSaved: boolean,
	/** Whether all requested snapshots were stored. */
	snapshotsSaved: boolean,
};
