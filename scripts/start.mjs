// npm start: builds changed parts and opens the window. Arguments are passed to the program.

import { BUILD_WINDOW, WINDOW, frontEndIsFresh, must, npm, run } from "./run.mjs";
import { setup } from "./setup.mjs";

// Checked before the build, which takes minutes.
if (process.platform === "linux" && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY) {
  console.error("There is no display to open a window on.\n  Set DISPLAY, or run: xvfb-run -a npm start");
  process.exit(1);
}
setup("start");
if (!frontEndIsFresh()) must(npm("run", "--silent", "ui:build"));
must(BUILD_WINDOW);
process.exitCode = run([WINDOW, ...process.argv.slice(2)]);
