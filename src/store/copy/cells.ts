// Values of a key as JSON, so that a note can say where a copy stands.
import type { Cell } from './shape.ts';

/** Bytes become an object with their hex digits; everything else is itself. */
export function cellsToJson(cells: readonly Cell[]): unknown[] {
  return cells.map((cell) => (cell instanceof Uint8Array ? { hex: Buffer.from(cell).toString('hex') } : cell));
}

/** The way back. */
export function cellsOfJson(values: readonly unknown[]): Cell[] {
  return values.map((value) => {
    if (typeof value === 'object' && value !== null && 'hex' in value) return Buffer.from(String(value.hex), 'hex');
    return value as Cell;
  });
}
