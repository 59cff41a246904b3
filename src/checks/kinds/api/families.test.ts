// A name with both address families is reached at whichever responds (decisions: Where requests may go).
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { test } from 'node:test';
import { createGuard } from '#egress/guard.ts';
import { detailsOf, probeOnce, verdictOf } from '../../../../tests/support/checks/api-probe.ts';
import { apiSchema } from './schema.ts';

const hasIpv6 = Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === '::1'));

test(
  'localhost reaches a target that only listens on ::1, unless the check requires IPv4',
  { skip: hasIpv6 ? false : 'this machine has no IPv6 loopback' },
  async (t) => {
    // A port that no other program has on 127.0.0.1.
    const held = createServer().listen(0, '127.0.0.1');
    await once(held, 'listening');
    const { port } = held.address() as AddressInfo;
    const server = createServer((_, response) => response.end('here'));
    t.after(() => server.close());
    await once(server.listen({ host: '::1', port, ipv6Only: true }), 'listening');
    await once(held.close(), 'close');
    const url = `http://localhost:${port}/`;
    // The machine's own hosts file may list one address only.
    const guard = createGuard({ mode: 'any', allow: [], names: { hostsFile: '/dev/null' } });
    for (const [ipFamily, verdict, address] of [
      [undefined, 'passed', '::1'],
      [null, 'passed', '::1'],
      ['IPv6', 'passed', '::1'],
      ['IPv4', 'failed connect', null],
    ] as const) {
      const given = { method: 'GET', url, ...(ipFamily === undefined ? {} : { ipFamily }) };
      const finding = await probeOnce(apiSchema.fields.request.parse(given), { deps: { guard } });
      assert.deepEqual([verdictOf(finding), detailsOf(finding).address], [verdict, address], String(ipFamily));
    }
  },
);
