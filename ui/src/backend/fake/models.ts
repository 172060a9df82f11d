import type { Commands, ModelInfo, Provider, ProviderList, PurposeModel, Usage } from "../bindings.gen";

import { invalid, notFound } from "./refusals";

type Name = Extract<keyof Commands, `ai:provider:${string}` | `ai:purpose:${string}` | `ai:usage:${string}`>;

/** Providers, purposes and usage. Keys are never returned. */
export class FakeModels {
  providers: Provider[] = [];
  purposes: PurposeModel[] = (
    ["writing", "asking", "studying", "distilling", "embedding", "reranking", "journal"] as const
  ).map((purpose) => ({
    purpose,
    providerId: null,
    model: null,
    contextTokens: null,
  }));
  usage: Usage = { day: "2026-10-20", requests: 0, tokens: 0, requestsPerDay: null, tokensPerDay: null };
  keychain = true;
  /** Models of the local Ollama; `null`: not running. */
  found: string[] | null = null;
  /** Models that every provider offers. */
  served = ["qwen3:8b", "qwen3:30b", "bge-m3"];
  readonly keys = new Map<string, string>();
  private ids = 0;

  /** `changed` is called after every change. */
  constructor(private readonly changed: (what: "models" | "usage") => void) {}

  get writing(): ModelInfo {
    const { providerId, model } = this.purposes[0]!;
    const provider = this.providers.find((one) => one.providerId === providerId);
    return provider
      ? { provider: provider.kind, model: model ?? "", sample: false }
      : { provider: "sample", model: "sample-1", sample: true };
  }

  /** The model that answers questions, with its provider: that of its purpose, else the one that writes, else none. */
  get asking(): { model: ModelInfo; provider: Provider } | null {
    const chosen = ["asking", "writing"] as const;
    for (const purpose of chosen) {
      const { providerId, model } = this.purposes.find((one) => one.purpose === purpose)!;
      const provider = this.providers.find((one) => one.providerId === providerId);
      if (provider) return { model: { provider: provider.kind, model: model ?? "", sample: false }, provider };
    }
    return null;
  }

  readonly commands: { [K in Name]: (args: Commands[K]["args"]) => Commands[K]["result"] } = {
    "ai:provider:list": (): ProviderList => ({
      providers: this.providers,
      purposes: this.purposes,
      writing: this.writing,
      keychain: this.keychain,
    }),
    "ai:provider:find": () => ({ models: this.found }),
    "ai:provider:save": ({ providerId, kind, name, baseUrl, key }) => {
      if (
        !baseUrl ||
        !URL.canParse(baseUrl) ||
        (baseUrl.startsWith("http:") && !/127\.0\.0\.1|localhost|192\.168/.test(baseUrl))
      )
        throw invalid("baseUrl");
      if (providerId) this.provider(providerId);
      const known = this.providers.find((one) => one.providerId === providerId);
      const id = known?.providerId ?? `provider-${(this.ids += 1)}`;
      if (key === "") this.keys.delete(id);
      else if (key) this.keys.set(id, key);
      const provider: Provider = {
        providerId: id,
        kind,
        name,
        baseUrl,
        keyKept: this.keys.has(id) ? (this.keychain ? "keychain" : "session") : "none",
      };
      this.providers = known
        ? this.providers.map((one) => (one === known ? provider : one))
        : [...this.providers, provider];
      this.changed("models");
      return provider;
    },
    "ai:provider:delete": ({ providerId }) => {
      this.provider(providerId);
      this.providers = this.providers.filter((one) => one.providerId !== providerId);
      this.keys.delete(providerId);
      this.purposes = this.purposes.map((one) =>
        one.providerId === providerId ? { ...one, providerId: null, model: null, contextTokens: null } : one,
      );
      this.changed("models");
      return { providerId };
    },
    "ai:provider:models": ({ providerId }) => {
      this.provider(providerId);
      return { models: this.served };
    },
    "ai:provider:test": ({ providerId, model }) => {
      this.provider(providerId);
      return { milliseconds: 230, models: this.served.length, answer: Boolean(model) };
    },
    "ai:purpose:set": ({ purpose, providerId, model }) => {
      if ((providerId === null) !== (model === null)) throw invalid("model");
      if (providerId !== null) this.provider(providerId);
      const next: PurposeModel = {
        purpose,
        providerId,
        model,
        contextTokens: providerId !== null && purpose !== "embedding" ? 32_768 : null,
      };
      this.purposes = this.purposes.map((one) => (one.purpose === purpose ? next : one));
      this.changed("models");
      return next;
    },
    "ai:usage:get": () => this.usage,
    "ai:usage:limit": (limits) => {
      this.usage = { ...this.usage, ...limits };
      this.changed("usage");
      return this.usage;
    },
  };

  private provider(providerId: string): Provider {
    const found = this.providers.find((one) => one.providerId === providerId);
    if (!found) throw notFound("providerId");
    return found;
  }
}
