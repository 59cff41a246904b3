// Files of a script are available at every contained level, wherever they are on this machine.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { printed, runPlain, strongContainments } from '../../../tests/support/scripts/script-runs.ts';
import { containments, hasGateway, nobody } from './containment.ts';

for (const level of containments.filter(hasGateway)) {
  test(`a script can read its files from a folder closed to others, with ${level}`, async (t) => {
    const strong = await strongContainments();
    const problem = strong.find((one) => one.level === level)?.problem ?? null;
    if (problem !== null) return t.skip(problem);
    const closed = mkdtempSync(join(tmpdir(), 'tsn-'));
    t.after(() => rmSync(closed, { recursive: true }));
    assert.equal(statSync(closed).mode & 0o777, 0o700);
    const runtime = join(closed, 'runtime');
    mkdirSync(join(runtime, 'node_modules', 'given'), { recursive: true });
    writeFileSync(join(runtime, 'node_modules', 'given', 'index.js'), `module.exports = 'given';`);
    const content = `import given from 'given';
console.log(given, process.getuid());`;
    const outcome = await runPlain(content, {
      level,
      runtime: { folder: runtime, nodeBinary: process.execPath },
    });
    // A user other than root keeps its id or appears as root of its own namespace.
    const own = process.getuid?.() ?? 0;
    const user = own === 0 ? nobody : level === 'bubblewrap' ? own : 0;
    assert.equal(printed(outcome), `given ${user}\n`, JSON.stringify(outcome));
  });
}
