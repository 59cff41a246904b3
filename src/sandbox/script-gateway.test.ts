// Gateways of scripts: one per run, for its user only.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { text } from 'node:stream/consumers';
import { createPlaceBoard, type Place } from '#egress/closed-places.ts';
import type { NameSources } from '#egress/resolve-name.ts';
import { startZoneServer } from '../../tests/support/targets/zone-server.ts';
import { until } from '../../tests/support/until.ts';
import { createScriptGateway } from './script-gateway.ts';

function fixture(t: TestContext, closed: readonly Place[] = [], names: NameSources = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-gateways-'));
  const gateway = createScriptGateway({ egress: { mode: 'any', allow: [], closed: createPlaceBoard(closed), names } });
  t.after(async () => {
    await gateway.close();
    rmSync(folder, { recursive: true });
  });
  return { folder, gateway };
}

test('a gateway forwards traffic, belongs to its owner and is removed when closed', async (t) => {
  const { folder, gateway } = fixture(t);
  const server = createServer((_, response) => response.end('far away')).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await until('the target', () => server.listening);
  const { port } = server.address() as AddressInfo;
  const [one, other] = [join(folder, 'one'), join(folder, 'other')];
  const { close } = await gateway.open(one, null);
  await gateway.open(other, null);
  assert.equal(statSync(one).mode & 0o777, 0o600);
  const socket = connect(one);
  socket.write(`{"connect":"127.0.0.1","port":${port}}\n\nGET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
  assert.match(await text(socket), /^\{"address":"127\.0\.0\.1".*\}\nHTTP\/1\.1 200[^]*far away$/);
  close();
  await until('the gateway to be removed', () => !existsSync(one));
  assert.ok(existsSync(other));
});

test('tells whether name servers answer, and stops waiting when it closes', async (t) => {
  const dead = await startZoneServer(t, () => ({ code: 2 }));
  const names = { servers: [`127.0.0.1:${dead.port}`], hostsFile: '/nowhere' };
  const { folder, gateway } = fixture(t, [], names);
  const opened = await gateway.open(join(folder, 'one'), null);
  assert.equal(await opened.isResolverDown(), false, 'it looked up nothing');
  const socket = connect(join(folder, 'one'));
  socket.write('{"lookup":"www.shop.test"}\n');
  assert.match(await text(socket), /ESERVFAIL/);
  assert.deepEqual([await opened.isResolverDown(), await gateway.isResolverDown()], [true, true]);
  assert.equal(gateway.hasResolverFault(), true);
  await gateway.close();
  assert.equal(await gateway.isResolverDown(), false);
});

test('a gateway refuses closed places under any policy', async (t) => {
  const server = createServer((_, response) => response.end()).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await until('the target', () => server.listening);
  const { port } = server.address() as AddressInfo;
  const { folder, gateway } = fixture(t, [{ host: 'localhost', port, owner: 'database' }]);
  await gateway.open(join(folder, 'one'), null);
  const socket = connect(join(folder, 'one'));
  socket.write(`{"connect":"127.0.0.1","port":${port}}\n`);
  assert.match(await text(socket), /"code":"EGRESS_REFUSED".*127\.0\.0\.1:\d+ is Tocsin's own database/);
});

test('reports a gateway that cannot be opened without affecting others', async (t) => {
  const { folder, gateway } = fixture(t);
  await assert.rejects(gateway.open(join(folder, 'none', 'socket'), null), /^Error: its gateway could not be opened: /);
  await gateway.open(join(folder, 'one'), null);
  await gateway.close();
  await assert.rejects(gateway.open(join(folder, 'two'), null), /the process is stopping/);
});

/** Niceness of each thread of this process by its id. */
function niceness(): ReadonlyMap<string, number> {
  const tasks = readdirSync('/proc/self/task');
  // The name is in parentheses and may contain anything.
  const fields = (id: string): string[] =>
    readFileSync(`/proc/self/task/${id}/stat`, 'utf8').split(') ').at(-1)!.split(' ');
  return new Map(tasks.map((id) => [id, Number(fields(id)[16])]));
}

test('only the gateway thread has the lowest priority', { skip: process.platform !== 'linux' }, async (t) => {
  const { folder, gateway } = fixture(t);
  const before = niceness();
  await gateway.open(join(folder, 'one'), null);
  const after = niceness();
  const lowered = [...after].filter(([id, nice]) => nice === 19 && before.get(id) !== 19);
  assert.equal(lowered.length, 1);
  assert.equal(after.get(String(process.pid)), before.get(String(process.pid)));
});
