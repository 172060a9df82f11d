import type { HealthProblem } from "../../backend";

/** Kinds of problems with which the writer's entities cannot be changed. */
const READ_ONLY = new Set<HealthProblem["kind"]>(["rulesOld", "rulesBuiltIn", "rulesUnwritten", "all"]);

export const isReadOnly = (problems: readonly HealthProblem[]) => problems.some(({ kind }) => READ_ONLY.has(kind));
