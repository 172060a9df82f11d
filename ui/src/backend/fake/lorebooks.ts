import type { Commands, EntityKind, Error as WireError, ImportedStory, Position } from "../bindings.gen";
import { invalid } from "./refusals";

type Name = "story:export" | "story:import";

/** An entity in a file with a story. */
export interface FakeLoreEntry {
  kind: EntityKind;
  name: string;
  /** Attributes with their values. */
  facts: [string, string][];
}

interface FakeLorebook {
  entries: FakeLoreEntry[];
  /** Counts of the report that do not follow from the entries. */
  counts?: Partial<ImportedStory>;
}

interface Context {
  /** The accepted entities of a book, as of a position. */
  entries: (projectId: string, at: Position | null | undefined) => FakeLoreEntry[];
  /** Adds entities that the book does not have as one change, and returns its id. */
  add: (projectId: string, entries: FakeLoreEntry[]) => string;
  now: () => string;
}

const factsOf = (entries: FakeLoreEntry[]) => entries.reduce((sum, { facts }) => sum + facts.length, 0);

/** Export and import of stories. Entries of a file are new, or all of their facts are in the book. */
export class FakeLorebooks {
  /** Importable files by path, or the error of importing them. */
  readonly files = new Map<string, FakeLorebook | WireError>();

  constructor(private readonly context: Context) {}

  readonly commands: { [K in Name]: (args: Commands[K]["args"]) => Commands[K]["result"] } = {
    "story:export": ({ projectId, path, at }) => {
      const entries = this.context.entries(projectId, at);
      this.files.set(path, { entries });
      return { entities: entries.length, facts: factsOf(entries), exportedAt: this.context.now() };
    },
    "story:import": ({ projectId, path, dryRun }) => {
      const file = this.files.get(path);
      if (!file) throw invalid("path", { reason: "noFile" });
      if ("code" in file) throw file;
      if (file.entries.length === 0)
        throw { ...invalid("path"), details: { reason: "otherFormat" as const, line: 1 } } satisfies WireError;
      const known = new Set(this.context.entries(projectId, null).map(({ name }) => name));
      const same = file.entries.filter(({ name }) => known.has(name));
      const added = file.entries.filter(({ name }) => !known.has(name));
      return {
        dryRun,
        changeId: dryRun || added.length === 0 ? null : this.context.add(projectId, added),
        newEntities: added.length,
        changedEntities: 0,
        sameEntities: same.length,
        newFacts: factsOf(added),
        sameFacts: factsOf(same),
        lostQuotes: 0,
        ignoredFields: 0,
        leftOut: 0,
        ...file.counts,
      };
    },
  };
}
