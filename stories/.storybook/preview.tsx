import type { Preview } from "@storybook/react-vite";
import { addons } from "storybook/preview-api";
import { FORCE_REMOUNT, GLOBALS_UPDATED } from "storybook/internal/core-events";
import { chooseFaces } from "../../ui/src/design";
import "../../ui/src/design/base.css";
import { Stage, Window, type Globals, type Scene } from "../stage";

chooseFaces();

// Changing the language restarts a story with its steps.
const channel = addons.getChannel();
channel.on(GLOBALS_UPDATED, () => {
  const storyId = new URLSearchParams(location.search).get("id");
  if (storyId) channel.emit(FORCE_REMOUNT, { storyId });
});

/** Stories are windows on the fake backend; the toolbar selects language and theme. */
const preview: Preview = {
  globalTypes: {
    language: {
      toolbar: {
        title: "Language",
        icon: "globe",
        dynamicTitle: true,
        items: [
          { value: "zh", title: "中文" },
          { value: "en", title: "English" },
        ],
      },
    },
    theme: {
      toolbar: {
        title: "Theme",
        icon: "contrast",
        dynamicTitle: true,
        items: [
          { value: "light", title: "Light" },
          { value: "dark", title: "Dark" },
        ],
      },
    },
  },
  initialGlobals: { language: "zh", theme: "light" },
  parameters: {
    layout: "fullscreen",
    controls: { disable: true },
    actions: { disable: true },
    backgrounds: { disable: true },
  },
  loaders: [async ({ args, globals }) => ({ stage: await Stage.raise(args as Scene, globals as unknown as Globals) })],
  render: (args, { loaded }) => {
    const stage = loaded["stage"] as Stage;
    return <Window key={`${stage.language} ${stage.projectId}`} {...args} stage={stage} />;
  },
};

export default preview;
