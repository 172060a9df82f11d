import { useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { useStore } from "zustand";
import { useScenes } from "../backend";
import { NameField, Picker } from "../design";
import { sceneName } from "../i18n/words";
import css from "./app.module.css";
import { useProgram } from "./program";

/** Keys of the menu that are no scene types. The leading blank keeps them apart: no name begins with one. */
const AUTO = " auto";
const OTHER = " other";
const MAX_NAME_LENGTH = 40;

/**
 * Scene type of the open chapter's passages. The writer's choice holds until it is changed and also applies to the
 * drafts on screen; without a choice, each passage is guessed, and the guess for the passage at the caret is shown.
 */
export function ScenePicker() {
  const { t } = useLingui();
  const program = useProgram();
  const { scene, run, guess } = useStore(program.assistant.state);
  const project = useStore(program.window, (state) => state.project);
  const known = useScenes(project?.projectId ?? null);
  const [naming, setNaming] = useState(false);
  const scenes = scene === null || known.includes(scene) ? known : [...known, scene];
  // The type of the run on screen, else the one that the next run would take.
  const sceneType = run ? run.sceneType : guess;
  const guessed = scene === null && sceneType ? sceneName(sceneType) : null;
  if (naming) {
    return (
      <div className={css.sceneName} lang={project?.language === "en" ? "en" : "zh-CN"}>
        <NameField
          initial=""
          label={t`这是什么场景`}
          longest={MAX_NAME_LENGTH}
          testId="scene-name"
          onDone={(name) => {
            setNaming(false);
            if (name !== null) void program.setSceneType(name);
          }}
        />
      </div>
    );
  }
  return (
    <Picker
      quiet
      label={t`场景`}
      prefix={t`场景：`}
      value={scene ?? AUTO}
      onChange={(key) => {
        // The list returns the focus when it closes; only then may the name field take it.
        if (key === OTHER) requestAnimationFrame(() => requestAnimationFrame(() => setNaming(true)));
        else void program.setSceneType(key === AUTO ? null : key);
      }}
      options={[
        { key: AUTO, label: guessed ? t`${guessed}（推测）` : t`自动` },
        ...scenes.map((key) => ({ key, label: sceneName(key) })),
        { key: OTHER, label: t`其他名称…` },
      ]}
      testId="scene-select"
    />
  );
}
