// A sum over rows that is the same whatever engine they stand in and in whatever order they come.
import { hash } from 'node:crypto';
import type { Row } from './shape.ts';

/** Adds up rows. */
export interface RowSum {
  add(row: Row): void;
  readonly rows: number;
  /** 16 hex digits. */
  text(): string;
  /** What to begin another sum with, so that it goes on from here. */
  lanes(): number[];
}

/**
 * Each row becomes a SHA-256 over its values in the order of their columns' names; those are added up lane by lane, so
 * that a row that is there twice is not the same as none. Against accidents, not against someone who tries.
 *
 * @param readable what a text stands for where two databases write the same thing differently
 * @param begun an earlier sum that this one goes on from
 */
export function createRowSum(
  readable: (text: string) => string = (text) => text,
  begun: { readonly rows: number; readonly lanes: readonly number[] } = { rows: 0, lanes: [] },
): RowSum {
  const lanes = new Uint32Array(8);
  lanes.set(begun.lanes);
  let { rows } = begun;
  return {
    add(row) {
      const digest = hash('sha256', writtenOut(row, readable), 'buffer');
      for (let lane = 0; lane < lanes.length; lane++) lanes[lane] = (lanes[lane] ?? 0) + digest.readUInt32LE(lane * 4);
      rows++;
    },
    get rows() {
      return rows;
    },
    lanes: () => [...lanes],
    text: () => Buffer.from(lanes.buffer).toString('hex').slice(0, 16),
  };
}

/** The lengths in front keep values apart; a text and bytes are told apart by their mark. */
function writtenOut(row: Row, readable: (text: string) => string): string {
  return Object.keys(row)
    .sort()
    .map((column) => {
      const value = row[column] ?? null;
      if (value === null) return `${column}-`;
      // PostgreSQL's texts cannot hold U+0000; what stands for it there is what is compared.
      const text =
        typeof value === 'string'
          ? `"${readable(value).replaceAll('\0', '\ufffd')}`
          : typeof value === 'number'
            ? `#${value}`
            : `x${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')}`;
      return `${column}${text.length}${text}`;
    })
    .join('\n');
}
