// The settings of a TCP check as its probe sees them (reference §4.3).
import type { JsonObject } from '#domain/json.ts';
import type { AssertionSettings, AssertionSource } from '../../parts/assertions/assertion.ts';
import { assertionProblems, timeProblems } from '../../parts/assertions/validate.ts';
import { hostProblem } from '../../parts/findings/prepare.ts';
import type { SettingsProblem } from '../../kind.ts';
import { hasPlaceholder } from '../../parts/placeholders.ts';
import { assertions, family, object, positive, text } from '../../parts/read.ts';

export const tcpSources = ['RESPONSE_DATA', 'RESPONSE_TIME'] as const satisfies readonly AssertionSource[];

export interface TcpSettings {
  readonly hostname: string;
  /** 0 = there is none. */
  readonly port: number;
  /** Sent once connected; '' = nothing. */
  readonly data: string;
  readonly family: 0 | 4 | 6;
  readonly assertions: readonly AssertionSettings[];
  /** ms. */
  readonly degradedResponseTime: number;
  /** ms. */
  readonly maxResponseTime: number;
}

export function readTcpSettings(settings: JsonObject): TcpSettings {
  const request = object(settings['request']);
  return {
    hostname: text(request['hostname']),
    port: positive(request['port'], 0),
    data: text(request['data']),
    family: family(request['ipFamily']),
    assertions: assertions(request['assertions']),
    degradedResponseTime: positive(settings['degradedResponseTime'], 3000),
    maxResponseTime: positive(settings['maxResponseTime'], 5000),
  };
}

/** What is wrong with the settings beyond what the wire schema can say. */
export function validateTcpSettings(settings: JsonObject): SettingsProblem[] {
  const read = readTcpSettings(settings);
  const problem = hasPlaceholder(read.hostname) ? null : hostProblem(read.hostname);
  return [
    ...(problem === null ? [] : [{ path: 'request.hostname', message: problem }]),
    ...assertionProblems(read.assertions, tcpSources, 'request.assertions'),
    ...timeProblems(settings, read),
  ];
}
