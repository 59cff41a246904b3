// A sketch of a distribution: percentiles of any number of values in a few hundred bytes, mergeable without further
// loss. Values fall into buckets whose bounds grow by a constant factor, so the error is relative
// (docs/decisions/0040).

/** Maximum relative error of a percentile: 1%. */
export const relativeError = 0.01;

const growth = (1 + relativeError) / (1 - relativeError);
const logOfGrowth = Math.log(growth);

/**
 * Number of values in each bucket. Bucket n holds values above growth^(n-1) and up to growth^n; bucket 0 those up to 1.
 * A sketch read for merging stays encoded, because a page reads thousands of them.
 */
export interface Sketch {
  /** The bucket at the start of `counts`. */
  first: number;
  counts: number[];
  packed: Uint8Array | null;
}

/** An empty sketch. */
export function emptySketch(): Sketch {
  return { first: 0, counts: [], packed: null };
}

/** Adds a value of at least 0; values below 1 share a bucket. */
export function addToSketch(sketch: Sketch, value: number): void {
  open(sketch);
  addCount(sketch, value <= 1 ? 0 : Math.ceil(Math.log(value) / logOfGrowth), 1);
}

/** Adds another sketch: the same as adding its values one by one. */
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

/** Most numbers are one byte, so they are decoded inline: an overview page has a million of them. */
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

/** The quantile `share` (0..1) of the values, within the relative error; null if empty. */
export function quantileOf(sketch: Sketch, share: number): number | null {
  open(sketch);
  const { counts, first } = sketch;
  let total = 0;
  for (let index = 0; index < counts.length; index++) total += counts[index] ?? 0;
  if (total === 0) return null;
  const rank = Math.max(1, Math.ceil(share * total));
  let seen = 0;
  for (let index = 0; index < counts.length; index++) {
    seen += counts[index] ?? 0;
    if (seen < rank) continue;
    const at = first + index;
    // The value in the middle of the bucket, equally far (relatively) from both bounds.
    return at === 0 ? 1 : (2 * growth ** at) / (growth + 1);
  }
  return null;
}

/** Encodes a sketch: for each bucket its distance from the previous one and its count, seven bits per byte. */
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

/** Decodes bytes of `sketchBytes` from a position to the end, lazily; truncation is detected when it is used. */
export function sketchOf(bytes: Uint8Array, from = 0): Sketch {
  return { first: 0, counts: [], packed: bytes.subarray(from) };
}

/** Writes an integer from 0 to 2^53 - 1, seven bits per byte, lowest first. */
export function pushNumber(bytes: number[], value: number): void {
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) + 0x80);
    rest = Math.floor(rest / 0x80);
  }
  bytes.push(rest);
}

/** Reads an integer and advances the position. */
export function takeNumber(source: { readonly bytes: Uint8Array; at: number }): number {
  let value = 0;
  for (let factor = 1; ; factor *= 0x80) {
    const byte = source.bytes[source.at++];
    if (byte === undefined) throw new Error('the database has a sketch that is cut off');
    value += (byte & 0x7f) * factor;
    if (byte < 0x80) return value;
  }
}
