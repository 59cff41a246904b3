// What a running script reports is passed on in bounded pieces.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keepsNothing, type ScriptProgress } from '#domain/checks/script.ts';
import { plainRun } from '../../tests/support/scripts/script-runs.ts';
import { followReport } from './follow-report.ts';
import { addLine, emptyReport } from './report.ts';
import { runScript } from './run-script.ts';

const deps = { startedAt: 0, home: '/home', hide: (text: string) => text };

/** Waits for pieces of a report until one satisfies the condition. */
async function piecesUntil(
  report: ReturnType<typeof emptyReport>,
  isLast: (piece: ScriptProgress) => boolean,
): Promise<ScriptProgress[]> {
  const pieces: ScriptProgress[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = followReport(report, {
    startedAt: 0,
    onProgress: async (piece) => {
      pieces.push(piece);
      if (isLast(piece)) resolve();
    },
    take: async () => ({ assets: [] }),
    everyMs: 1,
  });
  await promise;
  await stop();
  return pieces;
}

test('a script is followed while it runs, and its secrets are hidden', async () => {
  const content = `console.log('the word is canary');
await new Promise((resolve) => { process.once('SIGUSR2', resolve); setTimeout(resolve, 60_000); });`;
  const { work, deps: scriptDeps } = await plainRun(content, { level: 'process' });
  const ending = new AbortController();
  const seen: ScriptProgress[] = [];
  const onProgress = async (progress: ScriptProgress): Promise<void> => {
    seen.push(progress);
    // It is shown before the script has ended.
    if (progress.log.length > 0) ending.abort();
  };
  const hide = (text: string): string => text.replaceAll('canary', '***');
  const outcome = await runScript({ ...work, keeps: keepsNothing, hide, onProgress }, ending.signal, scriptDeps);
  assert.equal(outcome.ending, 'stopped');
  assert.match(seen.flatMap(({ log }) => log.map(({ text }) => text)).join(''), /the word is \*\*\*/);
});

test('pieces are bounded, continue where the previous one ended, and say when the limit of a run is reached', async () => {
  const report = emptyReport();
  for (let line = 0; line < 100; line++) addLine(report, 'stdout', `${line} ${'x'.repeat(16_000)}`, deps, 0);
  const pieces = await piecesUntil(report, ({ isCut }) => isCut);
  const sizes = pieces.map((piece) => JSON.stringify(piece).length);
  assert.ok(Math.max(...sizes) < 90_000, `at most a piece and one entry more: ${Math.max(...sizes)}`);
  const lines = pieces.flatMap(({ log }) => log.map(({ text }) => Number.parseInt(text, 10)));
  assert.deepEqual(
    lines,
    Array.from({ length: lines.length }, (_, line) => line),
    'in order and without gaps',
  );
  assert.ok(lines.length < 70, `about 1 MB per run: ${lines.length} lines`);
});
