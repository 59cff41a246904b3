// Key values as JSON, to record the progress of a copy.
import type { Cell } from './shape.ts';

/** Encodes bytes as an object with hex digits; other values are unchanged. */
export function cellsToJson(cells: readonly Cell[]): unknown[] {
  return cells.map((cell) => (cell instanceof Uint8Array ? { hex: Buffer.from(cell).toString('hex') } : cell));
}

/** Decodes what the above encoded. */
export function cellsOfJson(values: readonly unknown[]): Cell[] {
  return values.map((value) => {
    if (typeof value === 'object' && value !== null && 'hex' in value) return Buffer.from(String(value.hex), 'hex');
    return value as Cell;
  });
}
