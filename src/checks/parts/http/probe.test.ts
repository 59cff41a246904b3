// HTTP probes against a real target.
import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import test from 'node:test';
import type { JsonObject } from '#domain/json.ts';
import { groupWith, variable } from '../../../../tests/support/checks/api-check.ts';
import { detailsOf, exchangeOf, probeOnce, responseOf, verdictOf } from '../../../../tests/support/checks/api-probe.ts';
import { readBody, startTarget } from '../../../../tests/support/targets/target.ts';
import { methods } from '#lib/schema/bodies.ts';

/** A target that echoes the request. */
async function startMirror(t: Parameters<typeof startTarget>[0]) {
  const seen: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[] = [];
  const target = await startTarget(t, (request, response) => {
    void readBody(request).then((body) => {
      const { method = '', url = '', headers } = request;
      seen.push({ method, url, headers, body });
      response.setHeader('content-type', 'application/json');
      response.setHeader('x-echo', request.headers['authorization'] ?? 'none');
      response.end(JSON.stringify({ method, url, headers, body }));
    });
  });
  return { ...target, seen, last: () => seen.at(-1) ?? assert.fail('nothing was sent') };
}

test('a plain GET passes and reports the response and its phases', async (t) => {
  const target = await startTarget(t, (_, response) => {
    response.setHeader('content-type', 'application/json').end('{"status":"ok"}');
  });
  const finding = await probeOnce({ url: `${target.url}/health` });
  assert.deepEqual([finding.verdict, finding.message, finding.certificate], ['passed', null, null]);
  const details = detailsOf(finding);
  assert.deepEqual([details.status, details.statusText, details.address], [200, 'OK', '127.0.0.1']);
  assert.deepEqual([details.sizes.body, details.sizes.decoded], [15, 15]);
  const { wait, dns, tcp, tls, firstByte, download } = details.phases;
  assert.deepEqual([wait, tls, tcp > 0, firstByte > 0, download > 0], [0, 0, true, true, true]);
  assert.equal(Math.abs(dns + tcp + firstByte + download - (finding.responseTimeMs ?? 0)) < 0.01, true);
  assert.equal(Math.abs(finding.stoppedAt - finding.startedAt - (finding.responseTimeMs ?? 0)) <= 1, true);
  assert.equal(responseOf(finding)['body'], '{"status":"ok"}');
});

test('sends each of the seven methods, in any case, with its body', async (t) => {
  const mirror = await startMirror(t);
  for (const method of methods) {
    const finding = await probeOnce({
      url: mirror.url,
      method: method.toLowerCase(),
      bodyType: 'JSON',
      body: '{"a":1}',
    });
    assert.equal(verdictOf(finding), 'passed', method);
    assert.deepEqual([mirror.last().method, mirror.last().body], [method, '{"a":1}']);
  }
  await probeOnce({ url: mirror.url, method: 'POST' });
  assert.equal(mirror.last().headers['content-length'], '0');
});

test('each body type has its content type, unless the check sets one', async (t) => {
  const mirror = await startMirror(t);
  const send = async (bodyType: string, body: string, headers: JsonObject[] = []) => {
    await probeOnce(
      { url: mirror.url, method: 'POST', bodyType, body, headers },
      { variables: [variable('V', 'a&b=c')] },
    );
    return [mirror.last().headers['content-type'], mirror.last().body];
  };
  assert.deepEqual(await send('NONE', 'not sent'), [undefined, '']);
  assert.deepEqual(await send('JSON', '{"v":"{{V}}"}'), ['application/json', '{"v":"a&b=c"}']);
  assert.deepEqual(await send('FORM', 'v={{V}}&w=1'), ['application/x-www-form-urlencoded', 'v=a%26b%3Dc&w=1']);
  assert.deepEqual(await send('GRAPHQL', '{ me { id } }'), ['application/json', '{"query":"{ me { id } }"}']);
  const whole = '{"query":"q","variables":{"a":1}}';
  assert.deepEqual(await send('GRAPHQL', whole), ['application/json', whole]);
  assert.deepEqual(await send('RAW', 'grün'), ['text/plain; charset=utf-8', 'grün']);
  assert.deepEqual(await send('RAW', '<a/>', [{ key: 'Content-Type', value: 'text/xml' }]), ['text/xml', '<a/>']);
});

test('sends headers, query parameters, basic auth and variables, which override built-in headers', async (t) => {
  const mirror = await startMirror(t);
  await probeOnce(
    {
      url: `{{BASE}}/{{ PATH }}?x=1#part`,
      headers: [
        { key: 'X-{{N}}', value: 'v {{{PATH}}}' },
        { key: 'User-Agent', value: 'mine' },
      ],
      queryParameters: [{ key: 'q', value: '{{Q}} &' }],
      basicAuth: { username: 'me', password: '{{Q}}' },
    },
    { variables: [variable('BASE', mirror.url), variable('PATH', 'p'), variable('N', 'One'), variable('Q', 'ü')] },
  );
  const { url, headers } = mirror.last();
  assert.equal(url, '/p?x=1&q=%C3%BC+%26');
  assert.equal(headers['x-one'], 'v p');
  assert.equal(headers['user-agent'], 'mine');
  assert.equal(headers['accept'], '*/*');
  assert.equal(headers['accept-encoding'], 'gzip, deflate, br, zstd');
  assert.equal(headers['authorization'], `Basic ${Buffer.from('me:ü').toString('base64')}`);
  await probeOnce({ url: mirror.url.replace('//', '//us%40er:pa%3Ass@') });
  assert.equal(mirror.last().headers['authorization'], `Basic ${Buffer.from('us@er:pa:ss').toString('base64')}`);
});

test('applies group defaults, which the check overrides', async (t) => {
  const mirror = await startMirror(t);
  const group = groupWith({
    url: mirror.url,
    headers: [
      { key: 'X-Both', value: 'group' },
      { key: 'X-Group', value: 'yes' },
    ],
    queryParameters: [
      { key: 'both', value: 'group' },
      { key: 'group', value: '1' },
    ],
    assertions: [{ source: 'STATUS_CODE', comparison: 'EQUALS', target: '201' }],
    basicAuth: { username: 'g', password: 'pw' },
  });
  const finding = await probeOnce(
    {
      url: '{{GROUP_BASE_URL}}/path',
      headers: [{ key: 'x-both', value: 'check' }],
      queryParameters: [{ key: 'both', value: 'check' }],
    },
    { group },
  );
  const { url, headers } = mirror.last();
  assert.deepEqual([headers['x-both'], headers['x-group']], ['check', 'yes']);
  assert.equal(url, '/path?group=1&both=check');
  assert.equal(headers['authorization'], `Basic ${Buffer.from('g:pw').toString('base64')}`);
  assert.equal(verdictOf(finding), 'failed assertion');
  assert.equal(finding.message, 'expected status code to equal 201, got 200');
});

test('settings without a valid request fail with a message', async () => {
  const cases: readonly (readonly [JsonObject, RegExp])[] = [
    [{ url: '{{HOST}}/x' }, /not an absolute http/],
    [
      { url: 'http://127.0.0.1/', headers: [{ key: 'x-bad', value: '{{LINES}}' }] },
      /header x-bad contains a character/,
    ],
    [
      { url: 'http://127.0.0.1/', assertions: [{ source: 'STATUS_CODE', comparison: 'EQUALS', target: '{{HOST}}' }] },
      /needs a number/,
    ],
  ];
  for (const [request, message] of cases) {
    const finding = await probeOnce(request, {
      variables: [variable('HOST', 'plain'), variable('LINES', 'a\r\nb: c')],
    });
    assert.equal(verdictOf(finding), 'failed settings');
    assert.match(finding.message ?? '', message);
  }
});

test('sends secrets without showing them, even if the target echoes them', async (t) => {
  const mirror = await startMirror(t);
  const secret = 'p&ss "w<rd/é';
  const finding = await probeOnce(
    {
      url: `${mirror.url}/{{S}}`,
      method: 'POST',
      bodyType: 'JSON',
      body: '{"s":{{S}}}',
      headers: [
        { key: 'X-S', value: 'plain-token-123' },
        { key: 'X-L', value: 'locked-value', locked: true },
      ],
      queryParameters: [{ key: 's', value: '{{S}}' }],
      basicAuth: { username: 'me', password: '{{T}}' },
      assertions: [
        { source: 'JSON_BODY', property: '$.body', comparison: 'EQUALS', target: '{{S}}' },
        { source: 'HEADERS', property: 'x-echo', comparison: 'EQUALS', target: '{{T}}' },
      ],
    },
    { variables: [variable('S', secret, true), variable('T', 'plain-token-123', true)] },
  );
  assert.equal(mirror.last().body, `{"s":${secret}}`);
  const shown = JSON.stringify({ ...finding, exchange: exchangeOf(finding) });
  const basic = Buffer.from('me:plain-token-123').toString('base64');
  const escaped = JSON.stringify(JSON.stringify(secret)).slice(3, -3);
  const forms = [secret, encodeURIComponent(secret), escaped, 'plain-token-123', 'locked-value', basic, 'w%3Crd'];
  for (const form of forms) assert.equal(shown.includes(form), false, `${form} in ${shown}`);
  assert.match(shown, /\*{8}/);
  assert.equal(verdictOf(finding), 'failed assertion');
});

test('masks a secret in messages about invalid settings, in any case', async (t) => {
  const mirror = await startMirror(t);
  const secret = 'Top+(Secret value';
  const assertion = (facts: JsonObject) => ({ url: mirror.url, assertions: [{ comparison: 'EQUALS', ...facts }] });
  const wrong: readonly (readonly [JsonObject, RegExp])[] = [
    [assertion({ source: 'STATUS_CODE', target: '{{S}}' }), /needs a number as its target, not "\*{8}"/],
    [assertion({ source: 'JSON_BODY', property: '$.{{S}}' }), /^"\$\.\*{8}" is not a JSON path/],
    [assertion({ source: 'TEXT_BODY', property: 'a{{S}}' }), /^"a\*{8}" is not a regular expression/],
    [{ url: mirror.url, headers: [{ key: 'x-{{S}}', value: '' }] }, /^"x-\*{8}" is not a header name/],
    [{ url: mirror.url, headers: [{ key: '{{S}} ', value: '' }] }, /^"\*{8}" is not a header name/],
    [{ url: mirror.url, headers: [{ key: '{{T}}', value: '{{LINES}}' }] }, /^the value of header \*{8} contains/],
  ];
  const variables = [
    variable('S', ` ${secret} `, true),
    variable('T', 'X-Token-Name', true),
    variable('LINES', 'a\nb'),
  ];
  for (const [request, message] of wrong) {
    const finding = await probeOnce(request, { variables });
    assert.equal(verdictOf(finding), 'failed settings', JSON.stringify(request));
    assert.match(finding.message ?? '', message);
    assert.doesNotMatch(JSON.stringify(finding), /secret|token-name/i);
  }
  const sent = { url: mirror.url, headers: [{ key: '{{T}}', value: 'yes' }] };
  const finding = await probeOnce(sent, { variables });
  assert.equal(mirror.last().headers['x-token-name'], 'yes');
  assert.doesNotMatch(JSON.stringify(finding), /token-name/i);
});

test('masks a secret in an assertion’s pattern and message', async (t) => {
  const target = await startTarget(t, (_, response) => response.end('nothing of it'));
  for (const property of ['^{{S}}$', '({{S}})']) {
    const assertions = [{ source: 'TEXT_BODY', comparison: 'NOT_EMPTY', property }];
    const finding = await probeOnce(
      { url: target.url, assertions },
      { variables: [variable('S', 'plain-token', true)] },
    );
    assert.equal(verdictOf(finding), 'failed assertion');
    assert.equal(detailsOf(finding).assertions[0]?.regex, property.replace('{{S}}', '********'));
    assert.match(finding.message ?? '', /the match of .*\*{8}/);
    assert.doesNotMatch(JSON.stringify(finding), /plain-token/);
  }
});

test('shows no partial secret where a body is cut', async (t) => {
  const mirror = await startMirror(t);
  const body = `${'x'.repeat(65_530)}{{S}}`;
  const finding = await probeOnce(
    { url: mirror.url, method: 'POST', bodyType: 'RAW', body },
    { variables: [variable('S', 'plain-token-123', true)] },
  );
  const { data } = (exchangeOf(finding) ?? assert.fail())['request'] as { data: string };
  assert.equal(data.length, 65_536);
  assert.match(data, /x\*+$/);
});

test('status, shouldFail and assertions decide together', async (t) => {
  const target = await startTarget(t, (request, response) => {
    response.statusCode = Number(request.url?.slice(1));
    response.end();
  });
  const is404 = [{ source: 'STATUS_CODE', comparison: 'EQUALS', target: '404' }];
  const is200 = [{ source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' }];
  const verdict = async (status: number, shouldFail: boolean, assertions: JsonObject[] = []) =>
    verdictOf(await probeOnce({ url: `${target.url}/${status}`, assertions }, { check: { shouldFail } }));
  assert.equal(await verdict(200, false), 'passed');
  assert.equal(await verdict(399, false), 'passed');
  assert.equal(await verdict(400, false), 'failed status');
  assert.equal(await verdict(404, false, is404), 'failed status');
  assert.equal(await verdict(503, true), 'passed');
  assert.equal(await verdict(404, true, is404), 'passed');
  assert.equal(await verdict(404, true, is200), 'failed assertion');
  assert.equal(await verdict(200, true), 'passed');
  const finding = await probeOnce({ url: `${target.url}/503`, assertions: is200 });
  assert.equal(
    finding.message,
    'expected a status below 400, got 503 Service Unavailable; expected status code to equal 200, got 503',
  );
});

test('a response over the degraded limit is degraded, over the maximum failed', async (t) => {
  const target = await startTarget(t, (_, response) => setTimeout(() => response.end(), 30));
  const verdict = async (degradedResponseTime: number, maxResponseTime: number) =>
    probeOnce({ url: target.url }, { settings: { degradedResponseTime, maxResponseTime } });
  assert.equal(verdictOf(await verdict(10_000, 20_000)), 'passed');
  assert.equal(verdictOf(await verdict(0, 0)), 'passed');
  assert.equal(verdictOf(await verdict(5, 20_000)), 'degraded slow');
  const failed = await verdict(5, 10);
  assert.equal(verdictOf(failed), 'failed slow');
  assert.match(failed.message ?? '', /^answered after \d+ ms, more than the 10 ms allowed$/);
});

test('uses the second address of a name if the first is unreachable', async (t) => {
  const target = await startTarget(t, (_, response) => response.end());
  const guard = { judge: () => null, resolve: () => Promise.resolve(['::1', '127.0.0.2', '127.0.0.1']) };
  const finding = await probeOnce({ url: target.url.replace('127.0.0.1', 'name.test') }, { deps: { guard } });
  assert.equal(verdictOf(finding), 'passed');
  assert.equal(detailsOf(finding).address, '127.0.0.1');
});

test('resolves the configured address family', async () => {
  const asked: number[] = [];
  const resolve = (_: string, family: number) => {
    asked.push(family);
    return Promise.reject(Object.assign(new Error('no'), { code: 'ENODATA' }));
  };
  for (const ipFamily of ['IPv4', 'IPv6', null]) {
    const finding = await probeOnce(
      { url: 'http://name.test', ipFamily },
      { deps: { guard: { judge: () => null, resolve } } },
    );
    assert.equal(verdictOf(finding), 'failed dns');
  }
  assert.deepEqual(asked, [4, 6, 0]);
});
