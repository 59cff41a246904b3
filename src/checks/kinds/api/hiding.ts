// The values to mask in a run with scripts. Scripts can add more.
import type { JsonObject } from '#domain/json.ts';
import { createRedactor, type Redactor } from '../../parts/redact.ts';

/** Masks values in texts. */
export interface Hiding {
  add(values: readonly string[]): void;
  /** Adds a value that a script made secret; null if it is too long. Beyond the limits, everything is masked. */
  readonly addSecret: (value: string | null) => void;
  /** Values that scripts made secret. */
  readonly secrets: readonly string[];
  /** Whether scripts exceeded the limits, so that nothing is shown. */
  readonly isOverfull: boolean;
  readonly text: (text: string) => string;
  /** Masks every text in an object. Returns null if the limits are exceeded. */
  readonly json: (value: JsonObject) => JsonObject | null;
}

/** Limits on values from scripts. Each is searched for in many encodings. */
const max = { values: 100, characters: 262_144 } as const;

/** Replaces every text beyond the limits. */
export const overfull =
  'not shown: the scripts of this check created too many secret values to mask (maximum 100 values, 65536 characters each, 262144 in total)';

/** @param first values to mask from the start */
export function createHiding(first: readonly string[]): Hiding {
  const values = new Set(first);
  const secrets = new Set<string>();
  let characters = 0;
  let isOverfull = false;
  let made: Redactor | null = null;
  const redactor = (): Redactor => (made ??= createRedactor([...values]));
  const add = (more: readonly string[]): void => {
    for (const value of more) values.add(value);
    made = null;
  };
  return {
    add,
    addSecret: (value) => {
      if (value === null || isOverfull) {
        isOverfull = true;
        return;
      }
      if (secrets.has(value)) return;
      secrets.add(value);
      characters += value.length;
      isOverfull = secrets.size > max.values || characters > max.characters;
      add([value]);
    },
    get secrets() {
      return [...secrets];
    },
    get isOverfull() {
      return isOverfull;
    },
    text: (text) => (isOverfull ? overfull : redactor().text(text)),
    json: (value) => (isOverfull ? null : redactor().json(value)),
  };
}
