// What must not be shown of a run with scripts around its request: more and more, as they make something secret.
import type { JsonObject } from '#domain/json.ts';
import { createRedactor, type Redactor } from '../../parts/redact.ts';

/** Hides values in texts. */
export interface Hiding {
  /** More values to be hidden. */
  add(values: readonly string[]): void;
  /** A value that a script has told; null = one that is too long. What is too much to be hidden hides everything. */
  readonly tell: (value: string | null) => void;
  /** Those that scripts have told. */
  readonly told: readonly string[];
  /** Scripts have told more than can be hidden: nothing is shown any more. */
  readonly isOverfull: boolean;
  readonly text: (text: string) => string;
  /** Every text in it; null = nothing of it may be shown, because more is to be hidden than can be. */
  readonly json: (value: JsonObject) => JsonObject | null;
}

/** What scripts may tell, in values and characters: each is looked for in many forms. */
const most = { values: 100, characters: 262_144 } as const;

/** Stands in the place of every text. */
export const overfull =
  'not shown: the scripts of this check make more secret than can be hidden (at most 100 values, 65536 characters each, 262144 in total)';

/** @param first hidden from the beginning */
export function createHiding(first: readonly string[]): Hiding {
  const values = new Set(first);
  const told = new Set<string>();
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
    tell: (value) => {
      if (value === null || isOverfull) {
        isOverfull = true;
        return;
      }
      if (told.has(value)) return;
      told.add(value);
      characters += value.length;
      isOverfull = told.size > most.values || characters > most.characters;
      add([value]);
    },
    get told() {
      return [...told];
    },
    get isOverfull() {
      return isOverfull;
    },
    text: (text) => (isOverfull ? overfull : redactor().text(text)),
    json: (value) => (isOverfull ? null : redactor().json(value)),
  };
}
