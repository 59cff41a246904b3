// Status code and phases in the details of results, as roll-ups count them (docs/decisions/0040).
import type { JsonValue } from '#domain/json.ts';
import { type Phase, phaseNames } from '#domain/results/detailed-roll-up.ts';
import { isList, unpacked } from './packed.ts';

/** Packed details in hex digits, of either case. A text costs a fraction of a byte array. @returns null = none */
export function detailsOf(digits: string | null): JsonValue {
  return digits === null || digits === '' ? null : unpacked(Buffer.from(digits, 'hex'));
}

/**
 * The status code of the response; 0 = none, or the kind of check has none. It is the first element of details that are
 * a list (src/checks/parts/http/details.ts).
 */
export function statusIn(details: JsonValue): number {
  return isList(details) ? (integerOf(details[0]) ?? 0) : 0;
}

/** Durations of the phases in order (`phaseNames`), µs; absent ones are omitted. */
type PhasesFound = readonly (number | undefined)[];

/** Position of the phases in details that are a list, in which trailing zeros and absent phases are omitted. */
const inList = { dns: 2, tcp: 3, firstByte: 5, download: 6, rest: 10 } as const;

/** Durations of the phases of a result (src/checks/parts/http/details.ts, src/checks/parts/findings/light.ts). */
export function phasesIn(details: JsonValue): PhasesFound {
  if (isList(details)) {
    const wait = memberOf(details[inList.rest], 'w');
    const others = [inList.dns, inList.tcp, inList.firstByte, inList.download].map((at) => details[at]);
    return [wait, ...others].map((value) => integerOf(value) ?? 0);
  }
  const phases = memberOf(details, 'p');
  return phases === undefined ? [] : phaseNames.map((name: Phase) => integerOf(memberOf(phases, name)));
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return typeof value === 'object' && value !== null && !isList(value)
    ? (value as Readonly<Record<string, JsonValue | undefined>>)[name]
    : undefined;
}

/** undefined for anything but an integer from 0 on. */
function integerOf(value: JsonValue | undefined): number | undefined {
  return Number.isInteger(value) && Number(value) >= 0 ? Number(value) : undefined;
}
