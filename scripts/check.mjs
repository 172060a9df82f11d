// npm run check: what must be clean before a commit. All of it is run, then it fails if anything did.

import { npm, run } from './run.mjs';
import { setup } from './setup.mjs';

setup('start');
const checks = {
  'Rust format': ['cargo', 'fmt', '--all', '--check'],
  'Rust lints': ['cargo', 'clippy', '--workspace', '--all-targets', '--', '-D', 'warnings'],
  'types and lint of the interface': npm('run', '--silent', 'ui:check'),
  // Bindings and permissions are generated; the contract tests compare them with what would be generated now.
  'generated files': ['cargo', 'test', '--workspace', '--quiet', '--test', 'contract'],
};
const failed = Object.entries(checks).filter(([name, command]) => {
  console.log(`── ${name}`);
  return run(command) !== 0;
});
console.log(failed.length === 0 ? 'All clean.' : `Not clean: ${failed.map(([name]) => name).join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;
