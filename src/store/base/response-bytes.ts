// Response times of a roll-up as bytes.
import { emptyResponses, type Responses } from '#domain/results/roll-up.ts';
import { pushNumber, sketchBytes, sketchOf, takeNumber } from '#domain/results/sketch.ts';

/** First byte: version of the format. */
const form = 1;

/** null if there are none. */
export function responsesBytes({ count, sum, sumOfSquares, least, max, sketch }: Responses): Uint8Array | null {
  if (count === 0) return null;
  const bytes = [form];
  for (const value of [count, sum, least, max - least]) pushNumber(bytes, value);
  const squares = Buffer.alloc(8);
  squares.writeDoubleLE(sumOfSquares);
  return Buffer.from([...bytes, ...squares, ...sketchBytes(sketch)]);
}

/** Encodes response times for a row; null = none. */
export function responsesOf(bytes: Uint8Array | null): Responses {
  if (bytes === null) return emptyResponses();
  if (bytes[0] !== form)
    throw new Error(`the database has a roll-up of form ${bytes[0]}, which this version does not know`);
  const source = { bytes, at: 1 };
  const count = takeNumber(source);
  const sum = takeNumber(source);
  const least = takeNumber(source);
  const max = least + takeNumber(source);
  const sumOfSquares = doubleAt(bytes, source.at);
  return { count, sum, sumOfSquares, least, max, sketch: sketchOf(bytes, source.at + 8) };
}

const double = new DataView(new ArrayBuffer(8));

/** The eight bytes of a float, lowest first; an overview page has thousands. */
function doubleAt(bytes: Uint8Array, at: number): number {
  if (at + 8 > bytes.length) throw new Error('the database has a roll-up that is cut off');
  for (let index = 0; index < 8; index++) double.setUint8(index, bytes[at + index] ?? 0);
  return double.getFloat64(0, true);
}
