import { useLingui } from "@lingui/react/macro";
import { useState, type KeyboardEvent } from "react";
import { useStore } from "zustand";
import type { UnusableText } from "../../backend";
import { Button, GrowingText, Icon, LinkButton, Pulse, Raw } from "../../design";
import { errorSentence, isForSettings } from "../../i18n/errors";
import { unusableSentence } from "../../i18n/unusable";
import { count } from "../../i18n/words";
import type { OwnSegment } from "../../lib/difference";
import { isComposing } from "../../lib/ime";
import { countWords } from "../../lib/words";
import css from "./assistant.module.css";
import type { Draft } from "./draft";
import type { Assistant } from "./session";

export interface CardsProps {
  assistant: Assistant;
  lang: string;
  onWhy: (generationId: string) => void;
  onSettings: () => void;
}

export const ToSettings = ({ onPress }: { onPress: () => void }) => {
  const { t } = useLingui();
  return <Button size="s" onPress={onPress} data-testid="to-settings">{t`去设置`}</Button>;
};

interface CandidateProps extends CardsProps {
  index: number;
  /** Whether the card is a column: the arrow keys then move between columns. */
  wide?: boolean;
  /** The segments to mark; without them, nothing is marked. */
  ownSegments?: readonly OwnSegment[] | undefined;
}

/** A draft on its card, to accept as it is or to edit first. */
export function Candidate({ assistant, index, lang, onWhy, onSettings, wide, ownSegments }: CandidateProps) {
  const { t } = useLingui();
  const { candidates, picked, editing, run } = useStore(assistant.state);
  const draft = candidates[index]!;
  const { text, state, error } = draft;
  const writing = state === "writing";
  const mine = editing?.index === index;
  const isPicked = picked === index;
  const length = count(countWords(mine ? editing.text : text));
  const status = {
    writing: draft.isRetry ? t`再试一次·${length} 字` : t`正在写·${length} 字`,
    ready: t`${length} 字`,
    failed: text === "" ? t`没有写出来` : t`中途断开·${length} 字`,
    unusable: t`不是稿子`,
  }[state];

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (
      isComposing(event.nativeEvent) ||
      event.target !== event.currentTarget ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey
    )
      return;
    const [next, previous] = wide ? ["ArrowRight", "ArrowLeft"] : ["ArrowDown", "ArrowUp"];
    const neighbour =
      event.key === next
        ? event.currentTarget.nextElementSibling
        : event.key === previous
          ? event.currentTarget.previousElementSibling
          : null;
    if (neighbour instanceof HTMLElement) neighbour.focus();
    else if (event.key === "Enter") assistant.take(index);
    else if (event.key === "e" || event.key === "E") assistant.editFirst(index);
    else return;
    event.preventDefault();
  };

  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <article
      className={css.cand}
      // The card itself takes the focus: Enter accepts, E edits first.
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      aria-label={t`第 ${index + 1} 稿`}
      data-testid="candidate"
      data-index={index}
      data-state={state}
      data-picked={isPicked || undefined}
      data-wide={wide || undefined}
      onFocus={() => !editing && assistant.pick(index)}
      onMouseDown={() => !editing && assistant.pick(index)}
      onKeyDown={onKeyDown}
    >
      <div className={css.candHead}>
        <b>{index + 1}</b>
        {writing && <Pulse />}
        {(state === "failed" || state === "unusable") && <Icon name="warning" size="xs" />}
        <span>{status}</span>
      </div>
      {mine ? (
        <GrowingText
          prose
          autoFocus
          hideLabel
          label={t`改后采用`}
          lang={lang}
          value={editing.text}
          onChange={(value) => assistant.edit(value)}
          onEscape={() => assistant.stopEditing()}
          onCommandEnter={() => assistant.takeEdited()}
          maxRows={14}
          className={css.editing}
          testId="edit-text"
        />
      ) : (
        (writing || text !== "") && (
          <p className={css.candText} lang={lang} data-marked={ownSegments !== undefined || undefined}>
            {paragraphsOf(ownSegments ?? [{ own: false, text }]).map((paragraph, place, all) => (
              <span key={place}>
                {ownSegments ? <Marked ownSegments={paragraph} /> : paragraph.map(({ text: words }) => words)}
                {writing && place === all.length - 1 && <i className={css.caret} aria-hidden="true" />}
              </span>
            ))}
          </p>
        )
      )}
      {draft.unusable && <Unusable unusable={draft.unusable} />}
      {error && (
        <div className={css.failure} data-testid="candidate-problem">
          <p>{errorSentence(error)}</p>
          {isForSettings(error) && <ToSettings onPress={onSettings} />}
        </div>
      )}
      {(writing || text !== "") && (
        // Reserves the row while the draft streams, so nothing moves at its end.
        <div className={css.acts} data-waiting={writing || undefined}>
          {mine ? (
            <>
              <Button
                kind="primary"
                onPress={() => assistant.takeEdited()}
                isDisabled={editing.text === ""}
                data-testid="edit-take"
              >{t`采用改后的`}</Button>
              <Button kind="quiet" onPress={() => assistant.stopEditing()}>{t`取消`}</Button>
            </>
          ) : (
            <>
              <Button
                kind={isPicked && !editing ? "primary" : "quiet"}
                keys={isPicked ? "↵" : undefined}
                isDisabled={writing}
                onPress={() => assistant.take(index)}
                data-testid="take"
              >{t`采用`}</Button>
              <Button
                kind={isPicked ? "plain" : "quiet"}
                keys={isPicked ? "E" : undefined}
                isDisabled={writing}
                onPress={() => assistant.editFirst(index)}
                data-testid="edit-first"
              >{t`改后采用`}</Button>
              <span className="grow" />
              <Button
                kind="quiet"
                icon="broken"
                onPress={() => run && onWhy(assistant.writerOf(index))}
                data-testid="candidate-why"
              >{t`为什么`}</Button>
            </>
          )}
        </div>
      )}
    </article>
  );
}

/** Why the text is no draft, and the text itself on request. */
function Unusable({ unusable }: { unusable: UnusableText }) {
  const { t } = useLingui();
  const [isOpen, setOpen] = useState(false);
  return (
    <div className={css.unusable} data-testid="unusable">
      <p>{unusableSentence(unusable.reason)}</p>
      <LinkButton onPress={() => setOpen(!isOpen)} aria-expanded={isOpen} data-testid="unusable-text">
        {isOpen ? t`收起` : t`看它写了什么`}
      </LinkButton>
      {isOpen && <Raw>{unusable.text}</Raw>}
    </div>
  );
}

/** The places of the drafts, those that cannot be used last. */
export function usableFirst(candidates: readonly Draft[]): number[] {
  const places = [...candidates.keys()];
  const isUsable = (place: number) => candidates[place]?.state !== "unusable";
  return [...places.filter(isUsable), ...places.filter((place) => !isUsable(place))];
}

/** Splits segments into paragraphs. */
export function paragraphsOf(ownSegments: readonly OwnSegment[]): OwnSegment[][] {
  const paragraphs: OwnSegment[][] = [[]];
  for (const { own, text } of ownSegments) {
    text.split(/\n+/).forEach((words, index) => {
      if (index > 0) paragraphs.push([]);
      if (words !== "") paragraphs.at(-1)!.push({ own, text: words });
    });
  }
  return paragraphs;
}

/** Marks the draft's own segments; shared ones are muted. */
export function Marked({ ownSegments }: { ownSegments: readonly OwnSegment[] }) {
  return ownSegments.map(({ own, text }, index) =>
    own ? <mark key={index}>{text}</mark> : <span key={index}>{text}</span>,
  );
}
