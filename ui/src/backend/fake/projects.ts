import type {
  Book,
  ChapterInfo,
  ChapterText,
  Commands,
  Events,
  Language,
  OriginAt,
  OriginMark,
  Project,
  SoftBreakAt,
} from "../bindings.gen";
import { countWords } from "../../lib/words";
import type { FakeDrafts } from "./drafts";
import { invalid, notFound } from "./refusals";
import { FAKE_BOOKS } from "./sample";
import { styleOf } from "./style";

export interface FakeFile {
  info: ChapterInfo;
  text: string;
  hash: string;
  origins: OriginMark[];
  /** Line ends inside wrapped paragraphs of the text. Default none. */
  softBreaks?: SoftBreakAt[];
}

export interface FakeBook {
  project: Project;
  files: FakeFile[];
}

interface Options {
  language(): Language;
  id(kind: string): string;
  now(): string;
  drafts: FakeDrafts;
  isDeleted(chapterId: string): boolean;
  /** Whether the part of the memory that stores origins cannot serve. */
  areOriginsDown(): boolean;
  /** The skill of a generation, if it has a trace. */
  skillOf(generationId: string): string | undefined;
  /** Called for each generation whose text stands in a chapter of the sample. */
  addTrace(book: FakeBook, file: FakeFile, generationId: string): void;
  /** Called before the chapters of the sample are added: their traces cite the rules of the project. */
  beforeSample(projectId: string): void;
  /** Called after the sample was added, to add what the memory knows of it. */
  onSample(book: FakeBook, language: Language): void;
  /** Called when the list of projects changed. */
  changed(): void;
  onChapterChanged(change: Events["chapter:changed"]): void;
}

type Name =
  | "project:list"
  | "project:open"
  | "project:sample"
  | "project:style"
  | "project:create"
  | "chapter:list"
  | "chapter:create"
  | "chapter:rename"
  | "chapter:read"
  | "chapter:write";

/** The projects and their chapter files. */
export class FakeProjects {
  readonly books: FakeBook[] = [];
  /** Whether the chapters have enough text for a style profile. */
  hasStyle = true;

  constructor(private readonly options: Options) {}

  readonly commands: { [K in Name]: (args: Commands[K]["args"]) => Commands[K]["result"] } = {
    "project:list": () => ({
      projects: this.books
        .map(({ project }) => project)
        .toSorted((a, b) => b.lastOpenedAt.localeCompare(a.lastOpenedAt)),
    }),
    "project:open": ({ path, copiedAs }) => {
      if (path.includes("copy") && !copiedAs)
        return { status: "copied", book: null, copiedFrom: "/books/original", knownTitle: "original" };
      if (path.includes("elsewhere") && !copiedAs)
        return {
          status: "copied",
          book: null,
          copiedFrom: null,
          knownTitle: this.options.language() === "zh" ? "潮汐簿" : "The Tide Book",
        };
      const known = this.books.find(({ project }) => project.path === path);
      return {
        status: "opened",
        book: this.opened(known ?? this.newBook(path.split("/").at(-1) ?? path, this.options.language(), path)),
        copiedFrom: null,
        knownTitle: null,
      };
    },
    "project:sample": ({ language }) => {
      const sample = FAKE_BOOKS[language];
      const known = this.books.find(({ project }) => project.path === `/sample/${language}`);
      if (known) return this.opened(known);
      const book = this.newBook(sample.title, language, `/sample/${language}`);
      this.options.beforeSample(book.project.projectId);
      for (const chapter of sample.chapters) this.addSample(book, chapter.title, chapter.paragraphs);
      this.options.onSample(book, language);
      return this.opened(book);
    },
    "project:style": ({ projectId }) => {
      const { files } = this.project(projectId);
      return styleOf(files.length, this.hasStyle ? files.reduce((all, { info }) => all + info.words, 0) : 0);
    },
    "project:create": ({ title, language, path }) => {
      const { project } = this.newBook(title, language, path ?? null);
      this.options.changed();
      return project;
    },
    "chapter:list": ({ projectId }) => ({ chapters: this.project(projectId).files.map(({ info }) => info) }),
    "chapter:create": ({ projectId, title }) => this.addFile(this.project(projectId), title, `# ${title}\n\n`).info,
    "chapter:rename": ({ projectId, chapterId, title }) => {
      const { file } = this.file(chapterId, projectId);
      file.text = file.text.replace(/^# .*/, `# ${title}`);
      file.hash = hashOf(file.text);
      file.info = { ...file.info, title, words: countWords(file.text) };
      return file.info;
    },
    "chapter:read": ({ projectId, chapterId }) => {
      const { book, file } = this.file(chapterId, projectId);
      const { info, text, hash, origins } = file;
      const recoveryCopies = [
        ...this.options.drafts.of(chapterId).filter((one) => one.text !== text),
        ...this.options.drafts.ofMissingChapters(book.files.map((one) => one.info.chapterId)),
      ];
      return {
        chapterId,
        title: info.title,
        text,
        contentHash: hash,
        softBreaks: file.softBreaks ?? [],
        origins: this.options.areOriginsDown() ? [] : origins,
        unanchored: [],
        kept: recoveryCopies,
      } satisfies ChapterText;
    },
    "chapter:write": ({ projectId, chapterId, text, baseHash, origins, before, keptId }) => {
      const { file } = this.file(chapterId, projectId);
      const snapshotsSaved = this.options.drafts.storeSnapshots(chapterId, before ?? []);
      if (file.hash !== baseHash)
        throw {
          code: "MEMORY_STALE_VERSION",
          message: "the chapter was changed outside",
          details: { field: "baseHash", currentHash: file.hash },
        };
      file.text = text;
      file.hash = hashOf(text);
      const originsSaved = !this.options.areOriginsDown();
      if (originsSaved) file.origins = origins.map((range) => this.origin(range, text));
      file.info = { ...file.info, title: /^# (.+)/.exec(text)?.[1] ?? file.info.title, words: countWords(text) };
      if (keptId) this.options.drafts.drop(chapterId, keptId);
      return { contentHash: file.hash, words: file.info.words, originsSaved, snapshotsSaved };
    },
  };

  /** Changes a chapter's file as another program would; `notify`: whether the change is announced. */
  changeOutside(chapterId: string, text: string, notify: boolean): void {
    const { book, file } = this.file(chapterId);
    file.text = text;
    file.hash = hashOf(text);
    file.origins = [];
    const { projectId } = book.project;
    if (notify) this.options.onChapterChanged({ projectId, chapterId, contentHash: file.hash });
  }

  forget(projectId: string | null): void {
    for (const book of this.books.filter(({ project }) => projectId === null || project.projectId === projectId))
      this.books.splice(this.books.indexOf(book), 1);
  }

  ids(): string[] {
    return this.books.map(({ project }) => project.projectId);
  }

  project(projectId: string): FakeBook {
    const book = this.books.find(({ project }) => project.projectId === projectId);
    if (!book) throw notFound("projectId");
    return book;
  }

  /** A chapter, of one project if it is given. A project without a folder has no chapters to read or write. */
  file(chapterId: string, projectId?: string): { book: FakeBook; file: FakeFile } {
    if (projectId !== undefined && this.project(projectId).project.path === null) throw invalid("projectId");
    for (const book of this.books) {
      if (projectId !== undefined && book.project.projectId !== projectId) continue;
      const file = book.files.find(({ info }) => info.chapterId === chapterId);
      if (file) return { book, file };
    }
    if (this.options.isDeleted(chapterId))
      throw { code: "MEMORY_NOT_FOUND", message: "the chapter's file is gone", details: { reason: "chapterGone" } };
    throw notFound("chapterId");
  }

  private opened({ project, files }: FakeBook): Book {
    project.lastOpenedAt = this.options.now();
    this.options.changed();
    return { project, chapters: files.map(({ info }) => info) };
  }

  private newBook(title: string, language: Language, path: string | null): FakeBook {
    const at = this.options.now();
    const book: FakeBook = {
      project: { projectId: this.options.id("project"), title, language, path, createdAt: at, lastOpenedAt: at },
      files: [],
    };
    this.books.push(book);
    return book;
  }

  addFile(book: FakeBook, title: string, text: string, fileName = `${title}.md`): FakeFile {
    const file = this.newFile(title, text, fileName);
    book.files.push(file);
    return file;
  }

  newFile(title: string, text: string, fileName: string): FakeFile {
    return {
      info: {
        chapterId: this.options.id("chapter"),
        title,
        file: fileName,
        words: countWords(text),
        sceneType: null,
      },
      text,
      hash: hashOf(text),
      origins: [],
    };
  }

  /** ⟦…⟧ and ⟪…⟫ mark the text of two generations. */
  private addSample(book: FakeBook, title: string, paragraphs: string[]): void {
    const marked = `# ${title}\n\n${paragraphs.join("\n\n")}\n`;
    let text = "";
    const open: { at: number; id: string }[] = [];
    const ranges: OriginAt[] = [];
    for (const unit of marked) {
      if (unit === "⟦" || unit === "⟪") open.push({ at: text.length, id: unit === "⟦" ? "gen-a" : "gen-b" });
      else if (unit === "⟧" || unit === "⟫") {
        const start = open.pop();
        if (start) ranges.push({ generationId: start.id, from: start.at, to: text.length });
      } else text += unit;
    }
    const file = this.addFile(book, title, text, `${String(book.files.length + 1).padStart(2, "0")}-${title}.md`);
    file.origins = ranges.map((range) => this.origin(range, text));
    for (const { generationId } of ranges) this.options.addTrace(book, file, generationId);
  }

  private origin({ generationId, from, to }: OriginAt, text: string): OriginMark {
    return {
      generationId,
      skill: this.options.skillOf(generationId) ?? "continue",
      from,
      to,
      quoteHash: hashOf(text.slice(from, to)),
    };
  }
}

/** A hash of a text, in place of the engine's. */
export function hashOf(text: string): string {
  let value = 0x811c9dc5;
  for (const unit of text) value = Math.imul(value ^ unit.codePointAt(0)!, 0x01000193) >>> 0;
  return `${value.toString(16)}-${text.length}`;
}
