// Compiles statements: text, tags and blocks.
import type { Rendering } from './budget.ts';
import type { Call } from './gate-call.ts';
import {
  argumentsOf,
  callValue,
  comparisonValue,
  type Declared,
  type Frame,
  hashOf,
  helperOf,
  type Loop,
  pathValue,
} from './expressions.ts';
import type { TextHelper } from './helper.ts';
import { placeOfNode } from './template-error.ts';
import type { Position } from './template-error.ts';
import { escaped, escapedLength, sizeOf, textOf } from './text-helpers.ts';

/** Prints one statement or a whole program. */
export type Statement = (frame: Frame, rendering: Rendering) => void;

/** Body of a block, and the number of its block parameters. */
interface Body {
  readonly print: Statement;
  readonly declares: boolean;
}

const printNothing: Statement = () => undefined;

export function programOf(program: hbs.AST.Program | undefined, declared: Declared): Statement {
  const statements = (program?.body ?? []).flatMap((statement) => {
    const made = statementOf(statement, declared);
    return made === null ? [] : [made];
  });
  const [only] = statements;
  if (only === undefined) return printNothing;
  if (statements.length === 1) return only;
  return (frame, rendering) => {
    for (let i = 0; i < statements.length; i++) (statements[i] as Statement)(frame, rendering);
  };
}

/** Compiles a statement; null if it prints nothing. */
function statementOf(statement: hbs.AST.Statement, declared: Declared): Statement | null {
  switch (statement.type) {
    case 'ContentStatement': {
      const { value } = statement as hbs.AST.ContentStatement;
      const place = placeOfNode(statement);
      return value === '' ? null : (_frame, rendering) => rendering.print(place, value);
    }
    case 'MustacheStatement':
      return mustacheOf(statement as hbs.AST.MustacheStatement, declared);
    case 'BlockStatement':
      return blockOf(statement as hbs.AST.BlockStatement, declared);
    default:
      return null;
  }
}

function mustacheOf(node: hbs.AST.MustacheStatement, declared: Declared): Statement {
  const place = placeOfNode(node);
  const helper = helperOf(node, declared);
  const value = callValue(node, declared) ?? pathValue(node.path as hbs.AST.PathExpression, declared);
  const isVerbatim = helper?.kind === 'text' && helper.verbatim === true;
  if (node.escaped && !isVerbatim) {
    return (frame, rendering) => {
      const text = printed(value(frame, rendering), rendering, place);
      if (!rendering.escapes) return rendering.printValue(place, text);
      if (text.length > muchText) rendering.reserve(place, escapedLength(text));
      rendering.printValue(place, escaped(text));
    };
  }
  return (frame, rendering) => {
    rendering.printValue(place, printed(value(frame, rendering), rendering, place));
  };
}

/** Converts a value to text, after checking that it can be printed. */
function printed(value: unknown, rendering: Rendering, place: Position): string {
  if (typeof value === 'string') {
    if (value.length > muchText) rendering.reserve(place, value.length);
    return value;
  }
  if (typeof value === 'object') rendering.reserve(place, sizeOf(value));
  return textOf(value);
}

/** Longer texts are measured before they are escaped. */
const muchText = 1024;

function bodyOf(program: hbs.AST.Program | undefined, declared: Declared): Body {
  const names = program?.blockParams ?? [];
  if (names.length === 0) return { print: programOf(program, declared), declares: false };
  return { print: programOf(program, [names, ...declared]), declares: true };
}

function blockOf(node: hbs.AST.BlockStatement, declared: Declared): Statement {
  const place = placeOfNode(node);
  const helper = helperOf(node, declared);
  // Either program may be missing, as in `{{^if X}}…{{/if}}`, contrary to the types.
  const body = bodyOf(node.program, declared);
  const inverse = bodyOf(node.inverse, declared);
  if (helper === null) {
    const value = pathValue(node.path, declared);
    return (frame, rendering) => {
      rendering.step(place);
      printSection(value(frame, rendering), body, inverse, frame, rendering, place);
    };
  }
  if (helper.kind === 'comparison') {
    const holds = comparisonValue(node, declared, argumentsOf(node, declared, place));
    return (frame, rendering) => run(holds(frame, rendering) ? body : inverse, frame, rendering);
  }
  if (helper.kind === 'text') return textBlock(helper, body, place);
  if (helper.kind === 'value') {
    const value = callValue(node, declared) ?? (() => undefined);
    return (frame, rendering) => {
      const made = value(frame, rendering);
      if (Array.isArray(made)) printEach(made, body, inverse, frame, rendering, place);
      else printWith(made === '' ? undefined : made, body, inverse, frame, rendering);
    };
  }
  return builtInBlock(node, declared, body, inverse, place);
}

/** `if`, `unless`, `each` and `with`. */
function builtInBlock(node: Call, declared: Declared, body: Body, inverse: Body, place: Position): Statement {
  const { original } = node.path as hbs.AST.PathExpression;
  const argumentsIn = argumentsOf(node, declared, place);
  if (original === 'each') {
    return (frame, rendering) => {
      const [value] = argumentsIn(frame, rendering);
      printEach(value, body, inverse, frame, rendering, place);
    };
  }
  if (original === 'with') {
    return (frame, rendering) => printWith(argumentsIn(frame, rendering)[0], body, inverse, frame, rendering);
  }
  const hashIn = hashOf(node, declared);
  const [when, otherwise] = original === 'if' ? [body, inverse] : [inverse, body];
  return (frame, rendering) => {
    const [value] = argumentsIn(frame, rendering);
    const isZeroSomething = value === 0 && hashIn !== null && Boolean(hashIn(frame, rendering)['includeZero']);
    const holds = value === 0 ? isZeroSomething : !isEmpty(value);
    run(holds ? when : otherwise, frame, rendering);
  };
}

/** Compiles `{{#uppercase}}…{{/uppercase}}`: transforms the text of the block. */
function textBlock(helper: TextHelper, body: Body, place: Position): Statement {
  return (frame, rendering) => {
    rendering.step(place);
    const text = rendering.caught(() => run(body, frame, rendering));
    rendering.place = place;
    rendering.print(place, textOf(helper.value([text], rendering)));
  };
}

/** Prints a body in the current context. Its block parameters have no value. */
function run({ print, declares }: Body, frame: Frame, rendering: Rendering): void {
  if (declares) print({ ...frame, params: { values: [], outer: frame.params } }, rendering);
  else print(frame, rendering);
}

function isEmpty(value: unknown): boolean {
  return (!value && value !== 0) || (Array.isArray(value) && value.length === 0);
}

/** Prints a body in another context. `../` refers to the previous one, unless the context is the same. */
function printWithin(
  context: unknown,
  values: readonly unknown[],
  body: Body,
  frame: Frame,
  rendering: Rendering,
): void {
  const { root, loop, params } = frame;
  const outer = context === frame.context ? frame.outer : frame;
  const inner = { context, outer, root, loop, params: body.declares ? { values, outer: params } : params };
  body.print(inner, rendering);
}

function printWith(value: unknown, body: Body, inverse: Body, frame: Frame, rendering: Rendering): void {
  if (isEmpty(value)) run(inverse, frame, rendering);
  else printWithin(value, [value], body, frame, rendering);
}

/** Prints `{{#X}}…{{/X}}` for a variable: loops over a list, keeps the context for true, and enters anything else. */
function printSection(
  value: unknown,
  body: Body,
  inverse: Body,
  frame: Frame,
  rendering: Rendering,
  place: Position,
): void {
  if (Array.isArray(value)) printEach(value, body, inverse, frame, rendering, place);
  else if (value === true) run(body, frame, rendering);
  else if (value === false || value === undefined || value === null) run(inverse, frame, rendering);
  else printWithin(value, [], body, frame, rendering);
}

function printEach(
  value: unknown,
  body: Body,
  inverse: Body,
  frame: Frame,
  rendering: Rendering,
  place: Position,
): void {
  const isList = Array.isArray(value);
  const keys = isList || typeof value !== 'object' || value === null ? null : Object.keys(value);
  const count = isList ? value.length : (keys?.length ?? 0);
  if (count === 0) {
    run(inverse, frame, rendering);
    return;
  }
  const loop: Loop = { index: 0, key: undefined, first: true, last: false, outer: frame.loop };
  const { root, params } = frame;
  for (let index = 0; index < count; index++) {
    rendering.step(place);
    const key = keys === null ? index : (keys[index] as string);
    const context = (value as Readonly<Record<string | number, unknown>>)[key];
    loop.index = index;
    loop.key = key;
    loop.first = index === 0;
    loop.last = index === count - 1;
    const outer = context === frame.context ? frame.outer : frame;
    const declared = body.declares ? { values: [context, key], outer: params } : params;
    body.print({ context, outer, root, loop, params: declared }, rendering);
  }
}
