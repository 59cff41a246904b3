// What templates of channels can use: variables with an example, and helpers.
import type { EnvironmentVariable } from '#domain/accounts/environment-variable.ts';
import type { TemplateValue, TemplateVariables } from '#domain/deliveries/template-variables.ts';

/** A variable that templates can use. */
export interface TemplateVariable {
  readonly name: string;
  /** What it is; null = a variable of the account or a group. */
  readonly about: string | null;
  /** A value, at most 100 characters; null = none. */
  readonly example: string | null;
}

/** A helper that templates can call. */
export interface TemplateHelper {
  readonly name: string;
  readonly about: string;
  readonly example: string;
  /** Minimum number of arguments. */
  readonly least: number;
  readonly use: 'block' | 'comparison' | 'value';
}

export interface TemplateNames {
  readonly variables: readonly TemplateVariable[];
  readonly helpers: readonly TemplateHelper[];
}

/** What the templates of the channels describe themselves. */
export interface TemplateTexts {
  readonly variableTexts: Readonly<Record<string, string>>;
  readonly randomReferences: readonly { readonly name: string; readonly about: string }[];
  readonly helperReferences: readonly TemplateHelper[];
}

/** Most variables of the account and its groups that are listed. */
const maxOwn = 2000;
const maxExample = 100;

/**
 * Lists the variables and helpers of templates.
 * @param samples values of sample alerts, the account's variables included; the first that has a value is the example
 * @param own variables of the account and its groups; secret ones cannot be used
 */
export function templateNames(
  { variableTexts, randomReferences, helperReferences }: TemplateTexts,
  samples: readonly TemplateVariables[],
  own: readonly Pick<EnvironmentVariable, 'key' | 'secret'>[],
): TemplateNames {
  const secret = new Set(own.flatMap((each) => (each.secret ? each.key : [])));
  const named = new Set(own.flatMap(({ key }) => (secret.has(key) || Object.hasOwn(variableTexts, key) ? [] : key)));
  const exampleOf = (name: string): string | null =>
    shown(samples.find((sample) => Object.hasOwn(sample, name) && shown(sample[name]) !== null)?.[name]);
  return {
    variables: [
      ...Object.entries(variableTexts).map(([name, about]) => ({ name, about, example: exampleOf(name) })),
      ...randomReferences.map((each) => ({ ...each, example: null })),
      ...[...named]
        .toSorted()
        .slice(0, maxOwn)
        .map((name) => ({ name, about: null, example: exampleOf(name) })),
    ],
    helpers: helperReferences,
  };
}

/** A value as templates print it, shortened. */
function shown(value: TemplateValue): string | null {
  if (value === undefined || value === '') return null;
  const text = String(value);
  return text.length > maxExample ? `${text.slice(0, maxExample - 1).toWellFormed()}…` : text;
}
