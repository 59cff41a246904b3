// Scripts that run at the same time: all are told, and one that fails fails all.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { it } from 'node:test';

function together(...scripts: string[]) {
  return spawnSync(process.execPath, ['tooling/together.ts', ...scripts], { encoding: 'utf8' });
}

it('scripts run together pass when each does, and say so', () => {
  const { status, stdout } = together('sim', 'fuzz');
  assert.equal(status, 0, stdout);
  assert.match(stdout, /^1 npm run sim -- states/m);
  assert.match(stdout, /# sim: passed in \d+ s/);
  assert.match(stdout, /# fuzz: passed in \d+ s/);
});

it('one of them that fails fails them all, after the others have ended', () => {
  const { status, stdout } = together('sim -- nonsense', 'sim');
  assert.equal(status, 1);
  assert.match(stdout, /# sim -- nonsense: ended with 2 in \d+ s/);
  assert.match(stdout, /# sim: passed in \d+ s/);
});

it('what one that failed said last is told again at the end, and nothing of the others', () => {
  const { stdout } = together('sim -- nonsense', 'sim');
  const told = stdout.match(/\n\n# sim -- nonsense: ended with 2 in \d+ s\n((?: {2}.*\n)+)$/)?.[1] ?? '';
  assert.match(told, /nonsense/, stdout);
  assert.doesNotMatch(told, /every .* held/);
  const said = stdout.match(/^1 (.+)$/gm)?.map((line) => `  ${line.slice(2)}`) ?? [];
  for (const line of said) assert.ok(told.includes(`${line}\n`), line);
});

it('one that is to wait for another begins when that has ended, whatever came of it', () => {
  const { status, stdout } = together('sim -- nonsense then fuzz', 'sim');
  assert.equal(status, 1);
  const marks = [/^# sim -- nonsense: ended/m, /^1 npm run fuzz -- /m, /^# fuzz: passed/m];
  const places = marks.map((mark) => stdout.search(mark));
  assert.ok(!places.includes(-1), stdout);
  assert.deepEqual(
    places,
    places.toSorted((a, b) => a - b),
    stdout,
  );
});
