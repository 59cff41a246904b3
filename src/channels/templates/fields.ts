// Validates the templates of a channel field by field: errors on save, and warnings.
import { systemVariableNames } from '#domain/deliveries/template-variables.ts';
import { nearestName } from '#lib/nearest.ts';
import { type CompiledTemplate, compileTemplate } from './compile.ts';
import type { Reference } from './gate.ts';
import { dollarNames } from './helpers.ts';
import { TemplateError } from './template-error.ts';

export interface TemplateField {
  /** Such as `config.headers[0].value`. */
  readonly path: string;
  readonly source: string;
  /** Part of the message that the template renders. Header names are in lower case. */
  readonly target: 'url' | 'body' | `header ${string}`;
}

/** Variables used by a template. */
export interface TemplateNames extends TemplateField {
  readonly references: readonly Reference[];
}

export interface ConfigIssue {
  /** Such as `config.headers[0].key`. */
  readonly path: string;
  /** The problem and how to fix it. */
  readonly message: string;
  /** Starts at 1; templates only. */
  readonly line?: number;
  /** Starts at 1; templates only. */
  readonly column?: number;
}

/** The first place of `find` in a template is wrong; `replaceWith` is right there for every value. */
export interface TemplateFix {
  readonly find: string;
  readonly replaceWith: string;
}

export interface ConfigWarning extends ConfigIssue {
  /** Shortest value that triggers the problem. */
  readonly example?: string;
  readonly fix?: TemplateFix;
}

/**
 * Compiles templates and returns why they cannot be saved or rendered. Empty if valid.
 *
 * @param secretNames keys of secret variables, which templates must not use
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

/** Returns the valid templates with the variables they use. */
export function namesIn(fields: readonly TemplateField[]): TemplateNames[] {
  return fields.flatMap((field) => {
    const compiled = compileField(field);
    return 'references' in compiled ? [{ ...field, references: compiled.references }] : [];
  });
}

/** Compiles a template or returns its problem. */
function compileField({ path, source }: TemplateField): CompiledTemplate | ConfigIssue {
  try {
    return compileTemplate(source);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return { path, message: error.message, line: error.line, column: error.column };
  }
}

/** Message for the use of a secret variable. */
function secretMessage(name: string): string {
  return `${name} is a secret, and alert templates cannot use secrets. Use a variable that is not secret; if it is locked, logs hide its value`;
}

/** Warns about undefined names, secrets, and variables hidden by the current item. */
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
