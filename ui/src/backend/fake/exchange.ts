import type {
  Commands,
  Episode,
  Error as WireError,
  Imported,
  KindTaken,
  RecordKind,
  Rule,
  Topic,
  Trace,
} from "../bindings.gen";

import { invalid } from "./refusals";

interface Context {
  rules: Rule[];
  episodes: Episode[];
  traces: Map<string, Trace>;
  books: () => string[];
  now: () => string;
  changed: (projectId: string | null, what: Topic[]) => void;
}

/** A file that can be imported: counts by kind, and the effect of the import. */
interface File {
  kinds: KindTaken[];
  comes?: () => void;
}

type Name = "memory:export" | "memory:import";

const COLUMNS = ["new", "newer", "same", "conflicting", "leftOut"] as const;
const nothing = (kind: RecordKind): KindTaken => ({ kind, new: 0, newer: 0, same: 0, conflicting: 0, leftOut: 0 });

/** Counts of one kind, zero where not given. */
export const taken = (kind: RecordKind, counts: Partial<KindTaken>): KindTaken => ({ ...nothing(kind), ...counts });

/** Export to files and import from them. */
export class FakeExchange {
  /** Importable files by path, or the error of importing them. */
  readonly files = new Map<string, File | WireError>();
  /** Number of records that an export leaves out. */
  leftOut = 0;

  constructor(private readonly context: Context) {}

  readonly commands: { [K in Name]: (args: Commands[K]["args"]) => Commands[K]["result"] } = {
    "memory:export": ({ projectId, path, format }) => {
      const { rules, episodes, traces } = this.context;
      const own = <T extends { projectId: string | null }>(things: T[]) =>
        (projectId ? things.filter((thing) => thing.projectId === projectId) : things).length;
      const all = {
        project: projectId ? 1 : this.context.books().length,
        ruleVersion: own(rules),
        rule: own(rules),
        episode: own(episodes),
        trace: own([...traces.values()]),
      };
      const counts: Partial<Record<RecordKind, number>> =
        format === "markdown"
          ? { rule: rules.filter((rule) => rule.projectId === null || rule.projectId === projectId).length }
          : all;
      const kinds = (Object.entries(counts) as [RecordKind, number][])
        .map(([kind, count]) => ({ kind, count }))
        .filter(({ count }) => count > 0);
      // The memory that it was exported from has all of it.
      this.files.set(path, { kinds: kinds.map(({ kind, count }) => taken(kind, { same: count })) });
      return {
        kinds,
        leftOut: this.leftOut,
        exportedAt: this.context.now(),
      };
    },
    "memory:import": ({ path, dryRun }) => {
      const file = this.files.get(path);
      if (!file) throw invalid("path", { reason: "noFile" });
      if ("code" in file) throw file;
      const changes = file.kinds.some((kind) => kind.new + kind.newer > 0);
      const imported: Imported = { dryRun, kinds: file.kinds, backedUp: changes && !dryRun };
      if (changes && !dryRun) {
        file.comes?.();
        this.files.set(path, {
          kinds: file.kinds.map((kind) =>
            taken(kind.kind, { same: COLUMNS.reduce((sum, column) => sum + kind[column], 0) }),
          ),
        });
        this.context.changed(null, ["rules", "episodes", "traces", "names", "projects", "backups"]);
      }
      return imported;
    },
  };
}
