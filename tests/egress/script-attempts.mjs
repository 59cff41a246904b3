// Runs inside the sandbox: tries to reach hosts in every possible way and prints each outcome as a line of JSON.
import { execFile } from 'node:child_process';
import dgram from 'node:dgram';
import dns from 'node:dns';
import http from 'node:http';
import { createRequire } from 'node:module';
import net from 'node:net';
import tls from 'node:tls';
import { Worker } from 'node:worker_threads';
import { askingGateway, opened } from './ways-out.mjs';

const { hosts, unwritable, changing, port, abstract, pages } = JSON.parse(process.env.TARGETS);
const require = createRequire(import.meta.url);
const urlOf = (host) => `http://${host}:${port}/`;
const named = (host) => new URL(urlOf(host)).hostname.replace(/^\[|\]$/g, '');
const run = (program, words, options = {}) =>
  new Promise((resolve, reject) => {
    execFile(program, words, { timeout: 20_000, ...options }, (error, out) => (error ? reject(error) : resolve(out)));
  });
const inThread = (host) =>
  new Promise((resolve, reject) => {
    const code = `fetch(${JSON.stringify(urlOf(host))}).then(() => require('worker_threads').parentPort.postMessage(1))`;
    new Worker(code, { eval: true }).once('message', () => resolve('reached')).once('error', reject);
  });

/** Tried for every host. */
const ways = {
  fetch: async (host) => (await fetch(urlOf(host).replace(/\w+:\w+@/, ''))) && 'reached',
  'http.get': (host) => opened(http.get(urlOf(host)), 'response'),
  'net.connect': (host) => opened(net.connect(port, named(host))),
  'net.connect as it is written': (host) => opened(net.connect(port, host.replace(/^\[|\]$/g, ''))),
  'tls.connect': (host) => opened(tls.connect(port, named(host))),
  'a look-up before': async (host) => {
    const { address } = await dns.promises.lookup(named(host));
    return opened(net.connect(port, address));
  },
  'the gateway itself': (host) => askingGateway({ host: named(host), port }),
  axios: async (host) => (await require('axios').get(urlOf(host), { timeout: 5000 })) && 'reached',
};

const nodeBinary = process.execPath;
const fetchAll = `const hosts = ${JSON.stringify(hosts.map(urlOf))};
for (const url of hosts) await fetch(url.replace(/\\w+:\\w+@/, '')).then(() => console.log('reached'), () => {});`;
const four = hosts.map(named).filter((host) => net.isIP(host) === 4);
const perl = `use Socket; for my $h (@ARGV) { socket(my $s, PF_INET, SOCK_STREAM, 0); print "reached\\n" if connect($s, pack_sockaddr_in(${port}, inet_aton($h))); }`;
/** Tried once. */
const others = {
  'another Node.js': async () => run(nodeBinary, ['--input-type=module', '-e', fetchAll]),
  'another Node.js that is not led': async () => run(nodeBinary, ['--input-type=module', '-e', fetchAll], { env: {} }),
  'a thread': () => inThread(hosts.at(-1)),
  perl: () => run('perl', ['-e', perl, ...four]),
  bash: () =>
    run('bash', [
      '-c',
      `for h in "$@"; do (: > /dev/tcp/$h/${port}) 2>/dev/null && echo reached; done; true`,
      'bash',
      ...four,
    ]),
  'handles of Node.js': async () => {
    const { TCP, TCPConnectWrap, constants } = process.binding('tcp_wrap');
    const results = four.map(
      (host) =>
        new Promise((resolve) => {
          const request = new TCPConnectWrap();
          request.oncomplete = (status) => resolve(status === 0 ? 'reached' : '');
          const handle = new TCP(constants.SOCKET);
          if (handle.connect(request, host, port) !== 0) resolve('');
        }),
    );
    return (await Promise.all(results)).join('');
  },
  datagrams: async () => {
    for (const [sort, version] of [
      ['udp4', 4],
      ['udp6', 6],
    ]) {
      const socket = dgram.createSocket(sort).on('error', () => {});
      for (const host of hosts.map(named).filter((each) => net.isIP(each) === version))
        await new Promise((resolve) => socket.send('?', port, host, resolve));
      socket.close();
    }
    return '';
  },
  'an abstract socket': () => opened(net.connect(`\0${abstract}`)),
  'a network of its own making': () =>
    run('unshare', ['-rn', 'sh', '-c', 'ip link set lo up; ip route add default dev lo']),
};

const report = (way, host, got, problem) =>
  console.log(
    JSON.stringify({
      way,
      host,
      got,
      code: problem?.cause?.code ?? problem?.code ?? '',
      message: String(problem?.cause?.message ?? problem?.message ?? '').slice(0, 300),
    }),
  );
async function tryOne(way, host, attempt) {
  try {
    report(
      way,
      host,
      String((await attempt()) ?? '')
        .trim()
        .slice(0, 200),
    );
  } catch (problem) {
    report(way, host, '', problem);
  }
}

for (const [way, attempt] of Object.entries(ways)) {
  const queue = [...hosts, ...unwritable];
  const takeAll = async () => {
    for (let host = queue.shift(); host !== undefined; host = queue.shift())
      await tryOne(way, host, () => attempt(host));
  };
  await Promise.all(Array.from({ length: 8 }, takeAll));
}
for (const [way, attempt] of Object.entries(others)) await tryOne(way, '', attempt);
for (let n = 0; n < 10; n++) await tryOne('changing', changing, () => ways.fetch(changing));
if (pages) await inBrowser();

async function inBrowser() {
  const { chromium } = require('playwright');
  const browser = await chromium.launch();
  const page = await browser.newPage();
  for (const host of hosts) {
    // A failed page is done when its error is shown.
    const shown = page.waitForEvent('framenavigated', { timeout: 10_000 }).catch(() => {});
    await tryOne('page.goto', host, async () => (await page.goto(urlOf(host), { timeout: 10_000 })) && 'reached');
    await shown;
  }
  await page.goto(urlOf(hosts.at(-1)));
  const socketUrls = hosts.map(named).map((host) => `ws://${host.includes(':') ? `[${host}]` : host}:${port}/`);
  await tryOne('WebSocket', '', () =>
    page.evaluate(async (urls) => {
      const closed = (url) =>
        new Promise((resolve) => {
          new WebSocket(url).addEventListener('close', resolve);
          setTimeout(resolve, 10_000);
        });
      await Promise.all(urls.map(closed));
      return '';
    }, socketUrls),
  );
  await tryOne('a picture', '', () =>
    page.evaluate(
      (urls) =>
        Promise.all(
          urls.map(
            (url) =>
              new Promise((resolve) => {
                Object.assign(new Image(), { onload: resolve, onerror: resolve, src: url });
                setTimeout(resolve, 10_000);
              }),
          ),
        ).then(() => ''),
      hosts.map(urlOf),
    ),
  );
  await browser.close();
}
