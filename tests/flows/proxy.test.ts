// A configured proxy makes every connection of the service and replaces TOCSIN_EGRESS (docs/decisions/0027).
import assert from 'node:assert/strict';
import { startConnectProxy } from '../support/targets/connect-proxy.ts';
import { test } from '../support/service/one-process.ts';
import { startScriptedServer } from '../support/targets/scripted-server.ts';

test('test messages and checks use it, for names and private addresses alike', async ({ t, startService }) => {
  const target = await startScriptedServer(t);
  const proxy = await startConnectProxy(t, Number(new URL(target.url).port));
  const service = await startService(t, { TOCSIN_EGRESS: 'public', TOCSIN_PROXY: `http://me:secret@${proxy.host}` });
  const config = { url: 'http://hooks.nowhere.test/alert' };
  const { id } = await service.must('POST', '/v1/alert-channels', { type: 'WEBHOOK', config });
  for (let n = 0; n < 2; n++) {
    const tested = await service.must('POST', `/v1/alert-channels/${Number(id)}/test`, {});
    assert.equal(tested['error'], undefined);
  }
  const request = { method: 'GET', url: 'http://[fd00::1]:8080/status' };
  const { id: checkId } = await service.must('POST', '/v1/checks/api', { name: 'Inside', frequency: 1440, request });
  const { token } = await service.must('POST', `/v1/triggers/checks/${String(checkId)}`);
  assert.equal((await service.api('GET', `/checks/${String(checkId)}/trigger/${String(token)}`)).status, 200);
  const authorization = `Basic ${Buffer.from('me:secret').toString('base64')}`;
  assert.deepEqual(
    new Set(proxy.asked),
    new Set([`hooks.nowhere.test:80 ${authorization}`, `[fd00::1]:8080 ${authorization}`]),
  );
  assert.ok(target.all.some(({ url, headers }) => url === '/alert' && headers.host === 'hooks.nowhere.test'));
  assert.ok(target.all.some(({ url }) => url === '/status'));
});
