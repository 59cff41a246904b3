// The settings of a DNS check as its probe sees them (reference §4.3).
import type { JsonObject } from '#domain/json.ts';
import type { AssertionSettings, AssertionSource } from '../../parts/assertions/assertion.ts';
import { assertionProblems, timeProblems } from '../../parts/assertions/validate.ts';
import { hostProblem } from '../../parts/findings/prepare.ts';
import type { SettingsProblem } from '../../kind.ts';
import { hasPlaceholder } from '../../parts/placeholders.ts';
import { assertions, object, positive, text } from '../../parts/read.ts';
import { askedName, type RecordType, recordTypes } from './message.ts';

export const dnsSources = [
  'RESPONSE_CODE',
  'RESPONSE_TIME',
  'TEXT_ANSWER',
  'JSON_ANSWER',
] as const satisfies readonly AssertionSource[];

export interface DnsSettings {
  readonly query: string;
  readonly recordType: RecordType;
  /** '' = those of this machine. */
  readonly nameServer: string;
  readonly port: number;
  readonly isTcp: boolean;
  readonly assertions: readonly AssertionSettings[];
  /** ms. */
  readonly degradedResponseTime: number;
  /** ms. */
  readonly maxResponseTime: number;
}

export function readDnsSettings(settings: JsonObject): DnsSettings {
  const request = object(settings['request']);
  const type = text(request['recordType']).toUpperCase();
  return {
    query: text(request['query']),
    recordType: (Object.keys(recordTypes) as RecordType[]).find((each) => each === type) ?? 'A',
    nameServer: text(request['nameServer']),
    port: positive(request['port'], 53),
    isTcp: request['protocol'] === 'TCP',
    assertions: assertions(request['assertions']),
    degradedResponseTime: positive(settings['degradedResponseTime'], 500),
    maxResponseTime: positive(settings['maxResponseTime'], 1000),
  };
}

/** What is wrong with the settings beyond what the wire schema can say. */
export function validateDnsSettings(settings: JsonObject): SettingsProblem[] {
  const read = readDnsSettings(settings);
  const isName = hasPlaceholder(read.query) || askedName(read.query) !== null;
  const isNamed = read.nameServer !== '' && !hasPlaceholder(read.nameServer);
  const server = isNamed ? hostProblem(read.nameServer) : null;
  return [
    ...(isName ? [] : [{ path: 'request.query', message: `"${read.query.slice(0, 100)}" is not a domain name` }]),
    ...(server === null ? [] : [{ path: 'request.nameServer', message: server }]),
    ...assertionProblems(read.assertions, dnsSources, 'request.assertions'),
    ...timeProblems(settings, read),
  ];
}
