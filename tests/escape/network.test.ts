// The gateway is transparent to scripts: clients, errors, their own servers, and a real Chromium.
import assert from 'node:assert/strict';
import { createServer as createHttp2Server } from 'node:http2';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type TestContext, before, test } from 'node:test';
import { keepsNothing } from '#domain/checks/script.ts';
import type { EgressPolicy } from '#egress/guard.ts';
import { findChromium } from '#sandbox/find-chromium.ts';
import { createAuthority } from '../support/targets/certificates.ts';
import { startComposed } from '../support/service/composed.ts';
import { startConnectProxy } from '../support/targets/connect-proxy.ts';
import { freePort } from '../support/free-port.ts';
import { containmentHere, printed, runPlain } from '../support/scripts/script-runs.ts';
import { asker } from '../support/service/service.ts';
import { readBody, startTarget, startTcpTarget, startTlsTarget } from '../support/targets/target.ts';
import { until } from '../support/until.ts';

const strict: EgressPolicy = { mode: 'public', allow: [] };

before(async () => {
  const { containment, refused } = await containmentHere();
  assert.match(containment, /bubblewrap|namespaces/, `scripts cannot be contained here: ${refused.join('; ')}`);
});

/** One target of each type, and the environment with their addresses. */
async function targets(t: TestContext) {
  const plain = await startTarget(t, (request, response) => {
    if (request.method === 'POST') void readBody(request).then((body) => response.end(String(body.length)));
    else response.end(`${request.method} ${request.headers.host}`);
  });
  const issued = createAuthority().issue();
  const secure = await startTlsTarget(t, issued, (_, response) => response.end('secure'));
  const greeter = await startTcpTarget(t, (socket) => socket.end('220 ready\r\n'));
  const echo = await startTcpTarget(t, (socket) => socket.pipe(socket));
  const modern = createHttp2Server((_, response) => response.end('two')).listen(0, '127.0.0.1');
  await once(modern, 'listening');
  t.after(() => modern.close());
  const two = (modern.address() as AddressInfo).port;
  const ports = { plain: plain.port, secure: secure.port, greeter: greeter.port, echo: echo.port, two };
  return { ports, environment: { PORTS: JSON.stringify(ports), NODE_TLS_REJECT_UNAUTHORIZED: '0' } };
}

async function lines(content: string, environment: Record<string, string>, egress?: EgressPolicy): Promise<string[]> {
  const source = `import assert from 'node:assert/strict'; import { once } from 'node:events';
import { createRequire } from 'node:module'; import net from 'node:net'; import tls from 'node:tls';
const require = createRequire(import.meta.url); const ports = JSON.parse(process.env.PORTS);
const all = async (stream) => { let text = ''; for await (const chunk of stream) text += chunk; return text; };
${content}`;
  const outcome = await runPlain(source, { environment, ...(egress !== undefined && { egress }) });
  assert.deepEqual([outcome.ending, outcome.errors], ['ended', []], JSON.stringify(outcome.log));
  return printed(outcome).trim().split('\n');
}

test('a script’s clients reach a target on loopback if the policy allows it', async (t) => {
  const { ports, environment } = await targets(t);
  const said = await lines(
    `const url = 'http://127.0.0.1:' + ports.plain + '/';
console.log(await (await fetch(url)).text());
console.log(await (await fetch('http://localhost:' + ports.plain)).text());
console.log(await (await fetch(url, { method: 'POST', body: 'x'.repeat(3_000_000) })).text());
console.log(await (await fetch('https://localhost:' + ports.secure)).text());
console.log((await require('axios').get(url)).data);
console.log(await (await import('got')).default(url).text());
console.log(await all(net.connect(ports.greeter, '127.0.0.1')));
const agent = new (require('node:http').Agent)({ keepAlive: true, maxSockets: 1 });
for (let n = 0; n < 2; n++) {
  const [answer] = await once(require('node:http').get(url, { agent }), 'response');
  console.log(answer.statusCode, await all(answer));
}
const session = require('node:http2').connect('http://127.0.0.1:' + ports.two);
console.log(await all(session.request({ ':path': '/' }).end()));
session.close();
const { execFileSync } = require('node:child_process');
console.log(execFileSync(process.execPath, ['-e', 'fetch(process.argv[1]).then((a) => a.text()).then(console.log)', url]).toString().trim());
const socket = net.connect({ port: ports.echo, host: 'localhost' });
socket.end('sent before it was connected');
console.log(await all(socket));
const secure = tls.connect({ port: ports.secure, host: 'localhost', ALPNProtocols: ['http/1.1'] });
await once(secure, 'secureConnect');
console.log(secure.remoteAddress, secure.remotePort === ports.secure, secure.alpnProtocol, secure.encrypted);
secure.destroy();`,
    environment,
  );
  const host = `127.0.0.1:${ports.plain}`;
  assert.deepEqual(said, [
    `GET ${host}`,
    `GET localhost:${ports.plain}`,
    '3000000',
    'secure',
    `GET ${host}`,
    `GET ${host}`,
    '220 ready\r',
    '',
    `200 GET ${host}`,
    `200 GET ${host}`,
    'two',
    `GET ${host}`,
    'sent before it was connected',
    '127.0.0.1 true http/1.1 true',
  ]);
});

test('a script’s own servers on loopback come first, and errors are those of Node.js', async (t) => {
  const { environment } = await targets(t);
  const said = await lines(
    `const server = require('node:http').createServer((_, answer) => answer.end('my own')).listen(ports.plain, '127.0.0.1');
await once(server, 'listening');
console.log(await (await fetch('http://localhost:' + ports.plain)).text());
server.close();
server.closeAllConnections();
const failed = (socket) => once(socket, 'error').then(([error]) => error);
const refused = await failed(net.connect(1, '127.0.0.1'));
console.log(refused.code, refused.syscall, refused.address, refused.port, refused.message);
const unknown = await failed(net.connect(1, 'nobody.invalid'));
console.log(/^(ENOTFOUND|EAI_AGAIN)$/.test(unknown.code), unknown.syscall, unknown.hostname);
const dns = require('node:dns');
console.log(await dns.promises.lookup('localhost', { all: true, family: 4 }));
console.log(await dns.promises.resolveMx('shop.example').catch(({ code }) => code));
const gone = net.connect(ports.echo, '127.0.0.1');
gone.destroy();
await once(gone, 'close');
console.log('over');`,
    environment,
  );
  assert.equal(said[0], 'my own');
  assert.equal(said[1], 'ECONNREFUSED connect 127.0.0.1 1 connect ECONNREFUSED 127.0.0.1:1');
  assert.match(said[2] ?? '', /^true getaddrinfo nobody\.invalid$/);
  assert.match(said.slice(3).join(' '), /127\.0\.0\.1.*ENOTIMP over$/);
});

test('a refusal names the setting, whichever client is refused', async (t) => {
  const { environment } = await targets(t);
  const said = await lines(
    `for (const ask of [
  () => fetch('http://127.0.0.1:' + ports.plain), () => require('axios').get('http://localhost:' + ports.plain),
  () => once(net.connect(ports.echo, '127.0.0.1'), 'connect'), () => once(tls.connect(ports.secure, '10.0.0.1'), 'connect'),
  () => require('node:dns').promises.lookup('metadata.localhost').then(({ address }) => once(net.connect(80, address), 'connect')),
]) await ask().then(() => console.log('reached'), (error) => console.log((error.cause ?? error).code, (error.cause ?? error).message));`,
    environment,
    strict,
  );
  assert.equal(said.length, 5);
  for (const line of said)
    assert.match(line, /^EGRESS_REFUSED refused by the egress policy: .*TOCSIN_EGRESS=(any|private)/);
});

type Body = Record<string, unknown>;

async function fixture(t: TestContext, environment: Readonly<Record<string, string>>) {
  const on = await startComposed(t, environment);
  const { must } = asker(() => on.address, on.apiKey);
  const run = async (kind: string, check: Body): Promise<Body> => {
    const { id } = await must('POST', `/v1/checks/${kind}`, { name: 'Shop', frequency: 1440, ...check });
    // New checks run at once.
    return until(
      'a result',
      async () => ((await must('GET', `/v1/check-results/${String(id)}`)) as unknown as Body[])[0],
      { withinMs: 120_000 },
    );
  };
  return { on, run };
}

test('the result of a refused script says so, like that of other checks', async (t) => {
  const { run, on } = await fixture(t, { TOCSIN_EGRESS: 'public' });
  const script = `import { test } from '@playwright/test';
test('inside', async ({ request }) => { await request.get('http://127.0.0.1:1/'); });
test('of this process', async () => { await fetch('http://10.0.0.1/'); });`;
  const { outcome, reason, message, multiStepCheckResult } = await run('multistep', { script });
  assert.deepEqual([outcome, reason], ['failed', 'egress-refused'], String(message));
  assert.match(String(message), /127\.0\.0\.1 is a loopback address; TOCSIN_EGRESS=any would allow it/);
  const { errors } = multiStepCheckResult as { errors: { message: string }[] };
  assert.match(
    errors[1]?.message ?? '',
    /fetch failed: refused by the egress policy: 10\.0\.0\.1 is a private address/,
  );
  const contained = on.logged.find(({ name }) => name === 'scripts.contained');
  assert.deepEqual([contained?.level, contained?.fields['network']], ['info', 'by the egress policy']);
});

test('a browser reports the same page errors as without a gateway', async (t) => {
  const { run } = await fixture(t, { TOCSIN_EGRESS: 'public', TOCSIN_EGRESS_ALLOW: '127.0.0.1' });
  const goTo = (url: string): Body => ({
    script: `import { test } from '@playwright/test';
test('a page', async ({ page }) => { await page.goto('${url}'); });`,
  });
  const port = await freePort();
  const closed = await run('browser', goTo(`http://127.0.0.1:${port}/`));
  assert.deepEqual([closed['outcome'], closed['reason']], ['failed', 'connect'], String(closed['message']));
  assert.match(String(closed['message']), /net::ERR_CONNECTION_REFUSED at http:\/\/127\.0\.0\.1:/);
  const refused = await run('browser', goTo('http://10.1.2.3/'));
  assert.deepEqual([refused['outcome'], refused['reason']], ['failed', 'egress-refused']);
  assert.match(String(refused['message']), /10\.1\.2\.3 is a private address; TOCSIN_EGRESS=private would allow it/);
  const { pageErrors } = refused['browserCheckResult'] as { pageErrors: { msg: string; url: string }[] };
  assert.ok(pageErrors.some(({ msg, url }) => msg.includes('10.1.2.3 is a private') && url === '10.1.2.3:80'));
});

test('pages load over HTTP, TLS and HTTP/2, use WebSockets, and reach a script’s own server', async (t) => {
  const { environment } = await targets(t);
  const { key, cert } = createAuthority().issue();
  const outcome = await runPlain(
    `import { createRequire } from 'node:module'; import assert from 'node:assert/strict';
import http from 'node:http'; import http2 from 'node:http2'; import { once } from 'node:events';
const require = createRequire(import.meta.url); const ports = JSON.parse(process.env.PORTS);
const { chromium } = require('playwright');
const browser = await chromium.launch();
const page = await browser.newPage({ ignoreHTTPSErrors: true });
await page.goto('http://127.0.0.1:' + ports.plain + '/');
console.log(await page.textContent('body'));
await page.goto('https://localhost:' + ports.secure + '/');
console.log(await page.textContent('body'));
const own = http.createServer((_, answer) => answer.end('<title>own</title>')).listen(0, '127.0.0.1');
const sockets = new (require('ws').WebSocketServer)({ server: own });
sockets.on('connection', (socket) => socket.on('message', (data) => socket.send('heard ' + data)));
await once(own, 'listening');
await page.goto('http://localhost:' + own.address().port);
console.log(await page.title());
console.log(await page.evaluate((url) => new Promise((resolve) => {
  const socket = new WebSocket(url);
  socket.onopen = () => socket.send('you');
  socket.onmessage = ({ data }) => resolve(data);
}), 'ws://localhost:' + own.address().port));
const modern = http2.createSecureServer({ key: process.env.KEY, cert: process.env.CERT }, (request, answer) => answer.end('version ' + request.httpVersion)).listen(0, '127.0.0.1');
await once(modern, 'listening');
await page.goto('https://localhost:' + modern.address().port);
console.log(await page.textContent('body'));
await assert.rejects(chromium.launch({ proxy: { server: 'http://proxy.example:3128' } }), /custom browser proxies are not supported/);
await browser.close();
process.exit(0);`,
    {
      environment: { ...environment, KEY: key, CERT: cert },
      browser: findChromium(null),
      keeps: keepsNothing,
      limits: { memoryBytes: 2 ** 31, processes: 128 },
    },
  );
  assert.deepEqual([outcome.ending, outcome.errors], ['ended', []], JSON.stringify(outcome.log));
  const { plain } = JSON.parse(environment.PORTS) as { plain: number };
  assert.deepEqual(printed(outcome).trim().split('\n'), [
    `GET 127.0.0.1:${plain}`,
    'secure',
    'own',
    'heard you',
    'version 2.0',
  ]);
});

test('names that only a proxy can resolve are passed to it by every client', async (t) => {
  const { ports, environment } = await targets(t);
  const proxy = await startConnectProxy(t, ports.plain);
  const [host = '', port] = proxy.host.split(':');
  const nobody = { hostsFile: '/dev/null', resolverFile: '/dev/null', servers: [`127.0.0.1:${await freePort()}`] };
  const egress = { ...strict, names: nobody, proxy: { host, port: Number(port), authorization: null } };
  const said = await lines(
    `const { request } = require('playwright');
const context = await request.newContext();
console.log(await (await context.get('http://shop.inside.example:81/')).text());
console.log(await (await fetch('http://shop.inside.example:82/')).text());
// A plain lookup of the name fails.
await assert.rejects(require('node:dns').promises.lookup('shop.inside.example'), { code: 'EAI_AGAIN' });
// The script's own lookup may fail.
const own = net.connect({ host: 'shop.inside.example', port: 83, lookup: (_name, _options, done) => done(new Error('not there')) });
const [error] = await once(own, 'error');
console.log(error.message);
process.exit(0);`,
    environment,
    egress,
  );
  assert.deepEqual(said, ['GET shop.inside.example:81', 'GET shop.inside.example:82', 'not there']);
  assert.deepEqual(proxy.asked, ['shop.inside.example:81 -', 'shop.inside.example:82 -']);
});
