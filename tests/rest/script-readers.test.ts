// Scripts that are read before they are saved: only what is new is, and what cannot be read in time is not saved.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createScriptReader } from '#sandbox/read-script.ts';
import { heldRuntime } from '../support/scripts/odd-runtimes.ts';
import { resourcesUnderTest } from './resources-under-test.ts';

const request = { method: 'GET', url: 'https://shop.example/' };

test('while no script can be read in time a new one is not saved, and everything else is, a script that stays as it is too', async (t) => {
  const reader = createScriptReader({ atOnce: 1, waitMs: 20 });
  await using on = resourcesUnderTest(reader);
  const things = [
    ['/v1/checks/multistep', { script: 'await 1;' }, { script: 'await 2;' }],
    ['/v1/checks/browser', { script: 'await 1;' }, { scriptPath: 'other.mjs' }],
    ['/v1/checks/api', { request, localSetupScript: 'await 1;' }, { localSetupScript: 'await 2;' }],
    ['/v2/check-groups', { localTearDownScript: 'await 1;' }, { localSetupScript: 'await 3;' }],
  ] as const;
  const paths: string[] = [];
  for (const [path, least] of things) {
    const made = await on.ask('POST', path, { name: 'Shop', ...least });
    assert.equal(made.status, 201, made.text);
    paths.push(`${path}/${made.body.id}`);
  }
  const { runtime, release } = heldRuntime(t);
  const held = reader.programFault('another account', { sort: 'plain', path: 'a.mjs', content: '' }, runtime);
  for (const [index, [path, least, other]] of things.entries()) {
    const own = paths[index] ?? '';
    for (const [method, where, body] of [
      ['POST', path, { name: 'Shop', ...least, ...other }],
      ['PUT', own, other],
    ] as const) {
      const refused = await on.ask(method, where, body);
      assert.deepEqual([refused.status, refused.body.attributes], [503, undefined], refused.text);
      assert.match(
        refused.body.message,
        /^Too many scripts are being validated, so the changes were not saved\. Try again in a moment\.$/,
      );
    }
    // The whole body again, with another name.
    const renamed = await on.ask('PUT', own, { name: 'Cart', ...least });
    assert.deepEqual([renamed.status, renamed.body.name], [200, 'Cart'], renamed.text);
  }
  await release();
  assert.equal(await held, null);
  for (const [index, [, , other]] of things.entries()) {
    const { status, text } = await on.ask('PUT', paths[index] ?? '', other);
    assert.equal(status, 200, text);
  }
});
