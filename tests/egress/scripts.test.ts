// Scripts of checks reach what the egress policy allows and nothing else, whatever they try: in a network where every address
// leads to a listener.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runInOwnNetwork } from '../support/own-network.ts';
import type { SeenOfScripts, Tried } from './scripts-within.ts';
import type { Attempt } from '../support/script-attempts.ts';
import { forbiddenHosts, hostsFile, publicAddresses, publicHosts, resolverFile } from './spellings.ts';

const within = fileURLToPath(new URL('./scripts-within.ts', import.meta.url));
/** Where a host is named by a name or an address alone. */
const led = ['fetch', 'http.get', 'net.connect', 'a look-up before', 'the gateway itself', 'axios'];

describe('a script of a check', () => {
  let seen: SeenOfScripts;
  before(async () => {
    seen = JSON.parse(await runInOwnNetwork(within, { hosts: hostsFile, resolver: resolverFile })) as SeenOfScripts;
    for (const { problem } of Object.values(seen) as Tried[]) assert.equal(problem, '');
  });

  it('connects to public addresses alone, in every way and spelling', () => {
    assert.deepEqual(new Set(seen.closed.connected), publicAddresses);
    for (const way of led) {
      const reached = seen.closed.attempts.filter((each) => each.way === way && each.got !== '');
      assert.ok(
        reached.length > 0 && reached.every(({ host }) => publicHosts.includes(host)),
        `${way}: ${reached.map(({ host }) => host).join(' ')}`,
      );
    }
  });

  it('is told why: the address and the setting that would allow it', () => {
    for (const way of led) {
      const told = seen.closed.attempts.filter(
        (each) =>
          each.way === way && /^refused by the egress policy: .*TOCSIN_EGRESS(=private|=any|_ALLOW)/.test(each.message),
      );
      assert.ok(told.length >= 60, `${way}: ${told.length} of ${forbiddenHosts.length} are refused by the policy`);
      assert.ok(
        told.every(({ code }) => code === 'EGRESS_REFUSED' || code === 'ERR_BAD_REQUEST'),
        way,
      );
    }
  });

  it('reaches nothing beside its gateway: no datagram, no other program, no abstract socket of the machine', () => {
    const ways = ['another Node.js that is not led', 'perl', 'bash', 'handles of Node.js', 'an abstract socket'];
    for (const { attempts, others } of [seen.closed, seen.open]) {
      assert.equal(others, 0);
      for (const way of ways) assert.deepEqual([way, gotBy(attempts, way)], [way, '']);
    }
    // Each of them does reach something where nothing keeps it.
    assert.ok(seen.bare.others > 10, `${seen.bare.others}`);
    for (const way of ways) assert.match(gotBy(seen.bare.attempts, way), /reached/, way);
  });

  it('may start other Node.js and threads, which are led as it is', () => {
    for (const way of ['another Node.js', 'a thread']) {
      assert.match(gotBy(seen.closed.attempts, way), /reached/, way);
    }
  });

  it('is refused what a name leads to when it is connected to, also when that changes', () => {
    const tries = seen.closed.attempts.filter(({ way }) => way === 'changing');
    assert.equal(tries.length, 10);
    assert.ok(tries.some(({ got }) => got === 'reached') && tries.some(({ code }) => code === 'EGRESS_REFUSED'));
  });

  it('drives a browser that reaches as little: pages, WebSockets and pictures', () => {
    const pages = seen.closed.attempts.filter(({ way }) => way === 'page.goto');
    const [reached, others] = [pages.filter(({ got }) => got !== ''), pages.filter(({ got }) => got === '')];
    assert.ok(reached.length > 0 && reached.every(({ host }) => publicHosts.includes(host)), JSON.stringify(reached));
    assert.ok(others.length >= forbiddenHosts.length && others.every(({ message }) => /net::ERR_SOCKS/.test(message)));
    const told = seen.closed.pageErrors.filter((text) => text.startsWith('refused by the egress policy: '));
    assert.ok(told.length >= 60, `${told.length} refusals are told`);
  });

  it('reaches them all where everything is allowed, and where nothing contains it', () => {
    for (const { connected } of [seen.open, seen.bare]) {
      const reached = connected.filter((address) => !publicAddresses.has(address));
      assert.ok(reached.length >= 35, `only ${reached.length}: ${reached.join()}`);
    }
  });
});

/** What one of the ways that are tried once got hold of. */
function gotBy(attempts: readonly Attempt[], way: string): string {
  const found = attempts.find((each) => each.way === way);
  assert.ok(found !== undefined, `${way} was not tried`);
  return found.got;
}
