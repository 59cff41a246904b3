// Cases of the template fuzz: which template, where it stands and with which values, all of it following from a seed and a number.
import type { TemplateVariables } from '#domain/alerts/template-variables.ts';
import { createDice, type Dice } from '../chaos/dice.ts';
import { generateTemplate, one, whole } from './template-grammar.ts';

/** One case. */
export interface TemplateCase {
  readonly source: string;
  /** Where the template stands in a channel; `many` = in its body, twenty headers and twenty query parameters. */
  readonly field: 'template' | 'url' | 'header' | 'query' | 'many';
  readonly variables: TemplateVariables;
}

/** The case of a number; the same for the same seed. */
export function templateCase(seed: number, number: number): TemplateCase {
  const dice = createDice(Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) + Math.imul(number, 0xc2b2ae35));
  let source = generateTemplate(dice);
  if (dice() < 0.5) for (let i = whole(1, 4, dice); i > 0; i--) source = mutated(source, dice);
  const field = dice() < 0.7 ? 'template' : one(['url', 'header', 'query', 'many'] as const, dice);
  return { source: source.slice(0, 40_000), field, variables: hostileVariables(dice) };
}

const tokens = [
  '{{',
  '}}',
  '{{{',
  '}}}',
  '{{#if X}}',
  '{{/if}}',
  '{{#each TAGS}}',
  '{{/each}}',
  '{{else}}',
  '{{else if Y}}',
  '{{^}}',
  '{{~',
  '~}}',
  '(',
  ')',
  '"',
  "'",
  '[',
  ']',
  '|',
  '=',
  '../',
  '@root.',
  ' as |a b|',
  '\\',
  '\0',
  '\u2028',
  '{{!--',
  '--}}',
  '{{>',
  '{{*',
  '&',
];

/** The same text with something cut, doubled, swapped, put in, or repeated beyond every limit. */
function mutated(source: string, dice: Dice): string {
  const from = whole(0, source.length, dice);
  const to = Math.min(source.length, from + whole(0, one([1, 10, 100], dice), dice));
  const piece = source.slice(from, to);
  const [before, after] = [source.slice(0, from), source.slice(to)];
  switch (whole(0, 6, dice)) {
    case 0:
      return before + after;
    case 1:
      return before + piece.repeat(whole(2, one([3, 30, 300], dice), dice)) + after;
    case 2:
      return after + piece + before;
    case 3:
      return before + one(tokens, dice) + piece + after;
    case 4:
      return before + one(tokens, dice).repeat(whole(2, one([5, 50, 3000], dice), dice)) + after;
    case 5:
      return before + generateTemplate(dice) + after;
    default:
      return source.repeat(whole(1, one([2, 20, 200], dice), dice)).slice(0, 40_000);
  }
}

const big = 64 * 1024;
const longTexts = [
  'x'.repeat(big),
  ' '.repeat(big),
  '"'.repeat(big),
  '<&>'.repeat(big / 4),
  '\\"\n'.repeat(big / 4),
  '🔥'.repeat(big / 2),
  '\ud83d'.repeat(big),
  'ß'.repeat(big),
  ','.repeat(big),
  '['.repeat(big),
  'L'.repeat(big),
  '{{BIG}}'.repeat(5000),
];
const shortTexts = [
  '',
  'Shop',
  'a "quoted" name',
  "it's",
  'back\\slash',
  'two\nlines\r\n\t',
  '<script>alert(1)</script>',
  '{{CHECK_NAME}}',
  '{{#each @root}}{{/each}}',
  '${process.env.HOME}',
  '__proto__',
  'constructor',
  '🔥é日本語\u202e',
  '\0\u0001\u2028',
  '\ud83d',
  '%2e%2e%2f%',
  'a@b:c/../?#&=',
  '2026-07-24T10:00:00.000Z',
  'yesterday',
  '999999999999999999999',
  'x'.repeat(4096),
];
const numbers = [0, -0, 1, -1, 1.5, 503, Number.NaN, Number.POSITIVE_INFINITY, 1e21, 5e-324, 2 ** 53];

/** Values as nobody would like them. */
function hostileVariables(dice: Dice): TemplateVariables {
  const text = (): string => (dice() < 0.9 ? one(shortTexts, dice) : one(longTexts, dice));
  const list = (max: number): string[] => Array.from({ length: whole(0, max, dice) }, text);
  const variables: Record<string, string | number | boolean | readonly string[] | undefined> = {
    ALERT_TITLE: text(),
    ALERT_TYPE: 'ALERT_FAILURE',
    CHECK_NAME: text(),
    CHECK_ID: '7c0e2f5a-1d34-4b8e-9a61-0f2d3c4b5a69',
    CHECK_TYPE: 'API',
    CHECK_ERROR_MESSAGE: dice() < 0.2 ? undefined : text(),
    RESPONSE_TIME: one(numbers, dice),
    API_CHECK_RESPONSE_STATUS_CODE: one(numbers, dice),
    RESULT_LINK: 'https://tocsin.example/results/AbC',
    STARTED_AT: '2026-03-10T12:00:05.000Z',
    TAGS: list(one([2, 10, 150], dice)),
    GROUP_NAME: dice() < 0.5 ? undefined : text(),
    IS_REMINDER: dice() < 0.5,
    BIG: one(longTexts, dice),
    QUOTES: '"'.repeat(big),
    SPACES: ' '.repeat(big),
    MANY: list(150),
    LONG_LIST: Array.from({ length: 100 }, (_, index) => `tag ${index}`),
    ODD: one(numbers, dice),
    EMPTY: '',
    MARKS: one(shortTexts, dice),
  };
  if (dice() < 0.3) variables[one(['constructor', 'toHTML', 'call', 'hasOwnProperty', 'length', 'if'], dice)] = text();
  return variables;
}
