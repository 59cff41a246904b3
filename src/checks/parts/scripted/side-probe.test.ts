// The domain that a browser check monitors, over real connections.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { EnvironmentVariable } from '#domain/accounts/environment-variable.ts';
import type { Finding } from '#domain/results/result.ts';
import { createGuard, type EgressMode } from '#egress/guard.ts';
import { inputOf, variable } from '../../../../tests/support/checks/api-check.ts';
import { createAuthority } from '../../../../tests/support/targets/certificates.ts';
import { problemsOfKind } from '../../../../tests/support/checks/kind-probe.ts';
import { aCheck } from '../../../../tests/support/store/records.ts';
import { startTcpTarget, startTlsTarget } from '../../../../tests/support/targets/target.ts';
import { browserKind } from '../../kinds/browser/browser-kind.ts';

const accountId = '0198a000-0000-7000-8000-000000000001';

/** Probes the domain, repeatedly for the same check. */
function inspecting(sslCheckDomain: string, variables: readonly EnvironmentVariable[] = [], mode: EgressMode = 'any') {
  const probe = browserKind.sideProbe?.createProbe({ guard: createGuard({ mode, allow: [] }), version: '9.9' });
  assert.ok(probe);
  const settings = { script: 'await 1;', sslCheckDomain };
  const input = inputOf(aCheck(accountId, { checkType: 'BROWSER', settings }), variables);
  return { inspect: (): Promise<Finding> => probe({ ...input }, new AbortController().signal), input };
}

describe('the monitored domain of a browser check', () => {
  const validTo = new Date(Math.floor(Date.now() / 1000) * 1000 + 3 * 86_400_000);
  const issued = createAuthority().issue({ validTo, names: ['another.example'] });

  it('is reported with its certificate, trusted or not, with variables filled in', async (t) => {
    const { port } = await startTlsTarget(t, issued, (_, response) => response.end());
    const { certificate, verdict } = await inspecting('{{HOST}}:{{PORT}}', [
      variable('HOST', 'localhost'),
      variable('PORT', String(port)),
    ]).inspect();
    assert.deepEqual([verdict, certificate?.domain, certificate?.validTo], ['passed', 'localhost', validTo.getTime()]);
  });

  it('is reported with the reason if it could not be read, without secrets', async () => {
    const { certificate, message } = await inspecting('{{HOST}}:1', [variable('HOST', 'localhost', true)]).inspect();
    assert.equal(certificate, null);
    assert.match(String(message), /^\*{8}: /);
    assert.doesNotMatch(String(message), /localhost/);
  });

  it('is not named if a secret is part of it', async (t) => {
    const { port } = await startTlsTarget(t, issued, (_, response) => response.end());
    const { certificate } = await inspecting(`{{HOST}}:${port}`, [variable('HOST', 'localhost', true)]).inspect();
    assert.deepEqual([certificate?.domain, certificate?.validTo], ['********', validTo.getTime()]);
  });

  it('is checked once an hour, however often its check runs', async (t) => {
    let connections = 0;
    const target = await startTlsTarget(t, issued, (_, response) => response.end());
    const counting = await startTcpTarget(t, (socket) => {
      connections++;
      socket.end();
    });
    for (const [port, seen] of [
      [target.port, true],
      [counting.port, false],
    ] as const) {
      const { inspect } = inspecting(`localhost:${port}`);
      const [first, second] = [await inspect(), await inspect()];
      assert.deepEqual([first.certificate !== null, second.certificate], [seen, first.certificate]);
    }
    assert.equal(connections, 1, 'a domain without a certificate is not retried at once, either');
  });

  it('is not connected to if the egress policy refuses it', async (t) => {
    let connections = 0;
    const { port } = await startTcpTarget(t, (socket) => {
      connections++;
      socket.end();
    });
    const { certificate, verdict, message } = await inspecting(`127.0.0.1:${port}`, [], 'public').inspect();
    assert.deepEqual([verdict, certificate, connections], ['passed', null, 0]);
    assert.match(String(message), /^127\.0\.0\.1: .*egress/i, 'with the reason');
  });

  it('is optional and must be valid', () => {
    assert.equal(browserKind.sideProbe?.has(inspecting('').input.check), false);
    assert.equal(browserKind.sideProbe?.has(inspecting('shop.example').input.check), true);
    for (const right of ['', 'shop.example', 'shop.example:8443', '[2001:db8::1]:443', '{{HOST}}:{{PORT}}']) {
      assert.deepEqual(problemsOfKind('BROWSER', { script: 'await 1;', sslCheckDomain: right }), []);
    }
    for (const wrong of ['https://shop.example', 'shop.example:0', 'a b']) {
      assert.match(
        problemsOfKind('BROWSER', { script: 'await 1;', sslCheckDomain: wrong }).join(),
        /^sslCheckDomain: ".*" is not a domain/,
      );
    }
  });
});
