import type {
  Commands,
  ContinuityIssue,
  ContinuityKind,
  ContinuityPlace,
  FoundBy,
  PairCounts,
  StudyState,
} from "../bindings.gen";
import { notFound } from "./refusals";

type Name = "story:continuity:list" | "story:continuity:compare" | "story:continuity:stop" | "story:continuity:resolve";

const NO_PAIRS: PairCounts = { waiting: 0, conflicts: 0, changes: 0, unclear: 0 };

interface Context {
  book: (projectId: string) => { files: readonly { info: { chapterId: string }; text: string }[] };
  /** Whether the files of the analysis and of the verdicts can be read. */
  isReadable: (file: "episodes" | "rules") => boolean;
  now: () => string;
  /** Begins the comparison of pairs, as a part of the study. */
  compare: (projectId: string) => StudyState;
  stopComparing: (projectId: string) => StudyState;
  changed: (projectId: string) => void;
}

/** One of the two places of a scripted issue. */
export interface FakePlace {
  /** Index of the chapter. */
  chapter: number;
  quote: string;
  /** Words of the quote that differ; without them, none are marked. */
  differs?: string;
}

/** An issue that a test adds. The words of its places have to be in the book. */
export interface FakeIssue {
  kind: ContinuityKind;
  foundBy?: FoundBy;
  entityId?: string;
  entityName?: string;
  values?: string[];
  /** Why a model calls it a conflict. */
  why?: string;
  places: [first: FakePlace, second: FakePlace];
  /** A verdict and its time, of a resolved one. */
  resolved?: Pick<ContinuityIssue, "verdict" | "resolvedAt">;
}

/** The continuity issues of fake books: a test adds them, and the writer resolves them. */
export class FakeContinuity {
  /** Whether some issues may not have been found. */
  isIncomplete = false;
  /** The pairs of sentences of every book. */
  pairs = NO_PAIRS;
  private readonly issues = new Map<string, ContinuityIssue[]>();
  private ids = 0;

  constructor(private readonly context: Context) {}

  add(projectId: string, { kind, places, resolved, ...more }: FakeIssue): ContinuityIssue {
    this.ids += 1;
    const issue: ContinuityIssue = {
      issueId: this.ids.toString(16).padStart(64, "0"),
      kind,
      foundBy: more.foundBy ?? "computed",
      entityId: more.entityId ?? null,
      entityName: more.entityName ?? null,
      first: this.place(projectId, places[0]),
      second: this.place(projectId, places[1]),
      values: more.values ?? [],
      why: more.why ?? null,
      verdict: resolved?.verdict ?? null,
      resolvedAt: resolved?.resolvedAt ?? null,
    };
    this.issues.set(projectId, [...this.of(projectId), issue]);
    return issue;
  }

  /** Sets the counts of pairs, as a comparison does, and reports it. */
  count(projectId: string, pairs: Partial<PairCounts>): void {
    this.pairs = { ...this.pairs, ...pairs };
    this.context.changed(projectId);
  }

  private of(projectId: string): ContinuityIssue[] {
    return this.issues.get(projectId) ?? [];
  }

  private place(projectId: string, { chapter, quote, differs }: FakePlace): ContinuityPlace {
    const { info, text } = this.context.book(projectId).files[chapter]!;
    const from = text.indexOf(quote);
    const start = differs === undefined ? -1 : quote.indexOf(differs);
    if (from < 0 || (differs !== undefined && start < 0)) throw new Error(`chapter ${chapter} has no such words`);
    return {
      chapterId: info.chapterId,
      from,
      to: from + quote.length,
      quote,
      differs: differs === undefined ? null : { from: start, to: start + differs.length },
    };
  }

  private listed(projectId: string): ContinuityIssue[] {
    // Without the text there is nothing to compare.
    if (!this.context.isReadable("episodes")) return [];
    const { files } = this.context.book(projectId);
    const chapter = ({ chapterId }: ContinuityPlace) => files.findIndex(({ info }) => info.chapterId === chapterId);
    const inOrder = this.of(projectId).toSorted(
      ({ first: a }, { first: b }) => chapter(a) - chapter(b) || a.from - b.from,
    );
    const open = inOrder.filter(({ verdict }) => verdict === null);
    const resolved = inOrder
      .filter(({ verdict }) => verdict !== null)
      .toSorted((a, b) => (b.resolvedAt ?? "").localeCompare(a.resolvedAt ?? ""));
    return [...open, ...resolved];
  }

  readonly commands: { [K in Name]: (args: Commands[K]["args"]) => Commands[K]["result"] } = {
    "story:continuity:list": ({ projectId }) => ({
      issues: this.listed(projectId),
      pairs: this.context.isReadable("episodes") ? this.pairs : NO_PAIRS,
      isIncomplete: this.isIncomplete || !this.context.isReadable("episodes") || !this.context.isReadable("rules"),
    }),
    "story:continuity:compare": ({ projectId }) => this.context.compare(projectId),
    "story:continuity:stop": ({ projectId }) => this.context.stopComparing(projectId),
    "story:continuity:resolve": ({ projectId, issueId, verdict }) => {
      const issue = this.listed(projectId).find((one) => one.issueId === issueId);
      if (!issue) throw notFound("issueId");
      issue.verdict = verdict;
      issue.resolvedAt = verdict === null ? null : this.context.now();
      this.context.changed(projectId);
      return issue;
    },
  };
}
