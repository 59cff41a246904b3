// Which topics a filter selects, and which filters an account may use.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSelected, isTopicLevel, scopeOf, topicOf } from './topics.ts';

test('a filter selects only messages of the own account, by suite or all', () => {
  const scopes: readonly (readonly [string, ReturnType<typeof scopeOf>])[] = [
    ['account/a/ad-hoc-check-results/suite/+/+/+', { suiteId: 'suite' }],
    ['account/a/ad-hoc-check-results/suite/#', { suiteId: 'suite' }],
    ['account/a/ad-hoc-check-results/+/run/#', { suiteId: null }],
    ['account/a/#', { suiteId: null }],
    ['account/+/#', null],
    ['account/b/#', null],
    ['account/#', null],
    ['+/a/#', null],
    ['#', null],
    ['$SYS/#', null],
    ['$share/group/account/a/#', null],
    ['account/a/#/more', null],
    ['account/a/su#', null],
    ['account/a/+x/y', null],
    [`account/a/${'x'.repeat(500)}`, null],
  ];
  for (const [filter, scope] of scopes) assert.deepEqual(scopeOf(filter, 'a'), scope, filter);
});

test('wildcards stand for one level, or for all that follow', () => {
  const topic = topicOf({ accountId: 'a', suiteId: 's', sequenceId: 'q', checkRunId: 'c', kind: 'result' });
  const yes = [
    'account/a/#',
    topic,
    'account/a/ad-hoc-check-results/s/+/+/+',
    'account/a/+/+/q/c/result',
    `${topic}/#`,
  ];
  const no = [
    'account/a/+',
    'account/a/ad-hoc-check-results/t/#',
    `${topic}/+`,
    'account/a/ad-hoc-check-results/s/+/+',
  ];
  for (const filter of yes) assert.ok(isSelected(topic, filter), filter);
  for (const filter of no) assert.ok(!isSelected(topic, filter), filter);
  assert.deepEqual(['run-1', 'a/b', '+', '#', ''].map(isTopicLevel), [true, false, false, false, false]);
});
