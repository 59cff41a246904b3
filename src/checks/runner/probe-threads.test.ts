// Probe threads: concurrency, stopping and crashes.
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import test from 'node:test';
import { apiCheck, inputOf, variable } from '../../../tests/support/checks/api-check.ts';
import type { JsonObject } from '#domain/json.ts';
import { createAuthority } from '../../../tests/support/targets/certificates.ts';
import { describedKind } from '../../../tests/support/checks/kind-probe.ts';
import { startTarget, startTcpTarget, startTlsTarget } from '../../../tests/support/targets/target.ts';
import { startZoneServer } from '../../../tests/support/targets/zone-server.ts';
import { createProber, type Prober, type ProberOptions } from './probe-threads.ts';

test('500 probes handed over at once run concurrently', async (t) => {
  const waiting: ServerResponse[] = [];
  const target = await startTarget(t, (_, response) => {
    if (waiting.push(response) < 500) return;
    for (const each of waiting) each.end('ok');
  });
  const prober = start(t, { threads: 1 });
  const findings = await Promise.all(
    Array.from({ length: 500 }, (_, index) =>
      prober.probe(inputOf(apiCheck({ url: target.url }, {}, { id: `check-${index}` }))),
    ),
  );
  // Only concurrency is tested here; the bench `trigger` measures speed. A delayed machine withholds its verdict, but
  // has the response.
  assert.deepEqual(new Set(findings.map(({ details }) => Array.isArray(details) && details[0])), new Set([200]));
  assert.equal(prober.inProgress, 0);
});

test('uses the latest revision of a check', async (t) => {
  const seen: string[] = [];
  const target = await startTarget(t, (request, response) => {
    seen.push(request.url ?? '');
    response.end();
  });
  const prober = start(t, { threads: 2 });
  const check = apiCheck({ url: `${target.url}/{{PATH}}` });
  const old = { ...inputOf(check, [variable('PATH', 'old')]), revision: 1 };
  await prober.probe(old);
  await prober.probe(old);
  await prober.probe({ ...inputOf(check, [variable('PATH', 'new')]), revision: 2 });
  assert.deepEqual(seen, ['/old', '/old', '/new']);
});

test('sends the current client certificates of the account only', async (t) => {
  const clients = createAuthority('Clients');
  const servers = createAuthority('Servers');
  const options = { ...servers.issue(), requestCert: true, rejectUnauthorized: true, ca: clients.cert };
  const { url } = await startTlsTarget(t, options, (_, response) => response.end());
  const prober = start(t, { threads: 1, extraCertificates: [servers.cert] });
  const own = [{ ...clients.issue(), host: 'localhost', ca: null, passphrase: null }];
  const input = inputOf(apiCheck({ url }));
  const other = inputOf(apiCheck({ url }, {}, { id: 'other', accountId: '0198a000-0000-7000-8000-00000000000f' }));
  const verdicts: string[] = [];
  for (const each of [
    input,
    { ...input, clientCertificates: own },
    other,
    { ...input, clientCertificates: own },
    input,
  ])
    verdicts.push((await prober.probe(each)).verdict);
  assert.deepEqual(verdicts, ['failed', 'passed', 'failed', 'passed', 'failed']);
});

test('a stopped probe is unknown and its connection closed', async (t) => {
  const connected = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const target = await startTcpTarget(t, (socket) => {
    socket.once('close', () => closed.resolve());
    socket.once('data', () => connected.resolve());
  });
  const prober = start(t, { threads: 1 });
  const controller = new AbortController();
  const finding = prober.probe(inputOf(apiCheck({ url: target.url })), controller.signal);
  await connected.promise;
  controller.abort();
  const { verdict, reason } = await finding;
  assert.deepEqual([verdict, reason], ['unknown', 'crashed']);
  await closed.promise;
});

test('probes of a hung thread end as unknown and the thread restarts', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const died = Promise.withResolvers<Error>();
  const target = await startTcpTarget(t, (socket) => void socket.resume());
  const answering = await startTarget(t, (_, response) => response.end());
  const prober = start(t, { threads: 1, onThreadEnd: died.resolve });
  const once = inputOf(apiCheck({ url: answering.url }, {}, { id: 'once' }));
  assert.equal((await prober.probe(once)).verdict, 'passed');
  const inProgress = prober.probe(inputOf(apiCheck({ url: target.url }, {}, { id: 'silent' })));
  const now = performance.now.bind(performance);
  const later = t.mock.method(performance, 'now', () => now() + 44_000);
  t.mock.timers.tick(5000);
  assert.equal(prober.inProgress, 1, 'nothing takes longer than 30 s, and a thread may be 15 s late');
  later.mock.mockImplementation(() => now() + 46_000);
  t.mock.timers.tick(5000);
  const finding = await inProgress;
  assert.deepEqual([finding.verdict, finding.reason], ['unknown', 'crashed']);
  assert.match(finding.message ?? '', /^the probe thread stopped unexpectedly: /);
  await died.promise;
  assert.equal((await prober.probe(once)).verdict, 'passed', 'a check that was sent to the previous thread');
});

test('concurrent halves of one check have separate inputs and results', async (t) => {
  const target = await startTarget(t, (request, response) => response.end(`answer to ${request.url}`));
  const prober = start(t, { threads: 1 });
  const signal = new AbortController().signal;
  const assertions = [{ source: 'TEXT_BODY', comparison: 'EQUALS', target: 'changed' }];
  const send = async (path: string) => {
    const scripted = { method: 'GET', headers: [], queryParameters: [], body: '', hidden: [] };
    const url = `${target.url}/${path}`;
    const input = { ...inputOf(apiCheck({ url: target.url, assertions })), scripted: { ...scripted, url } };
    const { finding, answer } = await prober.exchange({ half: 'send', input, wantsAnswer: true }, signal);
    assert.deepEqual([finding.verdict, answer?.response.body], ['passed', `answer to /${path}`]);
    assert.ok(answer);
    const changed = { ...answer, response: { ...answer.response, body: 'changed' } };
    const judged = await prober.exchange({ half: 'judge', input, finding, answer: changed, isOtherBody: true }, signal);
    // A time that may include a delay of the thread is omitted.
    assert.ok([finding.responseTimeMs, null].includes(judged.finding.responseTimeMs));
    const kept = await prober.exchange({ half: 'judge', input, finding, answer, isOtherBody: false }, signal);
    return [judged.finding.verdict, kept.finding.verdict];
  };
  const verdicts = await Promise.all(['one', 'two', 'three'].map(send));
  assert.deepEqual(
    verdicts,
    Array.from({ length: 3 }, () => ['passed', 'failed']),
  );
  assert.equal(prober.inProgress, 0);
});

test('a name server that answers nothing is no failure of a target; one that fails for a zone is', async (t) => {
  const isRoot = ({ type }: { readonly type: number }): boolean => type === 2;
  const dead = await startZoneServer(t, () => ({ code: 2 }));
  const working = await startZoneServer(t, (question) => ({ code: isRoot(question) ? 0 : 2 }));
  const hostname = 'www.shop.test';
  const polls: Readonly<Record<string, JsonObject>> = {
    API: { request: { method: 'GET', url: `http://${hostname}/` } },
    URL: { request: { url: `http://${hostname}/` } },
    TCP: { request: { hostname, port: 80 } },
    ICMP: { request: { hostname } },
    DNS: { request: { query: hostname, recordType: 'A' } },
    SSL: { sslConfig: { hostname } },
  };
  for (const [server, verdict, reason] of [
    [dead, 'unknown', 'resolver'],
    [working, 'failed', 'dns'],
  ] as const) {
    const names = { servers: [`127.0.0.1:${server.port}`], hostsFile: '/nowhere' };
    const prober = start(t, { egress: { mode: 'any', allow: [], names } });
    const findings = Object.entries(polls).map(async ([type, settings]) => {
      const found = await prober.probe(inputOf(apiCheck({}, {}, { id: type, checkType: type, settings })));
      return [type, found.verdict, found.reason];
    });
    assert.deepEqual(
      await Promise.all(findings),
      Object.keys(polls).map((type) => [type, verdict, reason]),
    );
    assert.equal(prober.isResolverDown, verdict === 'unknown');
  }
});

test('a name server that is silent until the time limit of a check is no failure of the target', async (t) => {
  const zone = await startZoneServer(t, () => null);
  const names = { servers: [`127.0.0.1:${zone.port}`], hostsFile: '/nowhere' };
  const prober = start(t, { egress: { mode: 'any', allow: [], names } });
  const settings = { maxResponseTime: 300, request: { hostname: 'www.shop.test', port: 80 } };
  const check = apiCheck({}, {}, { checkType: 'TCP', settings });
  const { verdict, reason } = await prober.probe(inputOf(check));
  assert.deepEqual([verdict, reason], ['unknown', 'resolver']);
});

test('applies the egress policy in the thread; closing ends open probes as unknown', async (t) => {
  const target = await startTarget(t, (_, response) => response.end());
  const prober = createProber({ threads: 1, egress: { mode: 'public', allow: [] }, version: '9.9' });
  const refused = await prober.probe(inputOf(apiCheck({ url: target.url })));
  assert.deepEqual([refused.verdict, refused.reason], ['failed', 'egress-refused']);
  assert.match(refused.message ?? '', /TOCSIN_EGRESS=any/);
  const open = prober.probe(inputOf(apiCheck({ url: target.url }, {}, { id: 'other' })));
  await prober.close();
  assert.equal((await open).reason, 'crashed');
  assert.equal((await prober.probe(inputOf(apiCheck({ url: target.url })))).reason, 'crashed');
});

function start(t: { after(work: () => Promise<void>): void }, options: Partial<ProberOptions>): Prober {
  const prober = createProber({ threads: 1, egress: { mode: 'any', allow: [] }, version: '9.9', ...options });
  t.after(() => prober.close());
  return prober;
}

test('omits times that a busy thread may have delayed', async (t) => {
  const prober = start(t, { threads: 1 });
  const answer = (respond: () => void): void => void setTimeout(respond, 20);
  let keepBusy = (): void => undefined;
  const http = await startTarget(t, (_, response) => {
    keepBusy();
    answer(() => response.end('ok'));
  });
  const tcp = await startTcpTarget(t, (socket) => {
    keepBusy();
    answer(() => socket.end('ready'));
  });
  const responseTime = { source: 'RESPONSE_TIME', comparison: 'LESS_THAN', target: '25000', property: '' };
  const { port } = new URL(tcp.url);
  const polls = {
    API: { request: { method: 'GET', url: http.url, assertions: [responseTime] } },
    TCP: {
      request: {
        hostname: '127.0.0.1',
        port: Number(port),
        assertions: [{ source: 'RESPONSE_DATA', comparison: 'CONTAINS', target: 'ready', property: '' }, responseTime],
      },
    },
  } as const;
  const limits = { degradedResponseTime: 25_000, maxResponseTime: 25_000 };
  for (const [checkType, settings] of Object.entries(polls) as [keyof typeof polls, JsonObject][]) {
    const input = inputOf(apiCheck({}, {}, { id: checkType, checkType, settings: { ...settings, ...limits } }));
    const shown = async (delayed: boolean) => {
      let size = 1_000_000;
      for (;;) {
        const long = inputOf(
          apiCheck({ url: 'no URL', pad: Array.from({ length: size }, () => []) }, {}, { id: 'long' }),
        );
        keepBusy = () => void (delayed && prober.probe(long));
        // oxlint-disable-next-line no-await-in-loop -- sequential
        const finding = await prober.probe(input);
        if ((finding.responseTimeMs === null) === delayed) return { finding, part: describedKind(checkType, finding) };
        size = Math.min(2 * size, 8_000_000);
      }
    };
    const { finding, part } = await shown(true);
    assert.deepEqual([finding.verdict, finding.message], ['passed', null], checkType);
    const { timings = null, timingPhases } = (checkType === 'API' ? part['response'] : part) as JsonObject;
    assert.deepEqual([timings, timingPhases], [null, null]);
    const ofTime = (described: JsonObject) => (described['assertions'] as JsonObject[]).at(-1) ?? {};
    const { passed, actual, problem, message } = ofTime(part);
    assert.deepEqual([passed, actual, problem], [true, null, 'Tocsin was too busy to measure it']);
    assert.equal(message, 'response time in ms is less than 25000, but Tocsin was too busy to measure it');
    assert.deepEqual(describedKind(checkType, { ...finding, exchange: null })['assertions'], part['assertions']);
    const usual = (await shown(false)).part;
    assert.ok(Number(ofTime(usual)['actual']) >= 20);
    assert.ok((checkType === 'API' ? (usual['response'] as JsonObject) : usual)['timingPhases']);
  }
});
