// Decides whether a template is allowed: known names, within limits (decisions: Limits, Broken template;
// docs/decisions/0060).
import { errorMessage } from '#lib/errors.ts';
import Handlebars from 'handlebars';
import { checkCall, simpleName } from './gate-call.ts';
import type { Call } from './gate-call.ts';
import { limits } from './budget.ts';
import { helpers } from './helpers.ts';
import { longName, positionOf, scanTags, tooManyNodes } from './scan.ts';
import type { Tag } from './scan.ts';
import { placeOfNode, TemplateError } from './template-error.ts';
import type { Position } from './template-error.ts';

/** A variable used by a template. */
export interface Reference {
  readonly name: string;
  readonly place: Position;
  /** Whether the name refers to a variable. False inside `each` and `with`, where it refers to the item. */
  readonly isVariable: boolean;
}

export interface Passed {
  readonly tree: hbs.AST.Program;
  readonly references: readonly Reference[];
}

interface Walk {
  readonly references: Reference[];
  nodes: number;
  /** Whether names refer to the variables, innermost scope last. */
  readonly contexts: boolean[];
  /** Block parameters in scope. */
  readonly blockParams: string[];
}

/**
 * Parses a template and checks names and limits.
 *
 * @throws TemplateError with line and column
 */
export function passGate(source: string): Passed {
  const tags = scanTags(source);
  const walk: Walk = { references: [], nodes: 0, contexts: [true], blockParams: [] };
  const tree = parse(source, tags);
  walkProgram(tree, walk);
  return { tree, references: walk.references };
}

function parse(source: string, tags: readonly Tag[]): hbs.AST.Program {
  try {
    return Handlebars.parse(source);
  } catch (error) {
    const message = errorMessage(error);
    const line = Number(/line (\d+)/.exec(message)?.[1] ?? 1);
    const misfit = new TemplateError('the blocks of this template are not nested correctly', { line, column: 1 });
    throw brokenTag(source, tags, line) ?? misfit;
  }
}

/** Finds the broken tag: the first one near the parser's line that does not parse alone. */
function brokenTag(source: string, tags: readonly Tag[], line: number): TemplateError | null {
  const lines = source.split('\n');
  const from = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
  const to = from + (lines[line - 1]?.length ?? 0);
  // If the parser's line does not exist, check every tag.
  const isNear = (start: number, end: number): boolean => lines[line - 1] === undefined || (start <= to && end >= from);
  for (const { start, text, role, name } of tags) {
    if (role === 'close' || !isNear(start, start + text.length)) continue;
    const alone = { open: `${text}{{/${name}}}`, else: `{{#if x}}${text}{{/if}}`, value: text }[role];
    try {
      Handlebars.parse(alone);
    } catch {
      const index = /\w\.(\d+)/.exec(text)?.[1];
      const hint = index === undefined ? '' : `: write list items as NAME.[${index}]`;
      return new TemplateError(`${text} is not valid template syntax${hint}`, positionOf(source, start));
    }
  }
  return null;
}

function walkProgram(program: hbs.AST.Program, walk: Walk): void {
  for (const statement of program.body) {
    switch (statement.type) {
      case 'ContentStatement':
      case 'CommentStatement':
        break;
      case 'MustacheStatement':
        walkCall(statement as hbs.AST.MustacheStatement, 'value', walk);
        break;
      case 'BlockStatement':
        walkBlock(statement as hbs.AST.BlockStatement, walk);
        break;
      default:
        throw new TemplateError('partials and decorators are not supported', placeOfNode(statement));
    }
  }
}

function walkBlock(node: hbs.AST.BlockStatement, walk: Walk): void {
  const helper = walkCall(node, 'block', walk);
  const changesContext = helper === null || changesContextOf(helper);
  // Either program may be missing, as in `{{^if X}}…{{/if}}`, contrary to the types.
  const program = node.program as hbs.AST.Program | undefined;
  const inverse = node.inverse as hbs.AST.Program | undefined;
  if (program !== undefined) {
    const names = program.blockParams ?? [];
    walk.blockParams.push(...names);
    if (changesContext) walk.contexts.push(false);
    walkProgram(program, walk);
    if (changesContext) walk.contexts.pop();
    walk.blockParams.length -= names.length;
  }
  if (inverse !== undefined) walkProgram(inverse, walk);
}

/** Whether a block helper changes the context of its body. */
export function changesContextOf(helper: string): boolean {
  return helper === 'each' || helper === 'with' || helpers.get(helper)?.kind === 'value';
}

/** Checks a call and its arguments. Returns the helper's name, or null if the call refers to a variable. */
function walkCall(node: Call, form: 'value' | 'block' | 'argument', walk: Walk): string | null {
  const name = simpleName(node.path, walk.blockParams);
  const place = placeOfNode(node);
  const helper = checkCall(node, form, name, place);
  walk.nodes += 1 + node.params.length + (node.hash?.pairs.length ?? 0);
  if (walk.nodes > limits.nodes) throw new TemplateError(tooManyNodes, place);
  if (helper === null) noteReference(node.path as hbs.AST.PathExpression, walk);
  for (const param of node.params) walkExpression(param, walk);
  for (const pair of node.hash?.pairs ?? []) walkExpression(pair.value, walk);
  const key = helper === 'lookup' ? node.params[1] : undefined;
  if (key?.type === 'StringLiteral') {
    const { value } = key as hbs.AST.StringLiteral;
    walk.references.push({ name: value, place: placeOfNode(key), isVariable: isRootPath(node.params[0], walk) });
  }
  return helper;
}

function isRootPath(node: hbs.AST.Expression | undefined, walk: Walk): boolean {
  if (node?.type !== 'PathExpression') return false;
  const { data, depth, parts } = node as hbs.AST.PathExpression;
  return data ? parts.length === 1 && parts[0] === 'root' : parts.length === 0 && walk.contexts.at(-1 - depth) === true;
}

function walkExpression(node: hbs.AST.Expression, walk: Walk): void {
  if (node.type === 'SubExpression') walkCall(node as hbs.AST.SubExpression, 'argument', walk);
  else if (node.type === 'PathExpression') noteReference(node as hbs.AST.PathExpression, walk);
}

const dataNames = new Set(['root', 'index', 'key', 'first', 'last']);

function noteReference(node: hbs.AST.PathExpression, walk: Walk): void {
  const place = placeOfNode(node);
  const { parts, depth, data } = node;
  if (parts.length + depth > limits.pathParts) {
    throw new TemplateError(longName, place);
  }
  const [first, second] = parts;
  if (data) {
    if (first === undefined || !dataNames.has(first)) {
      throw new TemplateError(`unknown data variable @${first}: use @root, @index, @key, @first or @last`, place);
    }
    if (first === 'root' && second !== undefined) walk.references.push({ name: second, place, isVariable: true });
    return;
  }
  if (first === undefined) return;
  const isParam = depth === 0 && walk.blockParams.includes(first);
  const isVariable = !isParam && walk.contexts.at(-1 - depth) === true;
  walk.references.push({ name: first, place, isVariable });
}
