// A check of each kind without scripts through the whole service: probed in a thread, recorded, shown and notified.
import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { findPing, pingProblem } from '#checks/kinds/icmp/ping.ts';
import { createAuthority } from '../support/targets/certificates.ts';
import { type asker, newAccount } from '../support/service/service.ts';
import { type Composed, startComposed } from '../support/service/composed.ts';
import { type Receiver, startReceiver } from '../support/receivers/receiver.ts';
import { ocspAnswer } from '../support/targets/revocation.ts';
import { startTarget, startTcpTarget, startTlsTarget } from '../support/targets/target.ts';
import { until } from '../support/until.ts';
import { startZoneServer } from '../support/targets/zone-server.ts';

type Body = Record<string, unknown>;

const endings: (() => void | Promise<void>)[] = [];
/** The service that all tests share, each with an account of its own. */
let on: Composed;
before(async () => {
  on = await startComposed({ after: (end) => void endings.push(end) });
});
after(async () => {
  for (const end of endings) await end();
});

/** An account with a channel that is subscribed to every check. */
interface Fixture extends Pick<ReturnType<typeof asker>, 'must'> {
  readonly receiver: Receiver;
  /** Makes a check, runs it once, and answers with its result. */
  readonly run: (path: string, check: Body) => Promise<{ readonly id: string; readonly result: Body }>;
  /** Runs a check that is there, and answers with the result of that. */
  readonly again: (id: string) => Promise<Body>;
}

/** Of a run whose verdict was withheld, because the processors were taken meanwhile, there is another. */
const maxTries = 5;

async function fixture(t: TestContext, channel: Body = {}): Promise<Fixture> {
  const receiver = await startReceiver(t, 'secret');
  const { must } = await newAccount({ address: on.address }, t.name, on.apiKey);
  const results = async (id: string): Promise<Body[]> =>
    (await must('GET', `/v1/check-results/${id}`)) as unknown as Body[];
  const again = async (id: string, triesLeft = maxTries): Promise<Body> => {
    const { length } = await results(id);
    await must('POST', `/v1/triggers/checks/${id}`);
    const [result = {}] = await until('another result', async () => {
      const found = await results(id);
      return found.length > length ? found : undefined;
    });
    return result['reason'] === 'observer-slow' && triesLeft > 1 ? again(id, triesLeft - 1) : result;
  };
  await must('POST', '/v1/alert-channels', {
    type: 'WEBHOOK',
    autoSubscribe: true,
    config: { url: receiver.url, webhookSecret: 'secret' },
    ...channel,
  });
  return {
    receiver,
    must,
    run: async (path, check) => {
      const { id } = await must('POST', `/v1/checks/${path}`, { name: `A ${path} check`, frequency: 1440, ...check });
      return { id: String(id), result: await again(String(id)) };
    },
    again: (id) => again(id),
  };
}

/** The data that the link of an alert opens. */
async function linkedText(alert: Body): Promise<string> {
  return (await fetch(`${String(alert['RESULT_LINK'])}/result`)).text();
}

test('a URL check fails on a status of 400 and more, says so to its channel and shows what came', async (t) => {
  const { run, receiver, must } = await fixture(t);
  const target = await startTarget(t, (_, response) => response.writeHead(503).end('closed'));
  const { id, result } = await run('url', { request: { url: `${target.url}/front` } });
  assert.deepEqual([result['outcome'], result['reason'], result['checkType']], ['failed', 'status', 'URL']);
  const part = result['urlCheckResult'] as { response: Body };
  assert.deepEqual([part.response['status'], part.response['body']], [503, 'closed']);
  assert.ok(!('apiCheckResult' in result));
  const { json } = await receiver.alert('ALERT_FAILURE');
  assert.deepEqual([json['CHECK_TYPE'], json['CHECK_URL']], ['URL', `${target.url}/front`]);
  assert.equal(json['API_CHECK_RESPONSE_STATUS_CODE'], '', 'that is for API checks');
  assert.match(await linkedText(json), /503[^]*Service Unavailable/);
  const analytics = await must('GET', `/v1/analytics/url-monitors/${id}`);
  assert.equal(analytics['checkType'], 'URL');
  const alerts = (await must('GET', '/v1/check-alerts')) as unknown as Body[];
  assert.deepEqual([alerts[0]?.['checkType'], on.logged.filter(({ level }) => level === 'error')], ['URL', []]);
});

test('a TCP check fails when what comes back is not what it should be, and shows both', async (t) => {
  const { run, receiver, must } = await fixture(t);
  const { port } = await startTcpTarget(t, (socket) => socket.end('-ERR\r\n'));
  const assertions = [{ source: 'RESPONSE_DATA', comparison: 'CONTAINS', target: '+PONG' }];
  const request = { hostname: '127.0.0.1', port, data: 'PING\r\n', assertions };
  const { id, result } = await run('tcp', { request });
  assert.deepEqual([result['outcome'], result['reason']], ['failed', 'assertion']);
  const part = result['tcpCheckResult'] as { request: Body; response: Body };
  assert.deepEqual([part.request['data'], part.response['data']], ['PING\r\n', '-ERR\r\n']);
  const { json } = await receiver.alert('ALERT_FAILURE');
  assert.equal(
    json['CHECK_ERROR_MESSAGE'],
    'expected data to contain "+PONG", got "-ERR\r\n"'.replace('\r\n', '\\r\\n'),
  );
  assert.match(await linkedText(json), /PING[^]*-ERR/);
  assert.equal((await must('GET', `/v1/analytics/tcp-checks/${id}`))['checkType'], 'TCP');
});

const authority = createAuthority();

/** A certificate with that many days left. */
function endingIn(days: number) {
  return authority.issue({ validTo: new Date(Date.now() + days * 86_400_000 + 600_000) });
}

test('a certificate about to expire is alerted once per step, and again after its renewal, besides alerts of the check', async (t) => {
  const channel = { sslExpiry: true, sslExpiryThreshold: 30, sendFailure: true, sendDegraded: true };
  const { run, again, receiver, must } = await fixture(t, channel);
  const target = await startTlsTarget(t, endingIn(12), (_, response) => response.end());
  const sslConfig = { hostname: 'localhost', port: target.port, skipChainValidation: true };
  const { id, result } = await run('ssl', { sslConfig });
  assert.deepEqual([result['outcome'], result['reason']], ['degraded', 'tls']);
  const { json } = await receiver.alert('ALERT_SSL');
  assert.deepEqual(
    [json['SSL_DAYS_REMAINING'], json['SSL_CHECK_DOMAIN'], json['CHECK_TYPE']],
    [12, 'localhost', 'SSL'],
  );
  const degraded = await receiver.alert('ALERT_DEGRADED');
  assert.deepEqual([degraded.json['SSL_DAYS_REMAINING'], degraded.json['SSL_CHECK_DOMAIN']], ['', '']);
  assert.equal((await must('GET', `/v1/check-statuses/${id}`))['sslDaysRemaining'], 12);

  const reported = () => receiver.all.filter(({ json: each }) => each['ALERT_TYPE'] === 'ALERT_SSL');
  await again(id);
  target.renew(endingIn(2));
  await again(id);
  const renewed = await receiver.received(({ json: each }) => each['SSL_DAYS_REMAINING'] === 2);
  assert.equal(renewed.json['ALERT_TYPE'], 'ALERT_SSL');
  assert.deepEqual(
    reported().map(({ json: each }) => each['SSL_DAYS_REMAINING']),
    [12, 2],
    'the same certificate and step is alerted once',
  );
});

test('a certificate that its authority has revoked fails its check, and the alert says since when and why', async (t) => {
  const { run, receiver } = await fixture(t);
  let answer: Buffer = Buffer.alloc(0);
  const responder = await startTarget(t, (_, response) => response.end(answer));
  const server = authority.issue({ ocspUrl: responder.url });
  const revokedAt = new Date('2026-03-01T12:00:00Z');
  answer = ocspAnswer(authority, server.cert, { status: 'revoked', revokedAt, reason: 1 });
  const chain = { ...server, cert: server.cert + authority.cert };
  const { port } = await startTlsTarget(t, chain, (_, response) => response.end());
  const sslConfig = { hostname: 'localhost', port, skipChainValidation: true, revocation: 'ONLINE' };
  const { result } = await run('ssl', { sslConfig });
  assert.deepEqual([result['outcome'], result['reason']], ['failed', 'tls']);
  const part = result['sslCheckResult'] as { response: { revocation: Body } };
  const { status, source, reason } = part.response.revocation;
  assert.deepEqual([status, source, reason], ['revoked', 'OCSP', 'keyCompromise']);
  const { json } = await receiver.alert('ALERT_FAILURE');
  assert.equal(
    json['CHECK_ERROR_MESSAGE'],
    'the certificate of localhost was revoked on 2026-03-01 (key compromise), according to the OCSP responder of its CA',
  );
});

test('an API check that names a domain tells of the certificate there, whatever its URL', async (t) => {
  const { run, receiver } = await fixture(t, { sslExpiry: true });
  const beside = await startTlsTarget(t, endingIn(5), (_, response) => response.end());
  const target = await startTarget(t, (_, response) => response.writeHead(503).end());
  const { result } = await run('api', {
    request: { method: 'GET', url: target.url },
    sslCheckDomain: `localhost:${beside.port}`,
  });
  assert.deepEqual([result['outcome'], result['reason']], ['failed', 'status'], 'the verdict is that of the URL');
  const { json } = await receiver.alert('ALERT_SSL');
  assert.deepEqual([json['SSL_DAYS_REMAINING'], json['SSL_CHECK_DOMAIN']], [5, 'localhost']);
  const failure = await receiver.alert('ALERT_FAILURE');
  assert.deepEqual([failure.json['SSL_DAYS_REMAINING'], failure.json['SSL_CHECK_DOMAIN']], ['', '']);
  const silent = await startTcpTarget(t, (socket) => socket.end());
  const unseen = await run('api', {
    request: { method: 'GET', url: target.url },
    sslCheckDomain: `localhost:${silent.port}`,
  });
  const [seen, why] = [result, unseen.result].map((each) => (each['apiCheckResult'] as Body)['certificateProblem']);
  assert.equal(seen, null);
  assert.match(String(why), /^localhost: .*(connection|handshake)/);
});

test('a DNS check fails when the answer is another than it should be, and shows it', async (t) => {
  const { run, receiver, must } = await fixture(t);
  const { port } = await startZoneServer(t, () => [{ type: 1, data: Buffer.from([192, 0, 2, 66]) }]);
  const assertions = [
    { source: 'JSON_ANSWER', property: '$.Answer[0].data', comparison: 'EQUALS', target: '192.0.2.1' },
  ];
  const nameServer = { host: '127.0.0.1', port };
  const request = { query: 'shop.example', recordType: 'A', nameServer, assertions };
  const { id, result } = await run('dns', { request });
  assert.deepEqual([result['outcome'], result['reason']], ['failed', 'assertion']);
  const part = result['dnsCheckResult'] as { response: Body };
  assert.deepEqual([part.response['code'], part.response['answers']], ['NOERROR', 1]);
  const { json } = await receiver.alert('ALERT_FAILURE');
  assert.match(String(json['CHECK_ERROR_MESSAGE']), /to equal "192\.0\.2\.1", got "192\.0\.2\.66"$/);
  assert.match(await linkedText(json), /shop\.example\. 300 IN A 192\.0\.2\.66/);
  assert.equal((await must('GET', `/v1/analytics/dns/${id}`))['checkType'], 'DNS');
});

test('an ICMP check tells of a host that answers, or of a machine that cannot ask: never of a failure it did not see', async (t) => {
  const { run, must } = await fixture(t);
  const { id, result } = await run('icmp', { request: { hostname: '127.0.0.1', pingCount: 2 } });
  const problem = await pingProblem(findPing());
  const expected = problem === null ? ['passed', null] : ['unknown', 'observer-network'];
  assert.deepEqual([result['outcome'], result['reason']], expected, String(result['message']));
  const part = result['icmpCheckResult'] as { response: Body | null; requestError: string | null };
  assert.deepEqual(
    [part.response?.['received'] ?? null, part.requestError],
    problem === null ? [2, null] : [null, problem],
  );
  assert.equal((await must('GET', `/v1/analytics/icmp/${id}`))['checkType'], 'ICMP');
});
