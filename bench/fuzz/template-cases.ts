// Cases of the template fuzz: template, position and values, determined by a seed and a number.
import type { TemplateVariables } from '#domain/deliveries/template-variables.ts';
import { createRandom, type Random } from '../chaos/random.ts';
import { generateTemplate, one, whole } from './template-grammar.ts';

/** A case. */
export interface TemplateCase {
  readonly source: string;
  /** Field of the channel that contains the template; `many` = body, twenty headers and twenty query parameters. */
  readonly field: 'template' | 'url' | 'header' | 'query' | 'many';
  readonly variables: TemplateVariables;
}

/** Returns the case with a number, the same for the same seed. */
export function templateCase(seed: number, number: number): TemplateCase {
  const random = createRandom(Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) + Math.imul(number, 0xc2b2ae35));
  let source = generateTemplate(random);
  if (random() < 0.5) for (let i = whole(1, 4, random); i > 0; i--) source = mutated(source, random);
  const field = random() < 0.7 ? 'template' : one(['url', 'header', 'query', 'many'] as const, random);
  return { source: source.slice(0, 40_000), field, variables: hostileVariables(random) };
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

/** Mutates a text: cuts, duplicates, swaps or inserts parts, or repeats one beyond every limit. */
function mutated(source: string, random: Random): string {
  const from = whole(0, source.length, random);
  const to = Math.min(source.length, from + whole(0, one([1, 10, 100], random), random));
  const piece = source.slice(from, to);
  const [before, after] = [source.slice(0, from), source.slice(to)];
  switch (whole(0, 6, random)) {
    case 0:
      return before + after;
    case 1:
      return before + piece.repeat(whole(2, one([3, 30, 300], random), random)) + after;
    case 2:
      return after + piece + before;
    case 3:
      return before + one(tokens, random) + piece + after;
    case 4:
      return before + one(tokens, random).repeat(whole(2, one([5, 50, 3000], random), random)) + after;
    case 5:
      return before + generateTemplate(random) + after;
    default:
      return source.repeat(whole(1, one([2, 20, 200], random), random)).slice(0, 40_000);
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

/** Hostile values. */
function hostileVariables(random: Random): TemplateVariables {
  const text = (): string => (random() < 0.9 ? one(shortTexts, random) : one(longTexts, random));
  const list = (max: number): string[] => Array.from({ length: whole(0, max, random) }, text);
  const variables: Record<string, string | number | boolean | readonly string[] | undefined> = {
    ALERT_TITLE: text(),
    ALERT_TYPE: 'ALERT_FAILURE',
    CHECK_NAME: text(),
    CHECK_ID: '7c0e2f5a-1d34-4b8e-9a61-0f2d3c4b5a69',
    CHECK_TYPE: 'API',
    CHECK_ERROR_MESSAGE: random() < 0.2 ? undefined : text(),
    RESPONSE_TIME: one(numbers, random),
    API_CHECK_RESPONSE_STATUS_CODE: one(numbers, random),
    RESULT_LINK: 'https://tocsin.example/results/AbC',
    STARTED_AT: '2026-03-10T12:00:05.000Z',
    TAGS: list(one([2, 10, 150], random)),
    GROUP_NAME: random() < 0.5 ? undefined : text(),
    IS_REMINDER: random() < 0.5,
    BIG: one(longTexts, random),
    QUOTES: '"'.repeat(big),
    SPACES: ' '.repeat(big),
    MANY: list(150),
    LONG_LIST: Array.from({ length: 100 }, (_, index) => `tag ${index}`),
    ODD: one(numbers, random),
    EMPTY: '',
    MARKS: one(shortTexts, random),
  };
  if (random() < 0.3)
    variables[one(['constructor', 'toHTML', 'call', 'hasOwnProperty', 'length', 'if'], random)] = text();
  return variables;
}
