// Runs inside the sandbox: tries to connect to addresses in every possible way and prints each outcome as a line of
// JSON.
import { execFile } from 'node:child_process';
import http from 'node:http';
import net from 'node:net';
import { promisify } from 'node:util';
import { askingGateway, opened } from './ways-out.mjs';

/** Hosts in URL form, and ports. */
const { targets } = JSON.parse(process.env.TARGETS);
const run = promisify(execFile);
const named = ({ host, port }) => {
  const name = new URL(`http://${host}:${port}/`).hostname.replace(/^\[|\]$/g, '');
  return { host: name, port };
};
const unled = `require('node:net').connect(JSON.parse(process.argv[1])).once('connect', function () { console.log('reached'); this.destroy(); });`;
const perl = `use Socket; my ($h, $p) = @ARGV; socket(my $s, PF_INET, SOCK_STREAM, 0); print "reached" if connect($s, pack_sockaddr_in($p, inet_aton($h)));`;

const ways = {
  'net.connect': (target) => opened(net.connect(named(target))),
  fetch: async ({ host, port }) => (await fetch(`http://${host}:${port}/`)) && 'reached',
  'http.get': ({ host, port }) => opened(http.get(`http://${host}:${port}/`), 'response'),
  'the gateway itself': (target) => askingGateway(named(target)),
  'another Node.js that is not led': async (target) =>
    (await run(process.execPath, ['-e', unled, JSON.stringify(named(target))], { env: {} })).stdout,
  perl: async (target) => (await run('perl', ['-e', perl, named(target).host, String(target.port)])).stdout,
};

for (const [way, attempt] of Object.entries(ways)) {
  for (const target of targets) {
    if (way === 'perl' && net.isIP(named(target).host) !== 4) continue;
    const tried = { way, ...target, got: '', code: '', message: '' };
    try {
      tried.got = String(await attempt(target)).trim();
    } catch (problem) {
      const { code = '', message } = problem.cause ?? problem;
      Object.assign(tried, { code: String(code), message: String(message).slice(0, 300) });
    }
    console.log(JSON.stringify(tried));
  }
}
process.exit(0);
