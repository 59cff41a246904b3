// npm run sim: simulates histories without waiting for them. The guarantees of alerting must hold in each.
import { parseArgs } from 'node:util';
import type { Escalation } from '#domain/alerts/alert-settings.ts';
import {
  afterMinutes,
  afterRuns,
  channelSwitches,
  edits,
  type Escalations,
  type Family,
  longGaps,
  minute,
  remindersUntilRecovery,
  retries,
} from '../tests/support/models/alert-families.ts';
import { channelsInModel, exploreHistories } from '../tests/support/models/alert-model.ts';
import { certificateFamilies, exploreCertificates } from '../tests/support/models/certificate-model.ts';
import type { Explored } from '../tests/support/models/explore.ts';
import { exploreFlapping } from '../tests/support/models/flapping-model.ts';
import { exploreEdits } from '../tests/support/models/location-edits.ts';
import { exploreLateAnswers, type LateCase } from '../tests/support/models/late-answers.ts';
import { exploreOrders, type LocationCase } from '../tests/support/models/location-model.ts';
import { simulateClocks } from './sim/clock.ts';

const usage = `npm run sim -- states [--depth 8]
npm run sim -- clock [--years 2] [--seed 1]

  states   explores every sequence, up to a length, of results (passed, degraded, failed, unknown, older slot), deletions
           and mutes, and in turn maintenance windows, edits of subscriptions, escalations and reminders, channel switches,
           retries, long gaps and expiring certificates, for ${channelsInModel} channels with every combination of switches.
           Verifies that every alert is resolved, that none is sent twice except as a due reminder, that no recovery
           lacks its alert, and that mutes, windows and time without results delay alerts but lose none. Sequences that
           lead to the same state are merged. Also explores every order of results in rounds of several locations,
           with and without retries, and results that arrive after the next round has begun. While a check flaps, verifies
           that no failure that lasts longer than those before is reported late, and that no change waits for too long
  clock    simulates years of one machine, including the leap day of 2028: its clock changes by an hour, it is suspended
           for hours, restarted, and killed during work, while targets, jobs and the receiver fail independently.
           Verifies that every slot has one outcome, no alert is lost or spurious, and maintenance windows are exact

  --depth  length of the longest sequence (1 to 9)
  --years  number of years, including fractions (up to 10)
  --seed   selects the random years; the same seed repeats them
`;

const escalations: readonly Escalations[] = [
  [afterRuns(1), afterMinutes(2)],
  [afterRuns(2), afterRuns(1)],
  [afterRuns(3), afterRuns(2)],
  [afterMinutes(2), afterRuns(3)],
];
const families: readonly Family[] = [
  ...escalations.map(edits),
  ...escalations.map(channelSwitches),
  ...escalations.map(remindersUntilRecovery),
  ...escalations.flatMap((each) => [retries(each, 1, false), retries(each, 2, true)]),
  ...escalations.map(longGaps),
];
/** Without retries, each round a minute after the previous one. */
const even = { retry: null, isTriggered: false } as const;
const inLocations: readonly LocationCase[] = [null, 0.5, 1].flatMap((failingShare) =>
  [afterRuns(1), afterRuns(2), afterMinutes(2)].flatMap((escalation): LocationCase[] => [
    { ...even, locations: 2, rounds: 5, failingShare, escalation, hiding: 'mute' },
    { ...even, locations: 3, rounds: 3, failingShare, escalation, hiding: 'window' },
    { ...even, locations: 4, rounds: 1, failingShare, escalation, hiding: null },
    { ...even, locations: 2, rounds: 4, failingShare, escalation, retry: 'there', hiding: 'window' },
    { ...even, locations: 3, rounds: 3, failingShare, escalation, retry: 'elsewhere', hiding: null },
    { ...even, locations: 2, rounds: 4, failingShare, escalation, isTriggered: true, hiding: 'mute' },
    { ...even, locations: 3, rounds: 3, failingShare, escalation, isTriggered: true, hiding: null },
  ]),
);
const late: readonly LateCase[] = [null, 0.5, 1].flatMap((failingShare) =>
  [afterRuns(1), afterRuns(2), afterMinutes(2)].flatMap((escalation): LateCase[] => [
    { locations: 2, failingShare, escalation, behind: 2 },
    { locations: 3, failingShare, escalation, behind: 1 },
  ]),
);

await main();

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      depth: { type: 'string', default: '8' },
      years: { type: 'string', default: '2' },
      seed: { type: 'string', default: '1' },
    },
  });
  const [depth, years, seed] = [Number(values.depth), Number(values.years), Number(values.seed)];
  const what = positionals.join(' ');
  try {
    if (what === 'states' && Number.isInteger(depth) && depth >= 1 && depth <= 9) states(depth);
    else if (what === 'clock' && years > 0 && years <= 10 && Number.isInteger(seed)) await clock(years, seed);
    else {
      process.stdout.write(usage);
      process.exitCode = positionals.length === 0 ? 0 : 2;
    }
  } catch (error) {
    const causes: string[] = [];
    for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) causes.push(cause.message);
    process.stdout.write(`\nVIOLATION: ${causes.join('\n')}\n`);
    process.exitCode = 1;
  }
}

function states(depth: number): void {
  const startedAt = performance.now();
  let all = 0;
  const explored = (what: string, count: number): void => {
    all += count;
    process.stdout.write(`${secondsSince(startedAt)}  ${count.toLocaleString('en').padStart(15)}  ${what}\n`);
  };
  const sequences = (what: string, found: Explored, length = depth): void =>
    explored(`up to ${length} through ${found.situations.toLocaleString('en')} situations: ${what}`, found.sequences);
  for (const family of families) {
    const [first, second] = family.escalations;
    const what = `${family.name}, alerting by ${wordsOf(first)}, edited to ${wordsOf(second)}`;
    sequences(what, exploreHistories(depth, family));
  }
  for (const family of Object.keys(certificateFamilies) as (keyof typeof certificateFamilies)[]) {
    sequences(`certificates: ${family}`, exploreCertificates(depth, family));
  }
  sequences('a check that flaps, muted and acknowledged at times', exploreFlapping(depth));
  for (const given of inLocations) {
    const { locations, rounds, failingShare, escalation, retry, isTriggered, hiding } = given;
    const tried = `${retry === null ? '' : `, retried ${retry}`}${isTriggered ? ', with triggered runs' : ''}`;
    const how = `${shareOf(failingShare)} must fail, ${wordsOf(escalation)}${tried}, suppressed by ${hiding ?? 'nothing'}`;
    explored(`orders of ${locations} locations over ${rounds} rounds: ${how}`, exploreOrders(given).sequences);
  }
  for (const given of late) {
    const { locations, failingShare, escalation, behind } = given;
    const how = `${locations} locations up to ${behind} ${behind === 1 ? 'round' : 'rounds'} behind`;
    const what = `${how}: ${shareOf(failingShare)} must fail, ${wordsOf(escalation)}`;
    const length = Math.max(1, locations === 2 ? depth : depth - 2);
    sequences(what, exploreLateAnswers(length, given), length);
  }
  explored('histories of 4 rounds in two locations or one, with edits in between', exploreEdits(4));
  process.stdout.write(`\n${all.toLocaleString('en')} histories without violations\n`);
}

async function clock(years: number, seed: number): Promise<void> {
  const startedAt = performance.now();
  const onProgress = (days: number): void =>
    void process.stdout.write(`${secondsSince(startedAt)}  ${String(days).padStart(5)} days\n`);
  const { events, ...counts } = await simulateClocks({ days: Math.round(years * 365.5), seed, onProgress });
  const rows = [...Object.entries(events), ...Object.entries(counts)];
  process.stdout.write('\n');
  for (const [what, count] of rows) {
    process.stdout.write(`${what.padEnd(24)}${count.toLocaleString('en').padStart(11)}\n`);
  }
  process.stdout.write(`\nseed ${seed}: no violations, ${secondsSince(startedAt).trim()}\n`);
}

function secondsSince(startedAt: number): string {
  return `${((performance.now() - startedAt) / 1000).toFixed(1).padStart(6)} s`;
}

function shareOf(failingShare: number | null): string {
  return failingShare === null ? 'any' : `${failingShare * 100} %`;
}

function wordsOf(escalation: Escalation): string {
  return escalation.type === 'RUN_BASED' ? `${escalation.runs} runs` : `${escalation.ms / minute} minutes`;
}
