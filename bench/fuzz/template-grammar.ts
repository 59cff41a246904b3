// Generates random templates from the complete language and beyond.
import { helpers } from '#channels/templates/helpers.ts';
import { systemVariableNames } from '#domain/deliveries/template-variables.ts';
import type { Random } from '../chaos/random.ts';

/** Picks one item. */
export function one<Thing>(things: readonly Thing[], random: Random): Thing {
  return things[Math.floor(random() * things.length)] as Thing;
}

/** Returns an integer from `least` to `most`. */
export function whole(least: number, max: number, random: Random): number {
  return least + Math.floor(random() * (max - least + 1));
}

const names = [
  ...systemVariableNames,
  ...systemVariableNames,
  'BIG',
  'QUOTES',
  'SPACES',
  'MANY',
  'LONG_LIST',
  'ODD',
  'EMPTY',
  'NOBODY',
  'MARKS',
  '$UUID',
  '$RANDOM_NUMBER',
  'this',
  '.',
  '@index',
  '@key',
  '@first',
  '@last',
  '@root',
  '@root.TAGS',
  '@../index',
  '../BIG',
  '../../TAGS',
  'TAGS.[0]',
  'TAGS.length',
  'item',
  'n',
  'this.BIG',
];
const strange = [
  'constructor',
  '__proto__',
  'prototype',
  'toString',
  'hasOwnProperty',
  'TAGS.constructor',
  'BIG.constructor.constructor',
  '@root.__proto__',
  '__defineGetter__',
  'process.env',
  'global',
  'require',
  'a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q',
  '../../../../../../../../../../../../../../../../../x',
  '@secret',
  '@root.constructor.name',
  '[with spaces]',
  'log',
  'helperMissing',
  'blockHelperMissing',
  'toHTML',
  'call',
];
const texts = [
  'ALERT_FAILURE',
  'prod',
  '',
  ',',
  '-',
  'a',
  'x',
  'constructor',
  '__proto__',
  'YYYY-MM-DD',
  'X',
  'LLLL',
  '2 days ago',
  'last week',
  'garbage',
  'typeof',
  '===',
  '<',
  'length',
  '/etc/passwd',
  'é🔥',
  '\\n',
  '(a+)+$',
];
const fixedTexts = [
  '{"text": ',
  ' }',
  ', "b": [',
  '] ',
  'Check is ',
  '\n',
  '  \n  ',
  '"',
  '\\',
  '<b>',
  '&amp;',
  '?a=b&c=',
  ' '.repeat(50),
  'x'.repeat(200),
  'é🔥',
  ': {',
  ' } ',
];
const blockNames = [...helpers].flatMap(([name, { kind }]) => (kind === 'block' ? [name] : []));
/** Names of helpers that can be used anywhere. */
const valueNames = [...helpers.keys()].filter((name) => !blockNames.includes(name));

/** Generates a template. `depth`: maximum nesting of blocks. */
export function generateTemplate(random: Random): string {
  const max = one([1, 3, 6, 12, 40, 150], random);
  return program(random, one([1, 2, 3, 5, 12], random), whole(1, max, random));
}

function program(random: Random, depth: number, count: number): string {
  let text = '';
  for (let i = 0; i < count; i++) text += statement(random, depth);
  return text;
}

function statement(random: Random, depth: number): string {
  const kind = random();
  if (kind < 0.25) return one(fixedTexts, random);
  if (kind < 0.5) return tag(random, name(random));
  if (kind < 0.72) return tag(random, call(random, 3));
  if (kind < 0.996) return depth > 0 ? block(random, depth) : tag(random, name(random));
  return one(
    [
      '{{! comment }}',
      '{{!-- {{x}} --}}',
      '{{> part}}',
      '{{#> part}}{{/part}}',
      '{{* deco}}',
      '{{#* inline "x"}}{{/inline}}',
      '{{{{raw}}}}{{x}}{{{{/raw}}}}',
      '\\{{escaped}}',
      '{{else}}',
      '{{/if}}',
      '{{',
      '{{{',
      '{{x (y',
      '{{"text"}}',
      '{{lookup . (lookup @root "BIG")}}',
    ],
    random,
  );
}

function tag(random: Random, inside: string): string {
  const kind = random();
  if (kind < 0.55) return `{{${inside}}}`;
  if (kind < 0.8) return `{{{${inside}}}}`;
  if (kind < 0.9) return `{{~${inside}~}}`;
  return `{{&${inside}}}`;
}

function name(random: Random): string {
  return random() < 0.985 ? one(names, random) : one(strange, random);
}

function argument(random: Random, depth: number): string {
  const kind = random();
  if (kind < 0.45) return name(random);
  if (kind < 0.7) return `'${one(texts, random)}'`;
  if (kind < 0.8) return String(one([0, 1, -1, 2, 5, 1e9, 1.5, 100_000], random));
  if (kind < 0.85) return one(['true', 'false', 'null', 'undefined'], random);
  return depth > 0 ? `(${call(random, depth - 1)})` : name(random);
}

function call(random: Random, depth: number): string {
  const helper = random() < 0.997 ? one(valueNames, random) : one(strange, random);
  const least = helpers.get(helper)?.least ?? 1;
  const count = random() < 0.9 ? Math.max(least, whole(0, 3, random)) : whole(0, one([4, 40, 400], random), random);
  const args = Array.from({ length: count }, () => argument(random, depth));
  // Mostly valid, because a rejected template tests nothing else.
  if (helper === 'compare' && random() < 0.95) args[1] = `'${one(['==', '!==', '<', '>=', 'typeof'], random)}'`;
  if ((helper === 'moment' || helper === 'date') && random() < 0.9) {
    args.length = 0;
    if (random() < 0.5) args.push(one(["'2 days ago'", "'last week'", 'STARTED_AT', 'ODD'], random));
    args.push(one(["'YYYY-MM-DD'", "'X'", "'LLLL'", "'h:mm a'", "'[at] x'"], random));
  }
  if (helper !== 'compare' && random() < 0.05)
    args.push(`${one(['compare', 'includeZero', 'lang', '__proto__'], random)}=${argument(random, 0)}`);
  return [helper, ...args].join(' ');
}

function block(random: Random, depth: number): string {
  const [head, end] = blockHead(random);
  const mark = random() < 0.95 ? '#' : '^';
  const params = random() < 0.2 ? ' as |item n|' : '';
  const inner = (): string => program(random, depth - 1, whole(0, one([1, 2, 4], random), random));
  let middle = '';
  while (random() < 0.2) middle += `{{else ${blockHead(random)[0]}}}${inner()}`;
  if (random() < 0.35) middle += `{{else}}${inner()}`;
  return `{{${mark}${head}${params}}}${inner()}${middle}{{/${end}}}`;
}

function blockHead(random: Random): [head: string, end: string] {
  const kind = random();
  if (kind < 0.3) {
    const list = one(
      ['TAGS', 'LONG_LIST', '@root', '@root.TAGS', 'MANY', '../TAGS', 'this', "(split BIG 'x')"],
      random,
    );
    return [`each ${list}`, 'each'];
  }
  if (kind < 0.5)
    return [`${one(['if', 'unless', 'with'], random)} ${argument(random, 2)}`, 'if'].map((text, index, [head]) =>
      index === 0 ? text : (head?.split(' ')[0] ?? text),
    ) as [string, string];
  if (kind < 0.85) {
    const head = call(random, 2);
    const word = head.split(' ')[0] ?? '';
    // As blocks, these get their text from their content.
    return helpers.get(word)?.kind === 'text' ? [word, word] : [head, head.split(' ')[0] ?? ''];
  }
  const variable = name(random);
  return [variable, variable];
}
