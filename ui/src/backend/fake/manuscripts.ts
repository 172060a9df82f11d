import type {
  ChapterInfo,
  Commands,
  FoundSection,
  ImportSection,
  ImportedBook,
  Project,
  SectionUse,
  UndoableImport,
  Error as WireError,
} from "../bindings.gen";
import { countWords } from "../../lib/words";
import { invalid, notFound } from "./refusals";

/** A section of a manuscript: with a heading, or a line that may be one. */
export interface FakeSection {
  title: string;
  text: string;
  /** Default `heading`. */
  kind?: FoundSection["kind"];
  /** Default `chapter`. */
  use?: SectionUse;
}

/** A manuscript of another program. */
export interface FakeManuscript extends Partial<Omit<ImportedBook, "chapters" | "sections">> {
  chapters: FakeSection[];
}

interface FakeFile {
  info: ChapterInfo;
  text: string;
  hash: string;
}

interface Context {
  book: (projectId: string) => { project: Project; files: FakeFile[] };
  /** Adds a last chapter and returns its id. */
  add: (projectId: string, title: string, text: string) => string;
  /** The hash of the fake for a text. */
  hash: (text: string) => string;
}

type Name =
  | "project:import"
  | "project:import:last"
  | "project:import:paragraphs"
  | "project:import:undo"
  | "project:export"
  | "chapter:move"
  | "chapter:scene";

/** Paragraphs of one answer. */
const MAX_PARAGRAPHS = 200;
/** Positions of the fake: this many times the number of the section, and the offset in its text. */
const SECTION_STEP = 1_000_000;

interface Part extends FakeSection {
  /** Position of its text. */
  at: number;
}

const paragraphsOf = ({ text, at }: Part) =>
  [...text.matchAll(/[^\n]+/g)].map((found) => ({ at: at + found.index, opening: found[0].slice(0, 80) }));

/** The sections of a file, split at these positions. */
function splitAt(sections: FakeSection[], splits: number[]): Part[] {
  const parts: Part[] = sections.map((section, index) => ({ ...section, at: index * SECTION_STEP }));
  for (const at of splits) {
    const index = parts.findLastIndex((part) => part.at < at);
    const part = parts[index];
    const paragraph = part && paragraphsOf(part).find((one) => one.at === at);
    if (!part || !paragraph) throw invalid("splits", { reason: "importChoices" });
    const text = part.text.slice(at - part.at);
    part.text = part.text.slice(0, at - part.at).trimEnd();
    parts.splice(index + 1, 0, { title: paragraph.opening.slice(0, 24), kind: "paragraph", use: "chapter", text, at });
  }
  return parts;
}

const misfit = () => invalid("sections", { reason: "importChoices" });

const importChanged: WireError = {
  code: "MEMORY_STALE_VERSION",
  message: "a chapter of the import was changed",
  details: { reason: "importChanged" },
};

/** Import and export of manuscripts, and the order and scene types of chapters. */
export class FakeManuscripts {
  /** Paths returned by the open dialog. */
  picked: string[] = [];
  /** Readable files by path; any other path is of unknown format. */
  readonly files = new Map<string, FakeManuscript>();
  /** The files of the last import by project, with their hashes. */
  private readonly imported = new Map<string, Map<string, string>>();

  constructor(private readonly context: Context) {}

  private read(path: string): FakeManuscript {
    const file = this.files.get(path);
    if (!file) throw invalid("path", { reason: "unknownFormat" });
    return file;
  }

  /** The last import of a project, while its chapters are unchanged. */
  private last(projectId: string): UndoableImport | null {
    const imported = this.imported.get(projectId);
    if (!imported) return null;
    const { files } = this.context.book(projectId);
    const isUnchanged = ([chapterId, hash]: [string, string]) =>
      files.some((file) => file.info.chapterId === chapterId && file.hash === hash);
    const [first] = imported.keys();
    return first && [...imported].every(isUnchanged) ? { importId: first, chapters: imported.size } : null;
  }

  private add(projectId: string, chapters: FakeSection[], continued: string | null): string[] {
    const { files } = this.context.book(projectId);
    const ids = chapters.map(({ title, text }) => this.context.add(projectId, title, `# ${title}\n\n${text}\n`));
    const earlier = this.imported.get(projectId);
    const [first] = earlier?.keys() ?? [];
    const imported = first !== undefined && first === continued ? earlier! : new Map<string, string>();
    for (const { info, hash } of files) if (ids.includes(info.chapterId)) imported.set(info.chapterId, hash);
    this.imported.set(projectId, imported);
    return ids;
  }

  readonly commands: { [K in Name]: (args: Commands[K]["args"]) => Commands[K]["result"] } = {
    "project:import": ({ projectId, path, dryRun, splits, sections: choices, continuedImportId }) => {
      const file = this.read(path);
      const parts = splitAt(file.chapters, splits ?? []);
      const sections = parts.map(({ title, text, kind = "heading", use = "chapter" }) => ({
        title,
        kind,
        use,
        words: countWords(text),
        opening: text.slice(0, 80),
      }));
      const chapters = chaptersOf(parts, choices ?? sections.map(({ use }) => ({ use })));
      const ids = dryRun ? null : this.add(projectId, chapters, continuedImportId ?? null);
      return {
        title: file.title ?? null,
        encoding: file.encoding ?? null,
        unreadable: file.unreadable ?? 0,
        notes: file.notes ?? 0,
        pictures: file.pictures ?? 0,
        wrappedLines: file.wrappedLines ?? 0,
        contentHash: file.contentHash ?? this.context.hash(JSON.stringify(file.chapters)),
        importId: ids === null ? null : (this.last(projectId)?.importId ?? null),
        sections,
        chapters: chapters.map(({ title, text }, index) => ({
          title,
          characters: text.replace(/\s/g, "").length,
          words: countWords(text),
          chapterId: ids?.[index] ?? null,
        })),
      };
    },
    "project:import:paragraphs": ({ path, splits, section, containing = "", from = 0 }) => {
      const part = splitAt(this.read(path).chapters, splits ?? [])[section];
      if (!part) throw invalid("section");
      const found = paragraphsOf(part)
        .slice(1)
        .filter(({ at, opening }) => at >= from! && opening.toLowerCase().includes(containing!.trim().toLowerCase()));
      return { paragraphs: found.slice(0, MAX_PARAGRAPHS), next: found[MAX_PARAGRAPHS]?.at ?? null };
    },
    "project:import:last": ({ projectId }) => ({ last: this.last(projectId) }),
    "project:import:undo": ({ projectId, importId }) => {
      if (this.last(projectId)?.importId !== importId) throw importChanged;
      const { files } = this.context.book(projectId);
      const imported = this.imported.get(projectId)!;
      files.splice(0, files.length, ...files.filter(({ info }) => !imported.has(info.chapterId)));
      this.imported.delete(projectId);
      return { chapters: files.map(({ info }) => info) };
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

/** The chapters that these choices make of the sections. */
function chaptersOf(sections: FakeSection[], choices: ImportSection[]): FakeSection[] {
  if (choices.length !== sections.length) throw misfit();
  const chapters: FakeSection[] = [];
  sections.forEach((section, index) => {
    const { use, title } = choices[index]!;
    const last = chapters.at(-1);
    if (use === "chapter") {
      const named = title ?? section.title;
      if (named.trim() === "") throw misfit();
      chapters.push({ title: named, text: section.text });
    } else if (use === "continue") {
      if (!last) throw misfit();
      last.text = [last.text, section.title, section.text].join("\n\n");
    }
  });
  if (chapters.length === 0) throw misfit();
  return chapters;
}
