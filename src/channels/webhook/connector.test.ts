// Every address that a webhook would connect to is judged first, however it is written or found.
import assert from 'node:assert/strict';
import net from 'node:net';
import { test } from 'node:test';
import type { EgressGuard } from './connector.ts';
import { listen, open, receiver, sender, sending } from './test-receivers.ts';

test('an address in the URL is judged before a connection is made', async () => {
  let connections = 0;
  const host = await listen(net.createServer(() => connections++));
  const { host: control } = await receiver((_request, response) => response.end());
  const judge = (address: string): string | null =>
    address === '127.0.0.1' ? `${address} is loopback: see TOCSIN_EGRESS` : null;
  const outcome = await sender(5000, { ...open, judge }).send(sending(host));
  assert.deepEqual(outcome.error, { class: 'egress-refused', message: '127.0.0.1 is loopback: see TOCSIN_EGRESS' });
  assert.equal((await sender().send(sending(control))).error, null);
  assert.equal(connections, 0);
});

test('a bracketed IPv6 address is judged too', async () => {
  const judged: string[] = [];
  const judge = (address: string): string | null => {
    judged.push(address);
    return 'no';
  };
  const outcome = await sender(5000, { ...open, judge }).send(sending('[::1]:9'));
  assert.equal(outcome.error?.class, 'egress-refused');
  assert.deepEqual(judged, ['::1']);
});

test('a refusal by the lookup is told as it says', async () => {
  const lookup: EgressGuard['lookup'] = (_hostname, _options, callback) => {
    callback(
      Object.assign(new Error('internal.test resolves to 10.0.0.1, which is private'), { code: 'EGRESS_REFUSED' }),
      [],
    );
  };
  const outcome = await sender(5000, { lookup, judge: () => null }).send(sending('internal.test'));
  assert.deepEqual(outcome.error, {
    class: 'egress-refused',
    message: 'internal.test resolves to 10.0.0.1, which is private',
  });
});

test('the address is judged again once connected, before anything is sent', async () => {
  let bytes = 0;
  const host = await listen(net.createServer((socket) => socket.on('data', (chunk) => (bytes += chunk.length))));
  const port = host.split(':')[1];
  const lookup: EgressGuard['lookup'] = (_hostname, _options, callback) =>
    callback(null, [{ address: '127.0.0.1', family: 4 }]);
  const judge = (address: string): string | null => (address === '127.0.0.1' ? 'rebound' : null);
  const outcome = await sender(5000, { lookup, judge }).send(sending(`rebinding.test:${port}`));
  assert.deepEqual(outcome.error, { class: 'egress-refused', message: 'rebound' });
  assert.equal(bytes, 0);
});
