// Redirects: which are followed, what is sent along and what is reported.
import assert from 'node:assert/strict';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import test from 'node:test';
import type { ScriptedRequest } from '#domain/checks/probe.ts';
import type { JsonObject } from '#domain/json.ts';
import { createGuard } from '#egress/guard.ts';
import { apiKind } from '../../kinds/api/api-kind.ts';
import { detailsOf, probeOnce, responseOf, verdictOf } from '../../../../tests/support/checks/api-probe.ts';
import { apiCheck, inputOf, variable } from '../../../../tests/support/checks/api-check.ts';
import { createAuthority } from '../../../../tests/support/targets/certificates.ts';
import { readBody, startTarget, startTlsTarget, startTcpTarget } from '../../../../tests/support/targets/target.ts';

test('follows redirects like browsers and reports each', async (t) => {
  const seen: string[] = [];
  const target = await startTarget(t, (request, response) => {
    const { method, url = '', headers } = request;
    seen.push(
      `${method} ${url} ${headers['content-type'] ?? '-'} ${headers['authorization'] === undefined ? '-' : 'auth'}`,
    );
    const status = Number(/^\/(30\d)/.exec(url)?.[1] ?? 200);
    if (status !== 200) response.writeHead(status, { location: `done-${status}` });
    response.end('done');
  });
  const basicAuth = { username: 'a', password: 'secret' };
  for (const [status, method] of [
    [301, 'GET'],
    [302, 'GET'],
    [303, 'GET'],
    [307, 'POST'],
    [308, 'POST'],
  ] as const) {
    seen.length = 0;
    const finding = await probeOnce({
      url: `${target.url}/${status}`,
      method: 'POST',
      bodyType: 'JSON',
      body: '{}',
      basicAuth,
    });
    assert.equal(verdictOf(finding), 'passed');
    const kept = method === 'POST' ? 'application/json' : '-';
    assert.deepEqual(seen, [`POST /${status} application/json auth`, `${method} /done-${status} ${kept} auth`]);
    assert.deepEqual(detailsOf(finding).redirects, [{ status, location: `${target.url}/done-${status}` }]);
    assert.equal(detailsOf(finding).phases.wait > 0, true);
  }
  const stayed = await probeOnce({ url: `${target.url}/302`, followRedirects: false });
  assert.deepEqual([verdictOf(stayed), responseOf(stayed)['status']], ['passed', 302]);
});

test('reports the certificate of every host, first to expire first', async (t) => {
  const authority = createAuthority();
  const inDays = (days: number) => authority.issue({ validTo: new Date(Date.now() + days * 86_400_000) });
  const end = await startTlsTarget(t, inDays(9), (_, response) => response.end());
  const moved = (location: string) => (_: unknown, response: ServerResponse) =>
    void response.writeHead(301, { location }).end();
  const middle = await startTlsTarget(t, inDays(40), moved(end.url));
  const start = await startTlsTarget(t, inDays(3), moved(middle.url.replace('localhost', '127.0.0.1')));
  const trusted = { deps: { extraCertificates: [authority.cert] } };
  const seen = async (settings?: JsonObject) => {
    const finding = await probeOnce({ url: start.url }, { ...trusted, ...(settings && { settings }) });
    assert.equal(verdictOf(finding), 'passed', finding.message ?? '');
    return [finding.certificate, ...(finding.otherCertificates ?? [])].map((each) => [
      each?.domain,
      Math.round(((each?.validTo ?? 0) - Date.now()) / 86_400_000),
    ]);
  };
  assert.deepEqual(await seen(), [
    ['localhost', 3],
    ['localhost', 9],
    ['127.0.0.1', 40],
  ]);
  // A monitored domain keeps its port, wherever the URL leads.
  for (const [{ port }, days] of [
    [start, 3],
    [end, 9],
  ] as const) {
    assert.deepEqual(await seen({ sslCheckDomain: `localhost:${port}` }), [['localhost', days]]);
  }
});

test('drops credentials on redirects to another origin', async (t) => {
  const seen: unknown[] = [];
  const other = await startTarget(t, (request, response) => {
    seen.push(request.headers['authorization'], request.headers['cookie'], request.headers['x-kept']);
    response.end();
  });
  const target = await startTarget(t, (_, response) => response.writeHead(302, { location: other.url }).end());
  const headers = [
    { key: 'Authorization', value: 'Bearer abc' },
    { key: 'Cookie', value: 'a=1' },
    { key: 'X-Kept', value: '1' },
  ];
  assert.equal(verdictOf(await probeOnce({ url: target.url, headers })), 'passed');
  assert.deepEqual(seen, [undefined, undefined, '1']);
});

test('drops locked headers and parts with secrets on redirects to another origin', async (t) => {
  const seen: { method: string; headers: IncomingHttpHeaders; body: string }[] = [];
  const other = await startTarget(t, (request, response) => {
    void readBody(request).then((body) => {
      seen.push({ method: request.method ?? '', headers: request.headers, body });
      response.end();
    });
  });
  const same: IncomingHttpHeaders[] = [];
  const target = await startTarget(t, (request, response) => {
    const status = Number(request.url?.slice(1));
    same.push(request.headers);
    response.writeHead(status, { location: request.headers['x-plain'] === 'stay' ? '/200' : `${other.url}/` }).end();
  });
  const headers = [
    { key: 'X-Locked', value: 'p', locked: true },
    { key: 'X-{{NAME}}', value: '1' },
    { key: 'X-Secret', value: 'a {{SECRET}} b' },
    { key: 'X-Short', value: 'a {{PIN}} b' },
    { key: 'X-Encoded', value: Buffer.from('secret&value').toString('base64') },
    { key: 'Proxy-Authorization', value: 'Basic abc' },
    { key: 'X-Plain', value: '{{PLAIN}}' },
  ];
  const options = (plain: string) => ({
    variables: [
      variable('SECRET', 'secret&value', true),
      variable('NAME', 'hidden-name', true),
      variable('PIN', '7', true),
      variable('PLAIN', plain),
    ],
  });
  const dropped = ['x-locked', 'x-hidden-name', 'x-secret', 'x-short', 'x-encoded', 'proxy-authorization'];
  const bodies = [
    ['RAW', 'v={{SECRET}}', ''],
    ['FORM', 'v={{SECRET}}', ''],
    ['RAW', 'v={{PIN}}', ''],
    ['JSON', '{"v":"{{SECRET}}"}', ''],
    ['JSON', '{"v":"{{PLAIN}}"}', '{"v":"plain"}'],
  ] as const;
  for (const status of [307, 308])
    for (const [bodyType, body, received] of bodies) {
      const request = { url: `${target.url}/${status}`, method: 'POST', bodyType, body, headers };
      assert.equal(verdictOf(await probeOnce(request, options('plain'))), 'passed');
      const last = seen.at(-1) ?? assert.fail('not redirected');
      assert.deepEqual([last.method, last.body, last.headers['x-plain']], ['POST', received, 'plain']);
      assert.equal(last.headers['content-type'] === undefined, received === '');
      for (const name of dropped) assert.equal(last.headers[name], undefined, `${name} of ${status}`);
    }
  assert.equal(verdictOf(await probeOnce({ url: `${target.url}/302`, headers }, options('stay'))), 'passed');
  for (const name of dropped) assert.notEqual(same.at(-1)?.[name], undefined, `${name} stays within the origin`);
});

test('another scheme is another origin, and dropped parts stay dropped', async (t) => {
  const seen: (readonly [string | undefined, unknown, unknown])[] = [];
  const record = (request: IncomingMessage): void => {
    seen.push([request.url, request.headers['x-secret'], request.headers['authorization']]);
  };
  const back: { url: string } = { url: '' };
  const plain = await startTarget(t, (request, response) => {
    record(request);
    response.writeHead(302, { location: `${back.url}/end` }).end();
  });
  const authority = createAuthority();
  const secure = await startTlsTarget(t, authority.issue(), (request, response) => {
    record(request);
    const location = `http://localhost:${plain.port}/down`;
    if (request.url === '/end') response.end();
    else response.writeHead(302, { location }).end();
  });
  back.url = secure.url;
  const finding = await probeOnce(
    {
      url: `${secure.url}/start`,
      headers: [{ key: 'X-Secret', value: '{{S}}' }],
      basicAuth: { username: 'u', password: 'secret-value' },
    },
    { variables: [variable('S', 'secret-value', true)], deps: { extraCertificates: [authority.cert] } },
  );
  assert.equal(verdictOf(finding), 'passed', finding.message ?? '');
  const basic = `Basic ${Buffer.from('u:secret-value').toString('base64')}`;
  assert.deepEqual(seen, [
    ['/start', 'secret-value', basic],
    ['/down', undefined, undefined],
    ['/end', undefined, undefined],
  ]);
});

test('drops values that setup scripts locked or made secret', async (t) => {
  const seen: { headers: IncomingHttpHeaders; body: string }[] = [];
  const other = await startTarget(t, (request, response) => {
    void readBody(request).then((body) => {
      seen.push({ headers: request.headers, body });
      response.end();
    });
  });
  const target = await startTarget(t, (_, response) => response.writeHead(307, { location: other.url }).end());
  const guard = createGuard({ mode: 'any', allow: [] });
  const exchange = apiKind.hooks?.createExchange({ guard, version: '9.9' }) ?? assert.fail();
  const check = apiCheck({ url: target.url, headers: [{ key: 'X-Token', value: 'of the settings', locked: true }] });
  const scripted: ScriptedRequest = {
    method: 'POST',
    url: target.url,
    headers: [
      ['x-token', 'of a script'],
      ['x-made', 'Bearer made-secret'],
      ['x-plain', 'plain'],
    ],
    queryParameters: [],
    body: '{"token":"made-secret"}',
    hidden: ['made-secret'],
  };
  const input = { ...inputOf(check), scripted };
  const { finding } = await exchange({ half: 'send', input, wantsAnswer: false }, new AbortController().signal);
  assert.equal(verdictOf(finding), 'passed', finding.message ?? '');
  const [{ headers, body } = assert.fail()] = seen;
  assert.deepEqual(
    [headers['x-token'], headers['x-made'], headers['x-plain'], body],
    [undefined, undefined, 'plain', ''],
  );
});

test('a loop, an unknown scheme and a refused hop have their own reasons', async (t) => {
  const target = await startTarget(t, (request, response) => {
    const locations: Record<string, string> = {
      '/loop': '/loop',
      '/ftp': 'ftp://127.0.0.1/',
      '/inside': 'http://169.254.169.254/',
    };
    response.writeHead(302, { location: locations[request.url ?? ''] ?? '/' }).end();
  });
  const loop = await probeOnce({ url: `${target.url}/loop` });
  assert.equal(verdictOf(loop), 'failed redirect');
  assert.equal(detailsOf(loop).redirects.length, 11);
  assert.equal(verdictOf(await probeOnce({ url: `${target.url}/ftp` })), 'failed redirect');
  const inside = await probeOnce({ url: `${target.url}/inside` });
  assert.equal(verdictOf(inside), 'failed egress-refused');
  assert.match(inside.message ?? '', /169\.254\.169\.254 is a reserved address; .*TOCSIN_EGRESS_ALLOW/);
});

test('checks the address again after connecting, before anything is sent', async (t) => {
  let requests = 0;
  const target = await startTarget(t, (_, response) => {
    requests++;
    response.end();
  });
  const judge = (address: string): string | null => (address === '127.0.0.1' ? 'connected elsewhere' : null);
  const guard = { judge, resolve: () => Promise.resolve(['127.0.0.1']) };
  const finding = await probeOnce({ url: `http://rebinding.test:${target.port}/` }, { deps: { guard } });
  assert.equal(verdictOf(finding), 'failed egress-refused');
  assert.match(finding.message ?? '', /connected elsewhere/);
  assert.equal(requests, 0);
});

type Answers = Readonly<Record<string, { readonly set?: readonly string[]; readonly location?: string }>>;

const authority = createAuthority();
/** Every name resolves to this machine. */
const guard = { judge: () => null, resolve: () => Promise.resolve(['127.0.0.1']) };

/** A target over http and https, with the cookies it received by host and path. */
async function startSites(t: Parameters<typeof startTarget>[0], answers: (ports: Ports) => Answers) {
  const received: Record<string, string> = {};
  const ports: { http: number; https: number } = { http: 0, https: 0 };
  const listener: Parameters<typeof startTarget>[1] = (request, response) => {
    const key = `${request.headers.host?.replace(/:.*/, '')}${request.url}`;
    received[key] = request.headers.cookie ?? '';
    const { set = [], location } = answers(ports)[key] ?? {};
    response.setHeader('set-cookie', [...set]);
    if (location === undefined) response.end();
    else response.writeHead(302, { location }).end();
  };
  ports.http = (await startTarget(t, listener)).port;
  ports.https = (
    await startTlsTarget(t, authority.issue({ names: ['a.example', 'b.example', 'localhost'] }), listener)
  ).port;
  const run = async (url: string, request: JsonObject = {}): Promise<Record<string, string>> => {
    for (const key of Object.keys(received)) delete received[key];
    const deps = { guard, extraCertificates: [authority.cert] };
    const finding = await probeOnce({ url, ...request }, { deps });
    assert.equal(verdictOf(finding), 'passed', finding.message ?? '');
    return { ...received };
  };
  return { run, ports };
}

interface Ports {
  readonly http: number;
  readonly https: number;
}

test('sends a redirect’s cookie within the run, but not in the next one', async (t) => {
  const { run, ports } = await startSites(t, () => ({
    'a.example/login': { set: ['session=1; HttpOnly; SameSite=Strict', 'lang="de"'], location: '/home' },
    'a.example/home': { set: ['session=2'], location: '/end' },
  }));
  for (let round = 0; round < 2; round++) {
    const received = await run(`http://a.example:${ports.http}/login`);
    assert.deepEqual(received, {
      'a.example/login': '',
      'a.example/home': 'session=1; lang="de"',
      'a.example/end': 'session=2; lang="de"',
    });
  }
});

test('respects host, domain, path, scheme and expiry', async (t) => {
  const { run, ports } = await startSites(t, ({ http, https }) => ({
    'www.a.example/start': {
      set: [
        'host=1',
        'domain=1; Domain=a.example',
        'deep=1; Path=/deep',
        'secure=1; Secure',
        'other=1; Domain=b.example',
        'public=1; Domain=example',
        'old=1; Max-Age=0',
        'past=1; Expires=Thu, 01 Jan 2015 00:00:00 GMT',
      ],
      location: '/deep/er',
    },
    'www.a.example/deep/er': { location: `http://api.a.example:${http}/x` },
    'api.a.example/x': { set: ['domain=; Domain=a.example; Max-Age=0'], location: `http://b.example:${http}/x` },
    'b.example/x': { location: `https://a.example:${https}/secure` },
    'a.example/secure': { set: ['safe=1; Secure'], location: '/again' },
    'a.example/again': { location: `http://a.example:${http}/plain` },
  }));
  assert.deepEqual(await run(`http://www.a.example:${ports.http}/start`), {
    'www.a.example/start': '',
    'www.a.example/deep/er': 'deep=1; host=1; domain=1',
    'api.a.example/x': 'domain=1',
    'b.example/x': '',
    'a.example/secure': '',
    'a.example/again': 'safe=1',
    'a.example/plain': '',
  });
});

test('never sends a Secure cookie over http, not even to this machine', async (t) => {
  const { run, ports } = await startSites(t, ({ http }) => ({
    'localhost/start': { set: ['a=1; Secure', 'b=1'], location: `http://localhost:${http}/plain` },
  }));
  assert.equal((await run(`https://localhost:${ports.https}/start`))['localhost/plain'], 'b=1');
});

test('sends cookies of the check in addition, only within its origin', async (t) => {
  const { run, ports } = await startSites(t, ({ http }) => ({
    'a.example/start': { set: ['session=new'], location: '/same' },
    'a.example/same': { location: `http://b.example:${http}/other` },
  }));
  const headers = [{ key: 'Cookie', value: 'theme=dark; session=old' }];
  assert.deepEqual(await run(`http://a.example:${ports.http}/start`, { headers }), {
    'a.example/start': 'theme=dark; session=old',
    'a.example/same': 'theme=dark; session=new',
    'b.example/other': '',
  });
});

test('limits a run to 50 cookies of 4096 characters', async (t) => {
  const { run, ports } = await startSites(t, () => ({
    'a.example/start': {
      set: [`long=${'x'.repeat(4096)}`, ...Array.from({ length: 60 }, (_, i) => `c${i}=1`)],
      location: '/end',
    },
  }));
  const received = await run(`http://a.example:${ports.http}/start`);
  assert.equal(received['a.example/end']?.split('; ').length, 49);
});

test('sends unusual cookies unchanged or ignores them', async (t) => {
  const received: (string | undefined)[] = [];
  const target = await startTcpTarget(t, (socket) =>
    socket.on('data', (chunk: Buffer) => {
      const request = chunk.toString('latin1');
      received.push(/^cookie: (.*)\r$/im.exec(request)?.[1]);
      const set = ['a=gr\xfcn', 'b=c\x01d', 'e=\0f', '=g', 'h', 'i=1;;;', '\ud83d'].map(
        (each) => `set-cookie: ${each}\r\n`,
      );
      const isFirst = request.startsWith('GET / ');
      const head = isFirst ? `HTTP/1.1 302 Found\r\nlocation: /end\r\n${set.join('')}` : 'HTTP/1.1 204 No Content\r\n';
      socket.end(`${head}\r\n`, 'latin1');
    }),
  );
  assert.equal(verdictOf(await probeOnce({ url: target.url })), 'passed');
  assert.deepEqual(received, [undefined, 'a=gr\xfcn; b=c d; e=f; i=1']);
});
