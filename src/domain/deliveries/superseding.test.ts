// Which waiting messages are obsolete.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type IncidentMessage, isDigestSuperseded, supersedes } from './superseding.ts';

const message = (id: string, change: Partial<IncidentMessage> = {}): IncidentMessage => ({
  id,
  alertChannelId: 1,
  checkId: 'check',
  latestOf: 'incident',
  status: 'pending',
  digestId: null,
  ...change,
});

test('a newer message of the same incident and channel supersedes one that waits', () => {
  const waiting = message('1');
  for (const status of ['pending', 'delivered', 'digested'] as const) {
    assert.ok(supersedes(message('2', { status }), waiting));
  }
  for (const status of ['exhausted', 'failed', 'refused', 'cancelled', 'superseded'] as const) {
    assert.ok(!supersedes(message('2', { status }), waiting), status);
  }
  assert.ok(!supersedes(message('0'), waiting), 'older');
  assert.ok(!supersedes(message('2', { latestOf: 'another' }), waiting));
  assert.ok(!supersedes(message('2', { alertChannelId: 2 }), waiting));
  assert.ok(!supersedes(message('2', { latestOf: null }), message('1', { latestOf: null })), 'a webhook');
});

test('a digest is superseded when newer messages describe all its checks', () => {
  const members = ['a', 'b'].map((checkId, at) =>
    message(`1${at}`, { checkId, status: 'digested', digestId: 'digest', latestOf: checkId }),
  );
  const newer = (checkId: string, change: Partial<IncidentMessage> = {}) => message('2', { checkId, ...change });
  assert.ok(isDigestSuperseded('digest', members, [newer('a'), newer('b', { latestOf: 'next', status: 'delivered' })]));
  assert.ok(!isDigestSuperseded('digest', members, [newer('a')]));
  assert.ok(!isDigestSuperseded('digest', members, [newer('a'), newer('b', { digestId: 'digest' })]), 'in itself');
  assert.ok(!isDigestSuperseded('digest', [], []), 'the report that a storm is over');
  const certificate = message('1', { checkId: 'a', latestOf: null });
  assert.ok(!isDigestSuperseded('digest', [certificate], [newer('a')]));
});
