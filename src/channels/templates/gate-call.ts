// Validates one call in a template: helper name, form and arguments.
import { systemVariableNames } from '#domain/deliveries/template-variables.ts';
import type { Helper } from './helper.ts';
import { dollarNames, helpers } from './helpers.ts';
import { suggestion } from '#lib/nearest.ts';
import { TemplateError } from './template-error.ts';
import type { Position } from './template-error.ts';

/** A tag, a block opener or an expression in parentheses. */
export interface Call {
  readonly type: string;
  readonly loc: hbs.AST.SourceLocation;
  readonly path: hbs.AST.PathExpression | hbs.AST.Literal;
  readonly params: hbs.AST.Expression[];
  readonly hash?: hbs.AST.Hash;
}

const hiddenNames = new Set(['log', 'helperMissing', 'blockHelperMissing']);

/** The name of a simple path; null for `a.b`, `../a`, `this.a`, `@a` and block parameters. */
export function simpleName(path: Call['path'], blockParams: readonly string[]): string | null {
  if (path.type !== 'PathExpression') return null;
  const { parts, depth, data, original } = path as hbs.AST.PathExpression;
  const [name] = parts;
  if (name === undefined || parts.length > 1 || depth > 0 || data || /^(\.|this[./])/.test(original)) return null;
  return blockParams.includes(name) ? null : name;
}

/**
 * Validates a call and returns its helper name, or null if it refers to a variable.
 *
 * @throws TemplateError that says how to fix it
 */
export function checkCall(
  call: Call,
  form: 'value' | 'block' | 'argument',
  name: string | null,
  place: Position,
): string | null {
  const helper = name === null ? undefined : helpers.get(name);
  if (name !== null && helper !== undefined) {
    const fault = formFault(name, helper, call, form) ?? helper.fault?.(call.params.map(literalOf)) ?? null;
    if (fault !== null) throw new TemplateError(fault, place);
    return name;
  }
  if (call.path.type !== 'PathExpression') {
    throw new TemplateError('a tag must start with a name: write literal text outside the braces', place);
  }
  const { original } = call.path as hbs.AST.PathExpression;
  if (call.params.length > 0 || call.hash !== undefined || form === 'argument') {
    throw new TemplateError(unknownHelper(original, call), place);
  }
  if (name !== null && hiddenNames.has(name)) throw new TemplateError(unknownHelper(name, call), place);
  if (name?.startsWith('$') && !dollarNames.some((known) => known === name)) {
    const near = suggestion(name, dollarNames);
    throw new TemplateError(`unknown value ${name}${near}: use ${dollarNames.join(' or ')}`, place);
  }
  return null;
}

function formFault(name: string, helper: Helper, call: Call, form: 'value' | 'block' | 'argument'): string | null {
  const count = call.params.length;
  if (helper.kind === 'block') {
    if (form !== 'block') return `${name} is a block helper: write {{#${name} …}}…{{/${name}}}`;
    if (count > helper.max) return `${name} takes ${helper.max} argument, got ${count}`;
  }
  if (helper.kind === 'text' && form === 'block') {
    return count === 0 ? null : `${name} takes its text from the block or from an argument, not from both`;
  }
  if (count >= helper.least) return null;
  const variable = count === 0 && form === 'value' ? ` (for a variable of this name, write {{this.${name}}})` : '';
  return `${name} needs ${helper.least === 1 ? '1 argument' : `${helper.least} arguments`}, got ${count}${variable}`;
}

function literalOf(node: hbs.AST.Expression): unknown {
  return 'value' in node ? node.value : undefined;
}

function unknownHelper(name: string, call: Call): string {
  // `{{CHECK NAME}}` parses as a helper with an argument; detect names with a space.
  const words = [call.path, ...call.params].map((node) => ('original' in node ? String(node.original) : ''));
  const joined = words.join('_');
  const isVariable = [...systemVariableNames, ...dollarNames].some((known) => known === name);
  if (call.params.length > 0 && systemVariableNames.some((known) => known === joined)) {
    return `variable names contain no spaces: did you mean {{${joined}}}?`;
  }
  if (isVariable) return `${name} is a variable and takes no arguments`;
  return `unknown helper ${name}${suggestion(name, helpers.keys())}`;
}
