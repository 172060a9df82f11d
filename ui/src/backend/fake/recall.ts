import type { Episode, EpisodeExtract, EpisodeQuery, RecalledEpisode, RecallGroup } from "../bindings.gen";

/** Default number of results: of a prompt, and of a search. */
const PROMPT_LIMIT = 5;
const SEARCH_LIMIT = 8;

/** The text in which a query is looked for. */
const textOf = ({ candidates, finalText, summary, explicit, inputContext }: Episode) =>
  [inputContext, finalText, summary, ...(candidates.length === 0 ? [explicit] : [])].join("\n");

/** Han characters, and words of other scripts. */
const unitsOf = (text: string) => new Set(text.toLowerCase().match(/\p{Script=Han}|[\p{L}\p{N}]+/gu));

/** The share of the query's characters, or of its words in other scripts, that a text contains: 0 to 1. */
function sharedUnits(text: string, query: string): number {
  const [own, sought] = [unitsOf(text), [...unitsOf(query)]];
  return sought.filter((unit) => own.has(unit)).length / Math.max(sought.length, 1);
}

const newestFirst = (a: Episode, b: Episode) => b.createdAt.localeCompare(a.createdAt);

/** The requested fields of an episode; all without `fields`. The id is always in it. */
function extract(episode: Episode, fields: EpisodeQuery["fields"]): EpisodeExtract {
  if (!fields) return episode;
  const { id } = episode;
  return { id, ...Object.fromEntries(fields.map((field) => [field, episode[field]])) };
}

/**
 * Recalls episodes as the engine does, by simple rules: a text that contains the query matches it; the other ones are
 * ordered by the share of its characters that they contain. `hasMeaning`: whether the encoder is available.
 */
export function recall(episodes: readonly Episode[], query: EpisodeQuery, hasMeaning: boolean): RecalledEpisode[] {
  const { projectId, sceneType, skillUsed, fields } = query;
  const words = query.queryText?.trim() ?? "";
  const isSearch = query.purpose === "search";
  const isOfScene = (episode: Episode) => Boolean(sceneType) && episode.sceneType === sceneType;
  const isOfSkill = (episode: Episode) => Boolean(skillUsed) && episode.skillUsed === skillUsed;
  // Of a prompt with a text, scene and skill admit none.
  const isFiltered = isSearch || words === "";
  const own = episodes
    .filter(
      (episode) =>
        episode.projectId === projectId &&
        (!isFiltered || !sceneType || isOfScene(episode)) &&
        (!isFiltered || !skillUsed || isOfSkill(episode)),
    )
    .toSorted(newestFirst);
  const has = (episode: Episode) => textOf(episode).includes(words);
  const share = (episode: Episode) => sharedUnits(textOf(episode), words);
  const found = own
    .filter(has)
    .toSorted((a, b) => Number(isOfScene(b)) - Number(isOfScene(a)) || Number(isOfSkill(b)) - Number(isOfSkill(a)));
  const perhaps = isSearch
    ? own.filter((episode) => !has(episode)).toSorted((a, b) => share(b) - share(a) || newestFirst(a, b))
    : [];

  const recalled = (episode: Episode, group: RecallGroup): RecalledEpisode => {
    const near = words === "" ? 0 : share(episode);
    const ways = [
      ...(words !== "" && group === "found" ? ["words"] : []),
      ...(group === "perhaps" && near > 0 ? [hasMeaning ? "meaning" : "words"] : []),
      ...(isOfScene(episode) ? ["scene"] : []),
      ...(isOfSkill(episode) ? ["skill"] : []),
    ];
    return {
      episode: extract(episode, fields),
      group,
      score: group === "found" ? 0.7 : 0.2 * near,
      matchedBy: [...(ways.length === 0 ? ["recent"] : ways), ...(episode.compressed ? ["compressed"] : [])],
      components: {
        words: words === "" ? 0 : 0.9 * near,
        meaning: hasMeaning && words !== "" ? 0.6 * near : null,
        scene: isOfScene(episode),
        skill: isOfSkill(episode),
        decay: 1,
      },
    };
  };
  return [
    ...found.map((episode) => recalled(episode, "found")),
    ...perhaps.map((episode) => recalled(episode, "perhaps")),
  ].slice(0, query.limit ?? (isSearch ? SEARCH_LIMIT : PROMPT_LIMIT));
}
