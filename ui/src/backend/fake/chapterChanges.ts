import type { ChangedChapters, Commands, DeletedChapterInfo, Episode, OriginMark, Trace } from "../bindings.gen";
import { countWords } from "../../lib/words";
import type { FakeBook, FakeFile } from "./projects";
import { hashOf } from "./projects";
import { invalid, notFound } from "./refusals";

interface Context {
  id(kind: string): string;
  now(): string;
  book(projectId: string): FakeBook;
  /** A chapter that is not in a book yet. */
  file(title: string, text: string, fileName: string): FakeFile;
  episodes: Episode[];
  traces: Map<string, Trace>;
  /** Called when memories moved to another chapter. */
  changed(projectId: string): void;
}

interface Change {
  changeId: string;
  projectId: string;
  kind: "split" | "merge";
  first: FakeFile;
  second: FakeFile;
  /** The first chapter on both sides of the change. */
  before: FakeFile;
  after: FakeFile;
  /** The memories that moved. */
  moved: { chapterId: string }[];
}

interface Deleted extends DeletedChapterInfo {
  projectId: string;
  file: FakeFile;
  index: number;
}

type Name =
  | "chapter:delete"
  | "chapter:deleted:list"
  | "chapter:deleted:restore"
  | "chapter:split"
  | "chapter:merge"
  | "chapter:change:undo";

const changedSince = { code: "MEMORY_STALE_VERSION", message: "changed since", details: { reason: "changedSince" } };

/** Deletes, restores, splits and merges chapters. */
export class FakeChapterChanges {
  readonly deleted: Deleted[] = [];
  private last: Change | null = null;

  constructor(private readonly context: Context) {}

  readonly commands: { [K in Name]: (args: Commands[K]["args"]) => Commands[K]["result"] } = {
    "chapter:delete": ({ projectId, chapterId }) => {
      const { files } = this.context.book(projectId);
      return { deletedId: this.remove(projectId, chapterId), chapters: files.map(({ info }) => info) };
    },
    "chapter:deleted:list": ({ projectId }) => ({
      deleted: this.deleted
        .filter((one) => one.projectId === projectId)
        .toReversed()
        .map(({ deletedId, chapterId, title, words, deletedAt }) => ({
          deletedId,
          chapterId,
          title,
          words,
          deletedAt,
        })),
    }),
    "chapter:deleted:restore": ({ projectId, deletedId }) => {
      const found = this.deleted.find((one) => one.deletedId === deletedId && one.projectId === projectId);
      if (!found) throw notFound("deletedId");
      this.putBack(found);
      return found.file.info;
    },
    "chapter:split": ({ projectId, chapterId, offset, baseHash, title }) => {
      if (typeof title === "string" && title.trim() === "") throw invalid("title");
      const { first, files, index } = this.find(projectId, chapterId);
      if (first.hash !== baseHash)
        throw {
          code: "MEMORY_STALE_VERSION",
          message: "the chapter was changed outside",
          details: { field: "baseHash", currentHash: first.hash },
        };
      const before = { ...first };
      const head = first.text.slice(0, offset).trimEnd();
      const rest = first.text.slice(offset).replace(/^(?:[ \t]*\n)*/, "");
      const heading = /^#{1,6} +(.*\S) *\n*/.exec(rest);
      const body = rest.slice(heading?.[0].length ?? 0);
      if (head.replace(/^# .*/, "").trim() === "" || body.trim() === "")
        throw invalid("offset", { reason: "emptyPart" });
      const named = title ?? heading?.[1];
      if (!named) throw invalid("title");
      const second = this.context.file(
        named,
        `# ${named}\n\n${body.trimEnd()}\n`,
        first.info.file.replace(/\.md$/, " 2.md"),
      );
      const shift = first.text.length - body.length - `# ${named}\n\n`.length;
      second.origins = first.origins.filter(({ from }) => from >= offset).map((mark) => moved(mark, -shift));
      this.write(
        first,
        `${head}\n`,
        first.origins.filter(({ from }) => from < offset),
      );
      files.splice(index + 1, 0, second);
      const generations = new Set(second.origins.map(({ generationId }) => generationId));
      const follows = this.memories(projectId, chapterId).filter(
        ({ generationId }) => generationId !== null && generations.has(generationId),
      );
      return this.record("split", projectId, before, first, second, follows);
    },
    "chapter:merge": ({ projectId, chapterId, nextId }) => {
      const { first, files, index } = this.find(projectId, chapterId);
      this.find(projectId, nextId);
      const second = files[index + 1];
      if (second?.info.chapterId !== nextId) throw changedSince;
      const before = { ...first };
      const text = `${first.text.trimEnd()}\n\n${second.text.replace(/^# /, "## ").trimEnd()}\n`;
      const shift = text.trimEnd().length - second.text.trimEnd().length;
      this.write(first, text, [...first.origins, ...second.origins.map((mark) => moved(mark, shift))]);
      this.remove(projectId, nextId);
      return this.record("merge", projectId, before, first, second, this.memories(projectId, nextId));
    },
    "chapter:change:undo": ({ projectId, changeId }) => {
      const change = this.last;
      if (change?.changeId !== changeId || change.projectId !== projectId) throw changedSince;
      const { first, second, before, after, kind } = change;
      if (first.hash !== after.hash) throw changedSince;
      const { files } = this.context.book(projectId);
      const to = kind === "split" ? first : second;
      if (kind === "split") files.splice(files.indexOf(second), 1);
      else {
        const deleted = this.deleted.find(({ chapterId }) => chapterId === second.info.chapterId);
        if (deleted) this.putBack(deleted);
      }
      Object.assign(first, before);
      for (const one of change.moved) one.chapterId = to.info.chapterId;
      this.last = null;
      this.context.changed(projectId);
      return this.answer(change);
    },
  };

  private find(projectId: string, chapterId: string): { first: FakeFile; files: FakeFile[]; index: number } {
    const { files } = this.context.book(projectId);
    const index = files.findIndex(({ info }) => info.chapterId === chapterId);
    const first = files[index];
    if (!first) throw notFound("chapterId");
    return { first, files, index };
  }

  private write(file: FakeFile, text: string, origins: OriginMark[]): void {
    Object.assign(file, { text, hash: hashOf(text), origins, info: { ...file.info, words: countWords(text) } });
  }

  private memories(projectId: string, chapterId: string): { chapterId: string; generationId: string | null }[] {
    return [...this.context.episodes, ...this.context.traces.values()].filter(
      (one) => one.projectId === projectId && one.chapterId === chapterId,
    );
  }

  private remove(projectId: string, chapterId: string): string {
    const { first: file, files, index } = this.find(projectId, chapterId);
    files.splice(index, 1);
    const { title, words } = file.info;
    const deletedId = this.context.id("deleted");
    this.deleted.push({ projectId, deletedId, chapterId, title, words, deletedAt: this.context.now(), file, index });
    return deletedId;
  }

  private putBack(deleted: Deleted): void {
    const { files } = this.context.book(deleted.projectId);
    files.splice(Math.min(deleted.index, files.length), 0, deleted.file);
    this.deleted.splice(this.deleted.indexOf(deleted), 1);
  }

  private record(
    kind: Change["kind"],
    projectId: string,
    before: FakeFile,
    first: FakeFile,
    second: FakeFile,
    follows: { chapterId: string }[],
  ): ChangedChapters {
    const to = kind === "split" ? second : first;
    for (const one of follows) one.chapterId = to.info.chapterId;
    this.last = {
      changeId: this.context.id("change"),
      projectId,
      kind,
      first,
      second,
      before,
      after: { ...first },
      moved: follows,
    };
    this.context.changed(projectId);
    return this.answer(this.last);
  }

  private answer({ changeId, projectId, first, second }: Change): ChangedChapters {
    return {
      changeId,
      chapterId: first.info.chapterId,
      secondId: second.info.chapterId,
      chapters: this.context.book(projectId).files.map(({ info }) => info),
      memoriesMoved: true,
    };
  }
}

const moved = (mark: OriginMark, by: number): OriginMark => ({ ...mark, from: mark.from + by, to: mark.to + by });
