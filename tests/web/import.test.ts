// Adding many checks from pasted lines, without any other tool.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { expectVisible } from './expect.ts';
import { shareWebUi } from './web-ui.ts';

describe('many checks in the web UI', () => {
  const { ui } = shareWebUi();

  test('of 50 lines the 47 right ones are created, and the 3 wrong ones stay to be corrected', async () => {
    const { service, open } = ui();
    const page = await open('/import?from=lines', { viewport: { width: 390, height: 844 } });
    const right = Array.from({ length: 46 }, (_, index) => `Port ${index}, tcp://127.0.0.1:${index + 1}, 1h, ports`);
    const command = `curl http://127.0.0.1:9/orders \\\n  -H 'accept: text/plain' -d '{"a":\n1}'`;
    await page
      .getByLabel('Lines', { exact: true })
      .fill(['Nothing', ...right, command, 'Often, ping 127.0.0.1, often', 'Gone, tcp://127.0.0.1:70000'].join('\n'));
    await expectVisible(page.getByText('47 of 50 lines can be created; 3 have an error.'));
    await expectVisible(page.getByText('“often” is not an interval. Write 30s, 5m or 1h'));
    await page.reload();
    await page.getByRole('button', { name: 'Create 47 checks' }).click();
    await expectVisible(page.getByText('Created 47 checks'));
    await expectVisible(page.getByText('0 of 3 lines can be created; 3 have an error.'));
    assert.equal(
      await page.getByLabel('Lines', { exact: true }).inputValue(),
      'Nothing\nOften, ping 127.0.0.1, often\nGone, tcp://127.0.0.1:70000',
    );
    const checks = (await service.must('GET', '/v1/checks?limit=100')) as unknown as Record<string, unknown>[];
    assert.equal(checks.length, 47);
    assert.deepEqual(checks.find(({ name }) => name === 'Port 7')?.['tags'], ['ports']);
    const { request } = checks.find(({ checkType }) => checkType === 'API') ?? {};
    assert.equal((request as { body?: string }).body, '{"a":\n1}');
  });
});
