// Connections to receivers do not accumulate, whatever URLs templates render.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import { until } from '../../../tests/support/until.ts';
import { createConnections } from './connection.ts';
import { createTrust } from '#lib/net/tls-trust.ts';
import { guardedConnector } from './connector.ts';
import { Exchange } from './exchange.ts';
import { open, raw, receiver } from '../../../tests/support/receivers/http-receivers.ts';

const request = (host: string) => ({ method: 'POST', url: `http://${host}/`, headers: [], body: 'x' });

test('drops an origin that has no connection and no request, even after an aborted attempt', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const connections = createConnections(guardedConnector(open, createTrust(), 5000), { pipelining: 1 });
  t.after(() => connections.close());
  const ways = { pooled: connections, fresh: connections, judge: () => null };
  const { host: good } = await receiver((_request, response) => response.end('ok'));
  assert.equal((await new Exchange(request(good), [], 5000).run(ways)).error, null);
  for (let i = 0; i < 5; i++) {
    const silent = await raw(() => {});
    assert.equal((await new Exchange(request(silent), [], 50).run(ways)).error?.class, 'timeout');
  }
  assert.equal(connections.origins, 6);
  await until('the origins to be removed', async () => {
    t.mock.timers.tick(10_000);
    await nextTick();
    return connections.origins === 1;
  });
  assert.equal((await new Exchange(request(good), [], 5000).run(ways)).error, null);
});
