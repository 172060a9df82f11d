import { useLingui } from "@lingui/react/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call, queries } from "../../backend";
import { Button, Composer, Icon } from "../../design";
import { errorSentence } from "../../i18n/errors";
import css from "./study.module.css";

/** The field for a question of the writer's, which is asked before all others. */
export function OwnQuestion({ projectId }: { projectId: string }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const [words, setWords] = useState("");
  const add = useMutation({
    mutationFn: (question: string) => call("knowledge:question:add", { projectId, question }),
    onSuccess: () => setWords(""),
    onSettled: () => void client.invalidateQueries({ queryKey: queries.studyQuestions(projectId).queryKey }),
  });
  const ask = () => {
    if (words.trim() !== "" && !add.isPending) add.mutate(words.trim());
  };
  return (
    <div className={css.own}>
      {add.error && (
        <p className={css.problem} role="alert" data-testid="study-own-problem">
          {errorSentence(add.error)}
        </p>
      )}
      <Composer
        label={t`自己问一个，排在最前`}
        placeholder={t`自己问一个，排在最前`}
        value={words}
        onChange={setWords}
        onEnter={ask}
        maxRows={4}
        before={
          <span className={css.plus}>
            <Icon name="plus" size="xs" />
          </span>
        }
        testId="study-own"
      >
        <Button size="s" isDisabled={words.trim() === "" || add.isPending} onPress={ask} data-testid="study-own-add">
          {t({ message: "排上", context: "a question of a study" })}
        </Button>
      </Composer>
    </div>
  );
}
