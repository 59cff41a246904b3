// Parts of a roll-up by status code, as bytes in a column of their own (docs/decisions/0040).
import type { DetailedRollUp } from '#domain/results/detailed-roll-up.ts';
import { emptyResponses, emptyRollUp, type Responses, type RollUp } from '#domain/results/roll-up.ts';
import { pushNumber, takeNumber } from '#domain/results/sketch.ts';
import { responsesBytes, responsesOf } from './response-bytes.ts';

/** First byte: the form of what follows, for the day on which there is another. */
const form = 1;

/** How response times of a part stand there: it has none, all that the whole has, or its own. */
const times = { none: 0, all: 1, own: 2 } as const;

const counts = [
  'passed',
  'degraded',
  'failed',
  'unknown',
  'missed',
  'retries',
  'knownMs',
  'downMs',
  'unknownMs',
] as const satisfies readonly (keyof RollUp)[];

/**
 * The parts by status code. Nearly always there is one, which is the whole: its code is all that is kept. Nor are response
 * times repeated that one part has alone.
 */
export function byStatusBytes(whole: Omit<DetailedRollUp, 'phases'>): Uint8Array | null {
  const { byStatus } = whole;
  if (byStatus === null) return null;
  const bytes: number[] = [form];
  for (const [status, part] of [...byStatus].sort(([a], [b]) => a - b)) {
    pushNumber(bytes, status);
    if (byStatus.size === 1) break;
    for (const name of counts) pushNumber(bytes, part[name]);
    pushTimes(bytes, part.responses, whole.responses);
    pushTimes(bytes, part.failedResponses, whole.failedResponses);
  }
  return Buffer.from(bytes);
}

function pushTimes(bytes: number[], part: Responses, whole: Responses): void {
  const own = part.count === whole.count ? null : responsesBytes(part);
  bytes.push(part.count === 0 ? times.none : own === null ? times.all : times.own);
  if (own === null) return;
  pushNumber(bytes, own.length);
  bytes.push(...own);
}

/** The parts that bytes stand for; of one that is the whole it is the whole itself. Only to be read. */
export function byStatusOf(bytes: Uint8Array | null, whole: RollUp): Map<number, RollUp> | null {
  if (bytes === null) return null;
  if (bytes[0] !== form) {
    throw new Error(`the database has status codes of form ${bytes[0]}, which this version does not know`);
  }
  const source = { bytes, at: 1 };
  const byStatus = new Map<number, RollUp>();
  while (source.at < bytes.length) {
    const status = takeNumber(source);
    // Nothing behind the first code: it is the only one.
    if (byStatus.size === 0 && source.at === bytes.length) return byStatus.set(status, whole);
    const part = emptyRollUp();
    for (const name of counts) part[name] = takeNumber(source);
    byStatus.set(status, {
      ...part,
      responses: takeTimes(source, whole.responses),
      failedResponses: takeTimes(source, whole.failedResponses),
    });
  }
  return byStatus;
}

function takeTimes(source: { readonly bytes: Uint8Array; at: number }, whole: Responses): Responses {
  const how = source.bytes[source.at++];
  if (how === times.none) return emptyResponses();
  if (how === times.all) return whole;
  const length = takeNumber(source);
  source.at += length;
  return responsesOf(source.bytes.subarray(source.at - length, source.at));
}
