import { useLingui } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import {
  call,
  queries,
  type Language,
  type Rule,
  type RuleChange,
  type RuleEpisode,
  type RuleFollowed,
} from "../../backend";
import { Busy, Button, LinkButton } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { measuredWords } from "../../i18n/features";
import { count, listed, when } from "../../i18n/words";
import { langOf } from "../../lib/langOf";
import { BeforeAfter } from "./Conflicts";
import css from "./learning.module.css";

/** Supporting episodes shown at first. Contradicting ones are all shown. */
const INITIALLY_SHOWN = 3;
/** Maximum number of episodes listed per side. */
const MAX_LISTED = 50;

/** How often recent generations followed the rule. */
export function RuleFollowing({ followed: { yes, partly, no, ignored } }: { followed: RuleFollowed }) {
  const { t } = useLingui();
  const all = count(yes + partly + no);
  const parts = [
    [yes, t`照做 ${count(yes)} 次`],
    [partly, t`部分照做 ${count(partly)} 次`],
    [no, t`没照做 ${count(no)} 次`],
  ] as const;
  const counts = listed(parts.flatMap(([n, words]) => (n > 0 ? [words] : [])));
  return (
    <p className={css.followed} data-testid="rule-followed" data-ignored={ignored || undefined}>
      {t`最近带上它写的 ${all} 次：${counts}。`}
      {ignored && t`这个模型不太照做。换个说法，或者换一个模型。`}
    </p>
  );
}

/** The episodes that support or contradict a rule, as proposed and as accepted. */
export function RuleEvidence({ rule, projectId, language }: { rule: Rule; projectId: string; language: Language }) {
  const { t } = useLingui();
  const { data: episodes, error } = useQuery(queries.evidence(rule.id, projectId));
  if (error)
    return (
      <p className={css.problem} role="alert">
        {errorSentence(error)}
      </p>
    );
  if (!episodes) return <Busy>{t`正在读取……`}</Busy>;
  const side = (agrees: boolean) => episodes.filter((episode) => episode.agrees === agrees);
  return (
    <div className={css.evidence} data-testid="rule-evidence-page">
      <Pile
        title={t`支持它的`}
        none={t`还没有。`}
        episodes={side(true)}
        few
        rule={rule}
        language={language}
        testId="evidence-for"
      />
      <Pile
        title={t`与它相反的`}
        none={t`一次也没有。`}
        episodes={side(false)}
        rule={rule}
        language={language}
        testId="evidence-against"
      />
      {rule.otherBooks > 0 && <p className={css.quiet}>{t`别的书里还有 ${count(rule.otherBooks)} 次，不在这里看。`}</p>}
    </div>
  );
}

interface PileProps {
  title: string;
  none: string;
  episodes: RuleEpisode[];
  few?: boolean;
  rule: Rule;
  language: Language;
  testId: string;
}

function Pile({ title, none, episodes, few, rule, language, testId }: PileProps) {
  const { t } = useLingui();
  const [all, setAll] = useState(!few);
  const shown = all ? episodes : episodes.slice(0, INITIALLY_SHOWN);
  const rest = episodes.length - shown.length;
  const [total, first] = [count(episodes.length), count(shown.length)];
  const many =
    episodes.length >= MAX_LISTED
      ? t`最近的 ${first} 次`
      : rest > 0
        ? t`${total} 次里最近的 ${first} 次`
        : t`全部 ${total} 次`;
  return (
    <section className={css.pile} data-testid={testId}>
      <h4>
        {title}
        {episodes.length > 0 && <small>{many}</small>}
      </h4>
      {episodes.length === 0 && <p className={css.quiet}>{none}</p>}
      <ul>
        {shown.map((episode) => (
          <OneEpisode key={episode.episodeId} episode={episode} rule={rule} language={language} />
        ))}
      </ul>
      {rest > 0 && (
        <LinkButton onPress={() => setAll(true)} data-testid={`${testId}-all`}>{t`其余 ${count(rest)} 次`}</LinkButton>
      )}
    </section>
  );
}

function OneEpisode({
  episode: { at, before, after, passedOver, measured },
  rule,
  language,
}: {
  episode: RuleEpisode;
  rule: Rule;
  language: Language;
}) {
  const { t } = useLingui();
  const figures = measured && rule.pattern ? measuredWords(rule.pattern.feature, measured, language) : null;
  const isErased = before === "" && after === "";
  // Unedited, so it was compared with the candidates not taken.
  const chosen = !isErased && before === after && figures !== null;
  return (
    <li className={css.episode} data-testid="rule-episode">
      <div className={css.episodeHead}>
        {at !== null && <time dateTime={at}>{when(at)}</time>}
        {figures && <b>{figures}</b>}
      </div>
      {isErased ? (
        <p className={css.quiet}>{t`这段往事已经不在，只留下数字。`}</p>
      ) : (
        <BeforeAfter before={before} after={after} />
      )}
      {chosen && (
        <div className={css.quiet} data-testid="rule-episode-chosen">
          <p>{t`没有修改，是从几稿里选的。数字是没选的稿和它的比较。`}</p>
          {passedOver.map((text, place) => (
            <p
              key={place}
              className={css.passedOver}
              lang={language === "zh" ? "zh-CN" : "en"}
              data-testid="rule-episode-passed-over"
            >
              {t`没选的：${text}`}
            </p>
          ))}
        </div>
      )}
    </li>
  );
}

/** Every version of a rule, newest first: text, author and time. The previous one can be restored. */
export function RuleVersions({ rule }: { rule: Rule }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const { data: versions, error } = useQuery(queries.versions(rule.id));
  const back = useMutation({
    mutationFn: () => call("memory:semantic:undo", { ruleId: rule.id }),
    onSettled: () => client.invalidateQueries({ queryKey: ["rules"] }),
  });
  if (error)
    return (
      <p className={css.problem} role="alert">
        {errorSentence(error)}
      </p>
    );
  if (!versions) return <Busy>{t`正在读取……`}</Busy>;
  const latest = versions.toReversed();
  return (
    <div className={css.history} data-testid="rule-history-page">
      <ol>
        {latest.map(({ version, rule: text, change, runId, at }, index) => {
          const later = latest[index - 1]?.rule ?? rule.rule;
          return (
            <li key={`${version}-${at}`} data-testid="rule-version" data-by={runId === null ? "writer" : "run"}>
              <div className={css.episodeHead}>
                <b>{versionWords(change, runId === null)}</b>
                <time dateTime={at}>{when(at)}</time>
              </div>
              {text !== later && (
                <s className={css.beforeAfter} lang={langOf(text)}>
                  {text}
                </s>
              )}
            </li>
          );
        })}
      </ol>
      {versions.length > 1 && (
        <Button
          size="s"
          icon="again"
          isDisabled={back.isPending}
          onPress={() => back.mutate()}
          data-testid="rule-undo"
        >{t`恢复到上一版`}</Button>
      )}
      {back.error && (
        <p className={css.problem} role="alert">
          {errorSentence(back.error)}
        </p>
      )}
    </div>
  );

  function versionWords(change: RuleChange, byWriter: boolean): string {
    const words: Record<RuleChange, string> = {
      added: t`你写下`,
      edited: t`你改写`,
      confirmed: t`你确认`,
      promoted: t`你提升为全局`,
      deleted: byWriter ? t`你删掉` : t`更新时去掉`,
      learned: t`更新时学到`,
      // A contradiction caused by the writer lowers the confidence without a run.
      updated: byWriter ? t`把握变了` : t`更新时变了`,
      replaced: t`更新时换了方向`,
      stood: t`更新时停用或恢复`,
      restored: byWriter ? t`你恢复到这一版` : t`更新已撤销，恢复到这一版`,
      disputed: t`你说它不对`,
    };
    return words[change];
  }
}
