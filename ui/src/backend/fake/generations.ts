import type {
  Commands,
  Error as WireError,
  Events,
  Language,
  ModelInfo,
  Project,
  Reference,
  Rule,
  RunSkill,
  Trace,
  UnusableReason,
  UnusableText,
} from "../bindings.gen";
import { hashOf, type FakeBook, type FakeFile } from "./projects";
import { influenceOf } from "./provenance";
import { FAKE_DRAFTS } from "./sample";

type PassageOf = Omit<RunSkill, "candidates" | "seed">;

interface Run {
  generationId: string;
  instruction: string | null;
  /** Pieces not yet streamed, per candidate. */
  pending: string[][];
  /** Text streamed so far, per candidate. */
  streamed: string[];
  ended: Set<number>;
}

interface Options {
  language(): Language;
  id(kind: string): string;
  now(): string;
  rules: Rule[];
  traces: Map<string, Trace>;
  project(projectId: string): Project;
  model(): ModelInfo;
  isDegraded(): boolean;
  /** Stores the instruction of a run in working memory. */
  remember(projectId: string, instruction: string): void;
  hasBuiltInRules(): boolean;
  /** Milliseconds between two pieces of a candidate; `null`: only `advance` streams. */
  pace(): number | null;
  emit<K extends keyof Events>(event: K, payload: Events[K]): void;
}

type Name = "memory:context:assemble" | "ai:skill:run" | "ai:skill:cancel";

/** Generations: prompts, streamed candidates and the traces of both. At most one runs at a time. */
export class FakeGenerations {
  private run: Run | null = null;

  constructor(private readonly options: Options) {}

  readonly commands: { [K in Name]: (args: Commands[K]["args"]) => Commands[K]["result"] } = {
    "memory:context:assemble": (args) => {
      const memoryReferences = this.memoryReferences(args);
      return {
        language: this.options.project(args.projectId).language,
        sceneType: args.sceneType ?? "dialogue",
        layers: [],
        memoryReferences,
        cut: this.cut(),
        messages: this.messages(args, memoryReferences),
        totalTokens: 1_840,
        memoryDegraded: this.options.isDegraded(),
        degradedReasons: [],
      };
    },
    "ai:skill:run": (args) => {
      const generationId = this.options.id("gen");
      const { language } = this.options.project(args.projectId);
      const drafts = FAKE_DRAFTS[language].slice(0, args.candidates ?? 3);
      const memoryReferences = this.memoryReferences(args);
      const provider = this.options.model();
      const sceneType = args.sceneType ?? "dialogue";
      this.run = {
        generationId,
        instruction: args.instruction ?? null,
        streamed: drafts.map(() => ""),
        ended: new Set(),
        pending: drafts.map((text) => text.match(language === "zh" ? /[^，。]+[，。”]*/g : /\S+\s*/g) ?? [text]),
      };
      this.options.traces.set(generationId, {
        generationId,
        projectId: args.projectId,
        chapterId: args.chapterId,
        skill: args.skill,
        sceneType,
        createdAt: this.options.now(),
        provider,
        seed: args.seed ?? 1,
        promptHash: hashOf(JSON.stringify(this.messages(args, memoryReferences))),
        messages: this.messages(args, memoryReferences),
        totalTokens: 1_840,
        memoryReferences,
        cut: this.cut(),
        memoryDegraded: false,
        degradedReasons: [],
        feedback: [],
        influenceWeights: [],
        episodeId: null,
        outcome: null,
        blankedAt: null,
        firstTry: null,
        secondTry: null,
      });
      if (this.options.pace() !== null) this.flow(generationId);
      return {
        generationId,
        candidates: drafts.length,
        provider,
        sceneType,
        memoryReferences,
        cut: this.cut(),
        memoryDegraded: this.options.isDegraded(),
        degradedReasons: [],
      };
    },
    "ai:skill:cancel": ({ generationId }) => {
      if (this.run?.generationId !== generationId) return { cancelled: false };
      setTimeout(() => this.end("cancelled"), 0);
      return { cancelled: true };
    },
  };

  /** Streams `pieces` more pieces of every candidate, or all that is pending. */
  advance(pieces = Infinity): void {
    const { run } = this;
    if (!run) return;
    for (let piece = 0; piece < pieces && run.pending.some((pending) => pending.length > 0); piece += 1) {
      run.pending.forEach((pending, candidate) => {
        const text = pending.shift();
        if (text === undefined) return;
        run.streamed[candidate] += text;
        this.options.emit("ai:skill:chunk", { generationId: run.generationId, candidate, text });
        if (pending.length === 0) this.endCandidate(candidate);
      });
    }
    if (run.pending.every((pending) => pending.length === 0)) this.end("finished");
  }

  /** Ends one candidate, complete or with an error. Pieces not yet streamed are dropped. */
  endCandidate(candidate: number, error: WireError | null = null): void {
    const { run } = this;
    if (!run || run.ended.has(candidate)) return;
    run.ended.add(candidate);
    run.pending[candidate] = [];
    this.options.emit("ai:skill:candidate", {
      generationId: run.generationId,
      candidate,
      text: run.streamed[candidate]!,
      error,
      unusable: null,
      writtenBy: null,
    });
  }

  /** Ends one candidate with a text that is no draft. */
  endUnusable(candidate: number, unusable: UnusableText): void {
    const { run } = this;
    if (!run || run.ended.has(candidate)) return;
    run.ended.add(candidate);
    run.pending[candidate] = [];
    run.streamed[candidate] = "";
    const { generationId } = run;
    this.options.emit("ai:skill:candidate", {
      generationId,
      candidate,
      text: "",
      error: null,
      unusable,
      writtenBy: null,
    });
  }

  /** Drops the text of one candidate, which is no draft, and lets the model write it once more. */
  retry(candidate: number, reason: UnusableReason): void {
    const { run } = this;
    if (!run || run.ended.has(candidate)) return;
    run.streamed[candidate] = "";
    this.options.emit("ai:skill:retry", { generationId: run.generationId, candidate, reason });
  }

  /** Streams the rest of one candidate and ends it. */
  finishCandidate(candidate: number): void {
    const { run } = this;
    if (!run) return;
    const text = run.pending[candidate]!.join("");
    run.streamed[candidate] += text;
    this.options.emit("ai:skill:chunk", { generationId: run.generationId, candidate, text });
    this.endCandidate(candidate);
  }

  /** Reports that the prompt was cut to the model's context size. */
  trim(contextTokens: number): void {
    const { run } = this;
    if (!run) return;
    const { memoryReferences } = this.options.traces.get(run.generationId)!;
    this.options.emit("ai:skill:trimmed", {
      generationId: run.generationId,
      memoryReferences: memoryReferences.slice(0, 1),
      cut: this.cut(),
      totalTokens: Math.round(contextTokens / 2),
      contextTokens,
    });
  }

  /** Ends the run; `error` is the model's, for `failed`. */
  end(status: "finished" | "cancelled" | "failed", error: WireError | null = null): void {
    const { run } = this;
    if (!run) return;
    run.streamed.forEach((_, candidate) => this.endCandidate(candidate, error));
    this.run = null;
    const trace = this.options.traces.get(run.generationId);
    if (trace && run.streamed.some((text) => text !== "")) {
      trace.influenceWeights = [influenceOf(trace.memoryReferences, 0, this.options.now())];
      this.options.emit("memory:changed", { projectId: trace.projectId, what: ["traces", "rules", "episodes"] });
    }
    if (trace && run.instruction && status === "finished") this.options.remember(trace.projectId, run.instruction);
    this.options.emit("ai:skill:done", { generationId: run.generationId, status, candidates: run.streamed, error });
  }

  private flow(generationId: string): void {
    setTimeout(() => {
      if (this.run?.generationId !== generationId) return;
      this.advance(1);
      this.flow(generationId);
    }, this.options.pace() ?? 0);
  }

  /** The trace of a generation whose text stands in a chapter of the sample. */
  addTrace(book: FakeBook, file: FakeFile, generationId: string): void {
    if (this.options.traces.has(generationId)) return;
    const args: PassageOf = {
      projectId: book.project.projectId,
      chapterId: file.info.chapterId,
      skill: "continue",
      sceneType: "description",
      before: file.text.slice(0, 120),
    };
    const memoryReferences = this.memoryReferences(args);
    this.options.traces.set(generationId, {
      generationId,
      projectId: book.project.projectId,
      chapterId: file.info.chapterId,
      skill: "continue",
      sceneType: "description",
      createdAt: this.options.now(),
      provider: { provider: "sample", model: "sample-1", sample: true },
      seed: 7,
      promptHash: "0",
      messages: this.messages(args, memoryReferences),
      totalTokens: 1_840,
      memoryReferences,
      cut: this.cut(),
      memoryDegraded: false,
      degradedReasons: [],
      feedback: [],
      influenceWeights: [influenceOf(memoryReferences, 1, this.options.now())],
      episodeId: "episode-0",
      outcome: { selectedIndex: 1, editDistance: 0.18 },
      blankedAt: null,
      firstTry: null,
      secondTry: null,
    });
  }

  /** Whether there are the rules of the sample, which come with an episode, an item at hand and a cut. */
  private get hasSampleRules(): boolean {
    return this.options.rules.some(({ origin }) => origin === "distilled");
  }

  private memoryReferences(args: PassageOf): Reference[] {
    const inScope = this.options.rules.filter((rule) => rule.scope === "global" || rule.projectId === args.projectId);
    // The sample's prompt is fixed, whatever the scene: it shows every kind of reference.
    const rules: Reference[] = (this.hasSampleRules ? inScope : applicable(inScope, args)).slice(0, 5).map((rule) => ({
      referenceId: `rule:${rule.id}`,
      kind: "rule",
      id: rule.id,
      version: rule.version,
      layer: "settings",
      text: lineOf(rule, this.options.project(args.projectId).language),
      score: null,
      matchedBy: [],
    }));
    if (rules.length === 0) return this.options.hasBuiltInRules() ? this.builtInRules(args) : [];
    if (!this.hasSampleRules) return rules;
    const zh = this.options.project(args.projectId).language === "zh";
    const past = zh ? "柜子缺一条腿，垫着半块砖。" : "The locker was one leg short and stood on half a brick.";
    const near = zh ? "刚写的“你爸让我别扔”" : "Just written: “Your dad said not to throw it out.”";
    return [
      ...rules,
      {
        referenceId: "episode:1",
        kind: "episode",
        id: "episode-1",
        version: 1,
        layer: "retrieved",
        text: past,
        score: 0.74,
        matchedBy: ["scene", "words"],
      },
      {
        referenceId: "working:1",
        kind: "working",
        id: "working-1",
        version: 1,
        layer: "immediate",
        text: near,
        score: null,
        matchedBy: [],
      },
    ];
  }

  /** The program's own rules, which are in a prompt while there are no others. */
  private builtInRules(args: PassageOf): Reference[] {
    const zh = this.options.project(args.projectId).language === "zh";
    const texts = zh
      ? ["承接上文的人称、时态和语气", "写看得见、听得见的东西，不替读者总结", "用平实的词，不堆形容词"]
      : [
          "Keep the person, tense and tone of the passage",
          "Write what can be seen and heard; draw no conclusions for the reader",
          "Plain words, few adjectives",
        ];
    return ["voice", "show", "plain"].map((name, index) => ({
      referenceId: `rule:builtin:${name}`,
      kind: "rule",
      id: `builtin:${name}`,
      version: 1,
      layer: "settings",
      text: `- ${texts[index]!}`,
      score: null,
      matchedBy: [],
    }));
  }

  private cut(): Trace["cut"] {
    if (!this.hasSampleRules) return [];
    return [
      {
        kind: "episode",
        id: "episode-9",
        layer: "retrieved",
        text: this.options.language() === "zh" ? "南风一来，墙就出汗。" : "When the south wind came the walls sweated.",
        tokens: 212,
        reason: "budget",
      },
    ];
  }

  private messages(args: PassageOf, memoryReferences: Reference[]): Trace["messages"] {
    const zh = this.options.project(args.projectId).language === "zh";
    const rules = memoryReferences.filter(({ kind }) => kind === "rule");
    const settings =
      rules.length > 0
        ? `<settings>\n${zh ? "[用户写作偏好 - 自动学习]" : "[Writer's preferences - learned]"}\n${rules.map(({ text }) => text).join("\n")}\n</settings>\n`
        : "";
    const instruction = args.instruction ? `<wish>\n${args.instruction}\n</wish>\n` : "";
    const selection = args.selection ? `<selection>\n${args.selection}\n</selection>\n` : "";
    return [
      {
        role: "system",
        content: zh ? "你是小说作者的助手。\n语言：中文" : "You assist a novelist.\nLanguage: English",
      },
      {
        role: "user",
        content: `${settings}<before>\n${args.before.slice(-120)}\n</before>\n${selection}${instruction}${zh ? "[任务] 续写" : "[Task] continue"}`,
      },
    ];
  }
}

/** The rules that apply to a passage, in the order in which they go into a prompt. */
const applicable = (rules: Rule[], { skill, sceneType }: PassageOf): Rule[] =>
  rules
    .filter(
      (rule) =>
        rule.standing === "active" &&
        (rule.skillUsed === null || rule.skillUsed === skill) &&
        (rule.sceneType === null || rule.sceneType === sceneType),
    )
    .toSorted(
      (a, b) =>
        Number(a.scope === "global") - Number(b.scope === "global") ||
        narrowness(b) - narrowness(a) ||
        Number(b.userConfirmed) - Number(a.userConfirmed) ||
        (b.confidence ?? 0) - (a.confidence ?? 0),
    );

/** How many of scene type and skill a rule names. */
const narrowness = ({ sceneType, skillUsed }: Rule): number => Number(sceneType !== null) + Number(skillUsed !== null);

/** A rule as it goes into a prompt. */
function lineOf({ rule, confidence, userConfirmed }: Rule, language: Language): string {
  const share = (confidence ?? 0).toFixed(2);
  return language === "zh"
    ? `- ${rule}（置信度: ${share}${userConfirmed ? "，用户已确认" : ""}）`
    : `- ${rule} (confidence: ${share}${userConfirmed ? ", confirmed by the writer" : ""})`;
}
