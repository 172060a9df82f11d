// The system's own dialogs for files. They are no part of the page, so WebDriver knows nothing of them: the keyboard of
// the display is pressed instead.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { until } from './driver.mjs';

const run = promisify(execFile);

/** What xdotool writes; nothing where it finds no window. */
async function xdotool(...args) {
  try {
    return (await run('xdotool', args)).stdout.trim();
  } catch (error) {
    if (error.code === 1) return '';
    throw error;
  }
}

/** The dialog that the program has open, when it has one. */
async function open(pid) {
  for (const id of (await xdotool('search', '--onlyvisible', '--pid', String(pid), '--name', '.')).split('\n').filter(Boolean)) {
    const name = await xdotool('getwindowname', id);
    if (name !== '' && !name.startsWith('Palimpsest')) return { id, name };
  }
  return null;
}

async function keys(id, ...args) {
  // There may be no window manager that gives a new window the keyboard.
  await xdotool('windowfocus', '--sync', id);
  await xdotool(...args);
}

/** Waits for the dialog, names a file in it by its whole path, and gives back what the dialog is called. */
export async function chooseFile(app, path) {
  const { pid } = app;
  const { id, name } = await until('the system asks for a file', () => open(pid));
  await until('the dialog has its answer', async () => {
    // Ctrl+L goes to the field of the path, or makes one. A key that comes before it is there is lost, and what is then
    // no path is refused in a box of its own: Return sends that away, and it is typed again.
    await keys(id, 'key', '--clearmodifiers', 'ctrl+l');
    await keys(id, 'key', '--clearmodifiers', 'ctrl+a');
    await keys(id, 'type', '--clearmodifiers', '--delay', '15', path);
    await keys(id, 'key', '--clearmodifiers', 'Return');
    return until('it is gone', async () => (await open(pid)) === null, 2_000).catch(async () => {
      await keys((await open(pid))?.id ?? id, 'key', '--clearmodifiers', 'Return');
      return (await open(pid)) === null;
    });
  });
  return name;
}

/** Waits for the dialog and sends it away. */
export async function chooseNone(app) {
  const { pid } = app;
  const { id } = await until('the system asks for a file', () => open(pid));
  await until('the dialog is gone', async () => {
    await keys(id, 'key', '--clearmodifiers', 'Escape');
    return (await open(pid)) === null;
  });
}
