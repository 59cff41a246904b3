// Variables of a delivery's templates: those of the alert and the permitted ones of the user (spec §5.2, §6.2).
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deliveryVariables, userVariables, randomValues } from './delivery-variables.ts';
import type { EnvironmentVariable } from '../accounts/environment-variable.ts';
import type { DeliveryFacts } from '../results/recording.ts';
import { sampleAlert } from '../alerts/sample-alert.ts';
import { systemRandom } from '#lib/random.ts';
import { createRandom } from '../../../bench/chaos/random.ts';

const now = Date.UTC(2026, 2, 10, 12);
const variable = (key: string, value: string, secret = false): EnvironmentVariable => ({
  key,
  value,
  locked: false,
  secret,
});
const account = [variable('TEAM', 'account'), variable('FLOOR', '3'), variable('TOKEN', 'hidden', true)];
const ofGroup = [variable('TEAM', 'group'), variable('FLOOR', 'hidden', true)];

/** Facts of an alert whose check is in a group; `isViaGroup` = sent because of the group's subscription. */
function factsOf(isViaGroup: boolean): DeliveryFacts {
  const { context, finding, resultId } = sampleAlert('ALERT_FAILURE', 'account', account, now);
  // Only the group's name and variables matter here.
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
    // The channel does not affect variables.
    channel: {} as DeliveryFacts['channel'],
  };
}

describe('variables of users', () => {
  it("exclude those that became secret, and prefer the group's only if its subscription is the cause", () => {
    assert.deepEqual(userVariables(account, []), { TEAM: 'account', FLOOR: '3' });
    assert.deepEqual(userVariables(account, ofGroup), { TEAM: 'group' });
  });

  it('are overridden by variables of the alert', () => {
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
    assert.equal(variables['SSL_CHECK_DOMAIN'], undefined, 'even where the name does not apply');
    assert.equal(variables['OTHER'], 'mine');
    assert.equal(variables['GROUP_NAME'], 'Shops');
  });
});

it('$RANDOM_NUMBER reaches every number from 0 to 1000, with equal frequency', () => {
  const random = createRandom(20_261_121);
  const draws = 200_000;
  const counts = new Map<number, number>();
  for (let draw = 0; draw < draws; draw++) {
    const { randomNumber } = randomValues({ uuid: () => '', fraction: random });
    counts.set(randomNumber, (counts.get(randomNumber) ?? 0) + 1);
  }
  assert.deepEqual(
    [...counts.keys()].toSorted((a, b) => a - b),
    Array.from({ length: 1001 }, (_, number) => number),
  );
  // On average 200 of each; six standard deviations are 85.
  for (const [number, count] of counts) assert.ok(count > 115 && count < 285, `${number} came ${count} times`);
});

it('$RANDOM_NUMBER is 0 at the lower bound of its source and 1000 at the upper bound', () => {
  const of = (fraction: number) => randomValues({ uuid: () => 'u', fraction: () => fraction });
  assert.deepEqual(
    [of(0), of(1 - 2 ** -47)],
    [
      { uuid: 'u', randomNumber: 0 },
      { uuid: 'u', randomNumber: 1000 },
    ],
  );
});

it('the machine’s own source stays within its bounds', () => {
  const fractions = Array.from({ length: 1000 }, () => systemRandom.fraction());
  assert.ok(fractions.every((fraction) => fraction >= 0 && fraction < 1));
  assert.ok(new Set(fractions).size > 990);
  assert.match(systemRandom.uuid(), /^[0-9a-f]{8}-[0-9a-f]{4}-4/);
});
