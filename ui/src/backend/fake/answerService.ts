import type { Commands, ServiceSettings } from "../bindings.gen";

import { invalid } from "./refusals";

type Name = Extract<keyof Commands, `answer:service:${string}`>;

interface Context {
  keyKept: () => ServiceSettings["keyKept"];
  changed: () => void;
}

/** An address that is encrypted, or on this machine. */
const isPrivate = (url: string) =>
  URL.canParse(url) && /^(https:|http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|\/|$))/.test(url);

/** The settings of the team's answer service. Nothing answers there, and the key is never returned. */
export class FakeAnswerService {
  baseUrl: string | null = null;
  enabled = false;
  sendCandidates = false;
  key: string | null = null;

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

  readonly commands: { [K in Name]: (args: Commands[K]["args"]) => Commands[K]["result"] } = {
    "answer:service:get": () => this.settings,
    "answer:service:set": (args) => this.set(args),
    // No run is given an answer of a service.
    "answer:service:validate": ({ answerId }) => {
      throw invalid(answerId.startsWith("service:") ? "runId" : "answerId");
    },
  };
}
