// Validates the templates of a channel field by field: faults on save, and warnings.
import { systemVariableNames } from '#domain/alerts/template-variables.ts';
import { nearestName } from '#lib/nearest.ts';
import { type CompiledTemplate, compileTemplate } from './compile.ts';
import type { Reference } from './gate.ts';
import { dollarNames } from './helpers.ts';
import { TemplateError } from './template-error.ts';

/** A template of a configuration. */
export interface TemplateField {
  /** Such as `config.headers[0].value`. */
  readonly path: string;
  readonly source: string;
  /** Where in the message its text goes; a header by its name in lower case. */
  readonly goesTo: 'url' | 'body' | `header ${string}`;
}

/** What a template names. */
export interface TemplateNames extends TemplateField {
  readonly references: readonly Reference[];
}

/** One thing that is wrong with a configuration. */
export interface ConfigIssue {
  /** Such as `config.headers[0].key`. */
  readonly path: string;
  /** What is wrong and what would be right. */
  readonly message: string;
  /** From 1; only for templates. */
  readonly line?: number;
  /** From 1; only for templates. */
  readonly column?: number;
}

/** Something in a configuration that deserves a second look. */
export interface ConfigWarning extends ConfigIssue {
  /** The smallest value that does what the warning says. */
  readonly example?: string;
}

/**
 * Why templates cannot be saved or rendered; empty = they can. They are compiled by that.
 *
 * @param secretNames keys of secret variables: a template that names one is refused
 */
export function templateIssues(fields: readonly TemplateField[], secretNames: ReadonlySet<string>): ConfigIssue[] {
  return fields.flatMap((field) => {
    const compiled = compileField(field);
    if (!('references' in compiled)) return [compiled];
    return compiled.references
      .filter(({ name }) => secretNames.has(name))
      .map(({ name, place }) => ({ path: field.path, message: secretMessage(name), ...place }));
  });
}

/** Those that can be compiled, with what they name. */
export function namesIn(fields: readonly TemplateField[]): TemplateNames[] {
  return fields.flatMap((field) => {
    const compiled = compileField(field);
    return 'references' in compiled ? [{ ...field, references: compiled.references }] : [];
  });
}

/** The compiled template, or what is wrong with it. */
function compileField({ path, source }: TemplateField): CompiledTemplate | ConfigIssue {
  try {
    return compileTemplate(source);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return { path, message: error.message, line: error.line, column: error.column };
  }
}

/** Why a secret may not be named. */
function secretMessage(name: string): string {
  return `${name} is a secret, and alert templates cannot use secrets. Use a variable that is not secret; if it is locked, logs hide its value`;
}

/** Warns of names that nothing defines, of secrets, and of variables that the current item hides. */
export function nameWarnings(
  fields: readonly TemplateNames[],
  defined: Iterable<string>,
  secretNames: ReadonlySet<string>,
): ConfigWarning[] {
  const known = new Set([...systemVariableNames, ...dollarNames, ...defined]);
  return fields.flatMap(({ path, references }) => warningsOf(path, references, known, secretNames));
}

function warningsOf(
  path: string,
  references: readonly Reference[],
  known: ReadonlySet<string>,
  secretNames: ReadonlySet<string>,
): ConfigWarning[] {
  const warnings = new Map<string, ConfigWarning>();
  for (const { name, place, isVariable } of references) {
    if (warnings.has(name)) continue;
    const warn = (message: string): unknown => warnings.set(name, { path, ...place, message });
    if (secretNames.has(name)) warn(`${secretMessage(name)}. It renders as empty text`);
    else if (isVariable && !known.has(name)) {
      const nearest = nearestName(name, known);
      warn(`${name} is not defined and renders as empty text.${nearest === null ? '' : ` Did you mean ${nearest}?`}`);
    } else if (!isVariable && known.has(name)) {
      warn(
        `${name} refers to the current item inside each and with: write ../${name} or @root.${name} for the variable`,
      );
    }
  }
  return [...warnings.values()];
}
