// The part of a result that depends on the check type.
import type { AnswerOf } from '#contract/operations.ts';

export type Result = AnswerOf<'getCheckResult'>;
export type HttpPart = NonNullable<Result['apiCheckResult'] | Result['urlCheckResult']>;
export type LightPart = NonNullable<
  Result['tcpCheckResult'] | Result['sslCheckResult'] | Result['dnsCheckResult'] | Result['icmpCheckResult']
>;
export type ScriptPart = NonNullable<Result['browserCheckResult'] | Result['multiStepCheckResult']>;
export type PingPart = NonNullable<Result['heartbeatCheckResult']>;

/** The part of an API or URL check. */
export function httpPart(result: Result): HttpPart | null {
  return result.apiCheckResult ?? result.urlCheckResult ?? null;
}

/** The part of a TCP, SSL, DNS or ICMP check. */
export function lightPart(result: Result): LightPart | null {
  return result.tcpCheckResult ?? result.sslCheckResult ?? result.dnsCheckResult ?? result.icmpCheckResult ?? null;
}

/** The part of a browser or multistep check. */
export function scriptPart(result: Result): ScriptPart | null {
  return result.browserCheckResult ?? result.multiStepCheckResult ?? null;
}

/** One part of a response time. */
export interface Phase {
  readonly name: string;
  readonly ms: number;
}

const phaseNames: Readonly<Record<string, string>> = {
  wait: 'Redirects',
  dns: 'DNS',
  tcp: 'Connect',
  connect: 'Connect',
  tls: 'TLS',
  firstByte: 'First byte',
  download: 'Download',
  data: 'Data',
  answer: 'Answer',
};

/** Durations of the phases in order. Phases that did not occur are omitted. */
export function phasesOf(result: Result): readonly Phase[] {
  const phases = httpPart(result)?.response?.timingPhases ?? lightPart(result)?.timingPhases ?? {};
  return Object.entries(phases).flatMap(([key, ms]) => {
    const name = phaseNames[key];
    return name === undefined || ms === 0 ? [] : [{ name, ms }];
  });
}

/** Position of a phase among all, from 1; its color is the same on every page. */
export function phaseOrder(name: string): number {
  return ['Redirects', 'DNS', 'Connect', 'TLS', 'First byte', 'Data', 'Answer', 'Download'].indexOf(name) + 1;
}

/** The color token of a phase. */
export function phaseColour(name: string): string {
  const colours: Readonly<Record<string, number>> = {
    Redirects: 6,
    DNS: 1,
    Connect: 2,
    TLS: 5,
    'First byte': 3,
    Data: 3,
    Answer: 3,
    Download: 4,
  };
  return `var(--phase-${colours[name] ?? 6})`;
}

/** The displayed response time, ms; for ICMP the average round trip. null = not measured. */
export function shownTime(result: Result): number | null {
  const latency = result.icmpCheckResult?.response?.latency;
  if (latency != null) return latency.avg;
  if (result.responseTime > 0) return result.responseTime;
  const total = phasesOf(result).reduce((sum, { ms }) => sum + ms, 0);
  return total > 0 && !result.hasErrors && lightPart(result)?.requestError === null ? total : null;
}
