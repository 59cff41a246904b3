// Makes templates that people might write, and then some: statements at random from the whole language and beyond it.
import { helpers } from '#channels/templates/helpers.ts';
import { systemVariableNames } from '#domain/alerts/template-variables.ts';
import type { Dice } from '../chaos/dice.ts';

/** One of these. */
export function one<Thing>(things: readonly Thing[], dice: Dice): Thing {
  return things[Math.floor(dice() * things.length)] as Thing;
}

/** A whole number from `least` to `most`. */
export function whole(least: number, max: number, dice: Dice): number {
  return least + Math.floor(dice() * (max - least + 1));
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
/** Names of the helpers that may stand anywhere. */
const valueNames = [...helpers.keys()].filter((name) => !blockNames.includes(name));

/** A template. `depth`: how deep blocks may nest. */
export function generateTemplate(dice: Dice): string {
  const max = one([1, 3, 6, 12, 40, 150], dice);
  return program(dice, one([1, 2, 3, 5, 12], dice), whole(1, max, dice));
}

function program(dice: Dice, depth: number, count: number): string {
  let text = '';
  for (let i = 0; i < count; i++) text += statement(dice, depth);
  return text;
}

function statement(dice: Dice, depth: number): string {
  const kind = dice();
  if (kind < 0.25) return one(fixedTexts, dice);
  if (kind < 0.5) return tag(dice, name(dice));
  if (kind < 0.72) return tag(dice, call(dice, 3));
  if (kind < 0.996) return depth > 0 ? block(dice, depth) : tag(dice, name(dice));
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
    dice,
  );
}

function tag(dice: Dice, inside: string): string {
  const kind = dice();
  if (kind < 0.55) return `{{${inside}}}`;
  if (kind < 0.8) return `{{{${inside}}}}`;
  if (kind < 0.9) return `{{~${inside}~}}`;
  return `{{&${inside}}}`;
}

function name(dice: Dice): string {
  return dice() < 0.985 ? one(names, dice) : one(strange, dice);
}

function argument(dice: Dice, depth: number): string {
  const kind = dice();
  if (kind < 0.45) return name(dice);
  if (kind < 0.7) return `'${one(texts, dice)}'`;
  if (kind < 0.8) return String(one([0, 1, -1, 2, 5, 1e9, 1.5, 100_000], dice));
  if (kind < 0.85) return one(['true', 'false', 'null', 'undefined'], dice);
  return depth > 0 ? `(${call(dice, depth - 1)})` : name(dice);
}

function call(dice: Dice, depth: number): string {
  const helper = dice() < 0.997 ? one(valueNames, dice) : one(strange, dice);
  const least = helpers.get(helper)?.least ?? 1;
  const count = dice() < 0.9 ? Math.max(least, whole(0, 3, dice)) : whole(0, one([4, 40, 400], dice), dice);
  const args = Array.from({ length: count }, () => argument(dice, depth));
  // Mostly what is understood: what is not is refused, and nothing is learnt from it any more.
  if (helper === 'compare' && dice() < 0.95) args[1] = `'${one(['==', '!==', '<', '>=', 'typeof'], dice)}'`;
  if ((helper === 'moment' || helper === 'date') && dice() < 0.9) {
    args.length = 0;
    if (dice() < 0.5) args.push(one(["'2 days ago'", "'last week'", 'STARTED_AT', 'ODD'], dice));
    args.push(one(["'YYYY-MM-DD'", "'X'", "'LLLL'", "'h:mm a'", "'[at] x'"], dice));
  }
  if (helper !== 'compare' && dice() < 0.05)
    args.push(`${one(['compare', 'includeZero', 'lang', '__proto__'], dice)}=${argument(dice, 0)}`);
  return [helper, ...args].join(' ');
}

function block(dice: Dice, depth: number): string {
  const [head, end] = blockHead(dice);
  const mark = dice() < 0.95 ? '#' : '^';
  const params = dice() < 0.2 ? ' as |item n|' : '';
  const inner = (): string => program(dice, depth - 1, whole(0, one([1, 2, 4], dice), dice));
  let middle = '';
  while (dice() < 0.2) middle += `{{else ${blockHead(dice)[0]}}}${inner()}`;
  if (dice() < 0.35) middle += `{{else}}${inner()}`;
  return `{{${mark}${head}${params}}}${inner()}${middle}{{/${end}}}`;
}

function blockHead(dice: Dice): [head: string, end: string] {
  const kind = dice();
  if (kind < 0.3) {
    const list = one(['TAGS', 'LONG_LIST', '@root', '@root.TAGS', 'MANY', '../TAGS', 'this', "(split BIG 'x')"], dice);
    return [`each ${list}`, 'each'];
  }
  if (kind < 0.5)
    return [`${one(['if', 'unless', 'with'], dice)} ${argument(dice, 2)}`, 'if'].map((text, index, [head]) =>
      index === 0 ? text : (head?.split(' ')[0] ?? text),
    ) as [string, string];
  if (kind < 0.85) {
    const head = call(dice, 2);
    const word = head.split(' ')[0] ?? '';
    // As blocks these take their text from what they surround.
    return helpers.get(word)?.kind === 'text' ? [word, word] : [head, head.split(' ')[0] ?? ''];
  }
  const variable = name(dice);
  return [variable, variable];
}
