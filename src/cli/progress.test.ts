// Progress output: a bar on a terminal, lines in a log.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createProgress } from './progress.ts';

/** Output and clock of a progress display. */
function screenOf(isTerminal: boolean) {
  let at = 0;
  const written: string[] = [];
  const progress = createProgress({ write: (text) => written.push(text), isTerminal, now: () => at });
  return { progress, written, pass: (ms: number) => (at += ms) };
}

/** What a terminal shows: a carriage return overwrites the line. */
function shown(written: readonly string[]): string[] {
  const lines = written.join('').split('\n');
  return lines.map((line) => line.slice(line.lastIndexOf('\r') + 1).replace('\u001B[K', ''));
}

describe('progress on a terminal', () => {
  it('redraws a bar with percentage and rate, and leaves the full bar', () => {
    const { progress, written, pass } = screenOf(true);
    progress.begin('results', 1000);
    assert.deepEqual(shown(written), [`[${'.'.repeat(24)}]   0%  results                    0 of 1000 rows`]);
    pass(500);
    progress.add(250);
    const quarter = `[${'#'.repeat(6)}${'.'.repeat(18)}]  25%  results                    250 of 1000 rows, 500/s`;
    assert.deepEqual(shown(written), [quarter]);
    assert.ok(
      written.every((text) => text.startsWith('\r\u001B[K')),
      'it is drawn over itself',
    );
    pass(1500);
    progress.add(750);
    progress.end();
    const full = `[${'#'.repeat(24)}] 100%  results                    1000 of 1000 rows, 500/s`;
    assert.deepEqual(shown(written), [full, '']);
  });

  it('is drawn at most ten times a second', () => {
    const { progress, written, pass } = screenOf(true);
    progress.begin('results', 100_000);
    for (let step = 0; step < 1000; step++) {
      pass(1);
      progress.add(100);
    }
    assert.ok(written.length <= 11, `${written.length} times`);
  });

  it('clears the bar for a line of text, and skips empty steps', () => {
    const { progress, written } = screenOf(true);
    progress.begin('pings', 0);
    progress.say('3 tables compared');
    progress.end();
    assert.deepEqual(shown(written), ['3 tables compared', '']);
  });
});

describe('progress elsewhere', () => {
  it('prints a line at intervals and one at the end, without a bar', () => {
    const { progress, written, pass } = screenOf(false);
    progress.begin('results', 1000);
    pass(100);
    progress.add(10);
    assert.deepEqual(written, []);
    pass(4900);
    progress.add(490);
    progress.add(500);
    progress.end();
    assert.deepEqual(written, [
      'results                    500 of 1000 rows, 100/s\n',
      'results                    1000 of 1000 rows, 200/s\n',
    ]);
  });
});
