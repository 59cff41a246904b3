// Conditions of Gatus become assertions that mean the same, or are named as lost.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConditions } from './conditions.ts';

const assertionsOf = (...conditions: string[]) => readConditions(conditions, 'http').assertions;

test('comparisons with values become assertions', () => {
  assert.deepEqual(assertionsOf('[STATUS] == 200', '[STATUS] <= 299', '[STATUS] >= 200', '[BODY].user.name != john'), [
    { source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' },
    { source: 'STATUS_CODE', comparison: 'LESS_THAN', target: '300' },
    { source: 'STATUS_CODE', comparison: 'GREATER_THAN', target: '199' },
    { source: 'JSON_BODY', property: '$.user.name', comparison: 'NOT_EQUALS', target: 'john' },
  ]);
});

test('functions become assertions where these have a counterpart', () => {
  assert.deepEqual(assertionsOf('has([BODY].a.b) == false', 'len([BODY].items) > 0', '[BODY] == pat(*<h1>Hi</h1>*)'), [
    { source: 'JSON_BODY', property: '$.a', comparison: 'NOT_HAS_KEY', target: 'b' },
    { source: 'JSON_BODY', property: '$.items', comparison: 'NOT_EMPTY' },
    { source: 'TEXT_BODY', comparison: 'CONTAINS', target: '<h1>Hi</h1>' },
  ]);
});

test('limits of time and certificates, and statuses of which each is enough, differ', () => {
  const read = readConditions(
    ['[RESPONSE_TIME] < 500', '[CERTIFICATE_EXPIRATION] > 48h', '[STATUS] == any(200, 429)', '[CONNECTED] == true'],
    'http',
  );
  assert.deepEqual(read, {
    assertions: [],
    statuses: [
      [200, 200],
      [429, 429],
    ],
    certificateHours: 48,
    responseMs: 500,
    lost: [],
  });
});

test('what has no counterpart is named, and nothing is guessed', () => {
  const lost = [
    '[IP] == 127.0.0.1',
    '[DOMAIN_EXPIRATION] > 720h',
    '[BODY].age == [BODY].id',
    '[BODY].name == pat(john*)',
    'len([BODY].name) == 8',
    '[CONNECTED] == false',
    '[RESPONSE_TIME] > 5',
    'nonsense',
  ];
  assert.deepEqual(readConditions(lost, 'http'), {
    assertions: [],
    statuses: null,
    certificateHours: null,
    responseMs: null,
    lost,
  });
});
