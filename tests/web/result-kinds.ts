// A result of each check kind that is not HTTP, for tests of its pages and for looking at them.
import { createAuthority } from '../support/targets/certificates.ts';
import type { Cleanup } from '../support/targets/scripted-server.ts';
import { startTcpTarget, startTlsTarget } from '../support/targets/target.ts';
import { startZoneServer } from '../support/targets/zone-server.ts';
import { startScriptedServer } from '../support/targets/scripted-server.ts';
import type { FileService } from '../support/service/service.ts';
import { until } from '../support/until.ts';

const script = (url: string): string => `import { expect, test } from '@playwright/test';

test('a customer buys a lamp', async ({ page }) => {
  await page.goto('${url}');
  await page.evaluate(() => console.warn('the basket is slow to load'));
  await test.step('open the basket', () => page.getByRole('link', { name: 'Basket' }).click());
  await expect(page.getByRole('heading', { name: 'Thank you' })).toBeVisible({ timeout: 500 });
});
`;

/** Creates the checks and waits for their results. Returns the path of a result page, and of its RESULT_LINK, by kind. */
export async function resultPages(t: Cleanup, service: FileService): Promise<Readonly<Record<string, string>>> {
  const receiver = await startScriptedServer(t);
  await service.must('POST', '/v1/alert-channels', {
    type: 'WEBHOOK',
    autoSubscribe: true,
    config: { name: 'Links', url: receiver.url },
  });
  const site = await startScriptedServer(t);
  site.answer(() => ({
    status: 200,
    headers: { 'content-type': 'text/html' },
    body: '<!doctype html><title>Shop</title><h1>Shop</h1><a href="/basket">Basket</a>',
  }));
  const [tls, zone, silent] = await Promise.all([
    startTlsTarget(t, createAuthority().issue({ names: ['localhost'] }), (_, response) => response.end()),
    startZoneServer(t, () => [{ type: 1, data: Buffer.from([192, 0, 2, 66]) }]),
    startTcpTarget(t, (socket) => socket.end('220 mail.example ESMTP\r\n')),
  ]);
  const wrong = { comparison: 'EQUALS', target: 'nothing' };
  const checks: Readonly<Record<string, object>> = {
    ssl: { sslConfig: { hostname: 'localhost', port: tls.port } },
    dns: {
      request: {
        query: 'shop.example',
        recordType: 'A',
        nameServer: { host: '127.0.0.1', port: zone.port },
        assertions: [{ source: 'JSON_ANSWER', property: '$.Answer[0].data', ...wrong }],
      },
    },
    icmp: {
      request: {
        hostname: 'localhost',
        pingCount: 3,
        assertions: [{ source: 'LATENCY', property: 'max', comparison: 'GREATER_THAN', target: '1000' }],
      },
    },
    tcp: {
      request: {
        hostname: '127.0.0.1',
        port: silent.port,
        assertions: [{ source: 'RESPONSE_DATA', property: '', ...wrong }],
      },
    },
    browser: { script: script(site.url), frequency: 60 },
  };
  const ids: Record<string, string> = {};
  for (const [kind, settings] of Object.entries(checks)) {
    ids[kind] = String((await service.must('POST', `/v1/checks/${kind}`, { name: `Kind ${kind}`, ...settings }))['id']);
  }
  const heartbeat = await service.must('POST', '/v1/checks/heartbeat', {
    name: 'Kind heartbeat',
    heartbeat: { period: 1, periodUnit: 'days', grace: 1, graceUnit: 'hours' },
  });
  ids['heartbeat'] = String(heartbeat['id']);
  const { pingUrl } = heartbeat['heartbeat'] as { readonly pingUrl: string };
  await fetch(`${pingUrl}/0`, { method: 'POST', body: 'backup done, 12 files' });
  await fetch(`${pingUrl}/3`, { method: 'POST', body: 'copying 12 files\ndisk full: /var/backup' });
  const paths: Record<string, string> = {};
  for (const [kind, id] of Object.entries(ids)) {
    const result = await until(
      `a result of ${kind}`,
      async () =>
        (Object.values(await service.must('GET', `/v1/check-results/${id}`)) as { id: string; outcome: string }[])[0],
      { withinMs: 150_000 },
    );
    paths[kind] = `/checks/${id}/results/${result.id}`;
    // A machine that cannot ping or has no browser raises no alert.
    if (result.outcome !== 'failed') continue;
    const link = await until(`the RESULT_LINK of ${kind}`, () => {
      const alert = receiver.all.map(({ body }) => body.toString()).find((body) => body.includes(`"Kind ${kind}"`));
      return /"RESULT_LINK":"([^"]+)"/.exec(alert ?? '')?.[1];
    });
    paths[`${kind}-link`] = new URL(link).pathname;
  }
  return paths;
}
