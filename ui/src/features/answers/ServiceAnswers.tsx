import { useLingui } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { call, queries, type ServiceMatch, type ServiceMatches } from "../../backend";
import { Busy, Button, Chip, LinkButton, Notice } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { count } from "../../i18n/words";
import { whereIs } from "../../lib/address";
import { langOf } from "../../lib/langOf";
import type { ReportChange } from "./answerChanges";
import css from "./answers.module.css";
import { levelName, SERVICE } from "./words";

interface ServiceAnswersProps {
  projectId: string;
  /** The search of the list, not empty. */
  words: string;
  onChanged: ReportChange;
}

/**
 * The answers of the team's service to what the list is searched for. It is asked at a press alone, so that a word
 * that is being typed is not sent. Shows nothing where no service is connected.
 */
export function ServiceAnswers({ projectId, words, onChanged }: ServiceAnswersProps) {
  const { t } = useLingui();
  const { data: settings } = useQuery(queries.answerService());
  const [asked, setAsked] = useState<string | null>(null);
  const isAsked = asked === words;
  const of = queries.serviceAnswers(projectId, words);
  const { data, error, isFetching, refetch } = useQuery({ ...of, enabled: isAsked });
  const section = useRef<HTMLElement>(null);
  // The pressed link is gone: the keyboard goes on where the answers will be.
  useEffect(() => {
    if (isAsked) section.current?.focus();
  }, [isAsked]);
  if (!settings?.enabled || settings.baseUrl === null) return null;
  const { host } = whereIs(settings.baseUrl);
  if (!isAsked)
    return (
      <p className={css.service}>
        <LinkButton onPress={() => setAsked(words)} data-testid="answers-ask-service">
          {t`也问团队的答案服务`}
        </LinkButton>
        <small>{t`这几个字发往 ${host}，名字换成化名。`}</small>
      </p>
    );
  const isUnreached = error !== null || (data !== undefined && data?.reason !== null);
  return (
    <section
      ref={section}
      className={css.service}
      aria-label={t`团队的答案`}
      tabIndex={-1}
      data-testid="service-answers"
    >
      <h2>{t`团队的答案`}</h2>
      {isFetching && <Busy>{t`正在问 ${host}……`}</Busy>}
      {!isFetching && isUnreached && (
        <Notice
          title={t`团队的答案暂时拿不到`}
          actions={<Button size="s" onPress={() => void refetch()} data-testid="service-retry">{t`再问一次`}</Button>}
          testId="service-unreached"
        >
          {error ? errorSentence(error) : t`这里的答案照常。`}
        </Notice>
      )}
      {!isFetching && !isUnreached && data?.matches.length === 0 && <p className={css.said}>{t`那里没有找到。`}</p>}
      {!isFetching && data && data.skipped > 0 && (
        <p className={css.said} data-testid="service-skipped">
          {t`另有 ${count(data.skipped)} 条读不懂，略过了。`}
        </p>
      )}
      {!isFetching &&
        data?.matches.map((match) => (
          <ServiceAnswer key={match.answerId} {...{ projectId, match, host, onChanged }} queryKey={of.queryKey} />
        ))}
    </section>
  );
}

interface ServiceAnswerProps {
  projectId: string;
  match: ServiceMatch;
  /** Host of the service. */
  host: string;
  /** Key of the answers that it is one of. */
  queryKey: readonly unknown[];
  onChanged: ReportChange;
}

/** An answer of the service. Its standing is the word of the service, so it is kept here as one on trial. */
function ServiceAnswer({ projectId, match, host, queryKey, onChanged }: ServiceAnswerProps) {
  const { t } = useLingui();
  const client = useQueryClient();
  const { question, answer, validationLevel } = match;
  const keep = useMutation({
    mutationFn: () =>
      call("answer:record", {
        projectId,
        question,
        answer,
        origin: "imported",
        details: { metadata: { [SERVICE]: host } },
      }),
    onSuccess: () => {
      client.setQueryData<ServiceMatches | null>(
        queryKey,
        (found) => found && { ...found, matches: found.matches.filter((one) => one.answerId !== match.answerId) },
      );
      onChanged(t`留下了，先试用`, null);
    },
    onSettled: () => client.invalidateQueries({ queryKey: ["answers", projectId] }),
  });
  return (
    <article className={css.item} data-testid="service-answer">
      <h3 className={css.question} lang={langOf(question)}>
        {question}
      </h3>
      <div className={css.card} data-trial>
        <p className={css.head}>
          <Chip>{t({ message: "团队", context: "where an answer is from" })}</Chip>
          <span>{levelName(validationLevel)}</span>
        </p>
        <p className={css.text} lang={langOf(answer)}>
          {answer}
        </p>
        {keep.error && (
          <p className={css.warning} role="alert">
            {errorSentence(keep.error)}
          </p>
        )}
        <p className={css.standing}>
          <Button
            size="s"
            kind="quiet"
            isDisabled={keep.isPending}
            onPress={() => keep.mutate()}
            data-testid="service-keep"
          >
            {t`留在这里`}
          </Button>
        </p>
      </div>
    </article>
  );
}
