// Detects templates that transform a variable, so that its value cannot be recognized in the output.
import Handlebars from 'handlebars';
import { compileTemplate } from './compile.ts';
import { changesContextOf } from './gate.ts';
import { type Call, simpleName } from './gate-call.ts';
import { helpers } from './helpers.ts';
import { TemplateError } from './template-error.ts';

/** Helpers whose output is one of the encoded forms that masking recognizes. */
const encoders: ReadonlySet<string> = new Set(['json', 'jsonString', 'urlencode']);

/** Scope of name lookups: all variables, something that holds a locked value, or neither. */
type Context = 'all' | 'tainted' | 'clean';

interface Walk {
  readonly names: ReadonlySet<string>;
  /** Innermost last. */
  readonly contexts: Context[];
  /** Block parameters in scope, with whether they hold a locked value. */
  readonly params: Map<string, boolean>;
  /** Number of enclosing block helpers that transform their text. */
  within: number;
  found: boolean;
}

/**
 * Whether a template may transform one of these variables or take part of it. `json`, `jsonString`, `urlencode`,
 * `default` and comparisons do not transform.
 */
export function reshapes(source: string, names: ReadonlySet<string>): boolean {
  if (names.size === 0 || !source.includes('{{')) return false;
  try {
    // Invalid templates are never rendered, and may be too deeply nested to walk.
    compileTemplate(source);
  } catch (error) {
    if (error instanceof TemplateError) return false;
    throw error;
  }
  const walk: Walk = { names, contexts: ['all'], params: new Map(), within: 0, found: false };
  walkProgram(Handlebars.parse(source), walk);
  return walk.found;
}

function walkProgram(program: hbs.AST.Program | undefined, walk: Walk): void {
  for (const statement of program?.body ?? []) {
    if (statement.type === 'MustacheStatement') {
      const isTainted = valueOf(statement as hbs.AST.MustacheStatement, walk, true);
      if (isTainted && walk.within > 0) walk.found = true;
    } else if (statement.type === 'BlockStatement') walkBlock(statement as hbs.AST.BlockStatement, walk);
  }
}

function walkBlock(node: hbs.AST.BlockStatement, walk: Walk): void {
  const name = helperOf(node, walk);
  const isText = name !== null && helpers.get(name)?.kind === 'text';
  const [first] = node.params;
  const value = name === null ? node.path : first;
  const isTainted = value !== undefined && taintOf(value, walk);
  for (const param of node.params.slice(1)) taintOf(param, walk);
  if (isText) walk.within++;
  const changesContext = name === null || changesContextOf(name);
  const program = node.program as hbs.AST.Program | undefined;
  const outer = new Map(walk.params);
  program?.blockParams?.forEach((param, index) => walk.params.set(param, isTainted && index === 0));
  if (changesContext) walk.contexts.push(isTainted ? 'tainted' : 'clean');
  walkProgram(program, walk);
  if (changesContext) walk.contexts.pop();
  walk.params.clear();
  for (const [param, held] of outer) walk.params.set(param, held);
  walkProgram(node.inverse, walk);
  if (isText) walk.within--;
}

function helperOf(node: Call, walk: Walk): string | null {
  const name = simpleName(node.path, [...walk.params.keys()]);
  return name !== null && helpers.has(name) ? name : null;
}

function taintOf(node: hbs.AST.Expression, walk: Walk): boolean {
  if (node.type === 'SubExpression') return valueOf(node as hbs.AST.SubExpression, walk, false);
  return node.type === 'PathExpression' && pathTaint(node as hbs.AST.PathExpression, walk);
}

/** Whether a call returns a locked value. Records whether it transforms the value. */
function valueOf(call: Call, walk: Walk, isPrinted: boolean): boolean {
  const name = helperOf(call, walk);
  if (name === null) return pathTaint(call.path as hbs.AST.PathExpression, walk);
  if (name === 'lookup') return lookupTaint(call, walk);
  const given = [...call.params, ...(call.hash?.pairs ?? []).map(({ value }) => value)];
  const isTainted = given.map((param) => taintOf(param, walk)).includes(true);
  if (!isTainted || helpers.get(name)?.kind === 'comparison') return false;
  // Masking does not recognize doubly encoded values.
  if (name !== 'default' && !(isPrinted && encoders.has(name))) walk.found = true;
  return true;
}

/** Handles `lookup`: a variable by name, or part of a value. */
function lookupTaint({ params: [from, key] }: Call, walk: Walk): boolean {
  if (from === undefined || key === undefined) return false;
  const isKeyTainted = taintOf(key, walk);
  if (isAll(from, walk)) {
    if (key.type !== 'StringLiteral') return true;
    return walk.names.has((key as hbs.AST.StringLiteral).value);
  }
  const isTainted = taintOf(from, walk);
  if (isTainted) walk.found = true;
  return isTainted || isKeyTainted;
}

/** Whether an expression refers to all variables. */
function isAll(node: hbs.AST.Expression, walk: Walk): boolean {
  if (node.type !== 'PathExpression') return false;
  const { data, depth, parts } = node as hbs.AST.PathExpression;
  if (data) return parts.length === 1 && parts[0] === 'root';
  return parts.length === 0 && walk.contexts.at(-1 - depth) === 'all';
}

/** Whether a path refers to a locked value, or to something that holds one. Records whether it takes part of it. */
function pathTaint(node: hbs.AST.PathExpression, walk: Walk): boolean {
  const { data, depth } = node;
  const parts = data && node.parts[0] === 'root' ? node.parts.slice(1) : node.parts;
  const [first] = parts;
  if (data && parts.length === node.parts.length) return false;
  if (first === undefined) return data || depth > 0 || walk.contexts.at(-1) !== 'clean';
  const held = data || depth > 0 ? undefined : walk.params.get(first);
  const isPiece = held === undefined && !data && walk.contexts.slice(depth > 0 ? 0 : -1).includes('tainted');
  const isTainted = (held ?? walk.names.has(first)) || isPiece;
  if (isPiece || (isTainted && parts.length > 1)) walk.found = true;
  return isTainted;
}
