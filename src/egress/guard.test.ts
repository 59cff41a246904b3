// The egress guard classifies every spelling of an address, in each mode.
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { parseCidr } from './address-class.ts';
import { createGuard, type EgressMode, type Guard } from './guard.ts';

const spellings: readonly (readonly [address: string, class_: 'public' | 'private' | 'local' | 'forbidden'])[] = [
  ['1.1.1.1', 'public'],
  ['93.184.216.34', 'public'],
  ['172.15.255.255', 'public'],
  ['172.32.0.0', 'public'],
  ['100.128.0.1', 'public'],
  ['2606:4700::1111', 'public'],
  ['2a00:1450:4001::200e', 'public'],
  ['::ffff:8.8.8.8', 'public'],
  ['::ffff:808:808', 'public'],
  ['10.0.0.1', 'private'],
  ['10.255.255.255', 'private'],
  ['172.16.0.1', 'private'],
  ['172.31.255.255', 'private'],
  ['192.168.1.1', 'private'],
  ['100.64.0.1', 'private'],
  ['fc00::1', 'private'],
  ['fdff::1', 'private'],
  ['FD12:3456::1', 'private'],
  ['::ffff:10.0.0.1', 'private'],
  ['0:0:0:0:0:ffff:c0a8:101', 'private'],
  ['127.0.0.1', 'local'],
  ['127.255.255.254', 'local'],
  ['::1', 'local'],
  ['0:0:0:0:0:0:0:1', 'local'],
  ['::1%lo', 'local'],
  ['::ffff:127.0.0.1', 'local'],
  ['::ffff:7f00:1', 'local'],
  ['::FFFF:7F00:0001', 'local'],
  ['0.0.0.0', 'forbidden'],
  ['0.1.2.3', 'forbidden'],
  ['169.254.169.254', 'forbidden'],
  ['::ffff:169.254.169.254', 'forbidden'],
  ['::ffff:a9fe:a9fe', 'forbidden'],
  ['100.100.100.200', 'forbidden'],
  ['192.0.0.192', 'forbidden'],
  ['192.0.2.1', 'forbidden'],
  ['192.88.99.1', 'forbidden'],
  ['198.18.0.1', 'forbidden'],
  ['198.19.255.255', 'forbidden'],
  ['198.51.100.1', 'forbidden'],
  ['203.0.113.1', 'forbidden'],
  ['224.0.0.1', 'forbidden'],
  ['255.255.255.255', 'forbidden'],
  ['240.0.0.1', 'forbidden'],
  ['::', 'forbidden'],
  ['::127.0.0.1', 'forbidden'],
  ['::ffff:0:7f00:1', 'forbidden'],
  ['64:ff9b::7f00:1', 'forbidden'],
  ['64:ff9b:1::a00:1', 'forbidden'],
  ['100::1', 'forbidden'],
  ['2001::1', 'forbidden'],
  ['2001:db8::1', 'forbidden'],
  ['2002:7f00:1::1', 'forbidden'],
  ['3fff::1', 'forbidden'],
  ['5f00::1', 'forbidden'],
  ['fe80::1', 'forbidden'],
  ['fe80::1%eth0', 'forbidden'],
  ['fec0::1', 'forbidden'],
  ['ff02::1', 'forbidden'],
  ['fd00:ec2::254', 'forbidden'],
  ['::ffff:0:0:1', 'forbidden'],
  ['::5efe:7f00:1', 'forbidden'],
  ['1fff::1', 'forbidden'],
  ['4000::1', 'forbidden'],
  ['8000::1', 'forbidden'],
  ['fe00::1', 'forbidden'],
  ['2001:200::1', 'public'],
  ['3ffe::1', 'public'],
];
const opens: Record<EgressMode, readonly string[]> = {
  public: ['public'],
  private: ['public', 'private'],
  any: ['public', 'private', 'local'],
};

for (const mode of ['public', 'private', 'any'] as const) {
  test(`classifies ${spellings.length} spellings with TOCSIN_EGRESS=${mode}`, () => {
    const guard = createGuard({ mode, allow: [] });
    for (const [address, class_] of spellings) {
      const refusal = guard.judge(address, 443);
      assert.equal(refusal === null, opens[mode].includes(class_), `${address} with ${mode}: ${refusal}`);
    }
  });
}

test('a refusal names the address, its class and the setting that would allow it', () => {
  const guard = createGuard({ mode: 'public', allow: [] });
  assert.equal(
    guard.judge('10.1.2.3', 443),
    '10.1.2.3 is a private address; TOCSIN_EGRESS=private would allow it, or its network in TOCSIN_EGRESS_ALLOW',
  );
  assert.equal(
    guard.judge('::1', 443),
    '::1 is a loopback address; TOCSIN_EGRESS=any would allow it, or its network in TOCSIN_EGRESS_ALLOW',
  );
  assert.match(guard.judge('169.254.169.254', 443) ?? '', /reserved address.*TOCSIN_EGRESS_ALLOW/);
});

test('always refuses what is not an address', () => {
  const guard = createGuard({ mode: 'any', allow: [parseCidr('0.0.0.0/0'), parseCidr('::/0')] });
  for (const text of ['', 'localhost', '127.1', '0177.0.0.1', '2130706433', '1.2.3', '1.2.3.4.5', ':::1', '１.1.1.1']) {
    assert.match(guard.judge(text, 443) ?? 'allowed', /not an IP address/, text);
  }
});

test('allows a configured network in every spelling of its addresses, and no other', () => {
  const guard = createGuard({ mode: 'public', allow: [parseCidr('169.254.10.0/24'), parseCidr('fe80::/64')] });
  assert.equal(guard.judge('169.254.10.7', 443), null);
  assert.equal(guard.judge('::ffff:169.254.10.7', 443), null);
  assert.equal(guard.judge('fe80::1%eth0', 443), null);
  assert.notEqual(guard.judge('169.254.11.7', 443), null);
  assert.notEqual(guard.judge('10.0.0.1', 443), null);
});

test('rejects an invalid network with advice', () => {
  for (const text of [
    '',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0/8',
    'fe80::1%eth0/64',
    '::/129',
    '10.0.0.0/-1',
    'a.b.c.d/8',
  ]) {
    assert.throws(() => parseCidr(text), /10\.0\.0\.0\/8|Use 0 to/, text);
  }
  assert.deepEqual(parseCidr(' 10.1.2.3 '), { address: '10.1.2.3', prefix: 32, family: 'ipv4' });
});

test('uses the hosts file first, then localhost, and checks every address', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-hosts-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const hostsFile = join(folder, 'hosts');
  writeFileSync(hostsFile, '# names\n127.0.0.1 one two # here\n::1 one\n10.9.8.7 mixed\n127.0.0.1 mixed\nnonsense\n');
  const any = createGuard({ mode: 'any', allow: [], names: { hostsFile } });
  assert.deepEqual(await lookup(any, 'ONE.'), ['127.0.0.1', '::1']);
  assert.deepEqual(await lookup(any, 'one', 6), ['::1']);
  assert.deepEqual(await lookup(any, 'localhost'), ['127.0.0.1', '::1']);
  assert.deepEqual(await lookup(any, 'app.localhost', 4), ['127.0.0.1']);
  assert.deepEqual(await lookup(any, '127.0.0.9'), ['127.0.0.9']);
  const local = createGuard({ mode: 'public', allow: [parseCidr('127.0.0.0/8')], names: { hostsFile } });
  assert.deepEqual(await lookup(local, 'two'), ['127.0.0.1']);
  await assert.rejects(lookup(local, 'mixed'), { code: 'EGRESS_REFUSED', message: /^mixed: 10\.9\.8\.7 is a private/ });
});

test('uses the resolver and distinguishes its errors', async (t) => {
  const server = await startNameServer({
    'good.test': [192, 168, 7, 7],
    'db.corp.test': [10, 0, 0, 5],
    'broken.test': 'servfail',
  });
  t.after(() => server.close());
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-resolv-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const resolverFile = join(folder, 'resolv.conf');
  writeFileSync(resolverFile, 'search corp.test\n');
  const names = { servers: [server.address], resolverFile, hostsFile: join(folder, 'none') };
  const guard = createGuard({ mode: 'private', allow: [], names });
  assert.deepEqual(await lookup(guard, 'good.test'), ['192.168.7.7']);
  assert.deepEqual(await lookup(guard, 'db', 4), ['10.0.0.5']);
  await assert.rejects(lookup(guard, 'missing.test'), { code: 'ENOTFOUND' });
  await assert.rejects(lookup(guard, 'broken.test'), { code: 'ESERVFAIL' });
  await assert.rejects(lookup(createGuard({ mode: 'public', allow: [], names }), 'good.test'), {
    code: 'EGRESS_REFUSED',
  });
});

function lookup(guard: Guard, name: string, family: 0 | 4 | 6 = 0): Promise<readonly string[]> {
  return guard.resolve(name, family, 443);
}

/** A name server on loopback with some A records. */
async function startNameServer(records: Record<string, readonly number[] | 'servfail'>) {
  const socket = createSocket('udp4');
  socket.on('message', (query, peer) => {
    const labels: string[] = [];
    let at = 12;
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.toString('latin1', at + 1, at + 1 + length));
      at += length + 1;
    }
    const record = records[labels.join('.').toLowerCase()];
    const isA = query.readUInt16BE(at + 1) === 1;
    const code = record === undefined ? 3 : record === 'servfail' ? 2 : 0;
    const answer =
      isA && Array.isArray(record) ? Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...record]) : null;
    const head = Buffer.from([...query.subarray(0, 2), 0x81, 0x80 | code, 0, 1, 0, answer ? 1 : 0, 0, 0, 0, 0]);
    socket.send(Buffer.concat([head, query.subarray(12, at + 5), answer ?? Buffer.alloc(0)]), peer.port, peer.address);
  });
  await new Promise<void>((resolve) => {
    socket.bind(0, '127.0.0.1', resolve);
  });
  return { address: `127.0.0.1:${socket.address().port}`, close: () => socket.close() };
}
