// Formats values that several resources have for the API: times, dates and users (decisions: Dates).
import type { ResourceUsesBody } from '#contract/responses.ts';
import type { ResourceUsers } from '#domain/accounts/account.ts';
import type { Warning } from '#actions/warnings.ts';
import { Answer } from './route.ts';

/** ISO 8601, UTC, with milliseconds. @param at epoch ms */
export function isoText(at: number): string {
  return new Date(at).toISOString();
}

/** As `isoText`, with null for a time that is not set. */
export function isoTextOrNull(at: number | null): string | null {
  return at === null ? null : isoText(at);
}

/** The UTC calendar day, `YYYY-MM-DD`. @param at epoch ms */
export function dayText(at: number): string {
  return isoText(at).slice(0, 10);
}

/** The fields that have a value, for responses that omit the others (decisions: Optional fields). */
export function given<Fields extends object>(fields: Fields): { [Name in keyof Fields]?: NonNullable<Fields[Name]> } {
  const present = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(present) as { [Name in keyof Fields]?: NonNullable<Fields[Name]> };
}

/** A mutable view of a readonly list. */
type WrittenField<Field> = Field extends readonly (infer Item)[] ? Item[] : Field;

/** The same record for a wire type with mutable lists: responses are only read. */
export function written<Value>(value: Value): { -readonly [Key in keyof Value]: WrittenField<Value[Key]> } {
  return value as { -readonly [Key in keyof Value]: WrittenField<Value[Key]> };
}

/** The checks and groups that use a resource. */
export function usesToWire({ checks, groups }: ResourceUsers): ResourceUsesBody {
  return { checks: written(checks), groups: written(groups) };
}

/** 204; `x-service-warnings` contains the warnings as JSON in ASCII, and is absent without any. */
export function deleted(warnings: readonly Warning[]): Answer {
  if (warnings.length === 0) return new Answer(204, undefined);
  const text = JSON.stringify(warnings.slice(0, maxWarnings)).replaceAll(/[^ -~]/g, escaped);
  return new Answer(204, undefined, { 'x-service-warnings': text });
}

/** Limits the header size. */
const maxWarnings = 5;

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
