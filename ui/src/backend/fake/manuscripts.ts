import type { ChapterInfo, Commands, ImportedBook, Project } from "../bindings.gen";
import { countWords } from "../../lib/words";

/** A file of another program, as it is read. */
export interface FakeManuscript extends Partial<Omit<ImportedBook, "chapters">> {
  chapters: { title: string; text: string }[];
}

interface Context {
  book: (projectId: string) => { project: Project; files: { info: ChapterInfo; text: string }[] };
  /** A new last chapter; its identity. */
  add: (projectId: string, title: string, text: string) => string;
}

type Name = "project:import" | "project:export" | "chapter:move" | "chapter:scene";

/** Files that come in and go out, and the order of chapters. */
export class FakeManuscripts {
  /** What the writer picks in the dialog. */
  picked: string[] = [];
  /** What lies on the disk, by path. Anything else is of no known format. */
  readonly files = new Map<string, FakeManuscript>();

  constructor(private readonly context: Context) {}

  readonly commands: { [K in Name]: (args: Commands[K]["args"]) => Commands[K]["result"] } = {
    "project:import": ({ projectId, path, dryRun }) => {
      const file = this.files.get(path);
      if (!file)
        throw {
          code: "MEMORY_INVALID_ARGUMENT",
          message: "the file is of no known format",
          details: { field: "path", reason: "unknownFormat" },
        };
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
      return { chapters: files.length, bytes: files.reduce((sum, { text }) => sum + text.length, 0) };
    },
    "chapter:scene": ({ projectId, chapterId, sceneType }) => {
      const file = this.context.book(projectId).files.find(({ info }) => info.chapterId === chapterId);
      if (!file) throw { code: "MEMORY_NOT_FOUND", message: "no such chapter" };
      file.info = { ...file.info, sceneType: sceneType?.trim() ?? null };
      return file.info;
    },
    "chapter:move": ({ projectId, chapterId, before }) => {
      const { files } = this.context.book(projectId);
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
