import { useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { useStore } from "zustand";
import { useScenes } from "../backend";
import { NameField, Picker } from "../design";
import { sceneName } from "../i18n/words";
import css from "./app.module.css";
import { useProgram } from "./program";

/** No kind of scene: a name begins with no blank. */
const AUTO = " auto";
const OTHER = " other";
const LONGEST = 40;

/**
 * What kind of scene the passages of the chapter are. What the writer says holds for the chapter until they say otherwise,
 * and is right also of drafts that are on screen; where nothing is said, each passage is guessed.
 */
export function ScenePicker() {
  const { t } = useLingui();
  const program = useProgram();
  const { scene, run } = useStore(program.assistant.state);
  const project = useStore(program.window, (state) => state.project);
  const known = useScenes(project?.projectId ?? null);
  const [naming, setNaming] = useState(false);
  const scenes = scene === null || known.includes(scene) ? known : [...known, scene];
  const guessed = scene === null && run?.sceneType ? sceneName(run.sceneType) : null;
  if (naming) {
    return (
      <div className={css.sceneName} lang={project?.language === "en" ? "en" : "zh-CN"}>
        <NameField
          initial=""
          label={t`这是什么场景`}
          longest={LONGEST}
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
        // The list gives the keyboard back as it goes; only then may a field have it.
        if (key === OTHER) requestAnimationFrame(() => requestAnimationFrame(() => setNaming(true)));
        else void program.setSceneType(key === AUTO ? null : key);
      }}
      options={[
        { key: AUTO, label: guessed ? t`${guessed}（猜的）` : t`自动` },
        ...scenes.map((key) => ({ key, label: sceneName(key) })),
        { key: OTHER, label: t`别的名字…` },
      ]}
      testId="scene-select"
    />
  );
}
