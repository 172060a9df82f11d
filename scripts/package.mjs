// npm run package [-- FORMAT …]: release packages of the window and the host, with encoder, dictionary and tagger
// inside. Formats: deb, rpm, appimage on Linux (without one: deb and rpm), app, dmg on macOS, nsis, msi on Windows.
//
// The tools of an AppImage, of nsis and of msi are downloaded by the bundler; deb, rpm and app need none.

import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

import { ROOT, TARGET, ask, frontEndIsFresh, must, npm, program } from "./run.mjs";
import { setup } from "./setup.mjs";

const FORMATS = { linux: ["deb", "rpm"], darwin: ["app", "dmg"], win32: ["nsis"] };
const PAGE = "palimpsest-host.1";

setup("start");
const formats = process.argv.length > 2 ? process.argv.slice(2) : FORMATS[process.platform];
if (!frontEndIsFresh()) must(npm("run", "--silent", "ui:build"));
must(["cargo", "build", "--workspace", "--release", "--bin", "palimpsest", "--bin", "palimpsest-host"]);

// Taken in beside the window: the host, under the name that it looks for, and the manual page.
const staged = join(TARGET, "package");
mkdirSync(staged, { recursive: true });
const triple = /^host: (.+)$/m.exec(ask("rustc", "-vV"))[1];
const host = join(staged, "palimpsest-host");
copyFileSync(join(TARGET, "release", program("palimpsest-host")), program(`${host}-${triple}`));
writeFileSync(join(staged, `${PAGE}.gz`), gzipSync(readFileSync(join(ROOT, "src-tauri", "linux", PAGE)), { level: 9 }));

const files = { [`/usr/share/man/man1/${PAGE}.gz`]: join(staged, `${PAGE}.gz`) };
const bundle = { externalBin: [host], linux: { deb: { files }, rpm: { files } } };
const overlay = join(staged, "tauri.json");
writeFileSync(overlay, JSON.stringify({ bundle }));

// A package of an earlier version would be taken for one of this run.
const made = join(TARGET, "release", "bundle");
for (const format of formats) rmSync(join(made, format), { recursive: true, force: true });
must(npm("exec", "--", "tauri", "bundle", "--bundles", formats.join(","), "--config", overlay));

for (const format of formats) {
  for (const name of readdirSync(join(made, format))) {
    const path = join(made, format, name);
    if (statSync(path).isFile()) console.log(`${path}  ${(statSync(path).size / 1e6).toFixed(1)} MB`);
  }
}
