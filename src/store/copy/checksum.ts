// A checksum over rows that is independent of the engine and the order of the rows.
import { hash } from 'node:crypto';
import type { Row } from './table.ts';

/** Adds rows. */
export interface RowSum {
  add(row: Row): void;
  readonly rows: number;
  /** 16 hex digits. */
  text(): string;
  /** The state to continue the checksum from. */
  lanes(): number[];
}

/**
 * Each row is hashed with SHA-256 over its values, ordered by column name, and the hashes are added lane by lane, so
 * that a duplicate row does not cancel out. Protects against accidents, not attackers.
 * @param readable normalizes texts that two databases store differently
 * @param begun an earlier state to continue from
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

/** Lengths separate values; a type marker distinguishes texts from bytes. */
function writtenOut(row: Row, readable: (text: string) => string): string {
  return Object.keys(row)
    .sort()
    .map((column) => {
      const value = row[column] ?? null;
      if (value === null) return `${column}-`;
      // PostgreSQL's texts cannot contain U+0000, so its replacement is compared.
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
