// Cookies between the requests of one run.
import assert from 'node:assert/strict';
import test from 'node:test';
import type { JsonObject } from '#domain/json.ts';
import { createAuthority } from '../../../../tests/support/targets/certificates.ts';
import { probeOnce, verdictOf } from '../../../../tests/support/checks/api-probe.ts';
import { startTarget, startTcpTarget, startTlsTarget } from '../../../../tests/support/targets/target.ts';

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
