import type {
  Answer,
  Commands,
  Failure,
  Practice,
  ProposedFact,
  RecordStanding,
  StudyState,
  Topic,
} from "../bindings.gen";
import type { FakeAnswers } from "./answers";
import { notFound, staleVersion } from "./refusals";

type Name = Exclude<
  Extract<keyof Commands, `knowledge:${string}`>,
  `knowledge:study:${string}` | `knowledge:question:${string}`
>;

interface Context {
  answers: FakeAnswers;
  title: (projectId: string) => string;
  state: (projectId: string) => StudyState;
  /** Counts a change of the settings of a book; returns their new version. */
  countChange: (projectId: string) => number;
  dropQuestion: (projectId: string, words: string) => void;
  /** A proposed fact becomes the writer's; returns the id of the change. */
  acceptFact: (projectId: string, fact: ProposedFact) => string;
  id: (kind: string) => string;
  now: () => string;
  changed: (projectId: string | null, topics: Topic[]) => void;
}

const USUAL_RECORDS = 10;
const USUAL_FOUND = 5;

interface Settings {
  background: string;
  createdAt: string | null;
  updatedAt: string | null;
}

/** The knowledge of fake books: their studied answers, what a study proposes, failures, and notes for all books. */
export class FakeKnowledge {
  private readonly facts = new Map<string, ProposedFact[]>();
  private readonly settings = new Map<string, Settings>();
  private readonly failures: Failure[] = [];
  private readonly practices: Practice[] = [];

  constructor(private readonly context: Context) {}

  /** Adds a record that a study found, with the facts that it proposes. */
  addRecord(
    record: Pick<Answer, "projectId" | "question" | "answer" | "citations">,
    facts: Pick<ProposedFact, "entityId" | "entityName" | "attribute" | "value">[] = [],
  ): Answer {
    const added = this.context.answers.add({ ...record, kind: "canon", origin: "studied" });
    const proposed = facts.map((fact): ProposedFact => ({
      ...fact,
      factId: this.context.id("fact"),
      answerId: added.answerId,
      citation: record.citations[0]!,
    }));
    this.facts.set(record.projectId, [...this.factsOf(record.projectId), ...proposed]);
    return added;
  }

  private factsOf(projectId: string): ProposedFact[] {
    return this.facts.get(projectId) ?? [];
  }

  private records(projectId: string, standing: RecordStanding | null = null): Answer[] {
    return this.context.answers
      .studied(projectId)
      .filter(({ userConfirmed }) => standing === null || userConfirmed === (standing === "kept"))
      .toReversed()
      .toSorted((a, b) => b.createdAt.localeCompare(a.createdAt));
  }

  private judge(args: Commands["knowledge:record:judge"]["args"]): Commands["knowledge:record:judge"]["result"] {
    const { projectId, answerId, version, verdict, facts = [] } = args;
    const record = this.records(projectId).find((one) => one.answerId === answerId);
    if (!record) throw notFound("answerId");
    if (version !== record.version) throw staleVersion(record.version);
    const own = this.factsOf(projectId).filter((fact) => fact.answerId === answerId);
    const rest = this.factsOf(projectId).filter((fact) => fact.answerId !== answerId);
    this.facts.set(projectId, rest);
    const topics: Topic[] = ["knowledge", "answers", "story"];
    if (verdict === "refuse") {
      this.context.answers.commands["answer:delete"]({ projectId, answerId, version, confirmed: true });
      this.context.dropQuestion(projectId, record.question);
      this.context.changed(projectId, topics);
      return { record: null, acceptedFacts: 0, changeId: null };
    }
    // The engine writes them in one change; here `story:undo` takes the last one back.
    const judged = own.map((fact) => ({ fact, words: facts.find(({ factId }) => factId === fact.factId) }));
    const kept = judged.filter(({ words }) => !words?.isLeftOut);
    const changes = kept.map(({ fact, words }) =>
      this.context.acceptFact(projectId, {
        ...fact,
        attribute: words?.attribute ?? fact.attribute,
        value: words?.value ?? fact.value,
      }),
    );
    const { answer } = this.context.answers.commands["answer:confirm"]({
      projectId,
      answerId,
      version,
      userConfirmed: true,
    });
    this.context.changed(projectId, topics);
    return { record: answer, acceptedFacts: kept.length, changeId: changes.at(-1) ?? null };
  }

  private found(projectId: string, query: string, limit: number) {
    const letters = [...new Set(query.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, ""))];
    const score = ({ question, answer }: Answer) =>
      letters.filter((letter) => `${question}${answer}`.toLowerCase().includes(letter)).length /
      Math.max(letters.length, 1);
    return this.records(projectId)
      .map((record) => ({ record, score: score(record), projectTitle: this.context.title(projectId) }))
      .filter((one) => one.score > 0)
      .toSorted((a, b) => b.score - a.score)
      .slice(0, limit);
  }

  private settingsOf(projectId: string): Settings {
    return this.settings.get(projectId) ?? { background: "", createdAt: null, updatedAt: null };
  }

  private project(projectId: string): Commands["knowledge:project:get"]["result"] {
    const failures = this.failures.filter((one) => one.projectId === projectId);
    return {
      projectId,
      projectPath: null,
      domainKnowledge: [],
      learningRecordIds: this.records(projectId).map(({ answerId }) => answerId),
      failureRecordIds: failures.toReversed().map(({ failureId }) => failureId),
      habits: [],
      evolutionStatus: this.context.state(projectId),
      degraded: false,
      ...this.settingsOf(projectId),
      version: this.context.state(projectId).version,
    };
  }

  private failure(projectId: string, failureId: string): Failure {
    const found = this.failures.find((one) => one.projectId === projectId && one.failureId === failureId);
    if (!found) throw notFound("failureId");
    return found;
  }

  private practice(practiceId: string, version: number | null | undefined): Practice {
    const found = this.practices.find((one) => one.practiceId === practiceId);
    if (!found) throw notFound("practiceId");
    if (version !== found.version) throw staleVersion(found.version);
    return found;
  }

  readonly commands: { [K in Name]: (args: Commands[K]["args"]) => Commands[K]["result"] } = {
    "knowledge:record:list": ({ projectId, standing, offset, limit }) => {
      const all = this.records(projectId, standing ?? null);
      const records = all.slice(offset ?? 0, (offset ?? 0) + (limit ?? USUAL_RECORDS));
      const proposedFacts = records.flatMap(({ answerId }) =>
        this.factsOf(projectId).filter((fact) => fact.answerId === answerId),
      );
      const proposed = all.filter(({ userConfirmed }) => !userConfirmed).length;
      return { records, proposedFacts, total: all.length, proposed };
    },
    "knowledge:record:judge": (args) => this.judge(args),
    "knowledge:record:save": ({ projectId, question, questionType, answer, confidence, citations, details }) => {
      const saved = this.context.answers.commands["answer:record"]({
        projectId,
        question,
        answer,
        confidence: confidence ?? null,
        citations: citations ?? [],
        details: { ...details, questionType },
        kind: null,
        origin: "studied",
      });
      this.context.changed(projectId, ["knowledge"]);
      return saved.answer;
    },
    "knowledge:record:search": ({ query, projectId, topK }) => ({
      records: projectId == null ? [] : this.found(projectId, query, topK ?? USUAL_FOUND),
      isReranked: false,
    }),
    "knowledge:load": ({ projectId, query, topK }) => ({
      learningRecords: this.found(projectId, query, topK ?? USUAL_FOUND),
      background: this.settingsOf(projectId).background,
      domains: [],
      contextSummary: "",
      degraded: false,
    }),
    "knowledge:domain:get": () => {
      throw notFound("domain");
    },
    "knowledge:project:get": ({ projectId }) => this.project(projectId),
    "knowledge:project:update": ({ projectId, background, version }) => {
      const before = this.settingsOf(projectId);
      const present = this.context.state(projectId).version;
      if (version !== present) throw staleVersion(present);
      const updatedAt = this.context.now();
      this.context.countChange(projectId);
      this.settings.set(projectId, {
        background,
        createdAt: before.createdAt ?? updatedAt,
        updatedAt,
      });
      this.context.changed(projectId, ["knowledge"]);
      return this.project(projectId);
    },
    "knowledge:failure:record": ({ signature, context, avoidStrategy, ...failed }) => {
      const own = signature ?? failed.operation;
      const same = this.failures.find(
        (one) =>
          one.projectId === failed.projectId && one.operationType === failed.operationType && one.signature === own,
      );
      this.context.changed(failed.projectId, ["knowledge"]);
      if (same) {
        Object.assign(same, { failedAt: this.context.now(), retryCount: same.retryCount + 1, error: failed.error });
        return same;
      }
      const recorded: Failure = {
        ...failed,
        failureId: this.context.id("failure"),
        signature: own,
        context: context ?? {},
        failedAt: this.context.now(),
        retryCount: 0,
        status: "pending",
        avoidStrategy: avoidStrategy ?? null,
      };
      this.failures.push(recorded);
      return recorded;
    },
    "knowledge:failure:check": ({ projectId, operationType, signature }) => {
      const failure =
        this.failures.find(
          (one) => one.projectId === projectId && one.operationType === operationType && one.signature === signature,
        ) ?? null;
      const hasFailedBefore = failure !== null && (failure.status === "pending" || failure.status === "failed");
      return { hasFailedBefore, failure };
    },
    "knowledge:failure:get": ({ projectId, failureId }) => this.failure(projectId, failureId),
    "knowledge:failure:update": ({ projectId, failureId, status, avoidStrategy }) => {
      const found = this.failure(projectId, failureId);
      found.status = status;
      if (avoidStrategy != null) found.avoidStrategy = avoidStrategy;
      this.context.changed(projectId, ["knowledge"]);
      return found;
    },
    "knowledge:global:get": () => ({
      bestPractices: this.practices.toReversed(),
      crossProjectPatterns: [],
      version: "2.0.0",
      degraded: false,
      updatedAt: this.practices.at(-1)?.updatedAt ?? null,
    }),
    "knowledge:practice:add": ({ practiceId, version, title, description, applicableScenarios, sourceProjects }) => {
      const updatedAt = this.context.now();
      const words = {
        title,
        description: description ?? "",
        applicableScenarios: applicableScenarios ?? [],
        sourceProjects: sourceProjects ?? [],
        updatedAt,
      };
      if (practiceId != null) {
        const known = this.practice(practiceId, version);
        this.context.changed(null, ["knowledge"]);
        return Object.assign(known, words, { version: known.version + 1 });
      }
      const added: Practice = { ...words, practiceId: this.context.id("practice"), version: 1, createdAt: updatedAt };
      this.practices.push(added);
      this.context.changed(null, ["knowledge"]);
      return added;
    },
    "knowledge:practice:delete": ({ practiceId, version }) => {
      const known = this.practice(practiceId, version);
      this.practices.splice(this.practices.indexOf(known), 1);
      this.context.changed(null, ["knowledge"]);
      return known;
    },
  };
}
