import axe from "axe-core";

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/** What axe finds wrong with what is in sight (WCAG 2.2 AA), each with the places; nothing, if all goes well. */
export async function faults(): Promise<string[]> {
  const { violations } = await axe.run(document.body, { runOnly: TAGS, resultTypes: ["violations"] });
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary ?? ""}`),
  );
}
