import { spawn } from 'node:child_process';
import { join } from 'node:path';

const TOUR = join(import.meta.dirname, '..', '..', 'tour', 'tour.js');

/** What the tour shows, in its order: a number and how its sentence begins. */
const STORY = [
  '1. A run starts.',
  '2. It waits.',
  '3. An answer that does not fit changes nothing.',
  '4. A valid answer is taken once',
  '5. The same answer again is recognised',
  '6. What happened, from the log.',
  'That is all of it: nothing was lost, nothing happened twice.',
];

function walk(): Promise<{ readonly code: number | null; readonly output: string }> {
  const tour = spawn(process.execPath, [TOUR], { env: { PATH: process.env.PATH }, stdio: 'pipe' });
  let output = '';
  for (const stream of [tour.stdout, tour.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  return new Promise((resolve) => tour.once('close', (code) => resolve({ code, output })));
}

/*
 * On SQLite alone: `npm run tour` is what somebody sees first, who has no server, and starts its own service in a folder
 * of its own. What it walks is what interface.spec.ts walks on every store.
 */
describe('the tour', () => {
  it('INP-1 INP-3 TRN-5 tells its story from the start of a run to its end, and ends with 0', async () => {
    const { code, output } = await walk();
    const lines = output.split('\n');
    const told = STORY.map((beginning) => lines.findIndex((line) => line.startsWith(beginning)));
    expect(told).not.toContain(-1);
    expect(told).toEqual([...told].sort((one, other) => one - other));
    expect(code).toBe(0);
  }, 60_000);
});
