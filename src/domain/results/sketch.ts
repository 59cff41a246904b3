// A sketch of a distribution: percentiles of any number of values in a few hundred bytes, and mergeable without further
// loss. Values fall into classes whose bounds grow by a constant factor, so the error is relative (docs/decisions/0040).

/** The most by which a percentile differs from the value that it stands for: 1 %. */
export const relativeError = 0.01;

const growth = (1 + relativeError) / (1 - relativeError);
const logOfGrowth = Math.log(growth);

/**
 * How many values fell into each class. Class n holds those above growth^(n-1) and up to growth^n; 0 those up to 1. What is
 * read to be merged stays the bytes that it came as: thousands are, for one page.
 */
export interface Sketch {
  /** The class that `counts` begin with. */
  first: number;
  counts: number[];
  packed: Uint8Array | null;
}

/** A sketch of nothing. */
export function emptySketch(): Sketch {
  return { first: 0, counts: [], packed: null };
}

/** Takes up a value of at least 0; below 1 they are one class. */
export function addToSketch(sketch: Sketch, value: number): void {
  open(sketch);
  addCount(sketch, value <= 1 ? 0 : Math.ceil(Math.log(value) / logOfGrowth), 1);
}

/** Takes up all that another sketch holds: the same as if its values had been added one by one. */
export function mergeSketch(into: Sketch, other: Sketch): void {
  open(into);
  if (other.packed !== null) return addPacked(into, other.packed);
  const { first, counts } = other;
  if (into.counts.length === 0) {
    into.first = first;
    into.counts = counts.slice();
    return;
  }
  for (let index = 0; index < counts.length; index++) {
    const count = counts[index] ?? 0;
    if (count > 0) addCount(into, first + index, count);
  }
}

function addCount(sketch: Sketch, at: number, count: number): void {
  const { counts } = sketch;
  if (counts.length === 0) sketch.first = at;
  const index = at - sketch.first;
  const known = counts[index];
  if (known !== undefined) counts[index] = known + count;
  else if (index < 0) {
    sketch.counts = [count, ...Array.from({ length: -index - 1 }, () => 0), ...counts];
    sketch.first = at;
  } else {
    while (counts.length < index) counts.push(0);
    counts.push(count);
  }
}

function open(sketch: Sketch): void {
  const { packed } = sketch;
  if (packed === null) return;
  sketch.packed = null;
  addPacked(sketch, packed);
}

/** Most numbers are one byte: they are read here, because a page of an overview has a million of them. */
function addPacked(into: Sketch, bytes: Uint8Array): void {
  const source = { bytes, at: 0 };
  const { length } = bytes;
  let { counts, first } = into;
  let at = 0;
  for (let position = 0; position < length;) {
    let step = bytes[position++] ?? 0;
    if (step >= 0x80) {
      source.at = position - 1;
      step = takeNumber(source);
      position = source.at;
    }
    at += step;
    let count = bytes[position++] ?? 0x80;
    if (count >= 0x80) {
      source.at = position - 1;
      count = takeNumber(source);
      position = source.at;
    }
    const index = at - first;
    const known = index < 0 ? undefined : counts[index];
    if (known !== undefined) counts[index] = known + count;
    else {
      addCount(into, at, count);
      ({ counts, first } = into);
    }
  }
}

/**
 * The value below or at which the share `share` (0..1) of the values lies, exact to the relative error; null of nothing.
 */
export function quantileOf(sketch: Sketch, share: number): number | null {
  open(sketch);
  const total = sketch.counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const rank = Math.max(1, Math.ceil(share * total));
  let seen = 0;
  for (const [index, count] of sketch.counts.entries()) {
    seen += count;
    if (seen < rank) continue;
    const at = sketch.first + index;
    // In the middle of the class, as far from its lower bound as from its upper one.
    return at === 0 ? 1 : (2 * growth ** at) / (growth + 1);
  }
  return null;
}

/** The bytes of a sketch: for each class its distance from the one before and its count, seven bits a byte. */
export function sketchBytes(sketch: Sketch): number[] {
  open(sketch);
  const bytes: number[] = [];
  let last = 0;
  for (const [index, count] of sketch.counts.entries()) {
    if (count === 0) continue;
    const at = sketch.first + index;
    pushNumber(bytes, at - last);
    pushNumber(bytes, count);
    last = at;
  }
  return bytes;
}

/** The sketch of bytes that `sketchBytes` made, from a position to the end; whether they are whole is seen when it is used. */
export function sketchOf(bytes: Uint8Array, from = 0): Sketch {
  return { first: 0, counts: [], packed: bytes.subarray(from) };
}

/** Writes a whole number from 0 to 2^53 - 1, seven bits a byte, the lowest first. */
export function pushNumber(bytes: number[], value: number): void {
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) + 0x80);
    rest = Math.floor(rest / 0x80);
  }
  bytes.push(rest);
}

/** Reads one and moves on behind it. */
export function takeNumber(source: { readonly bytes: Uint8Array; at: number }): number {
  let value = 0;
  for (let factor = 1; ; factor *= 0x80) {
    const byte = source.bytes[source.at++];
    if (byte === undefined) throw new Error('the database has a sketch that is cut off');
    value += (byte & 0x7f) * factor;
    if (byte < 0x80) return value;
  }
}
