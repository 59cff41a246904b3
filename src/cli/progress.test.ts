// What people see of a long command: a bar that fills on a terminal, lines in a log.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createProgress } from './progress.ts';

/** What is written, and the clock that the bar goes by. */
function screenOf(isTerminal: boolean) {
  let at = 0;
  const written: string[] = [];
  const progress = createProgress({ write: (text) => written.push(text), isTerminal, now: () => at });
  return { progress, written, pass: (ms: number) => (at += ms) };
}

/** What a terminal shows of it: a line that begins anew takes the place of the one before. */
function shown(written: readonly string[]): string[] {
  const lines = written.join('').split('\n');
  return lines.map((line) => line.slice(line.lastIndexOf('\r') + 1).replace('\u001B[K', ''));
}

describe('progress on a terminal', () => {
  it('is a bar that fills where it stands, with share and pace, and stays when it is full', () => {
    const { progress, written, pass } = screenOf(true);
    progress.begin('results', 1000);
    assert.deepEqual(shown(written), [`[${'.'.repeat(24)}]   0 %  results                    0 of 1000 rows`]);
    pass(500);
    progress.add(250);
    const quarter = `[${'#'.repeat(6)}${'.'.repeat(18)}]  25 %  results                    250 of 1000 rows, 500/s`;
    assert.deepEqual(shown(written), [quarter]);
    assert.ok(
      written.every((text) => text.startsWith('\r\u001B[K')),
      'it is drawn over itself',
    );
    pass(1500);
    progress.add(750);
    progress.end();
    const full = `[${'#'.repeat(24)}] 100 %  results                    1000 of 1000 rows, 500/s`;
    assert.deepEqual(shown(written), [full, '']);
  });

  it('is drawn ten times a second at most, however many steps there are', () => {
    const { progress, written, pass } = screenOf(true);
    progress.begin('results', 100_000);
    for (let step = 0; step < 1000; step++) {
      pass(1);
      progress.add(100);
    }
    assert.ok(written.length <= 11, `${written.length} times`);
  });

  it('makes room for a line of words, and shows nothing of what was empty', () => {
    const { progress, written } = screenOf(true);
    progress.begin('pings', 0);
    progress.say('3 tables compared');
    progress.end();
    assert.deepEqual(shown(written), ['3 tables compared', '']);
  });
});

describe('progress elsewhere', () => {
  it('is a line now and then and one at the end, without a bar', () => {
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
