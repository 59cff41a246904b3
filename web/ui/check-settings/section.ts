// What a part of the form of a check or group reads and changes.
import type { FormValue } from '#lib/schema/form.ts';
import type { Draft } from '../form/draft.ts';

export interface FieldsOfDraft {
  readonly draft: Draft;
  readonly onChange: (path: string, value: FormValue) => void;
}

/** The texts of a list in a draft. */
export function textsOf(value: FormValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
