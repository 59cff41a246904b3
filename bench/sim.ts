// npm run sim -- states: every short history there is, not some of them; what is promised of alerts must hold in each.
import { parseArgs } from 'node:util';
import type { Escalation } from '#domain/alert-settings.ts';
import { channelsInModel, exploreHistories, minute } from '../tests/support/alert-model.ts';
import { exploreOrders, type LocationCase } from '../tests/support/location-model.ts';

const usage = `npm run sim -- states [--depth 8]

  states   every sequence of results and mutes (passed, degraded, failed, unknown, mute, a result of an older slot) up to a
           length, at ${channelsInModel} channels with every combination of switches: what opened closes, nobody is told twice, nobody is
           told of an end without a beginning, mute hides and does not lose; and every round of several locations, in every
           order in which they may answer: the same alerts and states in each

  --depth  length of the longest sequence (1 to 9)
`;

const escalations: readonly Escalation[] = [
  { type: 'RUN_BASED', runs: 1 },
  { type: 'RUN_BASED', runs: 2 },
  { type: 'RUN_BASED', runs: 3 },
  { type: 'TIME_BASED', ms: 2 * minute },
];
const inLocations: readonly LocationCase[] = [null, 0.5, 1].flatMap((failingShare) =>
  [1, 2].flatMap((runs) => [
    { locations: 2, rounds: 4, failingShare, runs },
    { locations: 3, rounds: 3, failingShare, runs },
    { locations: 4, rounds: 1, failingShare, runs },
  ]),
);

main();

function main(): void {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { depth: { type: 'string', default: '8' } },
  });
  const depth = Number(values.depth);
  if (positionals.join(' ') !== 'states' || !(Number.isInteger(depth) && depth >= 1 && depth <= 9)) {
    process.stdout.write(usage);
    process.exit(positionals.length === 0 ? 0 : 2);
  }
  const startedAt = performance.now();
  let all = 0;
  const explored = (what: string, explore: () => number): void => {
    const count = explore();
    all += count;
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    process.stdout.write(`${seconds.padStart(6)} s  ${count.toLocaleString('en').padStart(11)}  ${what}\n`);
  };
  try {
    for (const escalation of escalations) {
      explored(`sequences up to ${depth}, alerting by ${wordsOf(escalation)}`, () =>
        exploreHistories(depth, escalation),
      );
    }
    for (const given of inLocations) {
      const { locations, rounds, failingShare, runs } = given;
      const share = failingShare === null ? 'any' : `${failingShare * 100} %`;
      const what = `orders of ${locations} locations over ${rounds} rounds, ${share} must fail, ${runs} runs`;
      explored(what, () => exploreOrders(given));
    }
  } catch (error) {
    const causes: string[] = [];
    for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) causes.push(cause.message);
    process.stdout.write(`\nBREACH: ${causes.join('\n')}\n`);
    process.exitCode = 1;
    return;
  }
  process.stdout.write(`\n${all.toLocaleString('en')} histories, every promise held in each\n`);
}

function wordsOf(escalation: Escalation): string {
  return escalation.type === 'RUN_BASED' ? `${escalation.runs} runs` : `${escalation.ms / minute} minutes`;
}
