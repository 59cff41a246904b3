// A script that is timed passes and fails as by itself, and says last how long it took.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { it } from 'node:test';

for (const [args, code, said] of [
  [
    ['sim'],
    0,
    /\n# sim: passed in 0:\d\d min on \d+ processors \(.+\), \d+ % of their time taken for others on its host, where a bare start of Node.js took \d+ ms before\n$/,
  ],
  [['sim', 'nonsense'], 2, /\n# sim: failed in 0:\d\d min on /],
] as const) {
  it(`${args.join(' ')} ends with ${code}`, () => {
    const { status, stdout } = spawnSync(process.execPath, ['tooling/timed.ts', ...args], { encoding: 'utf8' });
    assert.equal(status, code, stdout);
    assert.match(stdout, said);
  });
}
