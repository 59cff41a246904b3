// Closed places are unreachable under every name and address; nothing else is affected.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { freePort } from '../../tests/support/free-port.ts';
import { parseCidr } from './address-class.ts';
import { createGuard, type EgressPolicy, type Guard } from './guard.ts';
import { createPlaceBoard, type Place, writePlaces } from './closed-places.ts';
import { readProxy } from './proxy.ts';

const port = 5432;
const everything = ['0.0.0.0/0', '::/0'].map(parseCidr);
const hosts = `127.0.0.1 localhost own.test
10.1.2.3 database.test other.test
::ffff:10.1.2.3 mapped.test
10.1.2.4 neighbour.test
`;

/** A guard that only refuses those places. */
async function closing(t: TestContext, places: readonly Omit<Place, 'owner'>[], change: Partial<EgressPolicy> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-closed-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const hostsFile = join(folder, 'hosts');
  writeFileSync(hostsFile, hosts);
  // Nothing listens there.
  const names = { hostsFile, resolverFile: '/dev/null', servers: [`127.0.0.1:${await freePort()}`] };
  const closed = createPlaceBoard(places.map((place) => ({ ...place, owner: 'database' })));
  return createGuard({ mode: 'any', allow: everything, names, closed, ...change });
}

/** Why a name or address is refused, or null. */
function refusalOf(guard: Guard, name: string): Promise<string | null> {
  return guard.resolve(name, 0, port).then(
    () => null,
    (error: NodeJS.ErrnoException) => `${error.code}: ${error.message}`,
  );
}

const isClosed = /is Tocsin's own database, which checks, webhooks and scripts cannot reach under any setting$/;

test('closes a local place by every address of this machine', async (t) => {
  const own = Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address));
  assert.ok(own.length > 0);
  const spellings = ['127.0.0.1', '127.1.2.3', '::1', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1', '::ffff:7f00:1'];
  for (const host of ['127.0.0.1', 'localhost', '::1', '0.0.0.0', own.at(-1) ?? '']) {
    const guard = await closing(t, [{ host, port }]);
    for (const address of [...spellings, '0.0.0.0', '::', '::ffff:0.0.0.0', ...own]) {
      assert.match((await refusalOf(guard, address)) ?? '', isClosed, `${address} of ${host}`);
      assert.match(guard.judge(address, port) ?? '', isClosed, `${address} of ${host}, once connected`);
      assert.equal(guard.judge(address, port + 1), null);
      assert.equal(guard.judge(address, null), null, 'a ping has no port');
    }
    for (const name of ['localhost', 'LOCALHOST.', 'app.localhost', 'own.test']) {
      assert.match((await refusalOf(guard, name)) ?? '', /^EGRESS_REFUSED: /, `${name} of ${host}`);
    }
    for (const other of ['10.1.2.3', '93.184.216.34', '2606:4700::1111'])
      assert.equal(await refusalOf(guard, other), null);
  }
});

test('closes a remote place by name, address and other names, but not its neighbors', async (t) => {
  for (const host of ['database.test', 'Database.test.', '10.1.2.3', '::ffff:a01:203']) {
    const guard = await closing(t, [{ host, port }]);
    for (const name of ['database.test', 'other.test', 'mapped.test', 'DATABASE.test.']) {
      assert.match((await refusalOf(guard, name)) ?? '', isClosed, `${name} of ${host}`);
    }
    assert.equal(await refusalOf(guard, 'localhost'), null);
    for (const address of ['10.1.2.3', '::ffff:10.1.2.3'])
      assert.match((await refusalOf(guard, address)) ?? '', isClosed);
    for (const other of ['10.1.2.4', '127.0.0.1', '0.0.0.0']) assert.equal(await refusalOf(guard, other), null);
  }
});

test('closes each of several places, but no other port', async (t) => {
  const places = [
    { host: '10.1.2.3', port },
    { host: '10.1.2.4', port },
    { host: '127.0.0.1', port: 1 },
  ];
  const guard = await closing(t, places);
  for (const address of ['10.1.2.3', '10.1.2.4']) assert.match((await refusalOf(guard, address)) ?? '', isClosed);
  assert.equal(await refusalOf(guard, '127.0.0.1'), null);
});

test('allows no address with that port while the place’s name does not resolve', async (t) => {
  const guard = await closing(t, [{ host: 'lost.test', port }]);
  assert.match(
    (await refusalOf(guard, '10.1.2.3')) ?? '',
    /10\.1\.2\.3:5432 may be Tocsin's own database: lost\.test cannot currently be resolved/,
  );
  assert.match((await refusalOf(guard, 'lost.test')) ?? '', isClosed);
});

test('does not change refusals of the policy', async (t) => {
  const guard = await closing(t, [{ host: '127.0.0.1', port }], { mode: 'public', allow: [] });
  assert.match((await refusalOf(guard, '127.0.0.1')) ?? '', /TOCSIN_EGRESS=any would allow it/);
  assert.match((await refusalOf(guard, 'database.test')) ?? '', /^EGRESS_REFUSED: .*TOCSIN_EGRESS=private/);
});

test('the proxy is not used for closed places, as far as names resolve here', async (t) => {
  const proxy = readProxy('http://127.0.0.1:9') ?? null;
  const { tunnel } = await closing(t, [{ host: 'database.test', port }], { mode: 'public', proxy });
  assert.ok(tunnel !== null);
  const codeOf = async (host: string): Promise<unknown> => {
    const { promise, resolve } = Promise.withResolvers<NodeJS.ErrnoException | null>();
    tunnel({ host, port }, resolve);
    return (await promise)?.code;
  };
  for (const name of ['database.test', 'other.test', '10.1.2.3'])
    assert.equal(await codeOf(name), 'EGRESS_REFUSED', name);
  for (const name of ['neighbour.test', 'unknown.test', '10.1.2.4'])
    assert.equal(await codeOf(name), 'PROXY_FAILED', name);
});

test('closes a public URL by name only, because other sites may share its address', async (t) => {
  const guard = await closing(t, [{ host: 'database.test', port, isNameOnly: true }]);
  assert.match((await refusalOf(guard, 'DATABASE.test.')) ?? '', isClosed);
  for (const other of ['other.test', '10.1.2.3']) assert.equal(await refusalOf(guard, other), null);
});

test('applies a change of the list at once', async () => {
  const closed = createPlaceBoard([]);
  const guard = createGuard({ mode: 'any', allow: [], closed });
  assert.equal(guard.judge('127.0.0.1', port), null);
  writePlaces(closed, [{ host: '127.0.0.1', port, owner: 'tocsin' }]);
  assert.equal(
    guard.judge('127.0.0.1', port),
    '127.0.0.1:5432 is Tocsin itself, which checks, webhooks and scripts cannot reach under any setting; use another Tocsin to monitor this one',
  );
  const many = Array.from({ length: 10_000 }, (_, n) => ({ host: '10.0.0.1', port: n + 1, owner: 'tocsin' as const }));
  writePlaces(closed, [{ host: '127.0.0.1', port, owner: 'tocsin' }, ...many]);
  assert.notEqual(guard.judge('127.0.0.1', port), null);
});
