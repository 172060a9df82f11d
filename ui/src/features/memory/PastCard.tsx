import { useLingui } from "@lingui/react/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import {
  call,
  type DeletedWords,
  type ImplicitSignal,
  type Language,
  type PastEpisode,
  type Searched,
} from "../../backend";
import { Button, Changes, Chip, Icon, LinkButton } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { count, matchSentence, sceneName, skillName, when } from "../../i18n/words";
import { changesOf, type DiffSegment } from "../../lib/difference";
import { fromFirstMatch, markedSegments } from "../../lib/matches";
import { ConfirmDelete } from "./Erased";
import css from "./memory.module.css";

interface PastCardProps {
  projectId: string;
  recalled: Searched<PastEpisode>;
  /** The text of the search; empty: none. */
  query: string;
  /** Whether the card says how it matches the search. */
  showsMatch: boolean;
  /** Whether the writer came to this card from a result elsewhere: it takes the focus. */
  isTarget: boolean;
  language: Language;
  /** Title of its chapter; `null`: the chapter no longer exists. */
  chapter: string | null;
  onOpenChapter: (chapterId: string) => void;
  /** The episode was deleted and its words erased. */
  onErased: (words: DeletedWords) => void;
}

/** Longer texts show only their beginning at first, in UTF-16 units. */
const FOLDED_LENGTH = 260;
/** UTF-16 units from the start: a first match beyond is out of sight in a folded text, which then begins at it. */
const MATCH_ROOM = 150;
/** UTF-16 units before such a match. */
const MATCH_LEAD = 40;

/** One episode: a run of a skill, and what the writer did with it. */
export function PastCard({
  projectId,
  recalled: { episode, group, matchedBy },
  query,
  showsMatch,
  isTarget,
  language,
  chapter,
  onOpenChapter,
  onErased,
}: PastCardProps) {
  const { t } = useLingui();
  const client = useQueryClient();
  const [whole, setWhole] = useState(false);
  const [leaving, setLeaving] = useState<"asked" | "stays" | null>(null);
  const [everywhere, setEverywhere] = useState(false);
  const { id: episodeId, userConfirmed, compressed, explicit } = episode;
  const act = useMutation({
    mutationFn: (what: () => Promise<unknown>) => what(),
    onSettled: () => client.invalidateQueries({ queryKey: ["episodes", projectId] }),
  });
  const item = useRef<HTMLLIElement>(null);
  const focuses = useRef(isTarget);
  useEffect(() => {
    if (!focuses.current) return;
    item.current?.focus({ preventScroll: true });
    item.current?.scrollIntoView({ block: "center" });
  }, []);
  const marked = matchedBy.includes("words") ? query : "";
  const segments = useMemo(() => markedSegments(segmentsOf(episode), marked), [episode, marked]);
  const matched = showsMatch ? matchSentence(matchedBy) : null;
  const isLong = segments.reduce((sum, { text }) => sum + text.length, 0) > FOLDED_LENGTH;
  const others = episode.candidates.length - 1;
  const scene = episode.sceneType && sceneName(episode.sceneType);
  const skill = skillName(episode.skillUsed);
  const deed = useDeed(episode);

  return (
    <li
      ref={item}
      className={css.past}
      tabIndex={isTarget ? -1 : undefined}
      data-testid="past-card"
      data-episode-id={episodeId}
      data-kept={userConfirmed || undefined}
      data-group={group}
      data-target={isTarget || undefined}
    >
      <div className={css.pastHead}>
        {chapter !== null && (
          <LinkButton onPress={() => onOpenChapter(episode.chapterId)}>
            <span lang={language === "zh" ? "zh-CN" : "en"}>{chapter}</span>
          </LinkButton>
        )}
        <span>{scene ? t`${skill}·${scene}` : skill}</span>
        {matched !== null && <Chip testId="past-matched">{matched}</Chip>}
        <span className="grow" />
        <time dateTime={episode.createdAt}>{when(episode.createdAt)}</time>
      </div>
      {segments.length > 0 && (
        <p
          className={css.pastText}
          lang={language === "zh" ? "zh-CN" : "en"}
          data-clipped={(isLong && !whole) || undefined}
          data-testid="past-text"
        >
          <Changes segments={isLong && !whole ? fromFirstMatch(segments, MATCH_ROOM, MATCH_LEAD) : segments} />
        </p>
      )}
      {isLong && <LinkButton onPress={() => setWhole(!whole)}>{whole ? t`收起` : t`看全部`}</LinkButton>}
      {explicit && <p className={css.remark}>{t`你说：“${explicit}”`}</p>}
      <div className={css.pastFoot}>
        <span className={css.deed} data-testid="past-deed">
          {deed}
        </span>
        {userConfirmed && (
          <span className={css.tag} data-tone="ink">
            <Icon name="keep" size="xs" />
            {t`核心设定`}
          </span>
        )}
        {episode.selectedIndex < 0 && others > 0 && <span>{t`另有 ${count(others)} 稿`}</span>}
        {episode.recallCount > 0 && <span>{t`想起过 ${count(episode.recallCount)} 次`}</span>}
        {compressed && <Chip>{t`只留摘要`}</Chip>}
        {matchedBy.includes("sleeping") && <Chip>{t`很久没用到`}</Chip>}
        <span className="grow" />
        {leaving !== "asked" && (
          <span className={css.pastActs}>
            <Button
              size="s"
              kind="quiet"
              icon={userConfirmed ? undefined : "keep"}
              isDisabled={act.isPending}
              onPress={() =>
                act.mutate(() =>
                  call("memory:episode:confirm", { projectId, episodeId, userConfirmed: !userConfirmed }),
                )
              }
              data-testid="past-keep"
            >
              {userConfirmed ? t`取消核心设定` : t`设为核心设定`}
            </Button>
            <Button
              size="s"
              kind="danger"
              icon="bin"
              autoFocus={leaving === "stays"}
              isDisabled={act.isPending}
              onPress={() => setLeaving("asked")}
              data-testid="past-delete"
            >{t`删除`}</Button>
          </span>
        )}
      </div>
      {leaving === "asked" && (
        <ConfirmDelete
          label={t`删除这一段往事`}
          what={t`删除后不会再想起，流水里说到它的也会抹去，恢复备份也不会回来。正文不变。`}
          busy={act.isPending}
          everywhere={everywhere}
          onEverywhere={setEverywhere}
          onYes={() =>
            act.mutate(async () => {
              const { words } = await call("memory:episode:delete", {
                projectId,
                episodeId,
                ...(everywhere && { everywhere }),
              });
              if (everywhere && words) onErased(words);
            })
          }
          onNo={() => setLeaving("stays")}
          testId="past-delete"
        />
      )}
      {act.error && (
        <p className={css.problem} role="alert" data-testid="past-problem">
          {errorSentence(act.error)}
        </p>
      )}
    </li>
  );
}

/** The proposed and the final text as one diff; of a compressed episode, its summary. */
function segmentsOf({ compressed, summary, candidates, selectedIndex, finalText }: PastEpisode): DiffSegment[] {
  const of = (kind: DiffSegment["kind"], text: string): DiffSegment[] => (text === "" ? [] : [{ kind, text }]);
  if (compressed) return of("same", summary ?? "");
  if (selectedIndex < 0) return [...of("del", candidates[0] ?? ""), ...of("ins", finalText)];
  return changesOf(candidates[selectedIndex] ?? "", finalText);
}

function useDeed({ implicit, editDistance, finalText }: PastEpisode): string {
  const { t } = useLingui();
  const percent =
    editDistance === null
      ? null
      : new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 0 }).format(editDistance);
  const deeds: Record<ImplicitSignal, string> = {
    strongPositive: t`原样采用`,
    weakPositive: percent ? t`采用，改了 ${percent}` : t`稍改后采用`,
    neutral: percent ? t`采用，改了 ${percent}` : t`改过后采用`,
    weakNegative: percent ? t`采用，改了 ${percent}` : t`大改后采用`,
    strongNegative: finalText === "" ? t`都没要` : t`都没要，自己写了`,
    delayedNegative: t`采用以后又撤回`,
  };
  return deeds[implicit];
}
