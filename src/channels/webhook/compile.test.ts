// Templates as they are compiled: the language, what is missing, and the bounds of a rendering.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import Handlebars from 'handlebars';
import { compileTemplate } from './compile.ts';
import { contextOf } from './context.ts';
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

test('a template of the specification renders the word of its alert type', () => {
  const source = "Check is {{#eq ALERT_TYPE 'ALERT_FAILURE'}}DOWN{{/eq}} {{#eq ALERT_TYPE 'ALERT_RECOVERY'}}UP{{/eq}}";
  assert.equal(compileTemplate(source).render({ ALERT_TYPE: 'ALERT_FAILURE' }, 0), 'Check is DOWN ');
  assert.equal(compileTemplate(source).render({ ALERT_TYPE: 'ALERT_RECOVERY' }, 0), 'Check is  UP');
});

// What the language itself does must stay what it does elsewhere: compared with the engine as it comes.
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
  test(`the language is Handlebars: ${source}`, () => {
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
  test(`nothing inherited can be reached: ${source}`, () => {
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
  'splitting text to letters and looping': ['{{#each (split BIG "x")}}{{/each}}', /more than 10000 steps/],
  'a format that grows': ['{{moment BIG}}', /too much text/],
};

for (const [what, [source, message]] of Object.entries(hostile)) {
  test(`${what} ends within 250 ms with an error that has a place`, () => {
    const compiled = compileTemplate(source);
    const startedAt = performance.now();
    assert.throws(
      () => compiled.render({ ...values, TAGS: hundred, BIG: big, QUOTES: '"'.repeat(64 * 1024) }, 0),
      (error) => error instanceof TemplateError && message.test(error.message) && error.line === 1 && error.column > 0,
    );
    assert.ok(performance.now() - startedAt < 250);
  });
}

test('200 kB of spaces before a trimmed block do not even reach the parser', () => {
  assert.throws(() => compileTemplate(`${' '.repeat(200_000)}{{~#if X}}{{/if}}`), /longer than 32 kB/);
});

test('32 kB of spaces before a trimmed tag are compiled quickly', () => {
  const startedAt = performance.now();
  assert.equal(compileTemplate(`${' '.repeat(32_000)}{{~X}}`).render({}, 0), '');
  assert.ok(performance.now() - startedAt < 250);
});

test('the largest template that is allowed compiles within a second', () => {
  const startedAt = performance.now();
  const source = '{{#if X}}{{uppercase (trim Y)}}{{/if}}'.repeat(125);
  compileTemplate(source);
  assert.ok(performance.now() - startedAt < 1000);
});

test('a template is compiled once', () => {
  assert.equal(compileTemplate('{{A}} once'), compileTemplate('{{A}} once'));
});

test('the templates used last are kept, the others are let go', () => {
  const first = compileTemplate('{{A}} kept');
  for (let i = 0; i < 600; i++) {
    compileTemplate(`plain ${i}`);
    if (i === 300) compileTemplate('{{A}} kept');
  }
  assert.equal(compileTemplate('{{A}} kept'), first);
  const gone = compileTemplate('{{A}} gone');
  for (let i = 0; i < 600; i++) compileTemplate(`plain ${i}`);
  assert.notEqual(compileTemplate('{{A}} gone'), gone);
});

test('one rendering leaves nothing behind for the next', () => {
  const compiled = compileTemplate('{{#each TAGS}}{{this}}{{/each}}');
  assert.equal(compiled.render({ TAGS: ['a'] }, 0), 'a');
  assert.equal(compiled.render({ TAGS: ['b', 'c'] }, 0), 'bc');
  assert.equal(compiled.render({}, 0), '');
});
