import axe from "axe-core";

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/** Violations that axe finds in the visible page (WCAG 2.2 AA), with their elements; empty if there are none. */
export async function faults(): Promise<string[]> {
  const { violations } = await axe.run(document.body, { runOnly: TAGS, resultTypes: ["violations"] });
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary ?? ""}`),
  );
}
