// What is kept of every result of an HTTP probe, as a compact JSON list: thousands of results are kept per check, so the
// usual case is a few numbers, and what is unusual stands in an object at the end.
import { STATUS_CODES } from 'node:http';
import type { JsonObject, JsonValue } from '#domain/json.ts';
import { type AssertionOutcome, decodeAssertion, encodeAssertion, trimmed, withoutTime } from '../assertions/stored.ts';

/** ms with decimals; they add up to the response time. */
export interface Phases {
  /** Before the last request: redirects. */
  readonly wait: number;
  readonly dns: number;
  readonly tcp: number;
  readonly tls: number;
  readonly firstByte: number;
  readonly download: number;
}

/** Characters of a redirect's location that are kept. */
export const locationMost = 500;

/** The details of a result, readable. */
export interface ApiDetails {
  /** null when there was no answer. */
  readonly status: number | null;
  readonly statusText: string | null;
  readonly address: string | null;
  readonly protocol: { readonly http: string; readonly tls: string | null; readonly cipher: string | null } | null;
  readonly phases: Phases;
  /** Its times contain a delay of Tocsin's own: all phases are 0; absent = they do not. */
  readonly areTimesWithheld?: true;
  /** Bytes: of the headers, of the body on the wire, of the body after its content-encoding is taken off. */
  readonly sizes: { readonly headers: number; readonly body: number; readonly decoded: number };
  readonly truncated: boolean;
  readonly redirects: readonly { readonly status: number; readonly location: string }[];
  readonly assertions: readonly AssertionOutcome[];
  /** Why the certificate of the domain that the check names could not be seen; absent = it was, or none is named. */
  readonly certificateProblem?: string;
  /** The scripts around the request; absent = there were none. */
  readonly scripts?: AroundDetails;
}

/** What is kept of the scripts around a request. */
export interface AroundDetails {
  readonly runtime: string;
  readonly node: string;
  readonly warnings: readonly string[];
  /** In the order in which they ran, ms. */
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
 * `[status, address, dns, tcp, tls, first byte, download, header bytes, body bytes, assertions, rest]`: phases in whole
 * µs, 0 for what is not there, trailing zeros left out.
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

/** The same details, with why the certificate of the domain that the check names could not be seen. */
export function withCertificateProblem(stored: JsonValue, certificateProblem: string): JsonValue {
  return encodeDetails({ ...decodeDetails(stored), certificateProblem });
}

/** The same details without their times, which contain a delay of Tocsin's own. */
export function httpWithoutTimes(stored: JsonValue): JsonValue {
  const details = decodeDetails(stored);
  const assertions = details.assertions.map(withoutTime);
  return encodeDetails({ ...details, assertions, phases: noPhases, areTimesWithheld: true });
}

const noPhases: Phases = { wait: 0, dns: 0, tcp: 0, tls: 0, firstByte: 0, download: 0 };

/** The readable form of what `encodeDetails` made; that of a result without an answer for anything else. */
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
  const http = text(rest['h']) ?? '1.1';
  return {
    status,
    statusText,
    address: text(list[1]),
    protocol: status === null ? null : { http, tls: nameIn(tlsNames, tls), cipher: nameIn(cipherNames, cipher) },
    phases,
    ...(areTimesWithheld && { areTimesWithheld }),
    sizes: { headers: number(list[7]), body: number(list[8]), decoded: number(rest['d'] ?? list[8]) },
    truncated: rest['x'] === 1,
    redirects: (isList(rest['r']) ? rest['r'] : []).filter(isList).map(([code, location]) => ({
      status: number(code),
      location: text(location) ?? '',
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
  const scripts: AroundDetails = {
    runtime: text(runtime) ?? '',
    node: text(node) ?? '',
    warnings: (isList(warnings) ? warnings : []).map((warning) => text(warning) ?? ''),
    runs: (isList(runs) ? runs : []).filter(isList).map(([script, durationMs]) => ({
      script: text(script) ?? '',
      durationMs: number(durationMs),
    })),
  };
  return { scripts };
}

/** Status and its text alone: asked for at every result. */
export function decodeStatus(stored: JsonValue): Pick<ApiDetails, 'status' | 'statusText'> {
  const status = isList(stored) ? number(stored[0]) || null : null;
  if (status === null || !isList(stored)) return { status: null, statusText: null };
  const rest = stored[10];
  return { status, statusText: (isObject(rest) ? text(rest['t']) : null) ?? usualText(status) };
}

/** The sum of the phases, ms: the response time. */
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
  return typeof code === 'number' ? (names[code] ?? null) : text(code) || null;
}

function number(value: JsonValue | undefined): number {
  return typeof value === 'number' ? value : 0;
}

function text(value: JsonValue | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
