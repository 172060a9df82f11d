import type {
  Commands,
  EpisodeDraft,
  ExportedJournal,
  ImportedJournal,
  JournalEntry,
  JournalKind,
  Language,
} from "../bindings.gen";
import { invalid, notFound } from "./refusals";

type Name = Extract<keyof Commands, `journal:${string}`>;

interface Context {
  language: (projectId: string) => Language;
  chapterTitle: (projectId: string, chapterId: string) => string | null;
  isWithoutMeaning: () => boolean;
  requireReadable: () => void;
  topK: () => number;
  id: (kind: string) => string;
  now: () => string;
  changed: (projectId: string) => void;
}

const MAX_CONTENT = 1_200;

/** The journals of fake books. Searches compare words alone. */
export class FakeJournal {
  readonly entries: JournalEntry[] = [];
  /** Books of which no journal is kept. */
  private readonly without = new Set<string>();
  /** Entry at which the chain is broken; `null`: it is whole. */
  brokenAt: string | null = null;
  /** Number of entries that are missing without a reason, and that a backup in the place of the file did not have. */
  missing = 0;
  leftBehind = 0;
  /** The result of the next import. */
  incoming: Pick<ImportedJournal, "new" | "same" | "leftOut"> = { new: 12, same: 3, leftOut: 1 };

  constructor(private readonly context: Context) {}

  /** Adds an entry as the engine would write it. */
  add(entry: Pick<JournalEntry, "projectId" | "content"> & Partial<JournalEntry>): JournalEntry {
    const added: JournalEntry = {
      id: this.context.id("entry"),
      timestamp: this.context.now(),
      kind: "note",
      refId: null,
      wordedBy: "template",
      isRedacted: false,
      chapterId: null,
      generationId: null,
      answerId: null,
      ...entry,
    };
    this.entries.push(added);
    return added;
  }

  /** The entry of a decision on a run. */
  record(draft: EpisodeDraft, episodeId: string): void {
    const { projectId, chapterId, selectedIndex, candidates, skillUsed } = draft;
    if (this.without.has(projectId)) return;
    const title = this.context.chapterTitle(projectId, chapterId);
    const isChinese = this.context.language(projectId) === "zh";
    const head = title === null ? "" : isChinese ? `《${title}》，` : `“${title}”: `;
    const content = isChinese
      ? `${head}${skillUsed === "polish" ? "润色" : "续写"}。${selectedIndex < 0 ? "几稿都没要。" : `${candidates.length} 稿中取第 ${selectedIndex + 1} 稿。`}`
      : `${head}${skillUsed}. ${selectedIndex < 0 ? "All drafts were rejected." : `Draft ${selectedIndex + 1} of ${candidates.length} was taken.`}`;
    const generationId = draft.generationId ?? null;
    this.add({ projectId, content, kind: "skill", refId: episodeId, chapterId, generationId });
  }

  /** Empties the entries about a deleted episode. */
  redactAbout(refId: string): void {
    for (const entry of this.entries) if (entry.refId === refId) empty(entry);
  }

  /** Deletes the entries of a book, or with `null` of all; returns how many. */
  clear(projectId: string | null): number {
    const before = this.entries.length;
    const kept = this.entries.filter((entry) => projectId !== null && entry.projectId !== projectId);
    this.entries.splice(0, before, ...kept);
    return before - kept.length;
  }

  private of(projectId: string, kind?: JournalKind | null): JournalEntry[] {
    this.context.requireReadable();
    const own = this.entries.map((entry, row) => ({ entry, row })).filter(({ entry }) => entry.projectId === projectId);
    return own
      .filter(({ entry }) => !kind || entry.kind === kind)
      .toSorted((a, b) => b.entry.timestamp.localeCompare(a.entry.timestamp) || b.row - a.row)
      .map(({ entry }) => entry);
  }

  readonly commands: { [K in Name]: (args: Commands[K]["args"]) => Commands[K]["result"] } = {
    "journal:list": ({ projectId, kind, before, limit }) => {
      const all = this.of(projectId, kind);
      const from = before ? this.of(projectId).findIndex(({ id }) => id === before) : -1;
      if (before && from < 0) throw notFound("before");
      const later = new Set(this.of(projectId).slice(0, from + 1));
      const rest = all.filter((entry) => !later.has(entry));
      const entries = rest.slice(0, limit ?? 50);
      return {
        entries,
        total: all.length,
        hasMore: rest.length > entries.length,
        isKept: !this.without.has(projectId),
      };
    },
    "journal:recall": ({ projectId, query, topK, kind }) => {
      const words = query.toLowerCase().split(/\s+/).filter(Boolean);
      const score = ({ content }: JournalEntry) =>
        words.filter((word) => content.toLowerCase().includes(word)).length / words.length;
      const entries = this.of(projectId, kind)
        .map((entry) => ({ entry, score: score(entry), matchedBy: ["words"] }))
        .filter((found) => found.score > 0)
        .toSorted((a, b) => b.score - a.score)
        .slice(0, topK ?? this.context.topK());
      const degraded = this.context.isWithoutMeaning();
      return { entries, degraded, degradedReason: degraded ? "the encoder is missing" : null };
    },
    "journal:store": ({ projectId, content, kind, refId, occurredAt }) => {
      if (content.length > MAX_CONTENT) throw invalid("content");
      if (this.without.has(projectId)) throw invalid("projectId");
      const timestamp = occurredAt ?? this.context.now();
      const { id } = this.add({ projectId, content, kind, refId: refId ?? null, timestamp, wordedBy: "client" });
      this.context.changed(projectId);
      return { entryId: id };
    },
    "journal:verify": ({ projectId }) => {
      const own = this.of(projectId);
      return {
        entries: own.length,
        redacted: own.filter(({ isRedacted }) => isRedacted).length,
        isWhole: this.brokenAt === null && this.missing === 0,
        brokenAt: this.brokenAt,
        missing: this.missing,
        leftBehind: this.leftBehind,
        replacedAt: this.leftBehind > 0 ? this.context.now() : null,
        since: own.at(-1)?.timestamp ?? null,
      };
    },
    "journal:redact": ({ projectId, entryId }) => {
      const entry = this.of(projectId).find(({ id }) => id === entryId);
      if (!entry) throw notFound("entryId");
      empty(entry);
      this.context.changed(projectId);
      return { entry, finishedAt: this.context.now() };
    },
    "journal:keep": ({ projectId, isKept }) => {
      if (isKept) this.without.delete(projectId);
      else this.without.add(projectId);
      this.context.changed(projectId);
      return { isKept };
    },
    "journal:export": ({ projectId }): ExportedJournal => {
      const own = this.of(projectId);
      const redacted = own.filter(({ isRedacted }) => isRedacted).length;
      return { entries: own.length - redacted, redacted, exportedAt: this.context.now() };
    },
    "journal:import": ({ projectId, dryRun }) => {
      if (!dryRun) {
        for (let n = 1; n <= this.incoming.new; n += 1)
          this.add({ projectId, content: `${n}`, wordedBy: "client", timestamp: this.context.now() });
        this.context.changed(projectId);
      }
      return { dryRun, ...this.incoming, backedUp: !dryRun };
    },
  };
}

function empty(entry: JournalEntry): void {
  entry.content = "";
  entry.isRedacted = true;
}
