// Chromium disappears and returns while the service runs: a notice, a log line, and no verdict meanwhile.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from '../support/service/one-process.ts';
import { until } from '../support/until.ts';

interface NoticeBody {
  readonly kind: string;
  readonly subject: string;
}

test('a missing browser is listed in notices, and logged once a check needs it', async ({ t, startService }) => {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-chromium-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const program = join(folder, 'chromium');
  const put = (): void => writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
  put();
  const service = await startService(t, { TOCSIN_CHROMIUM: program });
  const notices = async (): Promise<NoticeBody[]> => {
    const all = (await service.must('GET', '/v1/notices')) as unknown as NoticeBody[];
    return all.filter(({ kind }) => kind === 'browser-missing');
  };
  rmSync(program);
  const check = { name: 'Opens', frequency: 1440, script: 'await 1;', scriptPath: 'opens.mjs' };
  const { id } = await service.must('POST', '/v1/checks/browser', check);
  const [notice] = await until('the notice', async () => {
    const all = await notices();
    return all.length > 0 && all;
  });
  assert.equal(notice?.subject, 'local');
  await service.must('POST', `/v1/triggers/checks/${String(id)}`);
  await until('the line', () => service.printed.includes('"scripts.no-browser"'));
  const [result] = await until('the result', async () => {
    const all = await service.must('GET', `/v1/check-results/${String(id)}`);
    return Array.isArray(all) && all.length > 0 && (all as Record<string, unknown>[]);
  });
  assert.equal(result?.['hasFailures'], false);

  put();
  await until('the notice to go', async () => (await notices()).length === 0);
});
