// Comparable facts of two results.
import { bytes, milliseconds } from '../../ui/text/format.ts';
import { timeWord } from '../../ui/checks/check-type.ts';
import {
  httpPart,
  lightPart,
  phasesOf,
  type PingPart,
  type Result,
  scriptPart,
  shownTime,
} from '../../ui/checks/result-part.ts';
import { type Headers, prettyBody } from '../../ui/text/http-text.ts';
import { text } from './strings.ts';

export interface Fact {
  readonly name: string;
  readonly before: string | null;
  readonly after: string | null;
}

const { names } = text;

type Value = readonly [name: string, value: string | null];

/** Recorded facts of every result, by name. Times are compared separately. */
function factsOf(result: Result): readonly Value[] {
  const http = httpPart(result);
  const script = scriptPart(result);
  const certificate = result.sslCheckResult?.response?.certificate;
  const connection = result.sslCheckResult?.response?.connection;
  const { dnsCheckResult: dns, icmpCheckResult: icmp, heartbeatCheckResult: ping } = result;
  const address = http?.address ?? lightPart(result)?.address ?? null;
  return [
    ...(http
      ? ([
          [
            names.status,
            http.response ? `${http.response.status} ${http.response.statusText ?? ''}`.trim() : text.noAnswer,
          ],
          [names.protocol, http.protocol && `HTTP/${http.protocol.http}`],
          [names.tls, http.protocol?.tls ?? null],
          [names.redirects, String(http.redirects.length)],
          [names.size, http.response && bytes(http.sizes.decoded)],
        ] as const)
      : []),
    ...(certificate && connection
      ? ([
          [names.fingerprint, certificate.fingerprintSha256],
          [names.issuer, certificate.issuerCN],
          [names.validTo, certificate.validTo],
          [names.chain, connection.chainTrusted ? 'trusted' : 'not trusted'],
          [names.tls, `${connection.tlsVersion}, ${connection.cipherSuite}`],
        ] as const)
      : []),
    ...(dns
      ? ([
          [names.code, dns.response?.code ?? text.noAnswer],
          [names.answers, dns.response && String(dns.response.answers)],
        ] as const)
      : []),
    ...(icmp ? ([[names.loss, icmp.response && `${icmp.response.packetLoss}%`]] as const) : []),
    ...(script
      ? ([
          [names.tests, `${script.failedTests} of ${script.tests}`],
          [names.runtime, script.runtimeVersion],
        ] as const)
      : []),
    ...(ping ? ([[names.ping, reportOf(ping)]] as const) : []),
    ...(http || lightPart(result) ? ([[names.address, address]] as const) : []),
  ];
}

/** Facts reported by a ping. */
export function reportOf({ signal, exitCode }: PingPart): string {
  return signal === 'exit' ? text.exitCode(exitCode ?? 0) : text.signals[signal];
}

/** Facts of both, in the same order. */
export function compareFacts(before: Result, after: Result): readonly Fact[] {
  const [old, fresh] = [new Map(factsOf(before)), new Map(factsOf(after))];
  return [...new Set([...fresh.keys(), ...old.keys()])].map((name) => ({
    name,
    before: old.get(name) ?? null,
    after: fresh.get(name) ?? null,
  }));
}

/** The response time and phases that changed by more than half and 100 ms; smaller changes are noise. */
export function compareTimes(before: Result, after: Result): readonly Fact[] {
  const isLarge = (old: number, fresh: number): boolean =>
    Math.abs(fresh - old) > 100 && Math.abs(fresh - old) > Math.min(fresh, old) / 2;
  const times = (result: Result): readonly (readonly [string, number])[] => {
    const total = shownTime(result);
    return [
      ...(total === null ? [] : [[timeWord(result.checkType), total] as const]),
      ...phasesOf(result).map(({ name, ms }) => [name, ms] as const),
    ];
  };
  const old = new Map(times(before));
  return times(after).flatMap(([name, ms]) => {
    const earlier = old.get(name) ?? 0;
    return isLarge(earlier, ms) ? [{ name, before: milliseconds(earlier), after: milliseconds(ms) }] : [];
  });
}

/** Headers that differ between any two responses. */
const volatile = new Set(['date', 'age', 'expires', 'content-length', 'etag', 'last-modified']);

export function compareHeaders(before: Headers, after: Headers): readonly Fact[] {
  const shown = (value: string | readonly string[] | undefined): string | null =>
    value === undefined ? null : [value].flat().join(', ');
  return [...new Set([...Object.keys(after), ...Object.keys(before)])]
    .filter((name) => !volatile.has(name.toLowerCase()))
    .map((name) => ({ name, before: shown(before[name]), after: shown(after[name]) }))
    .filter((fact) => fact.before !== fact.after);
}

/** The formatted response text; null = not stored. */
export function bodyOf(result: Result): string | null {
  const response = httpPart(result)?.response;
  if (response)
    return response.bodyEncoding === 'base64' ? null : response.body === null ? null : prettyBody(response.body);
  return result.dnsCheckResult?.response?.text ?? result.tcpCheckResult?.response?.data ?? null;
}

/** Whether headers and body of a result are stored. */
export function isInFull(result: Result): boolean {
  return bodyOf(result) !== null || scriptPart(result) !== null || result.sslCheckResult?.request != null;
}
