// Compiled templates: language, missing values, and limits of a rendering.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import Handlebars from 'handlebars';
import { countOwnTime } from '../../../tests/support/own-time.ts';
import { compileTemplate, isCompiled } from './compile.ts';
import { contextOf } from './context.ts';
import { helpers } from './helpers.ts';
import { TemplateError } from './template-error.ts';

const facts = { createdAt: 0, uuid: 'u', randomNumber: 7, userAgent: '' };
const variables = {
  NAME: 'Shop <1> & "2"',
  ZERO: 0,
  YES: true,
  NO: false,
  EMPTY: '',
  TAGS: ['a', 'b"c', 'd'],
  NONE: [] as string[],
  TWO: ['1', '2'],
};
const values = contextOf(variables, facts);

test('renders a template of the specification for each alert type', () => {
  const source = "Check is {{#eq ALERT_TYPE 'ALERT_FAILURE'}}DOWN{{/eq}} {{#eq ALERT_TYPE 'ALERT_RECOVERY'}}UP{{/eq}}";
  assert.equal(compileTemplate(source).render({ ALERT_TYPE: 'ALERT_FAILURE' }, 0), 'Check is DOWN ');
  assert.equal(compileTemplate(source).render({ ALERT_TYPE: 'ALERT_RECOVERY' }, 0), 'Check is  UP');
});

// The language is compared with unmodified Handlebars.
const language = [
  '{{NAME}} {{{NAME}}} {{&NAME}} {{MISSING}} {{ZERO}} {{YES}} {{NO}} {{EMPTY}} {{TAGS}} {{{TAGS}}}',
  '{{#if ZERO}}y{{else}}n{{/if}}{{#if ZERO includeZero=true}}y{{else}}n{{/if}}{{#if NONE}}y{{else}}n{{/if}}{{#if TAGS}}y{{/if}}',
  '{{#unless NO}}y{{else}}n{{/unless}}{{#unless TAGS}}y{{else}}n{{/unless}}{{#unless ZERO includeZero=true}}y{{else}}n{{/unless}}',
  '{{#if NO}}1{{else if EMPTY}}2{{else if YES}}3{{else}}4{{/if}}',
  '{{#each TAGS}} "{{this}}" {{#unless @last}},{{/unless}} {{/each}}',
  '{{#each TAGS}}{{@index}}{{@key}}{{@first}}{{@last}}{{.}}{{../NAME}}{{@root.ZERO}}{{NAME}};{{/each}}',
  '{{#each NONE}}x{{else}}none{{/each}}{{#each MISSING}}x{{else}}none{{/each}}{{#each NAME}}x{{else}}none{{/each}}',
  '{{#each TAGS as |tag i|}}{{tag}}{{i}}{{NAME}}{{#each ../TWO as |two|}}{{tag}}{{two}}{{@../index}}{{/each}}{{/each}}',
  '{{#each @root}}{{@key}}={{this}};{{/each}}',
  '{{#with NAME}}{{this}}{{else}}none{{/with}}{{#with EMPTY}}x{{else}}none{{/with}}{{#with NAME as |n|}}{{n}}{{/with}}',
  '{{#TAGS}}[{{.}}]{{/TAGS}}{{#NONE}}x{{/NONE}}{{^NONE}}none{{/NONE}}{{#YES}}{{ZERO}}{{/YES}}{{#NO}}x{{else}}no{{/NO}}{{#NAME}}{{.}}{{/NAME}}{{#ZERO}}z{{/ZERO}}',
  '{{TAGS.[1]}} {{TAGS.length}} {{NAME.length}} {{lookup TAGS 1}} {{lookup TAGS "9"}} {{lookup @root "NAME"}}',
  ' {{~NAME~}} \n {{#if YES}}\n  line\n {{/if}}\nend {{! comment }}{{!-- {{x}} --}} \\{{NAME}} \\\\{{ZERO}}',
  '{{[NAME]}} {{this.NAME}} {{./NAME}} {{this/NAME}}',
];

for (const source of language) {
  test(`implements Handlebars: ${source}`, () => {
    const expected = Handlebars.create().compile(source)(values);
    assert.equal(compileTemplate(source).render(values, 0), expected);
  });
}

const closed = [
  '{{constructor}}{{__proto__}}{{toString}}{{this.constructor}}',
  '{{NAME.constructor}}{{NAME.__proto__}}{{TAGS.constructor}}{{TAGS.map}}{{ZERO.toFixed}}',
  '{{lookup NAME "constructor"}}{{lookup TAGS "__proto__"}}{{lookup @root "__proto__"}}{{lookup TAGS "map"}}',
  '{{#with NAME as |s|}}{{s.constructor}}{{lookup s "constructor"}}{{s.sub}}{{/with}}',
  '{{#each TAGS}}{{this.constructor.name}}{{@root.constructor}}{{/each}}',
  '{{TAGS.constructor.constructor}}{{__defineGetter__}}{{@root.__lookupGetter__}}',
];

for (const source of closed) {
  test(`does not reach inherited properties: ${source}`, () => {
    assert.equal(compileTemplate(source).render(values, 0), '');
    assert.equal(compileTemplate(source).render(variables, 0), '');
  });
}

const big = 'x'.repeat(64 * 1024);
const hundred = Array.from({ length: 100 }, (_, index) => `tag${index}`);
const hostile: Readonly<Record<string, readonly [source: string, message: RegExp]>> = {
  'loops in loops over every variable': [
    `${'{{#each @root}}'.repeat(8)}x${'{{/each}}'.repeat(8)}`,
    /more than 10000 steps/,
  ],
  'loops in loops over the tags': [
    `${'{{#each @root.TAGS}}'.repeat(8)}x${'{{/each}}'.repeat(8)}`,
    /more than 10000 steps/,
  ],
  'sections in sections': [`${'{{#@root.TAGS}}'.repeat(8)}x${'{{/@root.TAGS}}'.repeat(8)}`, /more than 10000 steps/],
  'much fixed text in a loop': [`{{#each TAGS}}${'x'.repeat(4000)}{{/each}}`, /longer than 256 kB/],
  'a long value many times': ['{{{BIG}}}'.repeat(5), /longer than 256 kB/],
  'a value that grows when escaped': ['{{QUOTES}}', /longer than 256 kB/],
  'replace that multiplies': ['{{{replace BIG "x" BIG}}}', /too much text/],
  'join that multiplies': ['{{{join TAGS BIG}}}', /too much text/],
  'a helper over much text, often': [
    '{{#each TAGS}}{{#each ../TAGS}}{{#if (uppercase @root.BIG)}}{{/if}}{{/each}}{{/each}}',
    /too much text/,
  ],
  'splitting text to letters': ['{{#each (split BIG "x")}}{{/each}}', /too much text/],
  'splitting text to many pieces and looping': ['{{#each (split COMMAS)}}{{/each}}', /more than 10000 steps/],
  'a call with a thousand arguments in a loop': [
    `{{#each TAGS}}{{#if (and ${'this '.repeat(1000)})}}{{/if}}{{/each}}`,
    /more than 10000 steps/,
  ],
  'a long list that is compared loosely': ['{{#each MANY}}{{#is ../MANY "x"}}{{/is}}{{/each}}', /too much text/],
  'everything at once as JSON': ['{{#if (json @root)}}{{/if}}', /too much text/],
  'a list that is longer than what may be printed': ['{{MANY}}', /longer than 256 kB/],
  'a format that grows': ['{{moment BIG}}', /too much text/],
};

for (const [what, [source, message]] of Object.entries(hostile)) {
  test(`${what} ends within 250 ms with an error and its place`, () => {
    const compiled = compileTemplate(source);
    const tookMs = countOwnTime();
    assert.throws(
      () =>
        compiled.render(
          {
            ...values,
            TAGS: hundred,
            BIG: big,
            COMMAS: ','.repeat(12_000),
            MANY: hundred.map(() => big),
            QUOTES: '"'.repeat(64 * 1024),
          },
          0,
        ),
      (error) => error instanceof TemplateError && message.test(error.message) && error.line === 1 && error.column > 0,
    );
    assert.ok(tookMs() < 250);
  });
}

test('200 kB of spaces before a trimmed block never reach the parser', () => {
  assert.throws(() => compileTemplate(`${' '.repeat(200_000)}{{~#if X}}{{/if}}`), /longer than 32 kB/);
});

test('compiles 32 kB of spaces before a trimmed tag quickly', () => {
  const tookMs = countOwnTime();
  assert.equal(compileTemplate(`${' '.repeat(32_000)}{{~X}}`).render({}, 0), '');
  assert.ok(tookMs() < 250);
});

test('compiles the largest allowed template within a second', () => {
  const tookMs = countOwnTime();
  const source = '{{#if X}}{{uppercase (trim Y)}}{{/if}}'.repeat(125);
  compileTemplate(source);
  assert.ok(tookMs() < 1000);
});

const inverse: readonly (readonly [source: string, text: string])[] = [
  ['{{^TAGS}}none{{/TAGS}}{{^NONE}}none{{/NONE}}{{^NAME}}none{{/NAME}}{{^NO}}no{{/NO}}', 'noneno'],
  ['{{^each TAGS}}none{{/each}}{{^each NONE}}none{{/each}}', 'none'],
  ['{{^with NAME}}none{{/with}}{{^with EMPTY}}none{{/with}}', 'none'],
  ['{{^if YES}}not{{/if}}{{^unless YES}}yes{{/unless}}', 'yes'],
];
for (const [source, text] of inverse) {
  test(`supports inverted blocks: ${source}`, () => {
    assert.equal(compileTemplate(source).render(values, 0), text);
    assert.equal(Handlebars.create().compile(source)(values), text);
  });
}

const valueBlocks: Readonly<Record<string, string>> = {
  "{{#tagValue LABELS 'env'}}in {{this}}{{else}}nowhere{{/tagValue}}": 'in prod',
  "{{#tagValue LABELS 'team'}}in {{this}}{{else}}nowhere{{/tagValue}}": 'nowhere',
  "{{#default MISSING 'x'}}[{{this}}]{{/default}}{{#default MISSING MISSING}}{{else}}none{{/default}}": '[x]none',
  "{{#split 'a,b'}}{{@index}}{{this}}{{#unless @last}} {{/unless}}{{/split}}": '0a 1b',
  '{{#lookup TAGS 0}}first {{this}} of {{../ZERO}}{{/lookup}}{{#lookup TAGS 9}}{{else}} none{{/lookup}}':
    'first a of 0 none',
  "{{#moment '2026-07-24' 'YYYY'}}{{this}}{{/moment}}{{#year as |y|}} {{y}}{{/year}}": '2026 1970',
  "{{#join TAGS '+'}}{{{this}}}{{/join}}{{#length NONE}}{{this}}{{/length}}": 'a+b"c+d0',
  "{{#truncate 'abcdef' 3}}{{this}}{{/truncate}}{{#replace 'aa' 'a' 'b'}}{{this}}{{/replace}}": 'abcbb',
};
for (const [source, text] of Object.entries(valueBlocks)) {
  test(`supports value helpers as blocks: ${source}`, () => {
    assert.equal(compileTemplate(source).render({ ...values, LABELS: ['env:prod'] }, 0), text);
  });
}

test('every helper supports else and can be an else', () => {
  const calls = [...helpers].map(([name, { kind, least }]) => {
    const args =
      name === 'compare' ? " 1 '==' 2" : name === 'moment' || name === 'date' ? " 'X'" : ' MISSING'.repeat(least);
    return { name, head: kind === 'text' ? name : `${name}${args}` };
  });
  for (const { name, head } of calls) {
    const first = compileTemplate(`{{#${head}}}1{{else if YES}}2{{/${name}}}`).render(values, 0);
    const second = compileTemplate(`{{#if NO}}1{{else ${head}}}2{{else}}3{{/if}}`).render(values, 0);
    assert.match(`${first}${second}`.replaceAll('"', ''), /^[123]{1,2}$/, head);
  }
  assert.equal(
    compileTemplate("{{#eq ZERO 1}}a{{else gt ZERO 1}}b{{else contains TAGS 'a'}}c{{else}}d{{/eq}}").render(values, 0),
    'c',
  );
});

test('renders where code generation from strings is disabled', () => {
  const here = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);
  const program = `const { compileTemplate } = await import(${here('./compile.ts')});
    process.stdout.write(compileTemplate('{{#each TAGS}}{{uppercase this}}{{/each}}').render({ TAGS: ['a', 'b'] }, 0));`;
  const flags = ['--disallow-code-generation-from-strings', '--input-type=module', '-e', program];
  assert.equal(execFileSync(process.execPath, flags, { encoding: 'utf8' }), 'AB');
});

test('ignores changes to prototypes', () => {
  const name = 'polluted';
  // oxlint-disable-next-line no-extend-native -- simulates a bug in another module
  Object.defineProperty(Object.prototype, name, { value: 'leaked', configurable: true });
  try {
    const source = `{{polluted}}{{this.polluted}}{{NAME.polluted}}{{TAGS.polluted}}{{lookup @root "polluted"}}{{@root.polluted}}`;
    assert.equal(compileTemplate(source).render(values, 0), '');
    assert.equal(compileTemplate(source).render(variables, 0), '');
  } finally {
    Reflect.deleteProperty(Object.prototype, name);
  }
});

test('compiles a template once', () => {
  assert.equal(compileTemplate('{{A}} once'), compileTemplate('{{A}} once'));
});

test('keeps recently used templates and evicts others', () => {
  const kept = compileTemplate('{{A}} kept');
  // Seventy of 30 kB exceed the cache.
  const long = 'x'.repeat(30_000);
  for (let i = 0; i < 100; i++) {
    compileTemplate(`{{A}} ${i} ${long}`);
    if (i % 40 === 0) compileTemplate('{{A}} kept');
  }
  assert.equal(compileTemplate('{{A}} kept'), kept);
  assert.ok(isCompiled('{{A}} kept'));
  assert.ok(!isCompiled(`{{A}} 0 ${long}`));
  assert.ok(isCompiled(`{{A}} 99 ${long}`));
});

test('renderings do not affect each other', () => {
  const compiled = compileTemplate('{{#each TAGS}}{{this}}{{/each}}');
  assert.equal(compiled.render({ TAGS: ['a'] }, 0), 'a');
  assert.equal(compiled.render({ TAGS: ['b', 'c'] }, 0), 'bc');
  assert.equal(compiled.render({}, 0), '');
});
