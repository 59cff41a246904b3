// Stores documents of a row as compressed JSON.
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { emptyResponses, type Responses } from '#domain/results/roll-up.ts';
import { emptySketch, mergeSketch } from '#domain/results/sketch.ts';

/** A value as compressed JSON. */
export function compressed(value: unknown): Uint8Array {
  return deflateRawSync(JSON.stringify(value));
}

/** Decodes what `compressed` encoded; `Shape` is what the same store wrote. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names what its own column holds
export function decompressed<Shape>(bytes: Uint8Array): Shape {
  return JSON.parse(inflateRawSync(bytes).toString()) as Shape;
}

/**
 * Response times in such a document: count, sum, sum of squares, minimum, maximum, first bucket and counts of the
 * buckets; null = none.
 */
export type TimesList = readonly number[] | null;

export function timesList({ count, sum, sumOfSquares, least, max, sketch }: Responses): TimesList {
  if (count === 0) return null;
  // A sketch may still be encoded as it was read.
  const open = emptySketch();
  mergeSketch(open, sketch);
  return [count, sum, sumOfSquares, least, max, open.first, ...open.counts];
}

export function timesOf(list: TimesList): Responses {
  if (list === null) return emptyResponses();
  const [count = 0, sum = 0, sumOfSquares = 0, least = 0, max = 0, first = 0, ...counts] = list;
  return { count, sum, sumOfSquares, least, max, sketch: { first, counts, packed: null } };
}
