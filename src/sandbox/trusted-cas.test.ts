// Private CAs for scripts, their child processes and browsers, at every level.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAuthority } from '../../tests/support/targets/certificates.ts';
import { containmentHere, printed, runPlain, type RunOptions } from '../../tests/support/scripts/script-runs.ts';
import { startTlsTarget } from '../../tests/support/targets/target.ts';
import { findChromium } from './find-chromium.ts';
import { createTrustedCas } from './trusted-cas.ts';

const authority = createAuthority('Private CA');
const trustedCas = createTrustedCas([createAuthority('Another').cert, authority.cert]);

test('a script and its child processes trust a private CA', async (t) => {
  const { url } = await startTlsTarget(t, authority.issue(), (_, response) => response.end('private'));
  const content = `import { spawnSync } from 'node:child_process';
const code = "fetch('${url}').then((answer) => answer.text()).then(console.log, ({ cause }) => console.log(cause.code))";
await (await import('data:text/javascript,' + encodeURIComponent('await ' + code)));
console.log(String(spawnSync(process.execPath, ['-e', code]).stdout));`;
  const said = async (options: RunOptions) =>
    printed(await runPlain(content, options))
      .split(/\s+/)
      .filter(Boolean);
  const { containment } = await containmentHere();
  for (const level of new Set([containment, 'process'] as const)) {
    assert.deepEqual(await said({ trustedCas, level }), ['private', 'private'], level);
    const untrusted = 'UNABLE_TO_VERIFY_LEAF_SIGNATURE';
    assert.deepEqual(await said({ level }), [untrusted, untrusted], level);
  }
});

test('a browser trusts the private CA, and no other private one', async (t) => {
  const browser = findChromium(null);
  assert.ok(browser !== null, 'Chromium is not installed; run npm ci');
  const { url } = await startTlsTarget(t, authority.issue(), (_, response) => response.end('private'));
  const other = await startTlsTarget(t, createAuthority('Stranger').issue(), (_, response) => response.end('strange'));
  const content = `import { chromium } from 'playwright-core';
const page = await (await chromium.launch()).newPage();
for (const url of ${JSON.stringify([url, other.url])}) {
  const text = page.goto(url).then(() => page.textContent('body'));
  console.log(await text.catch(({ message }) => /ERR_[A-Z_]+/.exec(message)[0]));
}
process.exit(0);`;
  const outcome = await runPlain(content, { browser, trustedCas });
  assert.deepEqual(
    printed(outcome).split(/\s+/).filter(Boolean),
    ['private', 'ERR_CERT_AUTHORITY_INVALID'],
    JSON.stringify(outcome.errors),
  );
});
