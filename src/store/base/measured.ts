// Extracts status code and phases from packed details in hex digits. A text costs a fraction of a byte array, and most
// of it is skipped (docs/decisions/0040).
import { phaseNames } from '#domain/results/detailed-roll-up.ts';
import * as codes from './packed-codes.ts';

/**
 * The status code of the response; 0 = none, or the kind of check has none. It is the first element of details that are
 * a list (src/checks/parts/http/details.ts). @param digits null = no details
 */
export function statusIn(digits: string | null): number {
  const head = digits === null ? Number.NaN : byteAt(digits, 0);
  return digits !== null && head > codes.shortList && head < codes.shortObject
    ? (takeInteger({ digits, at: 1 }) ?? 0)
    : 0;
}

/** Durations of the phases in order (`phaseNames`), µs; absent ones are omitted. */
export type PhasesFound = readonly (number | undefined)[];

/** Position of the phases in details that are a list; in objects they are named (`p`). */
const inList = { dns: 2, tcp: 3, firstByte: 5, download: 6, rest: 10 } as const;
const waitName = 'w';
const phasesName = 'p';

/** Durations of the phases of a result (src/checks/parts/http/details.ts, src/checks/parts/findings/light.ts). */
export function phasesIn(digits: string | null): PhasesFound {
  if (digits === null || digits === '') return [];
  const source = { digits, at: 0 };
  const head = takeByte(source);
  if (head >= codes.shortList && head < codes.shortObject) return ofList(source, head - codes.shortList);
  if (head < codes.shortObject || head >= codes.shortText) return [];
  for (let member = head - codes.shortObject; member > 0; member--) {
    if (takeName(source) === phasesName) return ofObject(source);
    skip(source);
  }
  return [];
}

/** Phases of an HTTP request: trailing zeros and absent phases are omitted. */
function ofList(source: Source, length: number): PhasesFound {
  const found = [0, 0, 0, 0, 0];
  for (let index = 0; index < Math.min(length, inList.rest); index++) {
    if (index === inList.dns) found[1] = takeInteger(source) ?? 0;
    else if (index === inList.tcp) found[2] = takeInteger(source) ?? 0;
    else if (index === inList.firstByte) found[3] = takeInteger(source) ?? 0;
    else if (index === inList.download) found[4] = takeInteger(source) ?? 0;
    else skip(source);
  }
  if (length > inList.rest) found[0] = memberOf(source, waitName) ?? 0;
  return found;
}

/** Phases of a light kind, by name. */
function ofObject(source: Source): PhasesFound {
  const found = phaseNames.map((): number | undefined => undefined);
  const head = takeByte(source);
  if (head < codes.shortObject || head >= codes.shortText) return found;
  for (let member = head - codes.shortObject; member > 0; member--) {
    const index = places.get(takeName(source));
    if (index === undefined) skip(source);
    else found[index] = takeInteger(source);
  }
  return found;
}

const places: ReadonlyMap<string, number> = new Map(phaseNames.map((name, index) => [name, index]));

/** The number of members of the following object, if it is one. */
function memberOf(source: Source, name: string): number | undefined {
  const head = takeByte(source);
  if (head < codes.shortObject || head >= codes.shortText) return undefined;
  for (let member = head - codes.shortObject; member > 0; member--) {
    if (takeName(source) === name) return takeInteger(source);
    skip(source);
  }
  return undefined;
}

interface Source {
  readonly digits: string;
  /** In bytes. */
  at: number;
}

/** A name of up to 31 letters. */
function takeName(source: Source): string {
  const head = takeByte(source);
  let name = '';
  for (let left = head - codes.shortText; left > 0; left--) name += String.fromCharCode(takeByte(source));
  return name;
}

/** The following integer; undefined for anything else, which is skipped. */
function takeInteger(source: Source): number | undefined {
  const head = takeByte(source);
  if (head !== codes.integer && head >= codes.shortList) {
    source.at--;
    skip(source);
    return undefined;
  }
  return head === codes.integer ? takeVarint(source) : head;
}

/** Skips the following value. */
function skip(source: Source): void {
  const head = takeByte(source);
  if (head < codes.shortList || (head >= codes.nothing && head <= codes.yes)) return;
  if (head < codes.shortObject) return skipAll(source, head - codes.shortList);
  if (head < codes.shortText) return skipAll(source, 2 * (head - codes.shortObject));
  if (head < codes.nothing) return void (source.at += head - codes.shortText);
  if (head === codes.integer || head === codes.negative || head === codes.numberText) return void takeVarint(source);
  if (head === codes.longText) {
    const length = takeVarint(source);
    source.at += length;
    return;
  }
  if (head === codes.double) return void (source.at += 8);
  if (head === codes.longList) return skipAll(source, takeVarint(source));
  if (head === codes.longObject) return skipAll(source, 2 * takeVarint(source));
  if (head === codes.addressText) return void (source.at += 4);
  throw new Error(`the database has a document with the code ${head}, which this version does not know`);
}

function skipAll(source: Source, values: number): void {
  for (let left = values; left > 0; left--) skip(source);
}

/** Seven bits per byte, lowest first. */
function takeVarint(source: Source): number {
  let value = 0;
  for (let factor = 1; ; factor *= 0x80) {
    const byte = takeByte(source);
    value += (byte & 0x7f) * factor;
    if (byte < 0x80) return value;
  }
}

function takeByte(source: Source): number {
  const byte = byteAt(source.digits, source.at++);
  if (Number.isNaN(byte)) throw new Error('the database has a document that is cut off');
  return byte;
}

/** NaN after the end. Digits may be in either case. */
function byteAt(digits: string, at: number): number {
  if (2 * at + 1 >= digits.length) return Number.NaN;
  return 16 * digitOf(digits.charCodeAt(2 * at)) + digitOf(digits.charCodeAt(2 * at + 1));
}

function digitOf(code: number): number {
  return code < 0x3a ? code - 0x30 : (code | 0x20) - 0x57;
}
