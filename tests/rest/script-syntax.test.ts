// Scripts of multi-step and browser checks that cannot begin, refused by the whole service when they are saved.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startComposed } from '../support/service/composed.ts';
import { asker } from '../support/service/service.ts';

const broken = "import { test } from '@playwright/test';\n\ntest('a', async () => {\n  const a = = 2;\n});\n";
const right = broken.replace('= =', '=');

test('a multi-step or browser check is not saved with a script that cannot begin: the field, the line and the column are named', async (t) => {
  const on = await startComposed(t);
  const { must, api } = asker(() => on.address, on.apiKey);
  const refused = async (method: 'POST' | 'PUT', path: string, body: object): Promise<void> => {
    const { status, body: reported } = await api(method, path, body);
    assert.equal(status, 400, JSON.stringify(reported));
    const { attributes } = reported as { readonly attributes: Readonly<Record<string, string>> };
    assert.deepEqual(attributes, {
      script: 'is not a valid script for runtime 2026.10: Unexpected token (line 4, column 13)',
    });
  };
  for (const type of ['multistep', 'browser']) {
    const path = `/v1/checks/${type}`;
    await refused('POST', path, { name: 'Order', frequency: 1440, script: broken });
    const { id } = await must('POST', path, { name: 'Order', frequency: 1440, script: right });
    await refused('PUT', `${path}/${String(id)}`, { script: broken });
    await must('PUT', `${path}/${String(id)}`, { name: 'Orders', script: right });
    // What lies beside it may never be read.
    await must('PUT', `${path}/${String(id)}`, { dependencies: [{ path: 'notes.ts', content: 'a = = 2' }] });
  }
  // What it is read as is said by its path as well.
  const typed = { name: 'Order', frequency: 1440, script: 'const a: number = 1;', scriptPath: 'a.ts' };
  const { id } = await must('POST', '/v1/checks/multistep', typed);
  const { status, body } = await api('PUT', `/v1/checks/multistep/${String(id)}`, { scriptPath: 'a.mjs' });
  assert.equal(status, 400);
  assert.match(JSON.stringify(body), /Missing initializer in const declaration \(line 1, column 7\)/);
});

test('a change of the files beside a script has it read again: they say whether it is tests, which know more than Node.js', async (t) => {
  const on = await startComposed(t);
  const { must, api } = asker(() => on.address, on.apiKey);
  const beside = (content: string) => ({ dependencies: [{ path: 'fixtures.ts', content }] });
  const handsOn = beside("export { test } from '@playwright/test';\n");
  const script =
    "import { test } from './fixtures';\n\nenum Shop { Cart }\n\ntest('a', () => console.log(Shop.Cart));\n";
  const made = { name: 'Order', frequency: 1440, script, scriptPath: 'order.ts', ...handsOn };
  const path = `/v1/checks/multistep/${String((await must('POST', '/v1/checks/multistep', made))['id'])}`;
  await must('PUT', path, beside("export { test, expect } from '@playwright/test';\n"));
  const { status, body } = await api('PUT', path, beside('export const test = () => undefined;\n'));
  assert.equal(status, 400, 'without tests it is a program, and Node.js reads none with an enum');
  assert.match(
    JSON.stringify(body),
    /"script":"is not a valid script for runtime 2026.10: .*enum.* \(line 3, column 1\)"/,
  );
  await must('PUT', path, { name: 'Orders' });
});
