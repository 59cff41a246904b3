// Fields that the forms of several kinds share.
import type { AssertionSourceForm, FormField, CodeSnippet } from '#lib/schema/form.ts';
import { type AssertionSource, comparisonsOf, propertiesOf, sortOf } from './assertions/sources.ts';

const labels: Readonly<Record<AssertionSource, string>> = {
  STATUS_CODE: 'Status code',
  JSON_BODY: 'JSON body',
  HEADERS: 'Header',
  TEXT_BODY: 'Body text',
  RESPONSE_TIME: 'Response time (ms)',
  RESPONSE_DATA: 'Received data',
  RESPONSE_CODE: 'Response code',
  TEXT_ANSWER: 'Answer as text',
  JSON_ANSWER: 'Answer as JSON',
  LATENCY: 'Latency (ms)',
  JSON_RESPONSE: 'Response as JSON',
  TEXT_RESPONSE: 'Response as text',
  CERTIFICATE: 'Certificate',
  CONNECTION: 'Connection',
};

const firsts: Readonly<Partial<Record<AssertionSource, readonly [comparison: string, target: string]>>> = {
  STATUS_CODE: ['EQUALS', '200'],
  RESPONSE_TIME: ['LESS_THAN', '1000'],
  RESPONSE_CODE: ['EQUALS', 'NOERROR'],
  LATENCY: ['LESS_THAN', '100'],
  JSON_BODY: ['NOT_NULL', ''],
  JSON_ANSWER: ['NOT_NULL', ''],
  JSON_RESPONSE: ['NOT_NULL', ''],
  HEADERS: ['NOT_EMPTY', ''],
};

/** The assertions of a kind. @param path of the list in the body */
export function assertionField(path: string, sources: readonly AssertionSource[]): FormField {
  return { path, label: 'Assertions', input: 'assertions', sources: sources.map(sourceForm) };
}

function sourceForm(source: AssertionSource): AssertionSourceForm {
  const options = propertiesOf[source];
  const sort = sortOf[source];
  const property =
    options !== undefined
      ? { label: 'Value', placeholder: options[0] ?? '', options }
      : sort === 'json'
        ? { label: 'JSON path', placeholder: '$.status' }
        : sort === 'headers'
          ? { label: 'Header', placeholder: 'content-type' }
          : undefined;
  return {
    source,
    label: labels[source],
    ...(property !== undefined && { property }),
    ...((sort === 'headers' || sort === 'text') && { hasRegex: true }),
    comparisons: comparisonsOf(source),
    first: firsts[source] ?? (sort === 'text' ? ['CONTAINS', ''] : ['EQUALS', '']),
  };
}

/** Response times from which a check is degraded and fails, ms. */
export function responseTimeFields(degraded: number, max: number): readonly FormField[] {
  return [
    { path: 'degradedResponseTime', label: 'Degraded above', input: 'number', byDefault: degraded, unit: 'ms' },
    { path: 'maxResponseTime', label: 'Failed above', input: 'number', byDefault: max, unit: 'ms' },
  ];
}

/** @param path of the object with the target */
export function familyField(path: string): FormField {
  return {
    path: `${path}.ipFamily`,
    label: 'IP version',
    input: 'choice',
    options: [
      ['', 'IPv4 or IPv6'],
      ['IPv4', 'IPv4'],
      ['IPv6', 'IPv6'],
    ],
  };
}

/** How redirects and certificates of an HTTP request are handled. */
export const connectionFields: readonly FormField[] = [
  { path: 'request.followRedirects', label: 'Follow redirects', input: 'flag', byDefault: true },
  {
    path: 'request.skipSSL',
    label: 'Accept any certificate',
    help: 'Also expired, self-signed and wrong ones.',
    input: 'flag',
    byDefault: false,
  },
  familyField('request'),
];

/** The URL of an HTTP request. */
export const urlField: FormField = {
  path: 'request.url',
  label: 'URL',
  help: 'It may contain variables, such as {{SHOP_URL}}.',
  input: 'text',
  placeholder: 'https://example.com/',
  isRequired: true,
};

/** The host of a check that connects to a port. @param path of the object with the target */
export function hostField(path: string, placeholder: string): FormField {
  return {
    path: `${path}.hostname`,
    label: 'Host',
    help: 'Name or address, without scheme and port.',
    input: 'text',
    placeholder,
    isRequired: true,
  };
}

/** The host whose certificate expiry is reported. */
export function certificateField(help: string): FormField {
  return {
    path: 'sslCheckDomain',
    label: 'Certificate of another host',
    help,
    input: 'text',
    placeholder: 'shop.example:8443',
    empty: null,
  };
}

/** Whether a failure is what the check expects. */
export function shouldFailField(label: string, help: string): FormField {
  return { path: 'shouldFail', label, help, input: 'flag', byDefault: false };
}

export const errorStatusField = shouldFailField('Expect an error status', 'A status of 400 or more then passes.');

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
