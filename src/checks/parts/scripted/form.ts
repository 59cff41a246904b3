// Fields of the forms of checks that run a script.
import type { CodeSnippet, FormField } from '#lib/schema/form.ts';

interface ScriptParts {
  /** A short script that works. */
  readonly placeholder: string;
  readonly snippets: readonly CodeSnippet[];
}

export function scriptFields({ placeholder, snippets }: ScriptParts): readonly FormField[] {
  return [
    {
      path: 'script',
      label: 'Script',
      help: 'Playwright tests, or a program that fails by throwing an error. Variables are environment variables of the script.',
      input: 'code',
      language: 'typescript',
      placeholder,
      isRequired: true,
      snippets,
    },
  ];
}

/** The files that a script imports, and its own path. */
export const fileFields: readonly FormField[] = [
  {
    path: 'scriptPath',
    label: 'Path of the script',
    help: 'Imports are relative to it. Its extension determines the language.',
    input: 'text',
    placeholder: 'check.spec.ts',
    empty: null,
  },
  { path: 'dependencies', label: 'Files that the script imports', input: 'files' },
];

/** A choice of when a file of runs is stored. @param first the default */
export function storedField(path: string, label: string, first: keyof typeof whenStored): FormField {
  const others = Object.entries(whenStored).filter(([when]) => when !== first);
  return { path, label, input: 'choice', options: [[first, whenStored[first]], ...others] };
}

const whenStored = { 'on-failure': 'Of failed runs', always: 'Of every run', off: 'Never' } as const;

/** A step that groups what follows. */
export const stepSnippet: CodeSnippet = {
  label: 'Named step',
  code: `await test.step('open the cart', async () => {
  // …
});
`,
};
