import type { Commands, WorkingItem } from "../bindings.gen";
import { notFound } from "./refusals";

type Name = Extract<keyof Commands, `memory:working:${string}`>;

interface Context {
  id: () => string;
  now: () => string;
  changed: (projectId: string) => void;
}

/** Working memory: items that an editor puts, in the order of their last use. */
export class FakeWorking {
  private items: WorkingItem[] = [];

  constructor(private readonly context: Context) {}

  readonly commands: { [K in Name]: (args: Commands[K]["args"]) => Commands[K]["result"] } = {
    "memory:working:put": ({ projectId, kind, text, importance }) => {
      const at = this.context.now();
      const item: WorkingItem = {
        itemId: this.context.id(),
        projectId,
        scope: "project",
        version: 1,
        kind,
        text,
        importance: importance ?? 0.7,
        tokens: text.length,
        createdAt: at,
        touchedAt: at,
      };
      this.items = [item, ...this.items];
      this.context.changed(projectId);
      return item;
    },
    "memory:working:list": ({ projectId }) => {
      const items = this.of(projectId);
      return { items, tokens: items.reduce((sum, { tokens }) => sum + tokens, 0), budgetTokens: 8_000 };
    },
    "memory:working:remove": ({ projectId, itemId }) => {
      if (!this.of(projectId).some((item) => item.itemId === itemId)) throw notFound("itemId");
      this.items = this.items.filter((item) => item.itemId !== itemId);
      this.context.changed(projectId);
      return { itemId };
    },
    "memory:working:end-session": ({ projectId }) => {
      this.items = this.items.filter((item) => item.projectId !== projectId);
      this.context.changed(projectId);
      return { archived: 0, dropped: 0 };
    },
  };

  private of(projectId: string): WorkingItem[] {
    return this.items.filter((item) => item.projectId === projectId);
  }
}
