// The YAML that is written is read as the same values.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { parse } from 'yaml';
import type { JsonObject } from '#domain/json.ts';
import { writeFile } from './write.ts';

test('a file is written as a person would write it', () => {
  const text = writeFile({
    project: 'shop',
    variables: { SHOP_URL: 'https://shop.example', DEBUG: 'true', PORT: '8080' },
    checks: {
      home: {
        checkType: 'URL',
        name: 'Home page: German',
        frequency: 1,
        request: { url: 'https://shop.example/?a=b' },
        tags: ['shop', 'web'],
      },
      flow: {
        checkType: 'MULTI_STEP',
        name: 'Flow',
        script: 'const a = 1;\n\n  await b();\n',
        steps: [{ a: 1, b: {} }],
      },
    },
  });
  assert.equal(
    text,
    `project: shop

variables:
  SHOP_URL: https://shop.example
  DEBUG: "true"
  PORT: "8080"

checks:
  home:
    checkType: URL
    name: "Home page: German"
    frequency: 1
    request:
      url: https://shop.example/?a=b
    tags: [shop, web]

  flow:
    checkType: MULTI_STEP
    name: Flow
    script: |
      const a = 1;

        await b();
    steps:
      - a: 1
        b: {}
`,
  );
});

test('any values are read as they were written', () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      '',
      ' ',
      '~',
      'null',
      'No',
      '1e3',
      '0x1',
      '- a',
      '# a',
      'a: b',
      'a #b',
      '*a',
      '&a',
      '!a',
      '<<',
      '---',
    ),
    fc
      .array(fc.constantFrom('a', ' ', '\n', '\t', '#', ':', '-', '\r', '\u0085', '\u2028', '${env:A}'), {
        maxLength: 12,
      })
      .map((parts) => parts.join('')),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      text,
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(text, tie('value'), { maxKeys: 4 }),
    ),
  }));
  const resource = fc.dictionary(text, value, { maxKeys: 4 }) as fc.Arbitrary<JsonObject>;
  fc.assert(
    fc.property(fc.dictionary(fc.string({ minLength: 1 }), resource, { minKeys: 1, maxKeys: 3 }), (checks) => {
      const normal: unknown = JSON.parse(JSON.stringify(checks));
      assert.deepEqual(parse(writeFile({ checks }), { merge: false }).checks, normal);
    }),
    { numRuns: 400 },
  );
});

test('empty lines at the end of a text stay as many as they are', () => {
  for (const script of ['a\nb', 'a\nb\n', 'a\nb\n\n', 'a\nb\n\n\n', 'a\nb\n  \n', 'a\nb\n  \n\n']) {
    const checks = { one: { script }, two: { script } };
    const snippets = { three: { script } };
    assert.deepEqual(
      parse(writeFile({ checks, snippets, alertChannels: {} })),
      { checks, snippets },
      JSON.stringify(script),
    );
  }
});
