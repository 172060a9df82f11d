import type { ChapterInfo, Commands, ImportedBook, Project } from "../bindings.gen";
import { countWords } from "../../lib/words";
import { invalid, notFound } from "./refusals";

/** A manuscript of another program. */
export interface FakeManuscript extends Partial<Omit<ImportedBook, "chapters">> {
  chapters: { title: string; text: string }[];
}

interface Context {
  book: (projectId: string) => { project: Project; files: { info: ChapterInfo; text: string }[] };
  /** Adds a last chapter and returns its id. */
  add: (projectId: string, title: string, text: string) => string;
}

type Name = "project:import" | "project:export" | "chapter:move" | "chapter:scene";

/** Import and export of manuscripts, and the order and scene types of chapters. */
export class FakeManuscripts {
  /** Paths returned by the open dialog. */
  picked: string[] = [];
  /** Readable files by path; any other path is of unknown format. */
  readonly files = new Map<string, FakeManuscript>();

  constructor(private readonly context: Context) {}

  readonly commands: { [K in Name]: (args: Commands[K]["args"]) => Commands[K]["result"] } = {
    "project:import": ({ projectId, path, dryRun }) => {
      const file = this.files.get(path);
      if (!file) throw invalid("path", { reason: "unknownFormat" });
      return {
        title: file.title ?? null,
        encoding: file.encoding ?? null,
        unreadable: file.unreadable ?? 0,
        notes: file.notes ?? 0,
        pictures: file.pictures ?? 0,
        chapters: file.chapters.map(({ title, text }) => ({
          title,
          characters: text.replace(/\s/g, "").length,
          words: countWords(text),
          chapterId: dryRun ? null : this.context.add(projectId, title, `# ${title}\n\n${text}\n`),
        })),
      };
    },
    "project:export": ({ projectId }) => {
      const { files } = this.context.book(projectId);
      return {
        chapters: files.length,
        bytes: new TextEncoder().encode(files.map(({ text }) => text.trim()).join("\n\n") + "\n").length,
      };
    },
    "chapter:scene": ({ projectId, chapterId, sceneType }) => {
      const file = this.context.book(projectId).files.find(({ info }) => info.chapterId === chapterId);
      if (!file) throw notFound("chapterId");
      file.info = { ...file.info, sceneType: sceneType?.trim() ?? null };
      return file.info;
    },
    "chapter:move": ({ projectId, chapterId, before }) => {
      const { files } = this.context.book(projectId);
      for (const id of [chapterId, before])
        if (typeof id === "string" && !files.some(({ info }) => info.chapterId === id)) throw notFound("chapterId");
      const [moved] = files.splice(
        files.findIndex(({ info }) => info.chapterId === chapterId),
        1,
      );
      const at = before ? files.findIndex(({ info }) => info.chapterId === before) : files.length;
      if (moved) files.splice(at, 0, moved);
      return { chapters: files.map(({ info }) => info) };
    },
  };
}
