// Generated from the table of commands. Do not edit: run `npm run generate`.

/** Other memories and texts that hold a whole sentence of a deleted memory. They are never touched. */
export type AlsoIn = {
	/** Episodes. */
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

/** The passage to work on, and what is asked. */
export type AssembleRequest = {
	/** The book. */
	projectId: string,
	/** The chapter, as its editor names it. */
	chapterId: string,
	/** What the assistant shall do. */
	skill: string,
	/** The kind of scene; guessed from the passage when missing. */
	sceneType?: string | null,
	/** The text before the caret or the selection, at most 400,000 bytes; its end counts. */
	before: string,
	/** The selected text, at most 100,000 bytes. */
	selection?: string | null,
	/** The text after, at most 400,000 bytes; its beginning counts. */
	after?: string | null,
	/** A wish for this run, at most 10,000 bytes. */
	instruction?: string | null,
	/** The whole prompt, 1,000 to 200,000 tokens; default 6,000. */
	budgetTokens?: number | null,
};

/** A prompt, ready to be sent, and where every part of it comes from. */
export type AssembledContext = {
	/** Of the book. */
	language: Language,
	/** The scene type that was given or guessed. */
	sceneType: string | null,
	/** The layers, in order. */
	layers: Layer[],
	/** The memories that went in, in order. */
	memoryReferences: Reference[],
	/** What matched and stayed out. */
	cut: CutItem[],
	/** Exactly what is sent. */
	messages: Message[],
	/** All messages together. */
	totalTokens: number,
	/** A part of the memory could not be asked. */
	memoryDegraded: boolean,
	/** Which, and why. */
	degradedReasons: DegradedReason[],
};

/** A copy of one of the two files that was read back and found whole when it was made. */
export type Backup = {
	/** Names it. */
	backupId: string,
	/** Of which file. */
	file: StoreFile,
	/** When it was made. */
	createdAt: Time,
	/** Its size. */
	bytes: number,
	/** Why it was made. */
	reason: BackupReason,
};

/** Backups. */
export type BackupList = {
	/** Newest first. */
	backups: Backup[],
};

/** Why a backup was made. */
export type BackupReason = 
/** Something had changed since the one before. */
"changed" | 
/** The writer asked for it. */
"manual" | 
/** The schema was about to change. */
"migration" | 
/** Something was about to be taken in. */
"import" | 
/** Something was about to be cleared: what stays is in it. */
"clearing" | 
/** Another backup was about to be put in its place. */
"restore";

/** Replaces a damaged file by an empty one. */
export type BeginAnew = {
	/** The file. */
	file: StoreFile,
	/** Must be `true`. */
	confirmed?: boolean | null,
};

/** An empty file is in the place of one that was damaged or gone. */
export type BegunAnew = {
	/** Which. */
	file: StoreFile,
	/** The name under which the damaged file is kept beside it; `null` where it was gone. */
	setAside: string | null,
};

/** An open book. */
export type Book = {
	/** The book. */
	project: Project,
	/** Its chapters, in reading order. */
	chapters: ChapterInfo[],
};

/** A run to stop. */
export type CancelSkill = {
	/** The generation. */
	generationId: string,
};

/** The outcome of a cancellation. */
export type Cancelled = {
	/** Whether the generation was still running. */
	cancelled: boolean,
};

/** How full the memory of a book is. What cannot be asked at present is `null`. */
export type Capacity = {
	/** The book; `null` for what holds in all of them. */
	projectId: string | null,
	/** Episodes with their texts. */
	active: Fill | null,
	/** Episodes of which a summary is left. */
	compressed: Fill | null,
	/** Rules. */
	rules: Fill | null,
};

/** What a rule is about, as the panel groups them. */
export type Category = 
/** Sentences and their sound. */
"style" | 
/** How the story is told. */
"structure" | 
/** People. */
"character" | 
/** Speed. */
"pacing" | 
/** Words. */
"vocabulary";

/** What changed, and in which book. */
export type Change = {
	/** The book, or `null` for all of them. */
	projectId: string | null,
	/** The parts that changed. */
	what: Topic[],
};

/** What a run did to a rule. */
export type ChangeKind = 
/** New. */
"learned" | 
/** Surer than before, or on more evidence. */
"strengthened" | 
/** Less sure than before. */
"weakened" | 
/** The writer has turned: the same rule now says the opposite. */
"replaced" | 
/** Its evidence turned, and nothing else is clear yet: not in force. */
"steppedBack" | 
/** Its evidence does not carry it any more: not in force. */
"withdrawn" | 
/** In force again. */
"returned" | 
/** Supported in several books: holds in all of them. */
"globalised" | 
/** Supported in one book only any more: holds there. */
"localised" | 
/** A question to the writer: not in force until confirmed. */
"proposed" | 
/** The writer confirmed it, and the evidence has turned. Nothing else changed. */
"challenged" | 
/** It was found what a rule in words is about. */
"understood" | 
/** Made room: the least sure ones go when there are too many. */
"dropped";

/** A chapter was changed outside the program. */
export type ChapterChanged = {
	/** The book. */
	projectId: string,
	/** The chapter. */
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

/** Chapters. */
export type ChapterList = {
	/** In reading order. */
	chapters: ChapterInfo[],
};

/** A chapter to edit. */
export type ChapterText = {
	/** The chapter. */
	chapterId: string,
	/** Its title. */
	title: string,
	/** The whole text, lines ended by LF. */
	text: string,
	/** The content hash to send with the next write. */
	contentHash: string,
	/** The passages that generations wrote. */
	origins: OriginMark[],
	/** Passages whose words no longer occur, or occur more than once. */
	unanchored: OriginMark[],
	/**
	 *  Recovery copies, newest first: of this chapter, and of chapters of the book whose files are missing, which
	 *  have no other place to be shown.
	 */
	kept: KeptText[],
};

/** Clearing the whole memory. */
export type ClearAll = {
	/** Must be `true`: a clearing cannot be undone. */
	confirmed?: boolean | null,
};

/** Clearing the memory of one book. */
export type ClearProject = {
	/** The book. */
	projectId: string,
	/** Must be `true`: a clearing cannot be undone. */
	confirmed?: boolean | null,
};

/** How much a clearing took out, by kind. */
export type ClearedCounts = {
	/** Episodes. */
	episodes?: number,
	/** Their vectors. */
	vectors?: number,
	/** Texts in the index of words. */
	words?: number,
	/** Traces of generations. */
	traces?: number,
	/** Marks of origin. */
	origins?: number,
	/** Rules. */
	rules?: number,
	/** Versions of rules, those of rules that were gone already included. */
	ruleVersions?: number,
	/** Items of working memory. */
	workingItems?: number,
	/** Backups, and damaged files that had been set aside. */
	backups?: number,
};

/** One line of the audit log. */
export type Clearing = {
	/** UUID. */
	clearingId: string,
	/** The book, or `null` for everything. */
	projectId: string | null,
	/** Who asked for it: the user of the system, or `writer` where that is not known. */
	requestedBy: string,
	/** When. */
	requestedAt: Time,
	/** When nothing was left; `null` while it is under way. */
	finishedAt: Time | null,
	/** How much. */
	counts: ClearedCounts,
	/** The book was forgotten too: title, folder, names and recovery copies. */
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
 *  Why the clock is not believed: it is more than 60 days from the newest time that the memory knows, and was neither
 *  seen on two different days nor confirmed by the writer (`memory:clock:confirm`).
 */
export type ClockDoubt = {
	/** Which way it is off. */
	reason: ClockReason,
	/** What it shows. */
	now: Time,
	/** The newest time that the memory knows. */
	newest: Time,
};

/** Which way a clock is off. */
export type ClockReason = 
/** After the newest known time. */
"ahead" | 
/** Before it: what is recorded meanwhile is dated on from the newest known time. */
"behind";

/** What went wrong, by kind. The names are part of the wire. */
export type Code = 
/** An argument is missing, unknown, of the wrong type, empty, too large or out of range. */
"MEMORY_INVALID_ARGUMENT" | 
/** There is no such thing. */
"MEMORY_NOT_FOUND" | 
/** It exists, and belongs to another project. */
"MEMORY_SCOPE_DENIED" | 
/** A trace does not agree with its own references any more: what stands there is not what was written. */
"MEMORY_TRACE_MISMATCH" | 
/** Somebody changed it since it was read. */
"MEMORY_STALE_VERSION" | 
/** A confidence outside 0..1. */
"MEMORY_CONFIDENCE_OUT_OF_RANGE" | 
/** Everything that could make room is protected. */
"MEMORY_CAPACITY_EXCEEDED" | 
/** Too many recalls at once; `retryAfterSeconds` says how long to wait. */
"MEMORY_BACKPRESSURE" | 
/** Clearing takes things out for good, and was not confirmed. */
"MEMORY_CLEAR_CONFIRM_REQUIRED" | 
/** A write failed, and failed again when it was retried. */
"MEMORY_WRITE_FAILED" | 
/** A database cannot be opened or read. */
"MEMORY_STORE_UNAVAILABLE" | 
/** A maintenance job failed; it is tried again at its next window. */
"MEMORY_CLEANUP_FAILED" | 
/** Learning is paused: nothing is distilled until the writer resumes it. */
"MEMORY_LEARNING_PAUSED" | 
/** The model cannot write. */
"MEMORY_MODEL_UNAVAILABLE";

/** Arguments and answer of one command, for the bindings. */
export type Command<A, R> = {
	args: A,
	result: R,
};

/** Every command with its types, for the bindings. */
export type Commands = {
	"ai:provider:delete": Command<OfProvider, DeletedProvider>,
	"ai:provider:find": Command<Nothing, FoundModels>,
	"ai:provider:list": Command<Nothing, ProviderList>,
	"ai:provider:models": Command<OfProvider, ModelList>,
	"ai:provider:save": Command<SaveProvider, Provider>,
	"ai:provider:test": Command<TestProvider, Tested>,
	"ai:purpose:set": Command<SetPurpose, PurposeModel>,
	"ai:skill:cancel": Command<CancelSkill, Cancelled>,
	"ai:skill:run": Command<RunSkill, SkillStarted>,
	"ai:usage:get": Command<Nothing, Usage>,
	"ai:usage:limit": Command<SetLimits, Usage>,
	"chapter:create": Command<CreateChapter, ChapterInfo>,
	"chapter:keep": Command<KeepChapter, KeptAt>,
	"chapter:keep:drop": Command<LetGoKept, LetGo>,
	"chapter:list": Command<OfProject, ChapterList>,
	"chapter:move": Command<MoveChapter, ChapterList>,
	"chapter:read": Command<OfChapter, ChapterText>,
	"chapter:rename": Command<RenameChapter, ChapterInfo>,
	"chapter:scene": Command<SetScene, ChapterInfo>,
	"chapter:snapshot:list": Command<OfChapter, SnapshotList>,
	"chapter:snapshot:read": Command<OfSnapshot, SnapshotText>,
	"chapter:write": Command<WriteChapter, Written>,
	"memory:backup:create": Command<Nothing, BackupList>,
	"memory:backup:list": Command<Nothing, BackupList>,
	"memory:backup:restore": Command<OfBackup, Restored>,
	"memory:clear:all": Command<ClearAll, ClearedCounts>,
	"memory:clear:log": Command<Nothing, ClearingLog>,
	"memory:clear:project": Command<ClearProject, ClearedCounts>,
	"memory:clock:confirm": Command<Nothing, Status>,
	"memory:conflict:list": Command<OfAnyProject, ConflictList>,
	"memory:conflict:resolve": Command<ResolveConflict, Rule>,
	"memory:context:assemble": Command<AssembleRequest, AssembledContext>,
	"memory:distill:approve": Command<OfRun, Run>,
	"memory:distill:cancel": Command<OfRun, Run>,
	"memory:distill:list": Command<OfAnyProject, RunList>,
	"memory:distill:undo": Command<OfRun, Run>,
	"memory:editor:activity": Command<OfProject, Noted>,
	"memory:episode:confirm": Command<ConfirmEpisode, Episode>,
	"memory:episode:delete": Command<DeleteEpisode, DeletedEpisode>,
	"memory:episode:feedback": Command<EpisodeFeedback, Episode>,
	"memory:episode:query": Command<EpisodeQuery, RecallAnswer>,
	"memory:episode:record": Command<EpisodeDraft, Recorded>,
	"memory:export": Command<ExportMemory, Exported>,
	"memory:import": Command<ImportMemory, Imported>,
	"memory:learning:pause": Command<Nothing, LearningState>,
	"memory:learning:resume": Command<ResumeLearning, LearningState>,
	"memory:maintenance:run": Command<RunMaintenance, MaintenanceReport>,
	"memory:missing:acknowledge": Command<Nothing, Status>,
	"memory:names:list": Command<OfProject, NameList>,
	"memory:names:set": Command<SetNames, NameList>,
	"memory:names:suggest": Command<OfProject, NameForms>,
	"memory:promote": Command<PromoteRule, PromotedRule>,
	"memory:semantic:add": Command<RuleDraft, Rule>,
	"memory:semantic:confirm": Command<ConfirmRule, Rule>,
	"memory:semantic:delete": Command<DeleteRule, DeletedRule>,
	"memory:semantic:distill": Command<Distill, RunAnswer>,
	"memory:semantic:evidence": Command<OfRuleInProject, RuleEpisodes>,
	"memory:semantic:history": Command<OfRule, RuleHistory>,
	"memory:semantic:list": Command<ListRules, RuleList>,
	"memory:semantic:undo": Command<OfRule, Rule>,
	"memory:semantic:update": Command<RulePatch, Rule>,
	"memory:skills:order": Command<OrderSkills, SkillOrder>,
	"memory:status": Command<Nothing, Status>,
	"memory:store:begin-anew": Command<BeginAnew, BegunAnew>,
	"memory:trace:feedback": Command<TraceFeedback, JudgedTrace>,
	"memory:trace:get": Command<OfGeneration, Trace>,
	"memory:trace:measure": Command<MeasureTrace, MeasureAnswer>,
	"memory:trace:record": Command<RecordTrace, Trace>,
	"memory:working:end-session": Command<OfProject, EndedSession>,
	"memory:working:list": Command<OfProject, WorkingList>,
	"memory:working:put": Command<WorkingDraft, WorkingItem>,
	"memory:working:remove": Command<OfWorkingItem, RemovedItem>,
	"project:create": Command<CreateProject, Project>,
	"project:export": Command<ExportBook, ExportedBook>,
	"project:forget": Command<ClearProject, ClearedCounts>,
	"project:import": Command<ImportBook, ImportedBook>,
	"project:list": Command<Nothing, ProjectList>,
	"project:open": Command<OpenProject, OpenAnswer>,
	"project:sample": Command<OpenSample, Book>,
	"project:style": Command<OfProject, StyleProfile>,
	"settings:get": Command<Nothing, Settings>,
	"settings:set": Command<SettingsPatch, Settings>,
};

/** What is known of one candidate, each part as measured. */
export type Components = {
	/** How much of the query's words the text has, weighed by rarity: 0 to about 2. */
	words: number | null,
	/** The cosine to the query, -1 to 1; `null` while meaning is not searched. */
	meaning: number | null,
	/** The scene type is the one asked for. */
	scene: boolean,
	/** The skill is the one asked for. */
	skill: boolean,
	/** The decay score, 0 to 1. */
	decay: number | null,
};

/** Pins an episode. */
export type ConfirmEpisode = {
	/** The book. */
	projectId: string,
	/** The episode. */
	episodeId: string,
	/** Default `true`; `false` unpins it, so that it decays again. */
	userConfirmed?: boolean | null,
};

/** One version of a rule. */
export type ConfirmRule = {
	/** The rule. */
	ruleId: string,
	/** The version that was read; an older one than the current is refused. */
	version: number,
};

/** Two rules that cannot both hold: the writer is asked. */
export type Conflict = {
	/** UUID. */
	conflictId: string,
	/** The book, or `null` where both rules are global. */
	projectId: string | null,
	/** One, with its episodes. */
	first: Rule,
	/** The other, with its episodes. */
	second: Rule,
	/** When it was found. */
	openedAt: Time,
};

/** Unanswered conflicts. */
export type ConflictList = {
	/** Oldest first. */
	conflicts: Conflict[],
};

/** The writer's decision on a copied folder. */
export type CopiedAs = 
/** The same book, in a new folder. */
"sameBook" | 
/** A new book, without the other's memory. */
"newBook";

/** A new chapter. */
export type CreateChapter = {
	/** The book. */
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

/** Something that matched and stayed out. */
export type CutItem = {
	/** `rule`, `episode`, `working`, or the part of the passage: `before`, `selection`, `after`. */
	kind: string,
	/** The identity of a memory; empty for a part of the passage. */
	id: string,
	/** The layer it would have stood in. */
	layer: LayerName,
	/** A memory's words; empty for a part of the passage. */
	text: string,
	/** What it would have taken. */
	tokens: number,
	/** Why. */
	reason: CutReason,
};

/** Why something stayed out. */
export type CutReason = 
/** No room. */
"budget" | 
/** A rule of this book says the same. */
"overruled" | 
/** The writer said that it does not belong here, or, of an example, that it is wrong. */
"notHere" | 
/** Examples of the same scene go in already. */
"alike";

/** What could not be asked, or done, as programs read it. */
export type DegradedCode = 
/** The rules are those of a backup. */
"rulesFromBackup" | 
/** No rules could be asked: the built-in ones are used. */
"rulesBuiltIn" | 
/** No past examples. */
"pastUnavailable" | 
/** Nobody knows which names to hide. Then nothing leaves the machine. */
"namesUnread" | 
/** The built-in model writes, and not the chosen one. */
"builtInWrites" | 
/** No trace is kept. */
"untraced" | 
/** Of a trace from before reasons had codes. */
"other";

/** A part of the memory that could not be asked, and why. Holds no text of the writer's. */
export type DegradedReason = {
	/** Which. */
	code: DegradedCode,
	/** Why, in a sentence. */
	message: string,
};

/** An episode to be deleted. */
export type DeleteEpisode = {
	/** The book. */
	projectId: string,
	/** The episode. */
	episodeId: string,
	/** `true`: its words are erased too, in traces, notes, logs and backups. Default `false`. */
	everywhere?: boolean | null,
};

/** A rule to be deleted. */
export type DeleteRule = {
	/** The rule. */
	ruleId: string,
	/**
	 *  `true`: its words are erased too, in its history, tombstone, runs, traces, logs and backups; it cannot be
	 *  restored. Default `false`.
	 */
	everywhere?: boolean | null,
};

/** A deleted episode. */
export type DeletedEpisode = {
	/** The episode. */
	episodeId: string,
	/** Counts of its remaining or erased words; `null` where they could not be counted. */
	words: DeletedWords | null,
};

/** A deleted provider. */
export type DeletedProvider = {
	/** Its identity. */
	providerId: string,
};

/** A deleted rule. */
export type DeletedRule = {
	/** Its identity. */
	ruleId: string,
	/** Counts of its remaining or erased words; `null` where they could not be counted. */
	words: DeletedWords | null,
};

/** The words of a memory that was deleted. */
export type DeletedWords = {
	/** `true`: they were erased. `false`: only the memory itself is gone. */
	everywhere: boolean,
	/**
	 *  When the erasure ended. `null`: there is none, or it is under way and is finished at the latest when the memory
	 *  is opened again.
	 */
	finishedAt: Time | null,
	/** Where they were erased, or where they remain. */
	places: WordCounts,
	/** Other texts that hold them; `null` without an erasure. */
	alsoIn: AlsoIn | null,
};

/** More about an error, for programs. Names of fields and versions only. */
export type Details = {
	/** The argument that was refused, as a path such as `candidates[2]`. */
	field?: string | null,
	/** The reason, where one code covers several. */
	reason?: Reason | null,
	/** The line of a file that was refused, counted from 1. */
	line?: number | null,
	/** How many seconds to wait before trying again, where that is known. */
	retryAfterSeconds?: number | null,
	/** The version that is current, where a stale one was given. */
	currentVersion?: number | null,
	/** The content hash that is current, where a stale one was given. */
	currentHash?: string | null,
};

/** What a rule is about, as the writer corrects it: `null` for nothing measurable. */
export type DimensionPatch = {
	/** The dimension, or `null`. */
	pattern: Pattern | null,
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

/** What became of a session's signals. */
export type EndedSession = {
	/** Signals that added up and were condensed into episodes. */
	archived: number,
	/** Signals that did not. */
	dropped: number,
};

/** An episode as kept. The fields are fixed by the owner. */
export type Episode = {
	/** UUID. */
	id: string,
	/** The book. */
	projectId: string,
	/** The chapter, as its editor names it. */
	chapterId: string,
	/** Always `project`: what happened, happened in one book. */
	scope: Scope,
	/** Goes up by one with each change. */
	version: number,
	/** When it happened. */
	createdAt: Time,
	/** What the assistant was asked to do. */
	skillUsed: string,
	/** The kind of scene, where known. */
	sceneType: string | null,
	/** The end of the text the assistant was given. */
	inputContext: string,
	/** All candidates, in the order they were shown in. */
	candidates: string[],
	/** The one taken, or -1 when all were rejected. */
	selectedIndex: number,
	/** What stands in the manuscript; empty when all were rejected and nothing was written instead. */
	finalText: string,
	/** What the writer said about it, in words. */
	explicit: string | null,
	/** What the writer's behaviour says. */
	implicit: ImplicitSignal,
	/** -1.5 to 1. */
	implicitWeight: number | null,
	/** 0..1 from the chosen candidate to the final text; `null` when all were rejected. */
	editDistance: number | null,
	/** 0..1. */
	importance: number | null,
	/** How often it was in the prompt of a generation that ran. */
	recallCount: number,
	/** When it last was. */
	lastRecalledAt: Time | null,
	/** The writer keeps it: it neither decays nor is it ever evicted. */
	userConfirmed: boolean,
	/** Only a summary is left. */
	compressed: boolean,
	/** The summary of a compressed one. */
	summary: string | null,
	/** The generation it came of. */
	generationId: string | null,
};

/** What an editor reports after a skill has run. */
export type EpisodeDraft = {
	/** A book that is known. */
	projectId: string,
	/** 1 to 200 characters. */
	chapterId: string,
	/** 1 to 40 characters. */
	skillUsed: string,
	/** 1 to 40 characters. */
	sceneType?: string | null,
	/** At most 100,000 bytes; may be empty at the beginning of a chapter. */
	inputContext: string,
	/** At most 16, in the order they were shown in, none empty, each at most 100,000 bytes. A run without any was rejected. */
	candidates: string[],
	/** Into `candidates`, or -1 when all were rejected; without candidates always -1. */
	selectedIndex: number,
	/**
	 *  The text of the candidate that was taken, as the editor has it: an index alone can be off by one. Where it is
	 *  another candidate's, that one counts; where it is nobody's or several's, the draft is refused.
	 */
	selectedText?: string | null,
	/** At most 100,000 bytes. Required when one was taken; empty when all were rejected and nothing was written. */
	finalText: string,
	/** At most 10,000 bytes. */
	explicit?: string | null,
	/** The generation, where it was made by this program. */
	generationId?: string | null,
	/** When it happened, if not just now; never in the future. */
	occurredAt?: Time | null,
};

/** Feedback on an episode. */
export type EpisodeFeedback = {
	/** Which. */
	episodeId: string,
	/** Its book; refused where it is another one. */
	projectId?: string | null,
	/** What was done. */
	signal: FeedbackSignal,
	/** The words, at most 10,000 bytes with those that are there already. Required for `explicit`. */
	text?: string | null,
};

/** What to recall. */
export type EpisodeQuery = {
	/** The book; nothing from another one is ever found. */
	projectId: string,
	/** At most 400,000 bytes; its last part counts. */
	queryText?: string | null,
	/** Prefers episodes of this scene type. */
	sceneType?: string | null,
	/** Prefers episodes of this skill. */
	skillUsed?: string | null,
	/** 1 to 50, default 5. */
	limit?: number | null,
};

/** One erasure: a line of the audit log. Holds no words. */
export type Erasure = {
	/** UUID. */
	erasureId: string,
	/** What was erased. */
	kind: ErasureKind,
	/** The episode or the rule; for names, the book. */
	targetId: string,
	/** The book, or `null` for a global rule. */
	projectId: string | null,
	/** The generation that an episode was recorded of. */
	generationId: string | null,
	/** Who asked for it: the user of the system, or `writer` where that is not known. */
	requestedBy: string,
	/** When. */
	requestedAt: Time,
	/** When nothing was left; `null` while it is under way. */
	finishedAt: Time | null,
	/** How much. */
	counts: WordCounts,
};

/** What is erased. */
export type ErasureKind = 
/** The words of an episode. */
"episode" | 
/** The words of a rule. */
"rule" | 
/** Names that were taken off a book's map. */
"names";

/** What every operation of the engine fails with. */
export type Error = {
	/** The kind. */
	code: Code,
	/** One sentence. Holds no text of the writer's. */
	message: string,
	/** Field names and versions. */
	details?: Details | null,
};

/** Every event with its payload, for the bindings. */
export type Events = {
	"ai:skill:chunk": SkillChunk,
	"ai:skill:candidate": SkillCandidate,
	"ai:skill:trimmed": SkillTrimmed,
	"ai:skill:done": SkillDone,
	"memory:changed": Change,
	"memory:distill:progress": RunProgress,
	"memory:trace:progress": MeasureProgress,
	"memory:index:progress": IndexProgress,
	"memory:maintenance:done": MaintenanceReport,
	"memory:maintenance:failed": MaintenanceFailure,
	"chapter:changed": ChapterChanged,
	"project:changed": ProjectChanged,
};

/** How it is written. */
export type ExchangeFormat = 
/** Everything, an object a line. */
"jsonLines" | 
/** The rules in force, for people to read and to write. */
"markdown";

/** Exports a book as one file. */
export type ExportBook = {
	/** The book. */
	projectId: string,
	/** The file, absolute; an existing file is replaced. */
	path: string,
	/** The format. */
	format: ExportFormat,
};

/** The format of an exported book. */
export type ExportFormat = 
/** One Markdown file. */
"markdown" | 
/** A Word document. */
"docx";

/** Exports the memory to a file. */
export type ExportMemory = {
	/** Only this book; without one, everything (as Markdown: the global rules). */
	projectId?: string | null,
	/** An absolute path; an existing file is replaced. */
	path: string,
	/** Default `jsonLines`. */
	format?: ExchangeFormat | null,
};

/** A file is whole and in its place. */
export type Exported = {
	/** By kind, in the order of the file; none of which there is nothing. */
	kinds: KindCount[],
	/** What stayed behind: it is not what was once written, or belongs to a book that nobody knows. */
	leftOut: number,
	/** When. */
	exportedAt: Time,
};

/** An exported book. */
export type ExportedBook = {
	/** Number of chapters. */
	chapters: number,
	/** Size of the file in bytes. */
	bytes: number,
};

/** What a writer says or does about an episode later. */
export type FeedbackSignal = 
/** Undid what was taken. */
"undo" | 
/** Said something. */
"explicit";

/** How large a file is. */
export type FileSize = {
	/** Which. */
	file: StoreFile,
	/** Its size; 0 where it is not there. */
	bytes: number,
};

/** How many there are, and how many there may be. */
export type Fill = {
	/** How many there are. */
	count: number,
	/** So many maintenance, or a run of learning, leaves. */
	soft: number,
	/** So many a write finds at most. */
	hard: number,
};

/** Whether a draft does what a memory asks for, by chance or not. */
export type Followed = 
/** More than nine in ten of the drafts it is compared with. */
"yes" | 
/** More than half of them. */
"partly" | 
/** No more than the usual draft. */
"no";

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

/** The models found on this machine. */
export type FoundModels = {
	/** The models of an Ollama on its default port; `null` when there is none. */
	models: string[] | null,
};

/** A name of a book, and what models read instead. */
export type HiddenName = {
	/** As the manuscript has it, 1 to 100 characters with a letter among them. Each stands once. */
	name: string,
	/** What is sent in its place, 1 to 100 characters. No two names share one, and no name stands in one. */
	alias: string,
	/**
	 *  Whether it is hidden in lower case too. Without an answer a name is, unless its lower case is an everyday word
	 *  (`Will`).
	 */
	lowerCase?: LowerCase | null,
};

/** What the writer's behaviour says, read by the engine. The weights are fixed by the owner (design, section 4). */
export type ImplicitSignal = 
/** Took it unchanged. */
"strongPositive" | 
/** Changed less than a fifth. */
"weakPositive" | 
/** Changed a fifth to three fifths. */
"neutral" | 
/** Changed more than three fifths. */
"weakNegative" | 
/** Rejected every candidate. */
"strongNegative" | 
/** Undid it after taking it: the heaviest. */
"delayedNegative";

/** Imports a file into a book. */
export type ImportBook = {
	/** The book. */
	projectId: string,
	/** The file, absolute: text in any usual encoding, Markdown, or Word since 2007. */
	path: string,
	/** Only return its contents. Default `false`: its chapters are added behind the last one, all or none. */
	dryRun?: boolean | null,
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

/** What came in, or would. */
export type Imported = {
	/** Nothing was written. */
	dryRun: boolean,
	/** By kind, in the order of the file; none of which there is nothing. */
	kinds: KindTaken[],
	/** Backups were made before: something was going to change. */
	backedUp: boolean,
};

/** The contents of an imported file. */
export type ImportedBook = {
	/** The title above all chapters, where there is one: it is not used, because the book has its own. */
	title: string | null,
	/** In their order. */
	chapters: FoundChapter[],
	/** The detected encoding of a text file, by its usual name; `null` for Word. */
	encoding: string | null,
	/** Number of places in a text file that could not be decoded. */
	unreadable: number,
	/** Number of footnotes and endnotes that are not imported. */
	notes: number,
	/** Number of pictures that are not imported. */
	pictures: number,
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

/** How much each memory weighed in one draft. Weights and remainder sum to 1. */
export type Influence = {
	/** How it was found out. */
	tier: Tier,
	/** One a reference, in their order. */
	weights: MemoryWeight[],
	/** The passage itself and the model, 0..1. */
	remainder: number | null,
	/** When. */
	measuredAt: Time,
	/** The draft, by its place on screen. */
	candidate: number,
	/** How many regenerations it rests on; `null` where none was needed. */
	regenerations: number | null,
};

/** The language of the interface. */
export type InterfaceLanguage = 
/** As the system's. */
"system" | 
/** Simplified Chinese. */
"zh-CN" | 
/** English. */
"en";

/** A job that runs on schedule, or when it is asked for. */
export type Job = 
/** Every night at 02:00 where the writer is: decay, soft capacities, what has expired. */
"daily" | 
/** In the night to Monday: compression. */
"weekly" | 
/** In the night to the first: deletion of what was compressed a year ago, and a check of both files. */
"monthly" | 
/**
 *  Every night after the others: a copy of each file that has changed, read back; old copies are thinned. A job of its
 *  own, because it costs by the size of the file and not by what there is to do, and a full disk stops nothing else.
 */
"backup";

/** The trace after a verdict. */
export type JudgedTrace = {
	/** It was not said before; else nothing has happened. */
	changed: boolean,
} & Trace;

/** A text that cannot be saved now. */
export type KeepChapter = {
	/** The book. */
	projectId: string,
	/** The chapter. */
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

/** A stored recovery copy. */
export type KeptAt = {
	/** Its identity. */
	keptId: string,
	/** When it was stored. */
	at: Time,
};

/** A recovery copy. */
export type KeptText = {
	/** Its identity. */
	keptId: string,
	/** The chapter. */
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

/** Where a provider's key is stored. */
export type KeyKept = 
/** The provider has no key. */
"none" | 
/** In the system's keychain. */
"keychain" | 
/** In memory, until the program ends. */
"session";

/** How many lines of a kind went out. */
export type KindCount = {
	/** The kind. */
	kind: RecordKind,
	/** So many. */
	count: number,
};

/** What becomes of the lines of one kind. */
export type KindTaken = {
	/** The kind. */
	kind: RecordKind,
	/** Not here yet. */
	new: number,
	/** Here in an older version, and brought up to date. */
	newer: number,
	/** Here as it is. */
	same: number,
	/** Here in the same version and otherwise: what is here stays. */
	conflicting: number,
	/** Stays out: here it is newer, or was deleted, or what it belongs to is not here, or there is no room for it. */
	leftOut: number,
};

/** The language a book is written in: of its prompts, its rules and its words. */
export type Language = 
/** Chinese. */
"zh" | 
/** English. */
"en";

/** How a job last went. */
export type LastRun = {
	/** Which. */
	job: Job,
	/** When it was last begun. */
	begunAt: Time,
	/** When it was last begun and ended well; `null` when it never did. */
	doneAt: Time | null,
	/** Why the last run failed; `null` when it did not. */
	failure: string | null,
};

/** One layer as sent. */
export type Layer = {
	/** Which. */
	layer: LayerName,
	/** The words of the layer; empty when there is nothing to say. */
	text: string,
	/** Counted by the tokenizer. */
	tokens: number,
	/** Never exceeded. */
	budgetTokens: number,
};

/** The layers, in the order they are sent in. */
export type LayerName = 
/** The assistant's fixed instructions. */
"rules" | 
/** The semantic rules that apply, most specific first. */
"settings" | 
/** Episodes. */
"retrieved" | 
/** Working memory and the text around the caret. */
"immediate";

/** Whether learning is paused. */
export type LearningState = {
	/** No distillation runs at present, and recorded episodes are marked. */
	learningPaused: boolean,
};

/** A discarded recovery copy. */
export type LetGo = {
	/** Whether the copy existed. */
	letGo: boolean,
};

/** Discards a recovery copy. */
export type LetGoKept = {
	/** The book. */
	projectId: string,
	/** The chapter. */
	chapterId: string,
	/** The recovery copy. */
	keptId: string,
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

/** What happens to a name in lower case. */
export type LowerCase = 
/** It is hidden. */
"hidden" | 
/** It is sent as it is: there it is a word and no name. */
"kept";

/** A job has failed; it is tried again at its next window. */
export type MaintenanceFailure = {
	/** Which. */
	job: Job,
	/** When it began. */
	at: Time,
	/** Always `MEMORY_CLEANUP_FAILED`. */
	code: Code,
	/** Why. Names files and kinds of errors, no text of the writer's. */
	message: string,
};

/** What a job did. */
export type MaintenanceReport = {
	/** Which; `null` when all were asked for. */
	job: Job | null,
	/** When it began. */
	begunAt: Time,
	/** In order. */
	steps: MaintenanceStep[],
};

/** One bounded piece of a job, after all its slices. */
export type MaintenanceStep = {
	/** What was done, such as `compressed`. */
	name: string,
	/** To how many. */
	count: number,
};

/** A passage that a generation wrote, in a text that is not saved. Offsets are UTF-16 code units, end exclusive. */
export type MarkedPassage = {
	/** The generation. */
	generationId: string,
	/** The skill. */
	skill: string,
	/** Start of the range. */
	from: number,
	/** End of the range. */
	to: number,
};

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
/** It failed. */
{ kind: "failed"; 
/** The error. */
error: Error };

/** Progress of a measurement of a generation. */
export type MeasureProgress = {
	/** The book. */
	projectId: string,
	/** The generation. */
	generationId: string,
	/** Number of regenerations done. */
	done: number,
	/** Number of regenerations in all. */
	regenerations: number,
	/** The outcome; `null` while it is under way. */
	end: MeasureEnd | null,
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
	/** The book. */
	projectId: string,
	/** The generation. */
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
 *  What a memory being in the prompt adds to its own measure: a rule's to its feature in its direction, an example's to how
 *  near a draft is to it. In deviations of the drafts without it. An interval that holds zero is no measurable influence.
 */
export type MeasuredChange = {
	/** The change. */
	by: number | null,
	/** Lower end of its 90 % interval. */
	low: number | null,
	/** Its upper end. */
	high: number | null,
};

/** The method of a measurement on demand. */
export type MeasuredTier = 
/** By regenerations with memories left out. */
"masked";

/** How much one memory weighed. */
export type MemoryWeight = {
	/** The memory. */
	referenceId: string,
	/** Its share, 0..1. */
	weight: number | null,
	/** What was measured, 0..0.5; `null` where it could not be. */
	effect: number | null,
	/** Whether it was followed; `null` where that could not be told, and at tier `masked`, which does not ask. */
	followed: Followed | null,
	/** What changed with it; `null` at tier `compliance`, and where it could not be measured. */
	change?: MeasuredChange | null,
};

/** One message of a rendered prompt. */
export type Message = {
	/** Who speaks. */
	role: Role,
	/** The text, exactly as it is sent. */
	content: string,
};

/** A file lacks writes that were acknowledged: its log was taken away or damaged by something outside the program. */
export type MissingWrites = {
	/** Which. */
	file: StoreFile,
	/** How many writes. */
	count: number,
};

/** Names a model for the label beside the candidates and for the trace. */
export type ModelInfo = {
	/** The provider's short name, such as `sample`. */
	provider: string,
	/** The model as the provider names it. */
	model: string,
	/** The built-in one that writes from a bank of sentences: shown as what it is. */
	sample: boolean,
};

/** The models of a provider. */
export type ModelList = {
	/** As the provider names them. */
	models: string[],
};

/** Moves a chapter. */
export type MoveChapter = {
	/** The book. */
	projectId: string,
	/** The chapter. */
	chapterId: string,
	/** The chapter it is placed before; without one, at the end. */
	before?: string | null,
};

/** A form of a hidden name that stands in the book and is sent as it is. */
export type NameForm = {
	/** The name on the list that it is a form of. */
	name: string,
	/** The form, as it stands in the book most often. */
	form: string,
	/** Occurrences in the chapters, 1 or more. */
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

/** An empty answer. */
export type Noted = Record<string, never>;

/** No arguments. */
export type Nothing = Record<string, never>;

/** One book, or none. */
export type OfAnyProject = {
	/** The book; without one, items that belong to no book. */
	projectId?: string | null,
};

/** One backup. */
export type OfBackup = {
	/** The backup. */
	backupId: string,
};

/** One chapter. */
export type OfChapter = {
	/** The book. */
	projectId: string,
	/** The chapter. */
	chapterId: string,
};

/** One generation. */
export type OfGeneration = {
	/** The book. */
	projectId: string,
	/** The generation. */
	generationId: string,
};

/** One book. */
export type OfProject = {
	/** The book. */
	projectId: string,
};

/** One provider. */
export type OfProvider = {
	/** The provider. */
	providerId: string,
};

/** One rule. */
export type OfRule = {
	/** The rule. */
	ruleId: string,
};

/** One rule, seen from one book. */
export type OfRuleInProject = {
	/** The rule. */
	ruleId: string,
	/** The book. */
	projectId: string,
};

/** One run of distillation. */
export type OfRun = {
	/** The run. */
	runId: string,
};

/** One snapshot of a chapter. */
export type OfSnapshot = {
	/** The book. */
	projectId: string,
	/** The chapter. */
	chapterId: string,
	/** The snapshot. */
	snapshotId: string,
};

/** One working item. */
export type OfWorkingItem = {
	/** The book. */
	projectId: string,
	/** The item. */
	itemId: string,
};

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

/** Requests the order of the skills. */
export type OrderSkills = {
	/** The book. */
	projectId: string,
	/** The scene type; without one, all scenes. */
	sceneType?: string | null,
};

/** A passage that a generation wrote. Offsets are UTF-16 code units, end exclusive. */
export type OriginAt = {
	/** The generation. */
	generationId: string,
	/** Start of the range. */
	from: number,
	/** End of the range. */
	to: number,
};

/** Where a passage that a generation wrote stands. Offsets are UTF-16 code units, end exclusive. */
export type OriginMark = {
	/** The generation that wrote it. */
	generationId: string,
	/** The skill that was run; empty where the trace is gone. */
	skill: string,
	/** Where it begins. */
	from: number,
	/** Where it ends. */
	to: number,
	/** BLAKE3 of the passage as last saved, hexadecimal: finds it again after a change outside. */
	quoteHash: string,
};

/** What became of a generation. */
export type Outcome = {
	/** The candidate taken, or -1. */
	selectedIndex: number,
	/** 0..1, or `null` when all were rejected. */
	editDistance: number | null,
};

/** A part that can fail by itself. */
export type Part = 
/** `rules.db`. */
"rules" | 
/** `episodes.db`. */
"episodes" | 
/** Meaning: the encoder. */
"embedder" | 
/** The index of words. */
"words" | 
/** The jobs that run on schedule. */
"maintenance" | 
/** What episodes say about style, for learning from. */
"evidence";

/** One part's health. */
export type PartHealth = {
	/** Which. */
	part: Part,
	/** How it is. */
	state: PartState,
	/** Why it does not serve; `null` when it serves, or when only the operating system's words are known. */
	reason: Reason | null,
	/**
	 *  The same as a sentence in English, for a report: files and kinds of errors, no text of the writer's. `null` when
	 *  the part serves.
	 */
	message: string | null,
};

/** How a part is. */
export type PartState = 
/** It serves. */
"ok" | 
/** It serves, and works off what came in meanwhile. */
"catchingUp" | 
/** It does not serve, and another serves in its place. */
"substituted" | 
/** It does not serve; the rest does. */
"unavailable";

/** A measured preference behind a rule. */
export type Pattern = {
	/** The style feature. */
	feature: string,
	/** +1 more of it, -1 less. */
	direction: number,
	/** In the feature's own unit, where there is one. */
	threshold: number | null,
};

/** Who says what a rule is about. */
export type PatternSource = 
/** Measured: it was learned as this. */
"measured" | 
/** Read out of its words. */
"lexicon" | 
/** A model said so. */
"model" | 
/** The writer said so, or that it is about nothing measurable. */
"writer";

/** One book: a folder of chapters, or a manuscript that lives in another editor, and its memory. */
export type Project = {
	/** UUID; for a folder, the one in its small file. */
	projectId: string,
	/** As shown. */
	title: string,
	/** Of the book, not of the interface. */
	language: Language,
	/** The folder, or `null` where another editor keeps the manuscript. */
	path: string | null,
	/** When the memory first saw it. */
	createdAt: Time,
	/** When it was last opened. */
	lastOpenedAt: Time,
};

/** The list of chapters was changed outside the program. */
export type ProjectChanged = {
	/** The book. */
	projectId: string,
};

/** Books. */
export type ProjectList = {
	/** Last opened first. */
	projects: Project[],
};

/** A rule to be made global. */
export type PromoteRule = {
	/** The rule. */
	ruleId: string,
	/** Only count the hidden names in it, and change nothing. */
	preview?: boolean | null,
};

/** A rule that was made global. */
export type PromotedRule = {
	/** Number of hidden names of all books that occur in it. Each is hidden wherever the rule is sent. */
	hiddenNames: number,
} & Rule;

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
	keyKept: KeyKept,
};

/** What a provider speaks. */
export type ProviderKind = 
/** OpenAI's chat completions, which most others speak too. */
"openAi" | 
/** Anthropic's messages. */
"anthropic" | 
/** Ollama on its own port. */
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

/** What a model is used for. */
export type Purpose = 
/** Writing candidates. */
"writing" | 
/** Wording what was learned. */
"distilling" | 
/** Finding by meaning. */
"embedding";

/**
 *  The model of one purpose. Without a provider it is what is built in: the sample model, templates, the bundled
 *  encoder.
 */
export type PurposeModel = {
	/** The purpose. */
	purpose: Purpose,
	/** The provider, or `null` for what is built in. */
	providerId: string | null,
	/** The model as the provider names it; `null` exactly where the provider is. */
	model: string | null,
	/** How long a prompt and its answer may be together, in tokens, where that is known. */
	contextTokens: number | null,
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
"unbelievable";

/** The answer to a recall. */
export type RecallAnswer = {
	/** Best first; fewer than asked for when the rest is not relevant. */
	episodes: Recalled[],
	/** Something could not be searched. */
	degraded: boolean,
	/** What. */
	degradedReason: string | null,
};

/** One episode that was recalled, and why. */
export type Recalled = {
	/** The episode. */
	episode: Episode,
	/** 0..1. */
	score: number | null,
	/**
	 *  `words`, `meaning`, `scene`, `skill`, `recent`; `sleeping` marks one that had faded, `compressed` one of which
	 *  only a summary is left.
	 */
	matchedBy: string[],
	/** What the score is made of. */
	components: Components,
};

/** The kind of a line in a file of memories, in the order of the file. */
export type RecordKind = "project" | "deletion" | "name" | "pause" | "run" | "runChange" | "learned" | "ruleVersion" | "tombstone" | "rule" | "support" | "foundIn" | "verdict" | "conflict" | "evidence" | "episode" | "features" | "skillUse" | "trace" | "traceFeedback" | "influence" | "followed" | "draft" | "origin";

/**
 *  A generation of an editor that queries a model itself. First `request`, `provider` and `model`: the answer holds
 *  the messages to send. Then, after the model's answer, `generationId` and `drafts`.
 */
export type RecordTrace = {
	/** The book. */
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

/** A recorded episode. */
export type Recorded = {
	/** Its identity. */
	episodeId: string,
};

/** One memory that went in, as it was when it went in. */
export type Reference = {
	/** Unique in the generation: kind and identity. */
	referenceId: string,
	/** What it points at. */
	kind: ReferenceKind,
	/** The identity of that. */
	id: string,
	/** The version that went in. */
	version: number,
	/** The layer it stands in. */
	layer: LayerName,
	/** The words that went in. */
	text: string,
	/** How well it was recalled, 0..1, for what was recalled. */
	score: number | null,
	/** What it was recalled by. */
	matchedBy: string[],
};

/** What a reference points at. An open set: later layers bring their own kinds. */
export type ReferenceKind = 
/** A semantic rule. */
"rule" | 
/** An episode. */
"episode" | 
/** An item of working memory. */
"working";

/** A removed item. */
export type RemovedItem = {
	/** Its identity. */
	itemId: string,
};

/** Another title. */
export type RenameChapter = {
	/** The book. */
	projectId: string,
	/** The chapter. */
	chapterId: string,
	/** 1 to 200 characters. */
	title: string,
};

/** The writer's answer to a conflict. */
export type ResolveConflict = {
	/** The conflict. */
	conflictId: string,
	/** The rule to keep; the other is deleted. */
	keepRuleId: string,
};

/** A backup is in place. */
export type Restored = {
	/** Which. */
	restored: Backup,
	/** The name of the damaged file that was moved aside; `null` when it was whole and became a backup itself. */
	setAside: string | null,
};

/** Resumes learning. */
export type ResumeLearning = {
	/** Episodes recorded during the pause become evidence. Default `false`. */
	useRecorded?: boolean | null,
};

/** Who speaks in a message. */
export type Role = 
/** The program's fixed instructions. */
"system" | 
/** The writer's passage, the memories as data, and the task. */
"user";

/** A rule as kept. The fields are fixed by the owner. */
export type Rule = {
	/** UUID. */
	id: string,
	/** The sentence that goes into a prompt. */
	rule: string,
	/** What it is about. */
	category: Category,
	/** Where it holds. */
	scope: Scope,
	/** The book of a project rule. */
	projectId: string | null,
	/** The kind of scene it is for, or `null` for all. */
	sceneType: string | null,
	/** The skill it is for, or `null` for all. */
	skillUsed: string | null,
	/** 0..1: the share of the choices it bears on that agree with it. */
	confidence: number | null,
	/** Episodes for it, by identity. */
	supportingEpisodes: string[],
	/** Episodes against it. */
	contradictingEpisodes: string[],
	/** The writer agreed: nothing but the writer changes it any more. */
	userConfirmed: boolean,
	/** The wording is the writer's. */
	userModified: boolean,
	/** The last run changed it. */
	recentlyUpdated: boolean,
	/** The measured preference, or `null` for a statement. */
	pattern: Pattern | null,
	/** How many choices and edits bear on it. */
	evidenceCount: number,
	/** The lower bound of `confidence`. */
	confidenceLow: number | null,
	/** Where it comes from. */
	origin: RuleOrigin,
	/** Whether it is in force. */
	standing: RuleStanding,
	/** Who says what it is about; `null` where nobody has said anything. */
	patternBy: PatternSource | null,
	/** The writer confirmed it, and what the writer does has turned against it. */
	challenged: boolean,
	/** How often the writer called it wrong. */
	wrongCount: number,
	/** Episodes of other books that bear on it. Which ones is not said. */
	otherBooks: number,
	/** Since when it says what it says; `null` for one that was not learned. */
	learnedAt: Time | null,
	/** Goes up by one with each change. */
	version: number,
	/** When it came. */
	createdAt: Time,
	/** When it last changed. */
	updatedAt: Time,
};

/** What happened to a rule. */
export type RuleChange = 
/** Written by hand. */
"added" | 
/** Reworded or moved by hand. */
"edited" | 
/** Agreed to. */
"confirmed" | 
/** Made global. */
"promoted" | 
/** Taken out. */
"deleted" | 
/** A run learned it. */
"learned" | 
/** A run changed its numbers or its words. */
"updated" | 
/** A run found that the writer has turned. */
"replaced" | 
/** A run put it out of force, or back into it. */
"stood" | 
/** Brought back to what it was: by the writer, or because a run was undone. */
"restored" | 
/** The writer called it wrong. */
"disputed";

/** A rule that the writer adds by hand. */
export type RuleDraft = {
	/** 1 to 500 characters, one line. */
	rule: string,
	/** What it is about. */
	category: Category,
	/** Where it holds. */
	scope: Scope,
	/** Required for `project`, refused for `global`. */
	projectId?: string | null,
	/** Only for this kind of scene. */
	sceneType?: string | null,
	/** Only for this skill. */
	skillUsed?: string | null,
	/** What it is about, where the writer says so; else it is read out of the words. */
	dimension?: DimensionPatch | null,
};

/** An episode that bears on a rule. */
export type RuleEpisode = {
	/** The episode. */
	episodeId: string,
	/** For the rule, or against it. */
	agrees: boolean,
	/** When; `null` where the episode is gone and only its evidence is left. */
	at: Time | null,
	/** What was proposed: the candidate taken, or its beginning. Empty where it is gone. */
	before: string,
	/** What stands now, or its beginning. Empty where it is gone. */
	after: string,
	/** Where nothing was changed: the candidates that were left, which it is measured against. Empty where they are gone. */
	passedOver: string[],
	/** The feature measured on both, in its own unit; `null` where the rule has none. */
	measured: [number | null, number | null] | null,
};

/** The episodes that bear on a rule. */
export type RuleEpisodes = {
	/** Newest first; at most fifty that support it and fifty that contradict it. */
	episodes: RuleEpisode[],
};

/** How often a rule was followed in the last generations of a book that had it, ten at most. */
export type RuleFollowed = {
	/** The rule. */
	ruleId: string,
	/** Clearly: more than nine in ten of the drafts it is compared with. */
	yes: number,
	/** More than half of them. */
	partly: number,
	/** No more than the usual draft. */
	no: number,
	/** Not followed in eight of the last ten: the model does not mind it. */
	ignored: boolean,
};

/** The versions of a rule. */
export type RuleHistory = {
	/** Oldest first. */
	versions: RuleVersion[],
};

/** Rules, and what the panel's foot says. */
export type RuleList = {
	/** By category, then the writer's own first, then by confidence. */
	rules: Rule[],
	/** Nothing is distilled at present. */
	learningPaused: boolean,
	/** Episodes recorded in the book (in all books, when none was named). */
	episodesRecorded: number,
	/** When rules were last distilled. */
	lastDistilledAt: Time | null,
	/**
	 *  How the last generations of the book went with these rules; of a rule about nothing measurable, and of one that no
	 *  generation has had yet, nothing. Without a book, and without `episodes.db`, of none.
	 */
	followed: RuleFollowed[],
	/** The rules are those of a backup, and cannot be changed: why. */
	degradedReason?: string | null,
};

/** Where a rule comes from. */
export type RuleOrigin = 
/** Out of episodes. */
"distilled" | 
/** From the writer. */
"manual" | 
/** Shipped; used while nothing else applies. */
"builtin";

/** A change by the writer's hand; what is missing stays as it is. */
export type RulePatch = {
	/** Which. */
	ruleId: string,
	/** The version that was read; a stale one is refused. */
	version: number,
	/** 1 to 500 characters, one line. */
	rule?: string | null,
	/** What it is about. */
	category?: Category | null,
	/** Only for this kind of scene; an empty string means all. */
	sceneType?: string | null,
	/** Only for this skill; an empty string means all. */
	skillUsed?: string | null,
	/** What it is about. */
	dimension?: DimensionPatch | null,
};

/** How a rule stands. */
export type RuleStanding = 
/** In force. */
"active" | 
/** A question to the writer: goes into no prompt until confirmed. */
"proposed" | 
/** Its evidence turned or is gone: goes into no prompt. */
"steppedBack" | 
/** Called wrong twice: goes into no prompt until the writer has answered. */
"suspended";

/** One version of a rule. */
export type RuleVersion = {
	/** The version this change made. */
	version: number,
	/** The words it then had. */
	rule: string,
	/** What happened. */
	change: RuleChange,
	/** The run that did it; `null`: the writer. */
	runId: string | null,
	/** When. */
	at: Time,
};

/** A run of distillation. */
export type Run = {
	/** UUID. */
	runId: string,
	/** The book, or `null` for all of them. */
	projectId: string | null,
	/** Why it began. */
	cause: RunCause,
	/** How it stands. */
	status: RunStatus,
	/** When it began. */
	begunAt: Time,
	/** When it ended; `null` while it is under way. */
	endedAt: Time | null,
	/** Episodes with evidence that it looked at. */
	episodes: number,
	/** Why nothing was learned, or what failed. */
	reason: RunReason | null,
	/** What it changed, or would. */
	changes: RunChange[],
};

/** The answer to a wish for a run. */
export type RunAnswer = {
	/** The run; the one under way, or the one that waits for approval, where no new run was begun. */
	runId: string,
	/** How it stands. */
	status: RunStatus,
	/** What it changed, or would; missing while it is under way. */
	diff?: RunChange[] | null,
	/** Why nothing was learned. */
	reason?: RunReason | null,
};

/** Why a run began. */
export type RunCause = 
/** Fifty new episodes. */
"episodes" | 
/** The editor was left alone for over five minutes. */
"idle" | 
/** The writer asked. */
"click" | 
/** A week has passed. */
"weekly" | 
/** New episodes contradict a rule. */
"contradiction";

/** One line of a run's diff. */
export type RunChange = {
	/** The rule. */
	ruleId: string,
	/** The book of the rule, before or after; `null` for a global one. */
	projectId: string | null,
	/** What happened. */
	kind: ChangeKind,
	/** The rule before, without its episodes; `null` where it is new. */
	before: Rule | null,
	/** The rule after, without its episodes; `null` where it is gone. */
	after: Rule | null,
	/** The run was undone, and this was not: the writer has touched the rule since. */
	kept: boolean,
};

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

/** How far a run has come. */
export type RunProgress = {
	/** The run. */
	runId: string,
	/** Its book, or `null` for all. */
	projectId: string | null,
	/** Where it is. */
	stage: RunStage,
	/** 0..1. */
	fraction: number | null,
	/** For a log: the stage in words, and the status at the end. */
	message: string,
};

/** Why a run learned nothing, or failed. */
export type RunReason = 
/** No episode says anything about style yet. */
{ kind: "noEvidence" } | 
/** Not clear enough yet. */
{ kind: "notYet"; 
/** Informative choices so far. */
choices: number; 
/** Informative edits and own texts so far. */
edits: number; 
/** The feature nearest to a rule. */
nearest: string | null; 
/** How near, 0..1. */
progress: number | null } | 
/** What is clear is too small or too mixed to be a rule. */
{ kind: "nothingToSay"; 
/** How many features are not treated at random. */
features: number } | 
/** Nothing has changed since the last run. */
{ kind: "nothingNew" } | 
/** The model did not answer, or its answer was discarded. */
{ kind: "model"; 
/** Why: one of the reasons of a model, or `unbelievable`, or `namesUnread`. */
trouble: Reason } | 
/** A part of the memory did not serve. */
{ kind: "store" } | 
/** The program was closed, or the book's memory changed under it again and again. */
{ kind: "interrupted" };

/** A run of a skill. */
export type RunSkill = {
	/** The book. */
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
};

/** Where a run is. */
export type RunStage = 
/** Reads the evidence. */
"gathering" | 
/** Tests it. */
"testing" | 
/** Finds words. */
"wording" | 
/** Compares with what is known. */
"reconciling" | 
/** Writes it down. */
"committing" | 
/** Done, one way or another: the run's status says how. */
"done";

/** How a run stands. */
export type RunStatus = 
/** Under way. */
"running" | 
/** Answered only: another run is under way, and no new one was begun. */
"alreadyRunning" | 
/** Answered only: shown, and nothing was changed. */
"dryRun" | 
/** Done, and rules changed. */
"committed" | 
/** Done, and there was nothing to change: `reason` says why. */
"nothing" | 
/** It would drop more than a quarter of the rules, and asks first. A later run over the same project replaces it. */
"waiting" | 
/** Nothing was changed; `reason` has the kind of failure. Tried again at the next cause. */
"failed" | 
/** Stopped by the writer. */
"cancelled" | 
/** Taken back as a whole. */
"undone" | 
/** It had asked, and the writer said no. */
"discarded";

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

/** Where something holds. */
export type Scope = 
/** In all books. */
"global" | 
/** In one. */
"project";

/** Daily limits of the models; `null` for no limit. */
export type SetLimits = {
	/** Requests a day, 1 or more. */
	requestsPerDay: number | null,
	/** Tokens of prompts and answers together a day, 1 or more. */
	tokensPerDay: number | null,
};

/** The names of a book that are to be hidden from models. */
export type SetNames = {
	/** The book. */
	projectId: string,
	/** All of them, at most 500: a name that is missing here is no longer hidden. */
	names: HiddenName[],
};

/** The model of a purpose. */
export type SetPurpose = {
	/** The purpose. */
	purpose: Purpose,
	/** The provider, or `null` for the built-in model. */
	providerId: string | null,
	/** The model as the provider names it; `null` for the built-in one. */
	model: string | null,
};

/** Sets the scene type of a chapter's passages. */
export type SetScene = {
	/** The book. */
	projectId: string,
	/** The chapter. */
	chapterId: string,
	/**
	 *  One of the six or a name of the writer's, 1 to 40 characters in one line; without one it is detected for each
	 *  passage.
	 */
	sceneType?: string | null,
};

/** All settings, each with its default. */
export type Settings = {
	/** The language of the interface. */
	interfaceLanguage?: InterfaceLanguage,
	/** Light or dark. */
	theme?: Theme,
	/** The book that was open last. */
	lastProjectId?: string | null,
};

/** The settings to change; what is missing stays as it is. */
export type SettingsPatch = {
	/** The language of the interface. */
	interfaceLanguage?: InterfaceLanguage | null,
	/** Light or dark. */
	theme?: Theme | null,
	/** The book that was open last. */
	lastProjectId?: string | null,
};

/** One candidate of a run has ended; the others may still be written. */
export type SkillCandidate = {
	/** The run. */
	generationId: string,
	/** The candidate's place on screen. */
	candidate: number,
	/** Its whole text, or the part that came. */
	text: string,
	/** Why it is incomplete; `null` when it is complete or the writer stopped it. */
	error: Error | null,
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
	/** The candidates by their place on screen; incomplete when the run was stopped or failed. */
	candidates: string[],
	/** Why the run or one of its candidates failed. */
	error: Error | null,
};

/** Skills in the order of the menu. */
export type SkillOrder = {
	/** Most used first; all of this program's, and those of other editors. */
	skills: SkillWeight[],
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

/** A skill, and how much the writer is used to it here. */
export type SkillWeight = {
	/** Its name. */
	skill: string,
	/** The signal `sceneSkillPreference`: 0.1 for each time it was used in the kind of scene. */
	weight: number | null,
};

/** A snapshot of a chapter. */
export type SnapshotInfo = {
	/** Its identity. */
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
	/** Its identity. */
	snapshotId: string,
	/** The whole text, lines ended by LF. */
	text: string,
	/** Han characters and words of other scripts. */
	words: number,
	/** The passages in it that generations wrote, as far as the memory still knows them. */
	origins: OriginMark[],
};

/** The health of the whole memory. */
export type Status = {
	/** Some part does not serve that could be expected to. */
	degraded: boolean,
	/** Part by part. */
	parts: PartHealth[],
	/** Why the clock is not believed; `null` where it is. Until it is, nothing that cannot be undone is done by age. */
	clock: ClockDoubt | null,
	/** Files that lack acknowledged writes, until the writer knows of it (`memory:missing:acknowledge`). */
	missing: MissingWrites[],
	/** How each job last went. */
	maintenance: LastRun[],
	/** The newest backup; `null` when there is none yet. */
	lastBackup: Backup | null,
	/** How large the two files are, their logs included. */
	files: FileSize[],
	/** How full the memory of each book is, the book last opened first; at the end what holds in all books. */
	capacities: Capacity[],
};

/** One of the two files. */
export type StoreFile = 
/** `rules.db`. */
"rules" | 
/** `episodes.db`. */
"episodes";

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

/** Tests a provider. */
export type TestProvider = {
	/** The provider. */
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

/** Light or dark. */
export type Theme = 
/** As the system's. */
"system" | 
/** Dark on light. */
"light" | 
/** Light on dark. */
"dark";

/** How it was found out how much a memory weighed. */
export type Tier = 
/** Estimated: whether the draft does what the memory asks for, among recent drafts. */
"compliance" | 
/** Measured: what changes when memories are left out at random, over regenerations. */
"masked";

/** Milliseconds since 1970-01-01T00:00:00Z. Written as RFC 3339 on the wire, as an integer on disk. */
export type Time = string;

/** A part of the memory that can change. */
export type Topic = 
/** Semantic rules. */
"rules" | 
/** Episodes. */
"episodes" | 
/** Traces and marks of origin. */
"traces" | 
/** Working memory. */
"working" | 
/** The program's settings. */
"settings" | 
/** The books that are known. */
"projects" | 
/** Providers, and the models of the purposes. */
"models" | 
/** What models have cost today, and the limits. */
"usage" | 
/** Names that are hidden from models. */
"names" | 
/** Backups. */
"backups" | 
/** How maintenance last went. */
"maintenance";

/** The trace of one generation, written when it ran and never recomputed. */
export type Trace = {
	/** The generation. */
	generationId: string,
	/** The book. */
	projectId: string,
	/** The chapter, as its editor names it. */
	chapterId: string,
	/** What was asked. */
	skill: string,
	/** The scene type that was given or guessed. */
	sceneType: string | null,
	/** When. */
	createdAt: Time,
	/** Who wrote. */
	provider: ModelInfo,
	/** The seed of the run; each candidate's own is derived from it. */
	seed: number,
	/** BLAKE3 of the messages, hexadecimal. */
	promptHash: string,
	/** Exactly what was sent. */
	messages: Message[],
	/** All messages together. */
	totalTokens: number,
	/** The memories that went in, in order, in the words they then had. */
	memoryReferences: Reference[],
	/** What matched and stayed out. */
	cut: CutItem[],
	/** A part of the memory could not be asked. */
	memoryDegraded: boolean,
	/** Which, and why. */
	degradedReasons: DegradedReason[],
	/** What the writer said of the memories, in the order in which it was said. */
	feedback: TraceVerdict[],
	/**
	 *  How much each memory weighed in the draft that was taken, else in the first; none before the generation has ended.
	 *  The estimate first, and a measurement on demand beside it.
	 */
	influenceWeights: Influence[],
	/** The episode that came of it, once the writer has decided. */
	episodeId: string | null,
	/** What the writer decided. */
	outcome: Outcome | null,
	/** When its words were erased at the writer's request: messages, references and cut items then have empty texts. */
	blankedAt: Time | null,
};

/** A verdict to be noted. */
export type TraceFeedback = {
	/** The book. */
	projectId: string,
	/** The generation. */
	generationId: string,
	/** One of its references. */
	referenceId: string,
	/** What the writer says. */
	verdict: Verdict,
	/** Why, in the writer's words: 1 to 10,000 bytes. */
	note?: string | null,
};

/** What was said of one memory. */
export type TraceVerdict = {
	/** The memory. */
	referenceId: string,
	/** What was said last. */
	verdict: Verdict,
	/** When. */
	at: Time,
	/** Why, in the writer's words. */
	note: string | null,
};

/** A key on its way in. It cannot be printed, and it serialises to an empty text, so it is never returned. */
export type TypedKey = string;

/** What models that are not built in were asked for today, and what the writer allows. */
export type Usage = {
	/** The day where the writer is, `YYYY-MM-DD`. */
	day: string,
	/** Requests that were answered, in whole or in part. */
	requests: number,
	/** Tokens of prompts and answers together: counted by the provider, else estimated here. */
	tokens: number,
	/** The limit, or `null`. */
	requestsPerDay: number | null,
	/** The limit, or `null`. */
	tokensPerDay: number | null,
};

/** What the writer says of a memory that went into a generation. */
export type Verdict = 
/** It was right. */
"right" | 
/** It is wrong. Of a rule: counts against it. Of anything else: it stays out of prompts. */
"wrong" | 
/** It may be right, and does not belong here: it stays out of prompts for this skill in this kind of scene. */
"notHere";

/** Places that hold the words of a deleted memory because of that memory, by kind. */
export type WordCounts = {
	/** Prompts of earlier generations, with the memories cited in them; and traces that list it among what was cut. */
	traces?: number,
	/** The writer's notes on it in traces. */
	notes?: number,
	/** Episodes that the program recorded of a "wrong" about a rule: they quote the rule. */
	remarks?: number,
	/** Versions of a rule in its history. */
	ruleVersions?: number,
	/** Tombstones of a rule. */
	tombstones?: number,
	/** Changes in the list of runs. */
	runChanges?: number,
	/** Backups. Before an erasure: those there are; whether one holds the words is not read. */
	backups?: number,
	/** Damaged files that were moved aside. An erasure deletes them. */
	setAside?: number,
};

/** An item to put. */
export type WorkingDraft = {
	/** The book. */
	projectId: string,
	/** What it is about. */
	kind: WorkingKind,
	/** 1 to 8,000 tokens. */
	text: string,
	/** 0..1, default by kind. */
	importance?: number | null,
	/** Of a signal: -1.5..1.5, default 0.5. The same signal again adds to it. */
	weight?: number | null,
	/** Of a signal: the skill it was seen in, default `ask`. */
	skillUsed?: string | null,
	/** Of a signal: the kind of scene it was seen in. */
	sceneType?: string | null,
};

/** One item. */
export type WorkingItem = {
	/** Unique in the session. */
	itemId: string,
	/** The book it belongs to. */
	projectId: string,
	/** Always `project`: working memory never crosses books. */
	scope: Scope,
	/** Goes up by one with each change. */
	version: number,
	/** What it is about. */
	kind: WorkingKind,
	/** The item itself. */
	text: string,
	/** Counted by the tokenizer. */
	tokens: number,
	/** 0..1 now: what it started with, faded by age, raised by each touch, lower beside the present focus. */
	importance: number | null,
	/** What a signal comes to so far; nothing else has one. */
	weight?: number | null,
	/** The skill a signal was seen in. */
	skillUsed?: string | null,
	/** The kind of scene a signal was seen in. */
	sceneType?: string | null,
	/** When it came. */
	createdAt: Time,
	/** When it was last put or used. */
	touchedAt: Time,
};

/** What an item is about. */
export type WorkingKind = 
/** Where the writer is working. */
"focus" | 
/** What the writer is up to. */
"intent" | 
/** An undo or redo. */
"undo" | 
/** A sign of a preference, not yet enough to be kept. */
"signal" | 
/** What was asked of the assistant and what came of it. */
"exchange";

/** What is in working memory. */
export type WorkingList = {
	/** Most important first. */
	items: WorkingItem[],
	/** All items together. */
	tokens: number,
	/** The hard limit. */
	budgetTokens: number,
};

/** A chapter's new text. */
export type WriteChapter = {
	/** The book. */
	projectId: string,
	/** The chapter. */
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
