import type { Commands, FoundPassage, Project } from "../bindings.gen";
import { invalid } from "./refusals";

type Name = "story:analyze" | "story:find" | "story:status";

interface Context {
  /** Whether nothing is found by meaning. */
  isWithoutMeaning: () => boolean;
  book: (projectId: string) => { project: Project; files: readonly unknown[] };
  changed: (projectId: string) => void;
}

/** The analysis of books: a test gives the passages that a search finds. */
export class FakeStory {
  /** The answer to every search, best first. */
  found: FoundPassage[] = [];
  /** Number of analyzed chapters of every book; `null`: all of them. */
  analyzed: number | null = null;
  /** Whether the tagger is missing, for Chinese books. */
  isTaggerMissing = false;

  constructor(private readonly context: Context) {}

  private status(projectId: string): Commands["story:status"]["result"] {
    const { project, files } = this.context.book(projectId);
    return {
      chapters: files.length,
      analyzed: this.analyzed ?? files.length,
      passages: this.found.length,
      untagged: 0,
      isTaggerMissing: this.isTaggerMissing && project.language === "zh",
    };
  }

  readonly commands: { [K in Name]: (args: Commands[K]["args"]) => Commands[K]["result"] } = {
    "story:analyze": ({ projectId, chapters }) => {
      if (chapters && this.context.book(projectId).project.path !== null) throw invalid("chapters");
      if (this.analyzed !== null) {
        this.analyzed = null;
        this.context.changed(projectId);
      }
      return this.status(projectId);
    },
    "story:find": ({ limit }) => {
      const degraded = this.context.isWithoutMeaning();
      const degradedReason = degraded ? "the encoder's files are not installed" : null;
      return { passages: this.found.slice(0, limit ?? 8), degraded, degradedReason };
    },
    "story:status": ({ projectId }) => this.status(projectId),
  };
}
