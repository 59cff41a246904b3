// The settings of an ICMP check as its probe sees them (reference §4.3).
import type { JsonObject } from '#domain/json.ts';
import type { AssertionSettings, AssertionSource } from '../../parts/assertions/assertion.ts';
import { assertionProblems } from '../../parts/assertions/validate.ts';
import { hostProblem } from '../../parts/findings/prepare.ts';
import type { SettingsProblem } from '../../kind.ts';
import { hasPlaceholder } from '../../parts/placeholders.ts';
import { assertions, family, object, positive, text } from '../../parts/read.ts';

export const icmpSources = ['LATENCY', 'JSON_RESPONSE'] as const satisfies readonly AssertionSource[];

export interface IcmpSettings {
  readonly hostname: string;
  readonly family: 0 | 4 | 6;
  /** 1..50. */
  readonly pingCount: number;
  readonly assertions: readonly AssertionSettings[];
  /** Percent from which on it is degraded. */
  readonly degradedLoss: number;
  /** Percent from which on it has failed. */
  readonly mostLoss: number;
}

export function readIcmpSettings(settings: JsonObject): IcmpSettings {
  const request = object(settings['request']);
  return {
    hostname: text(request['hostname']),
    family: family(request['ipFamily']),
    pingCount: Math.min(50, Math.ceil(positive(request['pingCount'], 10))),
    assertions: assertions(request['assertions']),
    degradedLoss: positive(settings['degradedPacketLossThreshold'], 10),
    mostLoss: positive(settings['maxPacketLossThreshold'], 20),
  };
}

/** What is wrong with the settings beyond what the wire schema can say. */
export function validateIcmpSettings(settings: JsonObject): SettingsProblem[] {
  const read = readIcmpSettings(settings);
  const problem = hasPlaceholder(read.hostname) ? null : hostProblem(read.hostname);
  const { degradedLoss, mostLoss } = read;
  const isTurned = degradedLoss > mostLoss && settings['degradedPacketLossThreshold'] !== undefined;
  const message = `${degradedLoss} is more than maxPacketLossThreshold, ${mostLoss}`;
  return [
    ...(problem === null ? [] : [{ path: 'request.hostname', message: problem }]),
    ...assertionProblems(read.assertions, icmpSources, 'request.assertions'),
    ...(isTurned ? [{ path: 'degradedPacketLossThreshold', message }] : []),
  ];
}
