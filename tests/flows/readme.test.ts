// Commands of the documentation work when pasted: those of README lead to an alert, those for CI to an exit code.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { describe as group } from 'node:test';
import { promisify } from 'node:util';
import { describe } from '../support/service/one-process.ts';
import { freePort } from '../support/free-port.ts';
import { blockOf, readPage } from '../support/pages.ts';
import { plainEnvironment } from '../support/service/plain-environment.ts';
import { apiKey } from '../support/service/service.ts';
import { startTarget } from '../support/targets/target.ts';

const run = promisify(execFile);
const hasCurl = spawnSync('curl', ['--version']).error === undefined;
assert.ok(hasCurl, 'there is no curl on this machine: what newcomers paste cannot be tried');

// The receiver of README is ready only after the first attempt, so it waits for the second.
group('commands on new installations', { concurrency: 3 }, () => {
  describe('of README', {}, ({ it }) => {
    it('the five lines of README, pasted unchanged, end with a received alert', async (_, { address }) => {
      const lines = blockOf(readPage('README.md'), 'sh', 'first-alert');
      const port = await freePort();
      const env = { ...plainEnvironment(), TOCSIN_URL: address, TOCSIN_API_KEY: apiKey, RECEIVER_PORT: String(port) };
      const { stdout } = await run('sh', ['-c', lines], { env, timeout: 60_000 });

      const [channel, check, alert, deliveries] = stdout
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      assert.equal(channel?.['type'], 'WEBHOOK', stdout);
      assert.equal(check?.['name'], 'first check', stdout);
      assert.equal(alert?.['ALERT_TYPE'], 'ALERT_FAILURE', stdout);
      assert.equal(alert['CHECK_ID'], check['id']);
      assert.match(String(alert['CHECK_ERROR_MESSAGE']), /^connection refused by 127\.0\.0\.1:1 after/);
      const [delivery] = deliveries as unknown as readonly Record<string, unknown>[];
      assert.ok(delivery);
      assert.equal(delivery['id'], alert['DELIVERY_ID']);
      assert.equal(delivery['status'], 'delivered');
    });
  });

  describe('of docs/ci.md', {}, ({ it }) => {
    it('the lines of docs/ci.md lead from an empty installation to a verdict', async (t, { address }) => {
      const target = await startTarget(t, (_request, response) => void response.end('ok'));
      const env = { ...plainEnvironment(), TOCSIN_URL: address, TOCSIN_API_KEY: apiKey, TARGET_URL: target.url };
      const lines = ['make', 'gate'].map((name) => blockOf(readPage('docs/ci.md'), 'sh', name)).join('\n');
      const { stdout } = await run('sh', ['-ec', lines], { env, timeout: 60_000 });
      assert.match(stdout, /\[\{"checkId":"[^"]+","name":"Cart","hasFailures":false,"responseTime":\d+\}\]$/);
    });

    it('the lines of docs/ci.md exit with 0 if the group passes, otherwise with another code', async (t, service) => {
      let status = 200;
      const target = await startTarget(t, (_request, response) => void response.writeHead(status).end('ok'));
      const group = await service.must('POST', '/v2/check-groups', { name: 'Shop' });
      const request = { method: 'GET', url: target.url };
      await service.must('POST', '/v1/checks/api', { name: 'Cart', frequency: 1440, groupId: group['id'], request });
      const trigger = await service.must('POST', `/v1/triggers/check-groups/${String(group['id'])}`);

      const url = `${service.address}/check-groups/${String(group['id'])}/trigger/${String(trigger['token'])}`;
      const env = { ...plainEnvironment(), TOCSIN_TRIGGER: url };
      const paste = () => run('sh', ['-c', blockOf(readPage('docs/ci.md'), 'sh', 'gate')], { env, timeout: 60_000 });
      const { stdout } = await paste();
      assert.match(stdout, /"name":"Cart","hasFailures":false/);
      status = 500;
      await assert.rejects(paste(), (error: { code?: number; stdout?: string }) => {
        assert.equal(error.code, 22);
        assert.match(error.stdout ?? '', /"name":"Cart","hasFailures":true/);
        return true;
      });
    });
  });
});
