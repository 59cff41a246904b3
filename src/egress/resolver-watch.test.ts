// Whether a failed lookup is the fault of our name servers: real name servers on loopback that fail in different ways.
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { test } from 'node:test';
import {
  startZoneServer,
  type ZoneAnswer,
  type ZoneQuestion,
  type ZoneServer,
} from '../../tests/support/targets/zone-server.ts';
import { createGuard } from './guard.ts';
import { createResolverWatch } from './resolver-watch.ts';

const address = [{ type: 1, data: Buffer.from([10, 0, 2, 7]) }];
const servfail = { code: 2 };
const isRoot = ({ type }: ZoneQuestion): boolean => type === 2;

function guardWith(servers: readonly ZoneServer[], controlName: string | null = null) {
  const names = { servers: servers.map(({ port }) => `127.0.0.1:${port}`), controlName, hostsFile: '/nowhere' };
  return createGuard({ mode: 'any', allow: [], names });
}

/** The error code of a lookup, and whether it is the fault of the name servers. */
async function judge(guard: ReturnType<typeof guardWith>, name: string): Promise<string> {
  const code = await guard.resolve(name, 4, null).then(
    () => 'resolved',
    (error: NodeJS.ErrnoException) => error.code,
  );
  return `${code} ${(await guard.isResolverDown(name)) ? 'ours' : 'of the name'}`;
}

test('a name server that fails for one zone is not at fault', async (t) => {
  const server = await startZoneServer(t, (question) => {
    if (isRoot(question)) return { code: 0 };
    return question.name.endsWith('broken.test.') ? servfail : address;
  });
  const guard = guardWith([server]);
  assert.equal(await judge(guard, 'www.broken.test'), 'ESERVFAIL of the name');
  assert.equal(await judge(guard, 'shop.test'), 'resolved of the name');
});

test('a name server that fails for everything is at fault, even if the name resolved before', async (t) => {
  let isBroken = false;
  const server = await startZoneServer(t, () => (isBroken ? servfail : address));
  const guard = guardWith([server]);
  await guard.resolve('shop.example', 4, null);
  isBroken = true;
  assert.equal(await judge(guard, 'shop.example'), 'ESERVFAIL ours');
});

test('a name server that cannot reach the root is not at fault if it knows another domain', async (t) => {
  const server = await startZoneServer(t, (question) => {
    if (isRoot(question) || question.name.endsWith('broken.test.')) return servfail;
    return address;
  });
  const guard = guardWith([server]);
  await guard.resolve('db.corp.example', 4, null);
  assert.equal(await judge(guard, 'www.broken.test'), 'ESERVFAIL of the name');
});

test('names of the same domain prove nothing about a name server', async (t) => {
  const server = await startZoneServer(t, (question) => (question.name === 'www.shop.test.' ? address : servfail));
  const guard = guardWith([server]);
  await guard.resolve('www.shop.test', 4, null);
  assert.equal(await judge(guard, 'api.shop.test'), 'ESERVFAIL ours');
});

test('a configured name that the name server answers about, or denies, proves that it works', async (t) => {
  const server = await startZoneServer(t, ({ name }) => (name === 'control.corp.' ? { code: 3 } : servfail));
  assert.equal(await judge(guardWith([server], 'control.corp'), 'www.shop.test'), 'ESERVFAIL of the name');
  assert.equal(await judge(guardWith([server]), 'www.shop.test'), 'ESERVFAIL ours');
});

test('one working name server is enough', async (t) => {
  const refusing = await startZoneServer(t, () => ({ code: 5 }));
  const working = await startZoneServer(t, (question) => (isRoot(question) ? { code: 0 } : servfail));
  assert.match(await judge(guardWith([refusing, working]), 'www.shop.test'), /of the name$/);
});

test('name servers that refuse connections or queries, or do not answer, are at fault', async (t) => {
  const refusing = await startZoneServer(t, () => ({ code: 5 }));
  assert.equal(await judge(guardWith([refusing]), 'www.shop.test'), 'EREFUSED ours');
  assert.equal(await judge(guardWith([{ port: await closedPort(), asked: [] }]), 'www.shop.test'), 'ECONNREFUSED ours');
  const silent = await startZoneServer(t, (): ZoneAnswer => null);
  assert.equal(await guardWith([silent]).isResolverDown('www.shop.test'), true);
});

test('many failed lookups share the questions to the name servers, and a recovery is noticed without one', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let isBroken = true;
  const server = await startZoneServer(t, () => (isBroken ? servfail : address));
  const servers = [`127.0.0.1:${server.port}`];
  const changes: boolean[] = [];
  const recovery = Promise.withResolvers<void>();
  const onChange = (isDown: boolean): void => {
    changes.push(isDown);
    if (!isDown) recovery.resolve();
  };
  const watch = createResolverWatch({ servers: () => servers, controlName: null, onChange });
  const names = Array.from({ length: 200 }, (_, index) => `www.shop${index}.test`);
  assert.deepEqual(new Set(await Promise.all(names.map((name) => watch.isDown(name)))), new Set([true]));
  assert.ok(server.asked.length <= 3, `asked ${server.asked.length} times`);
  assert.deepEqual(changes, [true]);
  isBroken = false;
  t.mock.timers.tick(10_000);
  await recovery.promise;
  assert.deepEqual(changes, [true, false]);
});

/** A port on which nobody listens. */
async function closedPort(): Promise<number> {
  const socket = createSocket('udp4');
  await new Promise<void>((resolve) => void socket.bind(0, '127.0.0.1', resolve));
  const { port } = socket.address();
  await new Promise<void>((resolve) => void socket.close(resolve));
  return port;
}
