import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queries, type Answer, type ChapterInfo, type Citation, type MentionRange } from "../../backend";
import { Button, Icon, LinkButton, LostPassage, NumberedPassage } from "../../design";
import { count } from "../../i18n/words";
import { changesOf } from "../../lib/difference";
import { numberOf } from "../../lib/ordinal";
import css from "./answers.module.css";
import { isLost, staleSentence } from "./words";

/** Opens a range of a chapter, selected; `text`: the words that are looked for there, `null`: whatever is there now. */
export type OpenPassage = (range: MentionRange, text: string | null) => void;

interface AnswerCitationsProps {
  citations: Citation[];
  chapters: readonly ChapterInfo[];
  /** Language of the book. */
  lang: string;
  onOpenPassage: OpenPassage;
}

/** Citations that are shown at first. */
const SHOWN = 3;

/** The numbered sentences that an answer rests on. One that the book has lost is struck. */
export function AnswerCitations({ citations, chapters, lang, onOpenPassage }: AnswerCitationsProps) {
  const { t } = useLingui();
  const [isWhole, setWhole] = useState(false);
  if (citations.length === 0) return null;
  const shown = isWhole ? citations : citations.slice(0, SHOWN);
  const more = citations.length - shown.length;
  return (
    <>
      <ol className={css.citations}>
        {shown.map((citation, index) => (
          <li key={`${citation.chapterId} ${citation.from} ${citation.quoteHash}`}>
            <Quote
              number={index + 1}
              citation={citation}
              chapter={numberOf(citation.chapterId, chapters)}
              lang={lang}
              onOpenPassage={onOpenPassage}
            />
          </li>
        ))}
      </ol>
      {more > 0 && (
        <LinkButton
          className={css.more}
          onPress={() => setWhole(true)}
          data-testid="answer-citations-more"
        >{t`还引了 ${count(more)} 处`}</LinkButton>
      )}
    </>
  );
}

interface QuoteProps extends Pick<AnswerCitationsProps, "lang" | "onOpenPassage"> {
  number: number;
  citation: Citation;
  /** Number of its chapter; 0: the chapter is gone. */
  chapter: number;
}

function Quote({ number, citation, chapter, lang, onOpenPassage }: QuoteProps) {
  const { t } = useLingui();
  const { chapterId, from, to, quote } = citation;
  const place = chapter > 0 ? t`第 ${count(chapter)} 章` : t`那一章不在了`;
  const row = { number, quote, lang, place };
  if (isLost(citation) || chapter === 0) return <LostPassage {...row} testId="answer-citation-lost" />;
  return (
    <NumberedPassage
      {...row}
      hint={t`在正文里看`}
      onPress={() => onOpenPassage({ chapterId, from, to }, quote)}
      testId="answer-citation"
    />
  );
}

interface StaleCitationsProps extends Omit<AnswerCitationsProps, "citations"> {
  answer: Answer;
  isPending: boolean;
  onReaffirm: () => void;
  onDiscard: () => void;
}

/** Warning that cited sentences have changed, with those now in their places and the buttons for the answer. */
export function StaleCitations({
  answer,
  chapters,
  lang,
  isPending,
  onOpenPassage,
  onReaffirm,
  onDiscard,
}: StaleCitationsProps) {
  const { t } = useLingui();
  const { projectId, answerId, citations } = answer;
  const { data: replacements } = useQuery(queries.answerReplacements(projectId, answerId));
  const there = citations.find((one) => isLost(one) && numberOf(one.chapterId, chapters) > 0);
  const isReplaced = replacements?.every(({ citation }) => citation !== null) ?? false;
  return (
    <div className={css.warning} data-testid="answer-stale">
      <p>
        <Icon name="warning" size="xs" />
        {staleSentence(citations, chapters)}
        {t`先不带给模型。`}
      </p>
      {there && (
        <LinkButton
          onPress={() => onOpenPassage({ chapterId: there.chapterId, from: there.from, to: there.to }, null)}
          data-testid="answer-see"
        >{t`看改成了什么`}</LinkButton>
      )}
      {replacements?.map(
        ({ ordinal, citation }) =>
          citation && (
            <p key={ordinal} className={css.now} lang={lang} data-testid="answer-replacement">
              {changesOf(citations[ordinal]?.quote ?? "", citation.quote).map(({ kind, text }, index) =>
                kind === "del" ? (
                  <del key={index}>{text}</del>
                ) : kind === "ins" ? (
                  <ins key={index}>{text}</ins>
                ) : (
                  <span key={index}>{text}</span>
                ),
              )}
            </p>
          ),
      )}
      <DoubtActions isPending={isPending} onReaffirm={isReplaced ? onReaffirm : null} onDiscard={onDiscard} />
    </div>
  );
}

/** Warning that new text is near the question of an answer that did not find it in the book. */
export function DoubtedAnswer({
  answer: { nearby },
  chapters,
  isPending,
  onOpenPassage,
  onReaffirm,
  onDiscard,
}: Omit<StaleCitationsProps, "lang">) {
  const { t } = useLingui();
  const chapter = nearby ? numberOf(nearby.chapterId, chapters) : 0;
  return (
    <div className={css.warning} data-testid="answer-doubted">
      <p>
        <Icon name="warning" size="xs" />
        {chapter > 0 ? t`你在第 ${count(chapter)} 章写到了相近的话。` : t`你写到了相近的话。`}
        {t`先不带给模型。`}
      </p>
      {nearby && chapter > 0 && (
        <LinkButton onPress={() => onOpenPassage(nearby, null)} data-testid="answer-nearby">{t`去看那一句`}</LinkButton>
      )}
      <DoubtActions isPending={isPending} onReaffirm={onReaffirm} onDiscard={onDiscard} />
    </div>
  );
}

interface DoubtActionsProps {
  isPending: boolean;
  /** `null`: no sentence is in the place of a lost one, so the answer cannot be kept. */
  onReaffirm: (() => void) | null;
  onDiscard: () => void;
}

/** Buttons for an answer that the text or later runs put in doubt: keep it, or discard it. */
export function DoubtActions({ isPending, onReaffirm, onDiscard }: DoubtActionsProps) {
  const { t } = useLingui();
  return (
    <div className={css.doubt}>
      {onReaffirm && (
        <Button
          size="s"
          kind="quiet"
          icon="check"
          isDisabled={isPending}
          onPress={onReaffirm}
          data-testid="answer-still-right"
        >
          {t({ message: "还是这样", context: "an answer" })}
        </Button>
      )}
      <Button size="s" kind="quiet" isDisabled={isPending} onPress={onDiscard} data-testid="answer-let-go">
        {t`不要了`}
      </Button>
    </div>
  );
}
