// What a script is given reaches it at every level that keeps it in, wherever it lies on this machine.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { printed, runPlain, strongContainments } from '../../../tests/support/script-runs.ts';
import { containments, hasGateway, nobody } from './containment.ts';

for (const level of containments.filter(hasGateway)) {
  test(`what lies in a folder that is closed to others is there for a script, by ${level}`, async (t) => {
    const strong = await strongContainments();
    const problem = strong.find((one) => one.level === level)?.problem ?? null;
    if (problem !== null) return t.skip(problem);
    const closed = mkdtempSync(join(tmpdir(), 'tsn-'));
    t.after(() => rmSync(closed, { recursive: true }));
    assert.equal(statSync(closed).mode & 0o777, 0o700);
    const [runtime, code] = [join(closed, 'runtime'), join(closed, 'code')];
    mkdirSync(join(runtime, 'node_modules', 'given'), { recursive: true });
    mkdirSync(code);
    writeFileSync(join(runtime, 'node_modules', 'given', 'index.js'), `module.exports = 'given';`);
    writeFileSync(join(code, 'compiled'), 'compiled');
    const content = `import { readFileSync } from 'node:fs';
import given from 'given';
console.log(given, readFileSync('/tocsin/code/compiled', 'utf8'), process.getuid());`;
    const outcome = await runPlain(content, {
      level,
      runtime: { folder: runtime, nodeBinary: process.execPath },
      code: { folder: code, isWritable: false },
    });
    // Who is not root stays who they are, or is shown as root of namespaces of their own.
    const own = process.getuid?.() ?? 0;
    const user = own === 0 ? nobody : level === 'bubblewrap' ? own : 0;
    assert.equal(printed(outcome), `given compiled ${user}\n`, JSON.stringify(outcome));
  });
}
