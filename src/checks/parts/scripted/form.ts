// Fields of the forms of checks that run a script.
import type { FormField } from '#lib/schema/form.ts';

/** @param placeholder a short script that works */
export function scriptFields(placeholder: string): readonly FormField[] {
  return [
    {
      path: 'script',
      label: 'Script',
      help: 'Playwright tests, or a program that fails by throwing an error. Variables are environment variables of the script.',
      input: 'code',
      language: 'typescript',
      placeholder,
      isRequired: true,
    },
  ];
}
