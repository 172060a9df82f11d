import type { Answer } from "../../backend";

/**
 * The answers in the order in which they are shown. One that was changed keeps its place under the writer's hand; a new
 * one comes first, and those of a further page come last. `held`: the ids as they were shown last.
 */
export function inSteadyOrder(held: readonly string[], found: readonly Answer[]): Answer[] {
  const byId = new Map(found.map((answer) => [answer.answerId, answer]));
  const ids = held.filter((id) => byId.has(id));
  const known = new Set(ids);
  const places = new Map([...byId.keys()].map((id, index) => [id, index]));
  const last = Math.max(-1, ...ids.map((id) => places.get(id)!));
  const fresh = [...byId.keys()].filter((id) => !known.has(id));
  const isNew = (id: string) => places.get(id)! < last;
  return [...fresh.filter(isNew), ...ids, ...fresh.filter((id) => !isNew(id))].map((id) => byId.get(id)!);
}
