// A variable that is deleted while checks use it, through the real service: no verdict, no alert, a notice.
import assert from 'node:assert/strict';
import { describe } from '../support/service/one-process.ts';
import { startReceiver } from '../support/receivers/receiver.ts';
import { startScriptedServer } from '../support/targets/scripted-server.ts';
import { until } from '../support/until.ts';

type Row = Readonly<Record<string, unknown>>;

describe('a check whose variable is deleted', {}, ({ it }) => {
  it('is unknown because of its settings, sends no alert, and passes again once the variable exists', async (t, service) => {
    const [target, receiver] = [await startScriptedServer(t), await startReceiver(t, 'secret')];
    const variable = { key: 'MISSING_SOON', value: '' };
    await service.must('POST', '/v1/variables', variable);
    const assertions = [{ source: 'TEXT_BODY', comparison: 'CONTAINS', target: '{{MISSING_SOON}}' }];
    const request = { method: 'GET', url: target.url, assertions };
    const made = await service.must('POST', '/v1/checks/api', { name: 'uses it', frequency: 1440, request });
    const id = String(made['id']);
    const channel = { type: 'WEBHOOK', config: { url: receiver.url }, subscriptions: [{ checkId: id }] };
    await service.must('POST', '/v1/alert-channels', channel);
    const { token } = await service.must('POST', `/v1/triggers/checks/${id}`);
    const newest = async (): Promise<Row | undefined> =>
      ((await service.must('GET', `/v1/check-results/${id}?limit=1`)) as unknown as Row[])[0];
    const run = () => service.api('GET', `/checks/${id}/trigger/${String(token)}`);
    const notices = async (): Promise<Row[]> =>
      ((await service.must('GET', '/v1/notices')) as unknown as Row[]).filter(
        ({ id: notice }) => notice === 'missing-variable:MISSING_SOON',
      );
    await run();
    assert.equal((await newest())?.['outcome'], 'passed');
    assert.deepEqual(await notices(), []);

    const deleted = await service.api('DELETE', '/v1/variables/MISSING_SOON');
    assert.equal(deleted.status, 204);
    await run();
    const unknown = await until('the result', async () => {
      const result = await newest();
      return result?.['outcome'] === 'unknown' && result;
    });
    assert.deepEqual([unknown['reason'], unknown['hasFailures']], ['settings', false]);
    assert.match(
      String(unknown['message']),
      /^request\.assertions\[0\]\.target uses \{\{MISSING_SOON\}\}, which is not defined/,
    );
    const [notice] = await notices();
    assert.match(
      String(notice?.['message']),
      /^\{\{MISSING_SOON\}\} is not defined, but 1 check uses it and cannot run: uses it\.$/,
    );

    await service.must('POST', '/v1/variables', variable);
    await run();
    assert.equal((await newest())?.['outcome'], 'passed');
    assert.deepEqual([await notices(), receiver.all.length], [[], 0]);
  });
});
