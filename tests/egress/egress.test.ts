// Nothing forbidden is ever connected to, however it is spelled and whichever way it goes: tried with the real service in a
// network where every address there is leads to a listener.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runInOwnNetwork } from '../support/own-network.ts';
import { forbiddenHosts, hostsFile, publicAddresses, publicHosts, resolverFile, unwritableHosts } from './spellings.ts';
import type { Asked, Seen, Way } from './within.ts';

const within = fileURLToPath(new URL('./within.ts', import.meta.url));

describe('where requests may go', () => {
  let seen: Seen;
  before(async () => {
    seen = JSON.parse(await runInOwnNetwork(within, { hosts: hostsFile, resolver: resolverFile })) as Seen;
  });

  it('is tried with forty spellings and more, on addresses that a service without a guard reaches', () => {
    assert.ok(new Set(forbiddenHosts).size >= 40, `${forbiddenHosts.length} spellings`);
    const reached = seen.unguarded.filter((address) => !publicAddresses.has(address));
    assert.ok(reached.length >= 35, `only ${reached.length} addresses are reached without a guard: ${reached.join()}`);
  });

  it('is not asked when a channel is saved or previewed: nobody is connected to', () => {
    for (const way of ['save', 'preview'] as const) {
      assert.deepEqual(seen.ways[way].connected, []);
      assertAll(seen.ways[way], [...forbiddenHosts, ...publicHosts], way === 'save' ? '201' : '200');
    }
    assertAll(seen.ways.save, unwritableHosts, '400', /valid URL/);
  });

  for (const [way, refused, reached] of [
    ['test message', 'egress-refused', 'delivered'],
    ['delivery', 'refused', 'delivered'],
    ['check', 'failed egress-refused', 'passed'],
    ['redirect', 'failed egress-refused', 'passed'],
  ] as const) {
    it(`holds for a ${way}: refused is all but the public addresses, with the setting that would allow it`, () => {
      const { connected } = seen.ways[way];
      assert.deepEqual(new Set(connected), publicAddresses);
      assertAll(seen.ways[way], forbiddenHosts, refused, /TOCSIN_EGRESS(=private|=any|_ALLOW)/);
      assertAll(seen.ways[way], publicHosts, reached);
    });
  }

  for (const kind of ['tcp', 'ssl', 'dns'] as const) {
    it(`holds for ${kind} checks: what can be written as a host is refused, but for the public addresses`, () => {
      const { asked, connected } = seen.light[kind];
      assert.deepEqual(new Set(connected), publicAddresses);
      const outcomeOf = new Map(asked.map(({ host, outcome }) => [host, outcome]));
      const outcomes = forbiddenHosts.map((host) => outcomeOf.get(host) ?? 'not asked');
      const odd = outcomes.filter((outcome) => !['400', 'failed dns', 'failed egress-refused'].includes(outcome));
      assert.deepEqual(odd, []);
      const refused = outcomes.filter((outcome) => outcome === 'failed egress-refused').length;
      assert.ok(refused >= 40, `only ${refused} spellings came as far as the policy`);
    });
  }

  it('holds for a name that changes its address from look-up to look-up', () => {
    const outcomes = seen.changing.asked.map(({ outcome }) => outcome);
    assert.ok(outcomes.includes('delivered') && outcomes.includes('egress-refused'), outcomes.join());
    assert.ok(outcomes.includes('passed') && outcomes.includes('failed egress-refused'), outcomes.join());
    assert.deepEqual(seen.changing.connected, ['93.184.216.34', '93.184.216.34']);
  });

  it('is not changed by a proxy that only the environment names', () => {
    assert.deepEqual(seen.proxied, []);
  });
});

/** Every one of these hosts was asked for and came out like this. */
function assertAll({ asked }: Way, hosts: readonly string[], outcome: string, message = /(?:)/): void {
  const byHost = new Map<string, Asked>(asked.map((each) => [each.host, each]));
  const others = hosts.flatMap((host) => {
    const found = byHost.get(host);
    const isRight = found?.outcome === outcome && message.test(found.message);
    return isRight ? [] : [`${host}: ${found?.outcome ?? 'not asked'} ${found?.message ?? ''}`];
  });
  assert.deepEqual(others, []);
}
