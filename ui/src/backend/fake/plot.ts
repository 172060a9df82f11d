import type {
  CardFact,
  Commands,
  EntityKind,
  Language,
  Position,
  StepAttributes,
  StepKind,
  StoryEvent,
  StoryThread,
  ThreadStep,
  Visibility,
} from "../bindings.gen";

type Name = "story:events" | "story:threads";

/** An accepted entity as of a position. */
interface Accepted {
  entityId: string;
  kind: EntityKind;
  name: string;
  version: number;
  visibility: Visibility;
  facts: CardFact[];
}

interface Context {
  accepted: (projectId: string, at: Position | null | undefined) => Accepted[];
  /** The ids of the chapters of a book. Throws for a position in no chapter. */
  chapters: (projectId: string, at: Position | null | undefined) => string[];
  language: (projectId: string) => Language;
}

/** A position with the number of its chapter. */
type Placed = [chapter: number, position: Position];

const ATTRIBUTES: Record<Language, StepAttributes> = {
  zh: { planted: "埋下", touched: "提到", paid: "收回", leftOpen: "就让它开着" },
  en: { planted: "planted", touched: "touched", paid: "paid", leftOpen: "left open" },
};
const STEPS: StepKind[] = ["planted", "touched", "paid", "leftOpen"];
const STATUSES: StoryThread["status"][] = ["open", "leftOpen", "paid"];
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const SEASONS = ["spring", "summer", "autumn", "winter"];

const stepOf = (attribute: string): StepKind | null =>
  STEPS.find((kind) => Object.values(ATTRIBUTES).some((words) => words[kind] === attribute.toLowerCase())) ?? null;

const compare = (one: readonly number[], other: readonly number[]): number => {
  const at = one.findIndex((value, index) => value !== other[index]);
  return at < 0 ? 0 : one[at]! - other[at]!;
};
const comparePlaces = ([a, one]: Placed, [b, other]: Placed) => compare([a, one.offset], [b, other.offset]);

/** Year, month and day of words in figures; `null` without a year. */
function momentOf(words: string): [number, number, number] | null {
  const year = /\d{4}/.exec(words);
  if (!year) return null;
  const named: string[] = words.toLowerCase().match(/[a-z]+/g) ?? [];
  const month =
    /(\d{1,2})月/.exec(words)?.[1] ?? MONTHS.findIndex((one) => named.some((word) => word.startsWith(one))) + 1;
  const season = SEASONS.findIndex((one) => named.includes(one)) * 3 + 3;
  const day = /(\d{1,2})日/.exec(words)?.[1] ?? /(?:^|\s)(\d{1,2})(?:\s|$)/.exec(words)?.[1] ?? 0;
  return [Number(year[0]), Number(month) || season, Number(day)];
}

/** The threads and the events of fake books, by the facts of their entities. */
export class FakePlot {
  constructor(private readonly context: Context) {}

  /** The places that tell of a fact, in the order of the book. */
  private placesOf(projectId: string, { toldAt, citations }: CardFact): Placed[] {
    const chapters = this.context.chapters(projectId, null);
    const cited = citations.map(({ chapterId, from }): Position => ({ chapterId, offset: from }));
    const positions = citations.length === 0 && toldAt ? [toldAt] : cited;
    return positions
      .map((position): Placed => [chapters.indexOf(position.chapterId), position])
      .filter(([chapter]) => chapter >= 0)
      .toSorted(comparePlaces);
  }

  /** A thread, with the number of the chapter of its last step. */
  private thread(projectId: string, { entityId, name, version, facts }: Accepted, here: number): [number, StoryThread] {
    const steps = facts
      .flatMap((fact): { step: ThreadStep; place: Placed | undefined }[] => {
        const kind = stepOf(fact.attribute);
        if (kind === null) return [];
        const [place] = this.placesOf(projectId, fact);
        return [{ step: { kind, fact, isStale: fact.isStale, position: place?.[1] ?? null }, place }];
      })
      .toSorted((a, b) => {
        if (!a.place || !b.place) return Number(Boolean(a.place)) - Number(Boolean(b.place));
        return comparePlaces(a.place, b.place) || STEPS.indexOf(a.step.kind) - STEPS.indexOf(b.step.kind);
      });
    const has = (kind: StepKind) => steps.some(({ step }) => step.kind === kind && !step.isStale);
    const status = has("paid") ? "paid" : has("leftOpen") ? "leftOpen" : "open";
    const last = steps.filter(({ step }) => step.kind !== "leftOpen").flatMap(({ place }) => (place ? [place[0]] : []));
    const lastChapter = Math.max(-1, ...last);
    const untouchedFor = status === "open" && lastChapter >= 0 ? Math.max(0, here - lastChapter) : null;
    return [lastChapter, { entityId, name, version, status, untouchedFor, steps: steps.map(({ step }) => step) }];
  }

  private threads({ projectId, at }: Commands["story:threads"]["args"]): StoryThread[] {
    const here = this.context.chapters(projectId, at).length - 1;
    return this.context
      .accepted(projectId, at)
      .filter(({ kind }) => kind === "thread")
      .map((entity) => this.thread(projectId, entity, here))
      .toSorted(([lastA, a], [lastB, b]) => {
        const byStatus = STATUSES.indexOf(a.status) - STATUSES.indexOf(b.status);
        if (byStatus !== 0) return byStatus;
        return a.status === "paid" ? lastA - lastB : (b.untouchedFor ?? -1) - (a.untouchedFor ?? -1);
      })
      .map(([, thread]) => thread);
  }

  private events({ projectId, at }: Commands["story:events"]["args"]): StoryEvent[] {
    this.context.chapters(projectId, at);
    const one = ({ entityId, kind, name }: Accepted, fact: CardFact | null, facts: readonly CardFact[]) => {
      const moment = fact?.validFrom ? momentOf(fact.validFrom) : null;
      const places = facts.flatMap((own) => this.placesOf(projectId, own)).toSorted(comparePlaces);
      const positions = places.map(([, position]) => position);
      const isStale = fact?.isStale ?? false;
      const event: StoryEvent = { entityId, kind, name, fact, isStale, isDated: moment !== null, positions };
      return { event, moment, first: places[0] };
    };
    const all = this.context.accepted(projectId, at).flatMap((entity) => {
      const timed = entity.facts.filter(({ validFrom }) => validFrom !== null);
      if (entity.kind === "event") return [one(entity, timed[0] ?? null, entity.facts)];
      return timed.map((fact) => one(entity, fact, [fact]));
    });
    return all
      .toSorted((a, b) => {
        if (!a.moment || !b.moment) {
          if (a.moment || b.moment) return a.moment ? -1 : 1;
          if (!a.first || !b.first) return Number(Boolean(a.first)) - Number(Boolean(b.first));
          return comparePlaces(a.first, b.first);
        }
        return compare(a.moment, b.moment);
      })
      .map(({ event }) => event);
  }

  readonly commands: { [K in Name]: (args: Commands[K]["args"]) => Commands[K]["result"] } = {
    "story:threads": (args) => ({
      threads: this.threads(args),
      attributes: ATTRIBUTES[this.context.language(args.projectId)],
    }),
    "story:events": (args) => ({ events: this.events(args) }),
  };
}
