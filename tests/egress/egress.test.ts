// The egress policy of the real service, with every spelling of addresses, in a network where every address has a
// listener.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runInOwnNetwork } from '../support/own-network.ts';
import { forbiddenHosts, hostsFile, publicAddresses, publicHosts, resolverFile, unwritableHosts } from './spellings.ts';
import type { Asked, Seen, Way } from './within.ts';

const within = fileURLToPath(new URL('./within.ts', import.meta.url));

describe('the egress policy', () => {
  let seen: Seen;
  before(async () => {
    seen = JSON.parse(await runInOwnNetwork(within, { hosts: hostsFile, resolver: resolverFile })) as Seen;
  });

  it('is tested with at least forty spellings of addresses that an unguarded service reaches', () => {
    assert.ok(new Set(forbiddenHosts).size >= 40, `${forbiddenHosts.length} spellings`);
    const reached = seen.unguarded.filter((address) => !publicAddresses.has(address));
    assert.ok(reached.length >= 35, `only ${reached.length} addresses are reached without a guard: ${reached.join()}`);
  });

  it('needs no connection when a channel is saved or previewed', () => {
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
    it(`applies to a ${way}: only public addresses are allowed, and a refusal names the setting`, () => {
      const { connected } = seen.ways[way];
      assert.deepEqual(new Set(connected), publicAddresses);
      assertAll(seen.ways[way], forbiddenHosts, refused, /TOCSIN_EGRESS(=private|=any|_ALLOW)/);
      assertAll(seen.ways[way], publicHosts, reached);
    });
  }

  for (const kind of ['tcp', 'ssl', 'dns'] as const) {
    it(`applies to ${kind} checks: only public addresses are allowed`, () => {
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

  it('applies to a name that changes its address between lookups', () => {
    const outcomes = seen.changing.asked.map(({ outcome }) => outcome);
    assert.ok(outcomes.includes('delivered') && outcomes.includes('egress-refused'), outcomes.join());
    assert.ok(outcomes.includes('passed') && outcomes.includes('failed egress-refused'), outcomes.join());
    assert.deepEqual(seen.changing.connected, ['93.184.216.34', '93.184.216.34']);
  });

  it('is not changed by a proxy that is only set in the environment', () => {
    assert.deepEqual(seen.proxied, []);
  });
});

/** Asserts that all of these hosts were requested with this outcome. */
function assertAll({ asked }: Way, hosts: readonly string[], outcome: string, message = /(?:)/): void {
  const byHost = new Map<string, Asked>(asked.map((each) => [each.host, each]));
  const others = hosts.flatMap((host) => {
    const found = byHost.get(host);
    const isRight = found?.outcome === outcome && message.test(found.message);
    return isRight ? [] : [`${host}: ${found?.outcome ?? 'not asked'} ${found?.message ?? ''}`];
  });
  assert.deepEqual(others, []);
}
