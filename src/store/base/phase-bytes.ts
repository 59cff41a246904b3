// Times of the phases of responses as bytes, in a column of their own (docs/decisions/0040).
import { coarse, phaseNames, type Phases, type PhaseTimes } from '#domain/results/phases.ts';
import { emptyResponses, type Responses } from '#domain/results/roll-up.ts';
import { addToSketch, emptySketch, pushNumber, sketchBytes, sketchOf, takeNumber } from '#domain/results/sketch.ts';

/** First byte: the form of what follows, for the day on which there is another. */
const form = 1;

/**
 * For each phase, of passed results and of failed ones: which, count, least, most; then, unless all are equal, what they have
 * above the least in sum, how they deviate, and the sketch.
 */
export function phaseBytes(phases: Phases | null): Uint8Array | null {
  if (phases === null) return null;
  const bytes: number[] = [form];
  for (const [index, name] of phaseNames.entries()) {
    const times = phases.get(name);
    if (times === undefined) continue;
    pushTimes(bytes, 2 * index, times.responses);
    pushTimes(bytes, 2 * index + 1, times.failedResponses);
  }
  return Buffer.from(bytes);
}

function pushTimes(bytes: number[], key: number, { count, sum, sumOfSquares, least, most, sketch }: Responses): void {
  if (count === 0) return;
  bytes.push(key);
  for (const value of [count, least, most - least]) pushNumber(bytes, value);
  if (most === least) return;
  pushNumber(bytes, sum - count * least);
  const deviation = Buffer.alloc(4);
  // From the mean, where four bytes are as good as eight.
  deviation.writeFloatLE(Math.max(0, sumOfSquares - (sum * sum) / count));
  const classes = dense(Uint8Array.from(sketchBytes(sketch)));
  bytes.push(...deviation);
  pushNumber(bytes, classes.length);
  bytes.push(...classes);
}

/** What `phaseBytes` made; null of null. */
export function phasesOf(bytes: Uint8Array | null): Phases | null {
  if (bytes === null) return null;
  if (bytes[0] !== form) {
    throw new Error(`the database has phases of form ${bytes[0]}, which this version does not know`);
  }
  const phases: Phases = new Map();
  const source = { bytes, at: 1 };
  while (source.at < bytes.length) {
    const key = takeNumber(source);
    const name = phaseNames[key >> 1];
    if (name === undefined) throw new Error(`the database has a phase ${key >> 1}, which this version does not know`);
    const known: PhaseTimes = phases.get(name) ?? { responses: emptyResponses(), failedResponses: emptyResponses() };
    const times = takeTimes(source);
    phases.set(name, key % 2 === 0 ? { ...known, responses: times } : { ...known, failedResponses: times });
  }
  return phases;
}

interface Source {
  readonly bytes: Uint8Array;
  at: number;
}

function takeTimes(source: Source): Responses {
  const count = takeNumber(source);
  const least = takeNumber(source);
  const range = takeNumber(source);
  const most = least + range;
  if (range === 0) {
    const sketch = emptySketch();
    addToSketch(sketch, coarse(least));
    sketch.counts[0] = count;
    return { count, sum: count * least, sumOfSquares: count * least * least, least, most, sketch };
  }
  const sum = count * least + takeNumber(source);
  const deviation = Buffer.from(source.bytes.subarray(source.at, source.at + 4)).readFloatLE();
  source.at += 4;
  const length = takeNumber(source);
  const classes = source.bytes.subarray(source.at, source.at + length);
  source.at += length;
  return { count, sum, sumOfSquares: deviation + (sum * sum) / count, least, most, sketch: sketchOf(loose(classes)) };
}

const nibble = 16;

/** Distance and count of a class in one byte, where both are small; otherwise behind a 0. */
function dense(bytes: Uint8Array): number[] {
  const source = { bytes, at: 0 };
  const classes: number[] = [];
  while (source.at < bytes.length) {
    const distance = takeNumber(source);
    const count = takeNumber(source);
    if (distance > 0 && distance < nibble && count < nibble) classes.push(distance * nibble + count);
    else {
      classes.push(0);
      pushNumber(classes, distance);
      pushNumber(classes, count);
    }
  }
  return classes;
}

/** The bytes of a sketch again. */
function loose(classes: Uint8Array): Uint8Array {
  const bytes: number[] = [];
  const source = { bytes: classes, at: 0 };
  while (source.at < classes.length) {
    const both = classes[source.at++] ?? 0;
    pushNumber(bytes, both === 0 ? takeNumber(source) : Math.floor(both / nibble));
    pushNumber(bytes, both === 0 ? takeNumber(source) : both % nibble);
  }
  return Uint8Array.from(bytes);
}
