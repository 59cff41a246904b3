// Reads values of foreign files, whose types nobody guarantees.
import { jsonFault } from '#lib/schema/json-place.ts';
import { ImportError } from './imported.ts';

/** An object of a foreign file. */
export type Foreign = Readonly<Record<string, unknown>>;

export function isForeign(value: unknown): value is Foreign {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object, or an empty one. */
export function objectOf(value: unknown): Foreign {
  return isForeign(value) ? value : {};
}

/** The objects of a list; none if it is no list. */
export function objectsOf(value: unknown): readonly Foreign[] {
  return Array.isArray(value) ? value.filter(isForeign) : [];
}

/** The text; numbers as written, everything else is empty. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

/** The number, also if it is written as text; null = none. */
export function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

/** Names and texts of an object, such as headers. */
export function pairsOf(value: unknown): readonly (readonly [name: string, text: string])[] {
  return Object.entries(objectOf(value)).map(([name, each]) => [name, textOf(each)] as const);
}

/** Names and texts of an object that is stored as JSON; a note says if it is not. */
export function jsonPairs(text: string, notes: string[]): readonly (readonly [name: string, text: string])[] {
  if (text.trim() === '') return [];
  const value = jsonOf(text);
  if (isForeign(value)) return pairsOf(value);
  notes.push('its headers are not JSON and are left out');
  return [];
}

/** The value of a text; null = it is not JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** @throws {ImportError} with line and column of what is not JSON */
export function parseJson(text: string): unknown {
  const json = text.replace(/^\uFEFF/, '');
  try {
    return JSON.parse(json);
  } catch {
    const { line, column, wanted } = jsonFault(json) ?? { line: 1, column: 1, wanted: 'fewer levels' };
    throw new ImportError(`line ${line}, column ${column}: the file is not JSON: expected ${wanted}`);
  }
}

/** Seconds of a Go duration such as `1h30m`, `500ms` or `1d`; null = it is none. */
export function durationOf(value: unknown): number | null {
  const text = textOf(value).trim();
  if (!/^(?:\d+(?:\.\d+)?(?:ms|us|ns|[smhdwy]))+$/.test(text)) return text === '0' ? 0 : null;
  const parts = text.matchAll(/(\d+(?:\.\d+)?)(ms|us|ns|[smhdwy])/g);
  return [...parts].reduce((sum, [, count, unit = '']) => sum + Number(count) * (unitSeconds[unit] ?? 0), 0);
}

const unitSeconds: Readonly<Record<string, number>> = {
  ns: 1e-9,
  us: 1e-6,
  ms: 0.001,
  s: 1,
  m: 60,
  h: 3600,
  d: 86_400,
  w: 604_800,
  y: 31_536_000,
};
