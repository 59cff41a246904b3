// Checks, webhooks and scripts never reach the service itself or its database, under any egress policy
// (docs/decisions/0027).
import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { casesOn } from '../support/service/flow-cases.ts';
import type { Service } from '../support/service/service.ts';
import { startTarget } from '../support/targets/target.ts';
import { until } from '../support/until.ts';

const { test } = casesOn(['two processes, PostgreSQL']);
const everything = { TOCSIN_EGRESS: 'any', TOCSIN_EGRESS_ALLOW: '0.0.0.0/0,::/0' };
const isClosed =
  /refused by the egress policy: .*is (the database of )?Tocsin itself, which checks, webhooks and scripts cannot/;

/** Outcome, reason and message of the first run of a new check. */
async function ranOnce(service: Service, kind: string, check: object): Promise<string> {
  const settings = { name: kind, frequency: 1440, ...check };
  const { id } = await service.must('POST', `/v1/checks/${kind}`, settings);
  await service.must('POST', `/v1/triggers/checks/${String(id)}`);
  const result = await until(
    `a result of ${JSON.stringify(check)}`,
    async () => {
      const list = await service.must('GET', `/v1/check-results/${String(id)}`);
      return (list as unknown as Record<'outcome' | 'reason' | 'message', string | null>[])[0];
    },
    { withinMs: 240_000 },
  );
  return `${result.outcome} ${result.reason} ${result.message}`;
}

const script = (url: string): string => `import { test, expect } from '@playwright/test';
test('asks', async ({ request }) => { await request.get(${JSON.stringify(url)}); });`;

test('no check kind, webhook or script reaches a listener of the service, by any name or address of this machine', async ({
  t,
  startService,
}) => {
  const beside = await startTarget(t, (_request, response) => void response.end('beside'));
  const service = await startService(t, everything);
  const own = Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address));
  const hosts = ['127.0.0.1', 'localhost', '127.0.0.2', '0.0.0.0', '[::1]', '[::ffff:127.0.0.1]', ...own.map(inUrl)];
  const ports = service.addresses.map((address) => Number(new URL(address).port));
  for (const port of ports) {
    const all = await Promise.all(
      hosts.map((host) =>
        ranOnce(service, 'api', { request: { method: 'GET', url: `http://${host}:${port}/metrics` } }),
      ),
    );
    for (const [index, reported] of all.entries()) assert.match(reported, isClosed, `${hosts[index]}:${port}`);
  }
  const port = Number(new URL(service.address).port);
  const hostname = '127.0.0.1';
  const others: readonly (readonly [string, object])[] = [
    ['url', { request: { url: `http://localhost:${port}/` } }],
    ['tcp', { request: { hostname, port, data: 'GET /metrics HTTP/1.1\r\n\r\n' } }],
    ['ssl', { sslConfig: { hostname, port } }],
    ['dns', { request: { query: 'a.test', recordType: 'A', nameServer: hostname, port } }],
    ['dns', { request: { query: 'a.test', recordType: 'A', nameServer: hostname, port, protocol: 'TCP' } }],
    ['multistep', { script: script(`http://localhost:${port}/metrics`) }],
  ];
  for (const [kind, check] of others) assert.match(await ranOnce(service, kind, check), isClosed, kind);

  const target = await startTarget(t, (_request, response) => {
    response.writeHead(302, { location: `http://127.0.0.1:${port}/metrics` }).end();
  });
  const request = { method: 'GET', url: target.url, followRedirects: true };
  assert.match(await ranOnce(service, 'api', { request }), isClosed, 'a redirect');

  const config = { url: `http://localhost:${port}/v1/ping` };
  const { id } = await service.must('POST', '/v1/alert-channels', { type: 'WEBHOOK', config });
  const { error } = await service.must('POST', `/v1/alert-channels/${Number(id)}/test`, {});
  assert.match((error as { message: string }).message, /is Tocsin itself, which checks, webhooks and scripts cannot/);

  const passed = await ranOnce(service, 'api', { request: { method: 'GET', url: beside.url } });
  assert.match(passed, /^passed/, 'what listens beside it is reached');
});

function inUrl(address: string): string {
  return address.includes(':') ? `[${address.replace(/%.*/, '')}]` : address;
}
