import type { Commands, ServiceMatch, ServiceMatches, ServiceSettings } from "../bindings.gen";

import { invalid } from "./refusals";

type Name = Extract<keyof Commands, `answer:service:${string}`>;

interface Context {
  keyKept: () => ServiceSettings["keyKept"];
  changed: () => void;
}

/** An address that is encrypted, or on this machine. */
const isPrivate = (url: string) =>
  URL.canParse(url) && /^(https:|http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|\/|$))/.test(url);

/** The team's answer service: its settings, and what it answers by script. The key is never returned. */
export class FakeAnswerService {
  baseUrl: string | null = null;
  enabled = false;
  sendCandidates = false;
  key: string | null = null;
  /** Its answers to every query. */
  matches: ServiceMatch[] = [];
  /** Number of items of each response that cannot be read. */
  skipped = 0;
  /** Why it does not serve; `null`: it does. */
  failure: ServiceMatches["reason"] = null;
  /** The queries that it was asked. */
  readonly asked: string[] = [];

  constructor(private readonly context: Context) {}

  private get settings(): ServiceSettings {
    const { baseUrl, enabled, sendCandidates } = this;
    return { baseUrl, enabled, sendCandidates, keyKept: this.key ? this.context.keyKept() : "none" };
  }

  private set(args: Commands["answer:service:set"]["args"]): ServiceSettings {
    if (args.baseUrl != null && !isPrivate(args.baseUrl)) throw invalid("baseUrl");
    const baseUrl = args.baseUrl?.replace(/\/+$/, "") ?? this.baseUrl;
    if (args.enabled && baseUrl === null) throw invalid("baseUrl");
    const originOf = (url: string | null) => url && new URL(url).origin;
    if (originOf(baseUrl) !== originOf(this.baseUrl)) this.key = null;
    if (args.key != null) this.key = args.key.trim() || null;
    this.baseUrl = baseUrl;
    this.enabled = args.enabled;
    this.sendCandidates = args.sendCandidates;
    this.context.changed();
    return this.settings;
  }

  /** Its answers to a query without those to questions that are known here; `null` while it is not connected. */
  search(query: string, isKnown: (question: string) => boolean): ServiceMatches | null {
    if (!this.enabled) return null;
    this.asked.push(query);
    if (this.failure !== null) return { matches: [], skipped: 0, reason: this.failure, retryAfterSeconds: null };
    const matches = this.matches.filter(({ question }) => !isKnown(question));
    return { matches, skipped: this.skipped, reason: null, retryAfterSeconds: null };
  }

  readonly commands: { [K in Name]: (args: Commands[K]["args"]) => Commands[K]["result"] } = {
    "answer:service:get": () => this.settings,
    "answer:service:set": (args) => this.set(args),
    // No run is given an answer of a service.
    "answer:service:validate": ({ answerId }) => {
      throw invalid(answerId.startsWith("service:") ? "runId" : "answerId");
    },
  };
}
