// Sections of a digest.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AlertType } from './alert.ts';
import { digestAlertType, routeDigest, sortDigest } from './digest.ts';

const alert = (checkId: string, alertType: AlertType, alertId = `${checkId}-${alertType}`, isNews = true) => ({
  checkId,
  alertType,
  alertId,
  isNews,
});
const shown = (sections: ReturnType<typeof sortDigest>) =>
  sections.map(({ state, checks }) => [state, checks.map(({ checkId, alertId }) => [checkId, alertId])]);

test('checks are grouped by their current state, with their last alert', () => {
  const sections = sortDigest(
    [
      alert('down', 'ALERT_FAILURE', '1'),
      alert('flapped', 'ALERT_FAILURE', '2'),
      alert('slow', 'ALERT_FAILURE', '3'),
      alert('flapped', 'ALERT_RECOVERY', '4'),
      alert('slow', 'ALERT_DEGRADED', '5'),
      alert('down', 'ALERT_FAILURE', '6'),
      alert('back', 'ALERT_RECOVERY', '7'),
      alert('reminded', 'ALERT_FAILURE', '8', false),
    ],
    new Map([
      ['down', 'failure'],
      ['slow', 'degraded'],
      ['known', 'failure'],
      ['reminded', 'failure'],
      ['lame', 'degraded'],
    ]),
  );
  assert.deepEqual(shown(sections), [
    ['failing', [['down', '6']]],
    ['degraded', [['slow', '5']]],
    [
      'recovered',
      [
        ['flapped', '4'],
        ['back', '7'],
      ],
    ],
    [
      'stillFailing',
      [
        ['reminded', '8'],
        ['known', null],
      ],
    ],
  ]);
});

test('a certificate is listed in addition to the state of its check', () => {
  const sections = sortDigest(
    [alert('a', 'ALERT_SSL', '1'), alert('b', 'ALERT_SSL', '2'), alert('b', 'ALERT_FAILURE', '3')],
    new Map([['b', 'failure']]),
  );
  assert.deepEqual(shown(sections), [
    ['failing', [['b', '3']]],
    [
      'certificate',
      [
        ['a', '1'],
        ['b', '2'],
      ],
    ],
  ]);
});

test('the alert type of a digest is that of its worst section', () => {
  const typeOf = (...states: ('failing' | 'stillFailing' | 'degraded' | 'certificate' | 'recovered')[]) =>
    digestAlertType(states.map((state) => ({ state })));
  assert.equal(typeOf('failing', 'recovered'), 'ALERT_FAILURE');
  assert.equal(typeOf('stillFailing', 'recovered'), 'ALERT_RECOVERY');
  assert.equal(typeOf('degraded', 'recovered'), 'ALERT_DEGRADED');
  assert.equal(typeOf('certificate', 'recovered'), 'ALERT_RECOVERY');
  assert.equal(typeOf('certificate'), 'ALERT_SSL');
  assert.equal(typeOf(), 'ALERT_RECOVERY');
});

test('the alerts of a digest go where they would go one by one', () => {
  const members = [
    alert('new', 'ALERT_FAILURE'),
    alert('known', 'ALERT_RECOVERY'),
    alert('moved', 'ALERT_RECOVERY'),
    alert('reminded', 'ALERT_FAILURE', 'r', false),
    alert('cert', 'ALERT_SSL'),
    alert('new', 'ALERT_RECOVERY'),
  ];
  const routes = new Map([
    ['moved', 2],
    ['reminded', 2],
  ]);
  const ids = (of: readonly { readonly checkId: string }[]) => of.map(({ checkId }) => checkId);
  const outside = routeDigest(members, routes, 2);
  assert.deepEqual(ids(outside.own), ['known']);
  assert.deepEqual(ids(outside.other), ['new', 'moved', 'reminded', 'cert', 'new']);
  assert.deepEqual([...outside.routes], [['new', 2]]);
  const within = routeDigest(members, routes, null);
  assert.deepEqual(ids(within.other), ['moved', 'reminded']);
  assert.deepEqual([...within.routes], [['new', null]]);
});
