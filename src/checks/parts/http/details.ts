// Compact storage of HTTP result details as a JSON list. Thousands are stored per check, so the usual case is a few
// numbers, followed by an object for the rest.
import { STATUS_CODES } from 'node:http';
import type { JsonValue, JsonObject } from '#domain/json.ts';
import { type AssertionOutcome, decodeAssertion, encodeAssertion, trimmed, withoutTime } from '../assertions/stored.ts';
import { isList, isObject, number, textOrNull, object, text } from '../read.ts';
import type { Measures } from '#domain/results/analytics.ts';
import { phaseNames } from '#domain/results/detailed-roll-up.ts';
import type { Check } from '#domain/checks/check.ts';
import type { Result } from '#domain/results/result.ts';
import type { KindFacts } from '../../kind.ts';

/** Durations in ms with decimals; they add up to the response time. */
export interface Phases {
  /** Before the last request: redirects. */
  readonly wait: number;
  readonly dns: number;
  readonly tcp: number;
  readonly tls: number;
  readonly firstByte: number;
  readonly download: number;
}

/** Characters stored of a redirect's location. */
export const maxLocation = 500;

export interface ApiDetails {
  /** null if there was no response. */
  readonly status: number | null;
  readonly statusText: string | null;
  readonly address: string | null;
  readonly protocol: { readonly http: string; readonly tls: string | null; readonly cipher: string | null } | null;
  readonly phases: Phases;
  /** Whether times are withheld because of a delay by Tocsin; all phases are 0. Absent = no. */
  readonly areTimesWithheld?: true;
  /** Bytes of headers, of the body on the wire, and of the decompressed body. */
  readonly sizes: { readonly headers: number; readonly body: number; readonly decoded: number };
  readonly truncated: boolean;
  readonly redirects: readonly { readonly status: number; readonly location: string }[];
  readonly assertions: readonly AssertionOutcome[];
  /** Why the certificate of the monitored domain could not be read. Absent if it was read or no domain is set. */
  readonly certificateProblem?: string;
  /** Scripts around the request. Absent if there were none. */
  readonly scripts?: HookDetails;
}

/** Stored data about the scripts around a request. */
interface HookDetails {
  readonly runtime: string;
  readonly node: string;
  readonly warnings: readonly string[];
  /** In order of execution; durations in ms. */
  readonly runs: readonly { readonly script: string; readonly durationMs: number }[];
}

const tlsNames = ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'];
const cipherNames = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_AES_128_GCM_SHA256',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-CHACHA20-POLY1305',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
];

/**
 * Encodes `[status, address, dns, tcp, tls, first byte, download, header bytes, body bytes, assertions, rest]`. Phases
 * are whole µs, missing values 0, trailing zeros omitted.
 */
export function encodeDetails(details: ApiDetails): JsonValue {
  const { phases, sizes } = details;
  return trimmed([
    details.status ?? 0,
    details.address ?? 0,
    ...[phases.dns, phases.tcp, phases.tls, phases.firstByte, phases.download].map(micros),
    sizes.headers,
    sizes.body,
    details.assertions.length === 0 ? 0 : details.assertions.map(encodeAssertion),
    encodeRest(details),
  ]);
}

function encodeRest(details: ApiDetails): JsonValue {
  const { status, statusText, phases, sizes, protocol, redirects, truncated, certificateProblem, scripts } = details;
  const rest: Record<string, JsonValue> = {};
  if ((statusText ?? '') !== usualText(status)) rest['t'] = statusText;
  if (phases.wait >= 0.0005) rest['w'] = micros(phases.wait);
  if (sizes.decoded !== sizes.body) rest['d'] = sizes.decoded;
  if (protocol !== null && protocol.http !== '1.1') rest['h'] = protocol.http;
  if (protocol?.tls) rest['p'] = [codeIn(tlsNames, protocol.tls), codeIn(cipherNames, protocol.cipher ?? '')];
  if (redirects.length > 0) rest['r'] = redirects.map((each) => [each.status, each.location]);
  if (truncated) rest['x'] = 1;
  if (details.areTimesWithheld === true) rest['u'] = 1;
  if (certificateProblem !== undefined) rest['c'] = certificateProblem;
  if (scripts !== undefined) {
    const { runtime, node, warnings, runs } = scripts;
    rest['s'] = [runtime, node, warnings, runs.map(({ script, durationMs }) => [script, durationMs])];
  }
  return Object.keys(rest).length === 0 ? 0 : rest;
}

/** Adds why the certificate of the monitored domain could not be read. */
export function withCertificateProblem(stored: JsonValue, certificateProblem: string): JsonValue {
  return encodeDetails({ ...decodeDetails(stored), certificateProblem });
}

/** Removes times that include a delay by Tocsin. */
export function httpWithoutTimes(stored: JsonValue): JsonValue {
  const details = decodeDetails(stored);
  const assertions = details.assertions.map(withoutTime);
  return encodeDetails({ ...details, assertions, phases: noPhases, areTimesWithheld: true });
}

const noPhases: Phases = { wait: 0, dns: 0, tcp: 0, tls: 0, firstByte: 0, download: 0 };

/** Decodes the output of `encodeDetails`. Anything else counts as a result without a response. */
export function decodeDetails(stored: JsonValue): ApiDetails {
  const list = isList(stored) ? stored : [];
  const rest = isObject(list[10]) ? list[10] : {};
  const { status, statusText } = decodeStatus(stored);
  const phases = {
    wait: number(rest['w']) / 1000,
    dns: number(list[2]) / 1000,
    tcp: number(list[3]) / 1000,
    tls: number(list[4]) / 1000,
    firstByte: number(list[5]) / 1000,
    download: number(list[6]) / 1000,
  };
  const areTimesWithheld = rest['u'] === 1;
  const time = areTimesWithheld ? null : totalText(phases);
  const [tls, cipher] = isList(rest['p']) ? rest['p'] : [];
  const http = textOrNull(rest['h']) ?? '1.1';
  return {
    status,
    statusText,
    address: textOrNull(list[1]),
    protocol: status === null ? null : { http, tls: nameIn(tlsNames, tls), cipher: nameIn(cipherNames, cipher) },
    phases,
    ...(areTimesWithheld && { areTimesWithheld }),
    sizes: { headers: number(list[7]), body: number(list[8]), decoded: number(rest['d'] ?? list[8]) },
    truncated: rest['x'] === 1,
    redirects: (isList(rest['r']) ? rest['r'] : []).filter(isList).map(([code, location]) => ({
      status: number(code),
      location: textOrNull(location) ?? '',
    })),
    assertions: (isList(list[9]) ? list[9] : [])
      .filter(isList)
      .map((each) =>
        decodeAssertion(each, (source) =>
          source === 'STATUS_CODE' ? String(status) : source === 'RESPONSE_TIME' ? time : null,
        ),
      ),
    ...(typeof rest['c'] === 'string' && { certificateProblem: rest['c'] }),
    ...decodeScripts(rest['s']),
  };
}

function decodeScripts(stored: JsonValue | undefined): Pick<ApiDetails, 'scripts'> {
  if (!isList(stored)) return {};
  const [runtime, node, warnings, runs] = stored;
  const scripts: HookDetails = {
    runtime: textOrNull(runtime) ?? '',
    node: textOrNull(node) ?? '',
    warnings: (isList(warnings) ? warnings : []).map((warning) => textOrNull(warning) ?? ''),
    runs: (isList(runs) ? runs : []).filter(isList).map(([script, durationMs]) => ({
      script: textOrNull(script) ?? '',
      durationMs: number(durationMs),
    })),
  };
  return { scripts };
}

/** Decodes only the status; called for every result. */
function decodeStatus(stored: JsonValue): Pick<ApiDetails, 'status' | 'statusText'> {
  const status = isList(stored) ? number(stored[0]) || null : null;
  if (status === null || !isList(stored)) return { status: null, statusText: null };
  const rest = stored[10];
  return { status, statusText: (isObject(rest) ? textOrNull(rest['t']) : null) ?? usualText(status) };
}

/** Sum of the phases in ms: the response time. */
export function totalOf(phases: Phases): number {
  return phases.wait + phases.dns + phases.tcp + phases.tls + phases.firstByte + phases.download;
}

function totalText(phases: Phases): string {
  return String(Number(totalOf(phases).toFixed(3)));
}

function usualText(status: number | null): string {
  return (status === null ? undefined : STATUS_CODES[status]) ?? '';
}

function micros(ms: number): number {
  return Math.max(0, Math.round(ms * 1000));
}

function codeIn(names: readonly string[], name: string): JsonValue {
  const index = names.indexOf(name);
  return index < 0 ? name : index;
}

function nameIn(names: readonly string[], code: JsonValue | undefined): string | null {
  return typeof code === 'number' ? (names[code] ?? null) : textOrNull(code) || null;
}

/** Formats a stored result. Without the exchange, uses the short response from the details. */
export function describeHttp(
  result: Pick<Result, 'details' | 'message' | 'reason'>,
  exchange: JsonObject | null,
): JsonObject {
  const details = decodeDetails(result.details);
  const { address, protocol, sizes, redirects } = details;
  return {
    assertions: details.assertions.map(({ among: _among, isEvery: _isEvery, ...shown }) => shown),
    request: exchange?.['request'] ?? null,
    response: responseOf(details, exchange),
    requestError: details.status === null ? result.message : null,
    address,
    protocol: protocol === null ? null : { ...protocol },
    sizes: { ...sizes },
    redirects: redirects.map((redirect) => ({ ...redirect })),
  };
}

function responseOf(details: ApiDetails, exchange: JsonObject | null): JsonObject | null {
  const response = exchange?.['response'] ?? (details.status === null ? null : shortResponse(details));
  if (response === null || details.areTimesWithheld !== true) return response as JsonObject | null;
  return { ...(response as JsonObject), timings: null, timingPhases: null };
}

function shortResponse({ status, statusText, truncated, phases }: ApiDetails): JsonObject {
  const total = Number(totalOf(phases).toFixed(3));
  return {
    status,
    statusText,
    headers: null,
    body: null,
    truncated,
    timings: null,
    timingPhases: { ...phases, total },
  };
}

/** Facts for alerts: the check's URL and the response status. */
export function httpAlertFacts(check: Pick<Check, 'settings'>, details: JsonValue): KindFacts {
  return { url: text(object(check.settings['request'])['url']) || null, ...decodeStatus(details) };
}

export const httpMeasures: Measures = { statusCode: true, phases: phaseNames };
