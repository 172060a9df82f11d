// npm run stories:pictures -- DIR: writes a picture of every story, in both languages and both themes, into a folder. A
// further argument selects the stories whose names contain it.

import { isAbsolute, relative, resolve } from "node:path";

import { ROOT, npm, run } from "./run.mjs";

const [folder, word] = process.argv.slice(2);
const where = folder && resolve(folder);
const inside = where && relative(ROOT, where);
if (!where || !(inside.startsWith("..") || isAbsolute(inside))) {
  console.error("Where to? npm run stories:pictures -- DIR, outside of the repository.");
  process.exit(1);
}
process.exitCode = run([...npm("run", "--silent", "stories:test"), "--", ...(word ? ["-t", word] : [])], {
  STORIES_PICTURES: where,
});
