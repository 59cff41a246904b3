// Which incidents the failures and recoveries of a service cause.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { automaticUpdate, mostReopened, proposalFor } from './propose-incidents.ts';
import type { StatusIncident } from './status-incident.ts';
import { defaultIncidentRule, type IncidentRule, type StatusService } from './status-service.ts';

const now = 1_800_000_000_000;
const since = now - 30_000;

function aService(rule: Partial<IncidentRule> = {}): StatusService {
  const record = { accountId: 'a', id: 's', name: 'Checkout', description: null, createdAt: 0, updatedAt: null };
  const sources = { checkIds: ['c'], groupIds: [], tags: [], threshold: null, showHistory: true };
  return { ...record, ...sources, incidents: { ...defaultIncidentRule, ...rule } };
}

function anIncident(fields: Partial<StatusIncident> = {}): StatusIncident {
  const update = automaticUpdate('open', { service: aService(), checkId: null, language: 'en' }, 'u', since);
  return {
    accountId: 'a',
    id: 'i',
    name: 'Checkout',
    severity: 'MAJOR',
    serviceIds: ['s'],
    isDraft: true,
    publishAt: null,
    startedAt: since,
    resolvedAt: null,
    publishedAt: null,
    proposedFor: 's',
    automaticUpdates: ['u'],
    postmortem: null,
    updates: [update],
    createdAt: since,
    updatedAt: null,
    ...fields,
  };
}

const followed = (service: StatusService, state: 'outage' | 'operational' | 'degraded' | 'unknown') =>
  ({ service, checkId: null, state, since, language: 'en' }) as const;

test('an outage opens a draft once, with the time at which it began', () => {
  const proposal = proposalFor(followed(aService(), 'outage'), [], now);
  assert.deepEqual(proposal, { kind: 'open', service: aService(), startedAt: since, publishAt: null });
  assert.equal(proposalFor(followed(aService(), 'outage'), [anIncident()], now), null);
  assert.equal(proposalFor(followed(aService({ mode: 'NEVER' }), 'outage'), [], now), null);
  assert.equal(proposalFor(followed(aService(), 'degraded'), [], now), null);
});

test('an incident that a person opened for the service is not doubled, and not resolved', () => {
  const byHand = anIncident({ proposedFor: null, isDraft: false });
  assert.equal(proposalFor(followed(aService(), 'outage'), [byHand], now), null);
  assert.equal(proposalFor(followed(aService(), 'operational'), [byHand], now), null);
  const takenOver = anIncident({ automaticUpdates: [] });
  assert.equal(proposalFor(followed(aService(), 'operational'), [takenOver], now), null);
});

test('a draft is published when it is due and the service is still down, and not otherwise', () => {
  const service = aService({ mode: 'PUBLISH', afterMinutes: 5 });
  const opened = proposalFor(followed(service, 'outage'), [], now);
  assert.equal(opened?.kind === 'open' ? opened.publishAt : null, now + 300_000);
  const waiting = anIncident({ publishAt: now + 300_000 });
  assert.equal(proposalFor(followed(service, 'outage'), [waiting], now + 299_999), null);
  assert.equal(proposalFor(followed(service, 'outage'), [waiting], now + 300_000)?.kind, 'publish');
  assert.equal(proposalFor(followed(service, 'operational'), [waiting], now + 300_000)?.kind, 'resolve');
});

test('a recovery resolves what nobody touched, and missing data does not', () => {
  assert.equal(proposalFor(followed(aService(), 'operational'), [anIncident()], now)?.kind, 'resolve');
  assert.equal(proposalFor(followed(aService(), 'unknown'), [anIncident()], now), null);
});

test('a failure that returns within ten minutes continues its incident', () => {
  const resolved = anIncident({ resolvedAt: now - 599_999 });
  assert.equal(proposalFor(followed(aService(), 'outage'), [resolved], now)?.kind, 'reopen');
  assert.equal(
    proposalFor(followed(aService(), 'outage'), [{ ...resolved, resolvedAt: now - 600_000 }], now)?.kind,
    'open',
  );
});

test('a failure that returned ten times opens another incident, so that none grows without end', () => {
  const [update] = anIncident().updates;
  assert.ok(update !== undefined);
  const updates = Array.from({ length: mostReopened }, () => update);
  const recent = anIncident({ resolvedAt: now - 1000, updates });
  assert.equal(proposalFor(followed(aService(), 'outage'), [recent], now)?.kind, 'open');
  const earlier = { ...recent, updates: updates.slice(1) };
  assert.equal(proposalFor(followed(aService(), 'outage'), [earlier], now)?.kind, 'reopen');
});

test('the first update is the text of the service, or a sentence in the language of its pages', () => {
  const own = aService({ description: 'Payments are slow.' });
  assert.equal(
    automaticUpdate('open', { service: own, checkId: null, language: 'de' }, 'u', now).description,
    'Payments are slow.',
  );
  assert.match(
    automaticUpdate('open', { service: aService(), checkId: null, language: 'de' }, 'u', now).description,
    /^Checkout funktioniert/,
  );
  const over = automaticUpdate('resolve', { service: own, checkId: null, language: 'en' }, 'u', now);
  assert.deepEqual([over.status, over.description], ['RESOLVED', 'Checkout works again.']);
  const ended = aService({ resolution: 'Payments are fast.' });
  const last = automaticUpdate('resolve', { service: ended, checkId: null, language: 'en' }, 'u', now);
  assert.equal(last.description, 'Payments are fast.');
});
