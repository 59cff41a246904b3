// Which variables a delivery's templates get: the alert's own, and of the user's those that may appear there (spec §5.2, §6.2).
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deliveryVariables, userVariables } from './delivery-variables.ts';
import type { EnvironmentVariable } from '../accounts/environment-variable.ts';
import type { DeliveryFacts } from '../results/recording.ts';
import { sampleAlert } from './sample-alert.ts';

const now = Date.UTC(2026, 2, 10, 12);
const variable = (key: string, value: string, secret = false): EnvironmentVariable => ({
  key,
  value,
  locked: false,
  secret,
});
const account = [variable('TEAM', 'account'), variable('FLOOR', '3'), variable('TOKEN', 'hidden', true)];
const ofGroup = [variable('TEAM', 'group'), variable('FLOOR', 'hidden', true)];

/** Facts of an alert whose check is in a group; `isViaGroup` = the group's subscription is the cause. */
function factsOf(isViaGroup: boolean): DeliveryFacts {
  const { context, finding, resultId } = sampleAlert('ALERT_FAILURE', 'account', account, now);
  // Of a group only its name and variables matter here.
  const group = { name: 'Shops', environmentVariables: ofGroup } as unknown as DeliveryFacts['context']['group'];
  return {
    deliveryId: 'd',
    createdAt: now,
    alertType: 'ALERT_FAILURE',
    reminder: null,
    incident: null,
    resultId,
    location: 'local',
    finding,
    isViaGroup,
    context: { ...context, group },
    // The channel says nothing of variables.
    channel: {} as DeliveryFacts['channel'],
  };
}

describe('variables of users', () => {
  it('leave out what became secret, and let the group win only where it is the cause', () => {
    assert.deepEqual(userVariables(account, []), { TEAM: 'account', FLOOR: '3' });
    assert.deepEqual(userVariables(account, ofGroup), { TEAM: 'group' });
  });

  it('give way to the names of the alert itself', () => {
    const facts = factsOf(false);
    const own = [variable('CHECK_NAME', 'mine'), variable('SSL_CHECK_DOMAIN', 'mine'), variable('OTHER', 'mine')];
    const variables = deliveryVariables(
      { ...facts, context: { ...facts.context, variables: own } },
      {
        url: 'http://shop/',
        status: 503,
        statusText: 'Service Unavailable',
        locationName: 'Local',
        link: 'http://tocsin/r',
      },
    );
    assert.equal(variables['CHECK_NAME'], 'Cart of the shop');
    assert.equal(variables['SSL_CHECK_DOMAIN'], undefined, 'also where the name does not apply');
    assert.equal(variables['OTHER'], 'mine');
    assert.equal(variables['GROUP_NAME'], 'Shops');
  });
});
