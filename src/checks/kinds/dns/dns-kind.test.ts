// DNS checks against our own name server: record types, transports and invalid responses.
import assert from 'node:assert/strict';
import test from 'node:test';
import type { JsonObject } from '#domain/json.ts';
import { parseCidr } from '#egress/address-class.ts';
import { variable } from '../../../../tests/support/checks/api-check.ts';
import { verdictOf } from '../../../../tests/support/checks/api-probe.ts';
import {
  describedKind,
  type KindProbeOptions,
  probeKind,
  problemsOfKind,
} from '../../../../tests/support/checks/kind-probe.ts';
import {
  startZoneServer,
  type ZoneAnswer,
  zoneName,
  zoneNumber,
  type ZoneServer,
  zoneText,
} from '../../../../tests/support/targets/zone-server.ts';
import { recordTypes, type RecordType } from './message.ts';

function inspect({ port }: Pick<ZoneServer, 'port'>, request: JsonObject = {}, options: KindProbeOptions = {}) {
  const asked = { query: 'shop.example', recordType: 'A', nameServer: '127.0.0.1', port, ...request };
  return probeKind('DNS', { request: asked, degradedResponseTime: 4000, maxResponseTime: 5000 }, options);
}

const address: ZoneAnswer = [{ type: 1, data: Buffer.from([192, 0, 2, 1]) }];

/** By type: data of a record and its zone file form. */
const records: Readonly<Record<RecordType, readonly [data: Buffer, text: string]>> = {
  A: [Buffer.from([192, 0, 2, 1]), '192.0.2.1'],
  AAAA: [Buffer.from('20010db8000000000000000000000001', 'hex'), '2001:db8::1'],
  NS: [zoneName('ns1.example'), 'ns1.example.'],
  CNAME: [Buffer.from([3, 119, 119, 119, 0xc0, 12]), 'www.shop.example.'],
  PTR: [zoneName('host.example'), 'host.example.'],
  MX: [Buffer.concat([zoneNumber(10), zoneName('mail.example')]), '10 mail.example.'],
  TXT: [Buffer.concat([zoneText('v=spf1 '), zoneText('-all "ü"')]), 'v=spf1 -all "ü"'],
  SOA: [
    Buffer.concat([
      zoneName('ns1.example'),
      zoneName('root.example'),
      Buffer.from('0000000a0000000b0000000c0000000d0000000e', 'hex'),
    ]),
    'ns1.example. root.example. 10 11 12 13 14',
  ],
  SRV: [
    Buffer.concat([zoneNumber(1), zoneNumber(2), zoneNumber(5060), zoneName('sip.example')]),
    '1 2 5060 sip.example.',
  ],
  CAA: [Buffer.concat([Buffer.from([0]), zoneText('issue'), Buffer.from('ca.example')]), '0 issue "ca.example"'],
  HTTPS: [
    Buffer.concat([
      zoneNumber(1),
      Buffer.from([0]),
      zoneNumber(1),
      zoneNumber(6),
      zoneText('h2'),
      zoneText('h3'),
      zoneNumber(4),
      zoneNumber(4),
      Buffer.from([192, 0, 2, 1]),
    ]),
    '1 . alpn=h2,h3 ipv4hint=192.0.2.1',
  ],
};

test('reads extended response codes, and repeats the query without EDNS if it is not supported', async (t) => {
  for (const [code, name] of [
    [16, 'BADVERS'],
    [23, 'BADCOOKIE'],
    [3, 'NXDOMAIN'],
  ] as const) {
    const finding = await inspect(await startZoneServer(t, () => ({ code })));
    assert.equal(finding.verdict, 'failed', name);
    assert.match(finding.message ?? '', new RegExp(name));
  }
  for (const code of [1, 4]) {
    const server = await startZoneServer(t, ({ isExtended }) => (isExtended ? { code } : address));
    assert.equal(verdictOf(await inspect(server)), 'passed', String(code));
    assert.deepEqual(
      server.asked.map(({ isExtended }) => isExtended),
      [true, false],
    );
  }
});

for (const protocol of ['UDP', 'TCP'] as const) {
  test(`queries records of every type over ${protocol} and formats them like zone files`, async (t) => {
    const server = await startZoneServer(t, ({ type }) => [
      {
        type,
        data:
          Object.entries(records).find(([name]) => recordTypes[name as RecordType] === type)?.[1][0] ?? assert.fail(),
      },
    ]);
    for (const [recordType, [, text]] of Object.entries(records)) {
      const finding = await inspect(server, { recordType, protocol });
      assert.equal(verdictOf(finding), 'passed', finding.message ?? '');
      const { response } = describedKind('DNS', finding) as { response: Record<string, JsonObject> };
      assert.equal(response['text'], `shop.example. 300 IN ${recordType} ${text}`);
      const [question] = (response['json']?.['Question'] ?? []) as readonly JsonObject[];
      assert.equal(question?.['type'], recordTypes[recordType as RecordType]);
      assert.deepEqual(server.asked.at(-1), {
        name: 'shop.example.',
        type: question['type'],
        transport: protocol,
        isExtended: true,
      });
    }
  });
}

test('fails for a code other than NOERROR, unless it is expected', async (t) => {
  const server = await startZoneServer(t, () => ({ code: 3 }));
  const finding = await inspect(server);
  assert.equal(verdictOf(finding), 'failed dns');
  assert.equal(finding.message, 'expected NOERROR for A shop.example., got NXDOMAIN');
  const expected = { source: 'RESPONSE_CODE', comparison: 'EQUALS', target: 'NXDOMAIN' };
  assert.equal(verdictOf(await inspect(server, { assertions: [expected] })), 'passed');
  assert.equal(
    verdictOf(await inspect(server, { assertions: [{ ...expected, target: 'NOERROR' }] })),
    'failed assertion',
  );
  assert.equal(verdictOf(await inspect(server, {}, { check: { shouldFail: true } })), 'passed');
});

test('evaluates assertions on code, time, JSON and text', async (t) => {
  const server = await startZoneServer(t, ({ name }) => (name === 'shop.example.' ? address : []));
  const holds = async (source: string, comparison: string, target = '', property = '', query = 'shop.example') => {
    const finding = await inspect(server, { query, assertions: [{ source, comparison, target, property }] });
    assert.match(verdictOf(finding), /^(passed|failed assertion)$/);
    return finding.verdict === 'passed';
  };
  assert.equal(await holds('JSON_ANSWER', 'EQUALS', '192.0.2.1', '$.Answer[0].data'), true);
  assert.equal(await holds('JSON_ANSWER', 'EQUALS', '192.0.2.2', '$.Answer[0].data'), false);
  assert.equal(await holds('JSON_ANSWER', 'NOT_EMPTY', '', '$.Answer', 'gone.example'), false);
  assert.equal(await holds('TEXT_ANSWER', 'CONTAINS', 'IN A 192.0.2.1'), true);
  assert.equal(await holds('TEXT_ANSWER', 'EQUALS', '300', '(\\d+) IN A'), true);
  assert.equal(await holds('RESPONSE_CODE', 'EQUALS', 'NOERROR'), true);
  assert.equal(await holds('RESPONSE_TIME', 'LESS_THAN', '0'), false);
});

test('repeats a lost query, and uses TCP for a truncated response', async (t) => {
  const lossy = await startZoneServer(t, (_, before) => (before === 0 ? null : address));
  assert.equal(verdictOf(await inspect(lossy)), 'passed');
  assert.equal(lossy.asked.length, 2);
  const long = await startZoneServer(t, () => address, true);
  const finding = await inspect(long);
  assert.equal(verdictOf(finding), 'passed', finding.message ?? '');
  assert.deepEqual(
    long.asked.map(({ transport }) => transport),
    ['UDP', 'TCP'],
  );
});

test('distinguishes silent, absent, refused and broken servers', async (t) => {
  const silent = await startZoneServer(t, () => null);
  const late = await inspect(silent, {}, { deps: { limitMs: 300 } });
  assert.equal(verdictOf(late), 'failed timeout');
  assert.equal(late.message, `127.0.0.1:${silent.port} did not respond within 300 ms`);
  assert.equal(verdictOf(await inspect(silent, { protocol: 'TCP' }, { deps: { limitMs: 300 } })), 'failed timeout');
  assert.equal(verdictOf(await inspect({ port: 1 })), 'failed connect');
  assert.equal(verdictOf(await inspect({ port: 1 }, { protocol: 'TCP' })), 'failed connect');
  for (const protocol of ['UDP', 'TCP']) {
    const refused = await inspect(silent, { protocol }, { egress: { mode: 'public' } });
    assert.equal(verdictOf(refused), 'failed egress-refused');
    const circle = Buffer.from('00008180000100000000000000', 'hex');
    const mad = await startZoneServer(t, () => ({
      raw: Buffer.concat([circle.subarray(0, 12), Buffer.from([0xc0, 12, 0, 1, 0, 1])]),
    }));
    const finding = await inspect(mad, { protocol });
    assert.equal(verdictOf(finding), 'failed protocol');
    assert.match(finding.message ?? '', /sent a malformed answer: a name points to itself$/);
  }
});

test('reports a truncated response that TCP does not complete', async (t) => {
  const server = await startZoneServer(t, () => address, true, false);
  const finding = await inspect(server);
  assert.equal(verdictOf(finding), 'failed connect');
  const refused = `connection refused by 127\\.0\\.0\\.1:${server.port} after [\\d.]+ ms`;
  assert.match(finding.message ?? '', new RegExp(`^the answer over UDP was truncated, and over TCP: ${refused}$`));
});

test('ignores responses to other queries', async (t) => {
  const forged = Buffer.concat([
    Buffer.from('ffff81800001000100000000', 'hex'),
    zoneName('shop.example'),
    Buffer.from([0, 1, 0, 1, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, 6, 6, 6, 6]),
  ]);
  const server = await startZoneServer(t, () => ({ raw: forged, isForged: true }));
  assert.equal(verdictOf(await inspect(server, {}, { deps: { limitMs: 300 } })), 'failed timeout');
});

test('does not parse packets from other sources', async (t) => {
  const nonsense = Buffer.from('ffff818000010001000000000c0c0c', 'hex');
  const server = await startZoneServer(t, () => ({ raw: nonsense, isForged: true }));
  assert.equal(verdictOf(await inspect(server, {}, { deps: { limitMs: 300 } })), 'failed timeout');
});

test('reports an address that cannot be sent to', async () => {
  const options = { egress: { allow: [parseCidr('255.255.255.255/32')] }, deps: { limitMs: 5000 } };
  const finding = await inspect({ port: 53 }, { nameServer: '255.255.255.255' }, options);
  assert.match(finding.message ?? '', /query (could not be sent )?to 255\.255\.255\.255:53$/);
});

test('sends queries through a proxy over TCP, but not over UDP', async () => {
  const egress = { proxy: { host: '127.0.0.1', port: 1, authorization: null } };
  const finding = await inspect({ port: 53 }, {}, { egress });
  assert.equal(verdictOf(finding), 'unknown observer-network');
  assert.match(finding.message ?? '', /^UDP cannot use the proxy/);
  const tunnelled = await inspect({ port: 53 }, { protocol: 'TCP' }, { egress });
  assert.match(tunnelled.message ?? '', /the proxy 127\.0\.0\.1:1 cannot be used/);
});

test('converts names to ASCII, fills in variables and rejects invalid names', async (t) => {
  const server = await startZoneServer(t, () => address);
  const options = { variables: [variable('ZONE', 'bücher.example')] };
  assert.equal(verdictOf(await inspect(server, { query: '_dmarc.{{ZONE}}' }, options)), 'passed');
  assert.equal(server.asked[0]?.name, '_dmarc.xn--bcher-kva.example.');
  const problems = (request: JsonObject) =>
    problemsOfKind('DNS', { request: { query: 'a.example', recordType: 'A', ...request } });
  assert.deepEqual(problems({ nameServer: 'ns1.example' }), []);
  assert.match(problems({ query: 'a..example' }).join(), /^request\.query: "a\.\.example" is not a domain name$/);
  assert.match(problems({ nameServer: 'udp://ns1' }).join(), /^request\.nameServer: /);
  assert.equal(verdictOf(await inspect(server, { query: '{{NONE}}' })), 'unknown settings');
});

test('uses the machine’s name servers in order by default, and doubts them if they do not answer', async (t) => {
  const server = await startZoneServer(t, () => address);
  const own = (...nameServers: string[]) =>
    probeKind('DNS', { request: { query: 'shop.example', recordType: 'A' } }, { deps: { nameServers } });
  const finding = await own('127.0.0.1:1', `127.0.0.1:${server.port}`);
  assert.deepEqual([finding.verdict, describedKind('DNS', finding)['address']], ['passed', '127.0.0.1']);
  assert.equal(server.asked.length, 1);
  const gone = await own('127.0.0.1:1');
  assert.deepEqual([verdictOf(gone), gone.unresolved], ['failed dns', 'shop.example.']);
  assert.match(gone.message ?? '', /^the name servers of this machine: no name server listens at 127\.0\.0\.1:1$/);
  const broken = await startZoneServer(t, () => ({ code: 2 }));
  const unclear = await own(`127.0.0.1:${broken.port}`);
  assert.deepEqual([verdictOf(unclear), unclear.unresolved], ['failed dns', 'shop.example.']);
});

test('ignores the order of records', async (t) => {
  const alias = { type: 5, data: Buffer.from([3, 119, 119, 119, 0xc0, 12]) };
  const hosts = [7, 10, 9].map((last) => ({ type: 1, data: Buffer.from([192, 0, 2, last]) }));
  const server = await startZoneServer(t, (_question, before) => {
    const all = [...hosts, alias];
    return [...all.slice(before % 4), ...all.slice(0, before % 4)];
  });
  const seen = new Set<string>();
  for (let count = 0; count < 4; count++) {
    const finding = await inspect(server, {
      assertions: [
        { source: 'JSON_ANSWER', property: '$.Answer[0].data', comparison: 'EQUALS', target: '192.0.2.10' },
        { source: 'TEXT_ANSWER', property: 'A (\\S+)', comparison: 'EQUALS', target: '192.0.2.10' },
      ],
    });
    assert.equal(finding.message, null);
    const { text, json } = describedKind('DNS', finding)['response'] as JsonObject;
    seen.add(JSON.stringify([text, json]));
  }
  assert.equal(seen.size, 1);
});
