// ICMP checks by the real program of this machine, in a network of its own: answers, loss, and who may send pings.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { findPing } from '#checks/kinds/icmp/ping.ts';
import { runInOwnNetwork } from './support/own-network.ts';
import type { Pinged, SeenOfPings } from './support/targets/icmp-within.ts';

const within = fileURLToPath(new URL('./support/targets/icmp-within.ts', import.meta.url));
const missing = 'NOT RUN WITH THE REAL PROGRAM: this machine has no ping (Debian: iputils-ping)';
const families = ['IPv4', 'IPv6'] as const;

describe('an ICMP check by the real ping', { skip: findPing() === null && missing }, () => {
  let seen: SeenOfPings;
  before(async () => {
    seen = JSON.parse(await runInOwnNetwork(within, { hosts: '127.0.0.1 localhost\n', resolver: '' })) as SeenOfPings;
  });

  it('passes where a host answers, over both families', () => {
    for (const family of families) isAnswered(seen.answering[family]);
  });

  it('fails where nobody answers, over both families', () => {
    const hosts = { IPv4: '198.51.100.2', IPv6: '2001:db8::2' };
    for (const family of families) {
      const { verdict, message, responseTimeMs, response } = seen.silent[family];
      assert.deepEqual([verdict, message], ['failed timeout', `${hosts[family]} answered none of 3 pings`]);
      assert.deepEqual([responseTimeMs, response?.['sent'], response?.['packetLoss']], [null, 3, 100]);
    }
  });

  it('counts what is lost of a host that ceases to answer', () => {
    const { verdict, message, response } = seen.ceasing;
    const received = Number(response?.['received']);
    assert.ok(received >= 5 && received < 16, JSON.stringify(seen.ceasing));
    assert.equal(response?.['sent'], 20);
    assert.match(message ?? '', new RegExp(`: 127\\.0\\.0\\.1 answered ${received} of 20 pings$`));
    assert.equal(verdict, 'failed timeout');
  });

  it('does not blame the host where no way leads to it', () => {
    const { verdict, message } = seen.unreachable;
    assert.equal(verdict, 'unknown observer-network');
    assert.match(message ?? '', /^this machine cannot send pings: .*Network is unreachable$/);
  });

  it('is unknown where neither the program nor its user may send pings, and doctor says why', (t) => {
    if (seen.unprivileged === null) return t.skip('only root can become somebody without rights');
    const { closed, problem, dropped } = seen.unprivileged;
    assert.equal(closed.verdict, 'unknown observer-network');
    assert.match(closed.message ?? '', /^this machine cannot send pings: .*Operation not permitted$/);
    assert.equal(problem, closed.message);
    // Whatever the range allows: the system does not even start a program whose capability nobody may have.
    assert.equal(dropped.verdict, 'unknown observer-network');
    assert.match(dropped.message ?? '', /Operation not permitted$/);
  });

  it('passes for a user without rights, by the capability of the program or by net.ipv4.ping_group_range', (t) => {
    if (seen.unprivileged === null) return t.skip('only root can become somebody without rights');
    isAnswered(seen.unprivileged.capable);
    for (const family of families) isAnswered(seen.unprivileged.inRange[family]);
  });

  it('passes in a container that drops all capabilities, by what the Dockerfile makes of the program', (t) => {
    if (seen.unprivileged === null) return t.skip('only root can become somebody without rights');
    isAnswered(seen.unprivileged.ofImage);
  });
});

function isAnswered(pinged: Pinged): void {
  const { verdict, responseTimeMs, response } = pinged;
  assert.equal(verdict, 'passed', JSON.stringify(pinged));
  assert.deepEqual([response?.['sent'], response?.['received'], response?.['packetLoss']], [3, 3, 0]);
  assert.ok((responseTimeMs ?? -1) > 0 && (responseTimeMs ?? 1e9) < 1000, JSON.stringify(pinged));
}
