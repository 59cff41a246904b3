// Scripts reach only what the egress policy allows, in a network where every address has a listener.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runInOwnNetwork } from '../support/own-network.ts';
import type { SeenOfScripts, Tried } from './scripts-within.ts';
import type { Attempt } from '../support/scripts/script-attempts.ts';
import { forbiddenHosts, hostsFile, publicAddresses, publicHosts, resolverFile } from './spellings.ts';

const within = fileURLToPath(new URL('./scripts-within.ts', import.meta.url));
/** Ways that take a host name or address only. */
const led = ['fetch', 'http.get', 'net.connect', 'a look-up before', 'the gateway itself', 'axios'];

describe('a script of a check', () => {
  let seen: SeenOfScripts;
  before(async () => {
    seen = JSON.parse(await runInOwnNetwork(within, { hosts: hostsFile, resolver: resolverFile })) as SeenOfScripts;
    for (const { problem } of Object.values(seen) as Tried[]) assert.equal(problem, '');
  });

  it('connects only to public addresses, in every way and spelling', () => {
    assert.deepEqual(new Set(seen.closed.connected), publicAddresses);
    for (const way of led) {
      const reached = seen.closed.attempts.filter((each) => each.way === way && each.got !== '');
      assert.ok(
        reached.length > 0 && reached.every(({ host }) => publicHosts.includes(host)),
        `${way}: ${reached.map(({ host }) => host).join(' ')}`,
      );
    }
  });

  it('gets the reason: the address and the setting that would allow it', () => {
    for (const way of led) {
      const reported = seen.closed.attempts.filter(
        (each) =>
          each.way === way && /^refused by the egress policy: .*TOCSIN_EGRESS(=private|=any|_ALLOW)/.test(each.message),
      );
      assert.ok(
        reported.length >= 60,
        `${way}: ${reported.length} of ${forbiddenHosts.length} are refused by the policy`,
      );
      assert.ok(
        reported.every(({ code }) => code === 'EGRESS_REFUSED' || code === 'ERR_BAD_REQUEST'),
        way,
      );
    }
  });

  it('reaches nothing except its gateway: no datagrams, no abstract sockets of the machine', () => {
    const ways = ['another Node.js that is not led', 'perl', 'bash', 'handles of Node.js', 'an abstract socket'];
    for (const { attempts, others } of [seen.closed, seen.open]) {
      assert.equal(others, 0);
      for (const way of ways) assert.deepEqual([way, gotBy(attempts, way)], [way, '']);
    }
    // Each of them works without containment.
    assert.ok(seen.bare.others > 10, `${seen.bare.others}`);
    for (const way of ways) assert.match(gotBy(seen.bare.attempts, way), /reached/, way);
  });

  it('can start other Node.js processes and threads, which use the gateway, too', () => {
    for (const way of ['another Node.js', 'a thread']) {
      assert.match(gotBy(seen.closed.attempts, way), /reached/, way);
    }
  });

  it('is refused by the address at connection time, even if a name changes it', () => {
    const tries = seen.closed.attempts.filter(({ way }) => way === 'changing');
    assert.equal(tries.length, 10);
    assert.ok(tries.some(({ got }) => got === 'reached') && tries.some(({ code }) => code === 'EGRESS_REFUSED'));
  });

  it('drives a browser with the same limits: pages, WebSockets and images', () => {
    const pages = seen.closed.attempts.filter(({ way }) => way === 'page.goto');
    const [reached, others] = [pages.filter(({ got }) => got !== ''), pages.filter(({ got }) => got === '')];
    assert.ok(reached.length > 0 && reached.every(({ host }) => publicHosts.includes(host)), JSON.stringify(reached));
    assert.ok(others.length >= forbiddenHosts.length && others.every(({ message }) => /net::ERR_SOCKS/.test(message)));
    const reported = seen.closed.pageErrors.filter((text) => text.startsWith('refused by the egress policy: '));
    assert.ok(reported.length >= 60, `${reported.length} refusals are reported`);
  });

  it('reaches all of them if everything is allowed, or without containment', () => {
    for (const { connected } of [seen.open, seen.bare]) {
      const reached = connected.filter((address) => !publicAddresses.has(address));
      assert.ok(reached.length >= 35, `only ${reached.length}: ${reached.join()}`);
    }
  });
});

/** Result of a way that is tried once. */
function gotBy(attempts: readonly Attempt[], way: string): string {
  const found = attempts.find((each) => each.way === way);
  assert.ok(found !== undefined, `${way} was not tried`);
  return found.got;
}
