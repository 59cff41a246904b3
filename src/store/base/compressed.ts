// Stores documents of a row as JSON, compressed if they are large.
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { emptyResponses, type Responses } from '#domain/results/roll-up.ts';
import { emptySketch, mergeSketch } from '#domain/results/sketch.ts';

/** First byte of a compressed document; JSON begins with a bracket or brace. */
const mark = 1;
/** Up to this many bytes a document stays as it is: compressing a small one costs more than all else that rolls it up. */
const plainMax = 320;

/** An array or object as JSON, compressed if it is large. */
export function compressed(value: object): Uint8Array {
  const plain = Buffer.from(JSON.stringify(value));
  return plain.length <= plainMax ? plain : Buffer.concat([Buffer.of(mark), deflateRawSync(plain)]);
}

/** Decodes what `compressed` encoded; `Shape` is what the same store wrote. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names what its own column holds
export function decompressed<Shape>(bytes: Uint8Array): Shape {
  const plain = bytes[0] === mark ? inflateRawSync(bytes.subarray(1)) : Buffer.from(bytes);
  return JSON.parse(plain.toString()) as Shape;
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
