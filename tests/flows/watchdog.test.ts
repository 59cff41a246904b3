// Who watches Tocsin: a URL that it calls while it works (docs/decisions/0135).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freePort } from '../support/free-port.ts';
import { startComposed } from '../support/service/composed.ts';
import { asker } from '../support/service/service.ts';
import { startScriptedServer } from '../support/targets/scripted-server.ts';
import { until } from '../support/until.ts';

interface NoticeBody {
  readonly kind: string;
  readonly message: string;
}

test('the watchdog is called as soon as Tocsin works, and a call that fails is a notice without secrets', async (t) => {
  const receiver = await startScriptedServer(t);
  receiver.answer({ status: 503 });
  const url = new URL('/ping/canary', receiver.url);
  url.username = 'me';
  url.password = 'canary';
  const noticeChannel = '7f1f0c1e-5a52-4c4f-9d2c-0d6f9a4f1c11/7';
  const environment = { TOCSIN_WATCHDOG_URL: url.href, TOCSIN_NOTICE_CHANNEL: noticeChannel };
  const service = await startComposed(t, environment);
  const { must } = asker(() => service.address, service.apiKey);
  const ofWatchdog = async (): Promise<NoticeBody[]> => {
    const notices = (await must('GET', '/v1/notices')) as unknown as NoticeBody[];
    return notices.filter(({ kind }) => kind.startsWith('watchdog'));
  };
  const [hit] = await receiver.hits(1);
  assert.deepEqual([hit?.method, hit?.url], ['GET', '/ping/canary']);
  assert.equal(hit?.headers.authorization, `Basic ${Buffer.from('me:canary').toString('base64')}`);
  const [notice] = await until('the notice', async () => {
    const notices = await ofWatchdog();
    return notices.length > 0 && notices;
  });
  assert.equal(notice?.message, 'The watchdog could not be called: the receiver answered with status 503.');
  // A channel that does not exist is reported; it does not stop the start.
  const notices = (await must('GET', '/v1/notices')) as unknown as NoticeBody[];
  assert.ok(notices.some(({ kind }) => kind === 'notice-channel-missing'));
  await until('the warning', () => service.logged.some(({ name }) => name === 'notice-channel.missing'));
  const lines = service.logged.filter(({ name }) => name.startsWith('watchdog'));
  assert.deepEqual(
    lines.map(({ name }) => name),
    ['watchdog.failed'],
  );
  assert.doesNotMatch(JSON.stringify(service.logged), /canary/);
});

test('a watchdog that is this installation is refused at the start', async (t) => {
  const port = await freePort();
  for (const [name, environment] of [
    [`localhost:${port}`, {}],
    [`127.0.0.2:${port}`, {}],
    ['tocsin.example', { TOCSIN_PUBLIC_URL: 'http://tocsin.example' }],
  ] as const) {
    const url = `http://${name}/ping/canary`;
    const started = startComposed(t, { ...environment, PORT: String(port), TOCSIN_WATCHDOG_URL: url });
    await assert.rejects(started, ({ name: kind, message }: Error) => {
      assert.equal(kind, 'ConfigError');
      assert.match(message, /^TOCSIN_WATCHDOG_URL is invalid: it is a URL of this installation/);
      assert.doesNotMatch(message, /canary/);
      return true;
    });
  }
});
