// Fields that the forms of several kinds share.
import type { FormField } from '#lib/schema/form.ts';

/** The name of a channel. @param placeholder what is shown without one */
export function nameField(placeholder: string): FormField {
  return { path: 'config.name', label: 'Name', input: 'text', placeholder };
}

/** Four more attempts after the first six. */
export const longTailField: FormField = {
  path: 'config.longTail',
  label: 'Keep trying for 8.5 hours',
  help: 'Four more attempts after the first six: 5 min, 30 min, 2 h and 6 h later.',
  input: 'flag',
  byDefault: false,
};
