// Variables of an alert: names, types, and when they apply (spec §6.2, decisions: Types).
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FlappingFacts } from '../alerts/notify.ts';
import { alertTypes } from '../alerts/alert.ts';
import { type AlertFacts, systemVariableNames, systemVariables } from './template-variables.ts';

const facts: AlertFacts = {
  alertType: 'ALERT_FAILURE',
  deliveryId: 'delivery',
  check: {
    id: 'check',
    name: 'Shop <b>',
    checkType: 'API',
    description: 'Sells',
    runbookUrl: 'https://wiki/shop',
    notes: 'Call the bank',
    tags: ['a', 'b'],
    url: 'http://shop/',
  },
  groupName: 'Shops',
  result: {
    id: 'result',
    message: 'status 500',
    responseTimeMs: 12.6,
    status: 500,
    statusText: 'Internal Server Error',
    startedAt: Date.UTC(2026, 2, 10, 12),
    link: 'http://tocsin/results/1',
  },
  location: { code: 'local', name: 'Local' },
  ssl: { daysRemaining: 7, domain: 'shop', sentence: 'the certificate of shop expires in 7 days' },
  incident: {
    id: 'incident',
    startedAt: Date.UTC(2026, 2, 10, 11, 58),
    isFirst: true,
    durationMs: 120_999,
    link: 'http://tocsin/acknowledge/1',
  },
  reminder: null,
  isTest: false,
};

describe('the variables of an alert', () => {
  it('have the types that templates compare with', () => {
    assert.deepEqual(systemVariables(facts), {
      ALERT_TITLE: 'Shop <b> has failed',
      ALERT_TYPE: 'ALERT_FAILURE',
      CHECK_NAME: 'Shop <b>',
      CHECK_ID: 'check',
      CHECK_TYPE: 'API',
      CHECK_DESCRIPTION: 'Sells',
      CHECK_RUNBOOK_URL: 'https://wiki/shop',
      CHECK_NOTES: 'Call the bank',
      CHECK_URL: 'http://shop/',
      CHECK_RESULT_ID: 'result',
      CHECK_ERROR_MESSAGE: 'status 500',
      RESPONSE_TIME: 13,
      API_CHECK_RESPONSE_STATUS_CODE: 500,
      API_CHECK_RESPONSE_STATUS_TEXT: 'Internal Server Error',
      RUN_LOCATION: 'Local',
      REGION: 'local',
      RESULT_LINK: 'http://tocsin/results/1',
      SSL_DAYS_REMAINING: undefined,
      SSL_CHECK_DOMAIN: undefined,
      STARTED_AT: '2026-03-10T12:00:00.000Z',
      TAGS: ['a', 'b'],
      GROUP_NAME: 'Shops',
      IS_REMINDER: false,
      REMINDER_SEQUENCE: undefined,
      INCIDENT_ID: 'incident',
      INCIDENT_STARTED_AT: '2026-03-10T11:58:00.000Z',
      INCIDENT_DURATION: 120,
      IS_FIRST_OF_INCIDENT: true,
      ACK_LINK: 'http://tocsin/acknowledge/1',
      FLAPPING_SINCE: undefined,
      DELIVERY_ID: 'delivery',
      IS_REPLAY: false,
      REPLAY_OF: undefined,
    });
  });

  it('have the same names in the same order for every alert type', () => {
    for (const alertType of alertTypes) {
      assert.deepEqual(Object.keys(systemVariables({ ...facts, alertType })), systemVariableNames);
    }
  });

  it('include the error if an alert opens, but not if it closes', () => {
    const carried = alertTypes.filter((alertType) => systemVariables({ ...facts, alertType }).CHECK_ERROR_MESSAGE);
    assert.deepEqual(carried, ['ALERT_FAILURE', 'ALERT_DEGRADED', 'ALERT_SSL']);
  });

  it('include the acknowledge link if an alert opens, but not if it closes', () => {
    const carried = alertTypes.filter((alertType) => {
      const incident = alertType === 'ALERT_SSL' ? null : (facts.incident ?? null);
      return systemVariables({ ...facts, alertType, incident }).ACK_LINK;
    });
    assert.deepEqual(carried, ['ALERT_FAILURE', 'ALERT_DEGRADED']);
  });

  it('include the certificate with ALERT_SSL only', () => {
    const ssl = systemVariables({ ...facts, alertType: 'ALERT_SSL' });
    assert.deepEqual([ssl.SSL_DAYS_REMAINING, ssl.SSL_CHECK_DOMAIN], [7, 'shop']);
    const expiredSsl = { daysRemaining: -1, domain: 'shop', sentence: 'the certificate of shop has expired' };
    const expired = systemVariables({ ...facts, alertType: 'ALERT_SSL', ssl: expiredSsl });
    assert.equal(expired.ALERT_TITLE, `${facts.check.name}: the certificate of shop has expired`);
  });

  it('include the response for checks of the type API only', () => {
    const other = systemVariables({ ...facts, check: { ...facts.check, checkType: 'BROWSER' } });
    assert.deepEqual(
      [other.API_CHECK_RESPONSE_STATUS_CODE, other.API_CHECK_RESPONSE_STATUS_TEXT],
      [undefined, undefined],
    );
  });

  it('are undefined if they do not apply, so that defaults work', () => {
    const { check, result } = facts;
    const bare = systemVariables({
      ...facts,
      groupName: null,
      incident: null,
      check: { ...check, description: null, runbookUrl: null, notes: null, url: null, tags: [] },
      result: { ...result, message: null, responseTimeMs: null, status: null, statusText: null },
    });
    const absent = systemVariableNames.filter((name) => bare[name] === undefined);
    assert.deepEqual(absent, [
      'CHECK_DESCRIPTION',
      'CHECK_RUNBOOK_URL',
      'CHECK_NOTES',
      'CHECK_URL',
      'CHECK_ERROR_MESSAGE',
      'RESPONSE_TIME',
      'API_CHECK_RESPONSE_STATUS_CODE',
      'API_CHECK_RESPONSE_STATUS_TEXT',
      'SSL_DAYS_REMAINING',
      'SSL_CHECK_DOMAIN',
      'GROUP_NAME',
      'REMINDER_SEQUENCE',
      'INCIDENT_ID',
      'INCIDENT_STARTED_AT',
      'INCIDENT_DURATION',
      'ACK_LINK',
      'FLAPPING_SINCE',
      'REPLAY_OF',
    ]);
  });

  it('of a flapping check have a title that says what happened and what it is now', () => {
    const titleOf = (flapping: Pick<FlappingFacts, 'message' | 'changes' | 'status'>) =>
      systemVariables({ ...facts, flapping: { since: 0, ...flapping } }).ALERT_TITLE;
    assert.deepEqual(
      [
        titleOf({ message: 'began', changes: 5, status: 'failing' }),
        titleOf({ message: 'lasts', changes: 2, status: 'failing' }),
        titleOf({ message: 'changed', changes: 1, status: 'passing' }),
        titleOf({ message: 'ended', changes: 0, status: 'passing' }),
      ],
      [
        'Shop <b> is flapping: failing now',
        'Shop <b> has been failing for longer than before',
        'Shop <b> is still flapping: 1 change, passing now',
        'Shop <b> is no longer flapping: passing now',
      ],
    );
  });

  it('of a deleted check have a title that says so, whatever was open, and no error', () => {
    for (const alertType of ['ALERT_RECOVERY', 'ALERT_DEGRADED_RECOVERY'] as const) {
      const deleted = systemVariables({ ...facts, alertType, isDeletion: true });
      assert.equal(deleted.ALERT_TITLE, `${facts.check.name} was deleted; its alert is closed`);
      assert.deepEqual([deleted.ALERT_TYPE, deleted.CHECK_ERROR_MESSAGE], [alertType, undefined]);
    }
  });

  it('mark tests in the title and number reminders', () => {
    const test = systemVariables({ ...facts, isTest: true, reminder: 2 });
    assert.equal(test.ALERT_TITLE, '[TEST] Shop <b> has failed');
    assert.deepEqual([test.IS_REMINDER, test.REMINDER_SEQUENCE], [true, 2]);
  });
});
