// npm start: builds changed parts and opens the window. Arguments are passed to the program.
//
// The build is the newer of those that are there, release or development; a development build where there is none. It
// compiles faster, and a release build answers faster.

import { BUILD_WINDOW, RELEASE_WINDOW, WINDOW, frontEndIsFresh, modifiedAt, must, npm, run } from "./run.mjs";
import { setup } from "./setup.mjs";

// Checked before the build, which takes minutes.
if (process.platform === "linux" && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY) {
  console.error("There is no display to open a window on.\n  Set DISPLAY, or run: xvfb-run -a npm start");
  process.exit(1);
}
setup("start");
if (!frontEndIsFresh()) must(npm("run", "--silent", "ui:build"));
const isRelease = modifiedAt(RELEASE_WINDOW) > modifiedAt(WINDOW);
console.log(isRelease ? "Release build" : "Development build");
must(isRelease ? [...BUILD_WINDOW, "--release"] : BUILD_WINDOW);
process.exitCode = run([isRelease ? RELEASE_WINDOW : WINDOW, ...process.argv.slice(2)]);
