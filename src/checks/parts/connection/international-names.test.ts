// International names are converted to A-labels everywhere.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { createSecureContext } from 'node:tls';
import type { JsonObject } from '#domain/json.ts';
import { verdictOf } from '../../../../tests/support/checks/api-probe.ts';
import { createAuthority } from '../../../../tests/support/targets/certificates.ts';
import { type KindProbeOptions, probeKind, problemsOfKind } from '../../../../tests/support/checks/kind-probe.ts';
import { startTlsTarget } from '../../../../tests/support/targets/target.ts';
import { startZoneServer } from '../../../../tests/support/targets/zone-server.ts';

const name = 'Bücher.test';
const ascii = 'xn--bcher-kva.test';

test('every check type reaches a host with an umlaut and requests its certificate in A-labels', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-names-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const hostsFile = join(folder, 'hosts');
  writeFileSync(hostsFile, `127.0.0.1 ${ascii}\n`);
  const authority = createAuthority();
  const issued = authority.issue({ names: [ascii] });
  const asked: string[] = [];
  const SNICallback = (
    server: string,
    answer: (error: null, context: ReturnType<typeof createSecureContext>) => void,
  ) => {
    asked.push(server);
    answer(null, createSecureContext(issued));
  };
  const { port } = await startTlsTarget(t, { ...issued, SNICallback }, (_, response) => response.end());
  const zone = await startZoneServer(t, () => [{ type: 1, data: Buffer.from([192, 0, 2, 1]) }]);
  const ping = join(folder, 'ping');
  const reply = '64 bytes from 127.0.0.1: icmp_seq=1 ttl=57 time=1 ms';
  writeFileSync(ping, `#!/bin/sh\necho '${reply}'\necho '1 packets transmitted, 1 received'\n`, { mode: 0o755 });
  const options: KindProbeOptions = {
    egress: { names: { hostsFile, servers: ['127.0.0.1:1'] } },
    deps: { extraCertificates: [authority.cert], pingCommand: ping },
  };
  const plain = { request: { url: `https://127.0.0.1:${port}/`, skipSSL: true } };
  const settings: readonly (readonly ['SSL' | 'API' | 'URL' | 'TCP' | 'DNS' | 'ICMP', JsonObject])[] = [
    ['SSL', { sslConfig: { hostname: name, port } }],
    ['SSL', { sslConfig: { hostname: '127.0.0.1', serverName: name, port } }],
    ['API', { request: { method: 'GET', url: `https://${name}:${port}/` } }],
    ['API', { ...plain, request: { method: 'GET', ...plain.request }, sslCheckDomain: `${name}:${port}` }],
    ['URL', { request: { url: `https://${name}:${port}/` } }],
    ['TCP', { request: { hostname: name, port } }],
    ['DNS', { request: { query: name, recordType: 'A', nameServer: name, port: zone.port } }],
    ['ICMP', { request: { hostname: name, pingCount: 1 } }],
  ];
  for (const [type, each] of settings) {
    assert.deepEqual(problemsOfKind(type, each), [], type);
    const finding = await probeKind(type, each, options);
    assert.equal(verdictOf(finding), 'passed', `${type}: ${finding.message ?? ''}`);
    if (finding.certificate !== null) assert.equal(finding.certificate.domain, ascii, type);
  }
  assert.deepEqual(new Set(asked), new Set([ascii]));
});

test('rejects a name without A-labels', () => {
  const problems = problemsOfKind('TCP', { request: { hostname: '\u200d.test', port: 443 } });
  assert.match(problems.join(), /^request\.hostname: /);
});
