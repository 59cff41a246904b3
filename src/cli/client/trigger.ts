// `trigger`: runs checks and waits for their results, as a gate of a deployment.
import { writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { readClientConfig } from '#config/config.ts';
import type { TriggeredRunBody } from '#contract/checks/trigger.ts';
import { systemClock } from '#lib/clock.ts';
import { errorMessage } from '#lib/errors.ts';
import { CommandError, exitCodes, UsageError } from '../exits.ts';
import { createProgress } from '../progress.ts';
import { oneLine } from '../terminal-text.ts';
import { checkArgument, collected, wholeNumber } from './checks.ts';
import { type Connection, connect } from './connect.ts';
import { findCheck, findGroupId, readAll } from './find.ts';
import { annotations, junitXml } from './junit.ts';
import { listed, print, type ServerOptions, withServer } from './output.ts';
import { styleOf } from './result-text.ts';
import { isGood, runTargets, type Target } from './triggered-runs.ts';

interface TriggerOptions extends ServerOptions {
  readonly group?: readonly string[];
  readonly tag?: readonly string[];
  readonly check?: readonly string[];
  readonly timeout: number;
  readonly junit?: string;
  readonly github?: true;
}

/** Checks that one command starts at most by tag. */
const mostByTag = 100;

/** Defines `trigger`. */
export function defineTrigger(command: Command): void {
  withServer(
    command
      .description(
        'Run checks now, wait for their results, and exit with 1 unless all passed or are degraded: a gate of a ' +
          'deployment. The runs are real ones: they can change states and send alerts.',
      )
      .option('--group <group>', 'all activated checks of the group with this ID or name; can be repeated', collected)
      .option(
        '--tag <tag>',
        `activated checks with this tag, at most ${mostByTag}; repeat it for checks with all of them`,
        collected,
      )
      .option('--check <check>', `${checkArgument}; can be repeated`, collected)
      .option('--timeout <seconds>', 'longest wait for the results', wholeNumber(1, 3600), 600)
      .option('--junit <file>', 'write the results as JUnit XML')
      .option('--github', 'print annotations for GitHub Actions; default: inside its jobs'),
    'trigger --group Shop',
    'trigger --tag checkout --timeout 120 --junit results.xml',
  ).action(async (options: TriggerOptions) => void (process.exitCode = await trigger(options)));
}

async function trigger(options: TriggerOptions): Promise<number> {
  const connection = connect(options);
  const targets = await targetsOf(connection, options);
  const startedAt = systemClock.now();
  const screen = { write: (text: string) => process.stderr.write(text), isTerminal: process.stderr.isTTY };
  const progress = createProgress({ ...screen, now: () => performance.now() }, 'runs');
  let shown: number | null = null;
  const { runs, isTimedOut } = await runTargets(connection, targets, options.timeout * 1000, (known) => {
    const ended = known.filter(({ state }) => state === 'ended').length;
    if (shown === null) progress.begin('waiting for results', known.length);
    progress.add(ended - (shown ?? 0));
    shown = ended;
  });
  progress.end();
  if (options.junit !== undefined) writeReport(options.junit, junitXml(runs, startedAt));
  const passed = !isTimedOut && runs.every(isGood);
  print(options, { passed, isTimedOut, runs }, () => [
    ...tableOf(runs),
    ...runs.flatMap(reasonLines),
    '',
    summary(runs, isTimedOut, options.timeout),
  ]);
  const isGitHub = options.github ?? readClientConfig().isGitHubJob;
  if (isGitHub && options.json !== true) for (const line of annotations(runs)) process.stdout.write(`${line}\n`);
  return passed ? exitCodes.ok : exitCodes.failed;
}

async function targetsOf(
  connection: Connection,
  { group = [], tag = [], check = [] }: TriggerOptions,
): Promise<readonly Target[]> {
  if (group.length + tag.length + check.length === 0)
    throw new UsageError('name what to run: --group, --tag or --check');
  const groups: Target[] = [];
  for (const each of group) groups.push({ groupId: await findGroupId(connection, each) });
  const checkIds = new Set<string>();
  for (const each of check) checkIds.add((await findCheck(connection, each)).id);
  if (tag.length > 0) {
    const { items, total } = await readAll(connection, 'listChecks', { tag, activated: true }, mostByTag);
    if (total > mostByTag) {
      throw new CommandError(
        `${total} checks have the tag; at most ${mostByTag} run at once: use --group, or another tag`,
      );
    }
    const runnable = items.filter(({ checkType }) => checkType !== 'HEARTBEAT');
    if (runnable.length === 0)
      throw new CommandError(`no activated check has the tag ${tag.map(oneLine).join(' and ')}`);
    for (const { id } of runnable) checkIds.add(id);
  }
  return [...groups, ...[...checkIds].map((checkId) => ({ checkId }))];
}

function tableOf(runs: readonly TriggeredRunBody[]): readonly string[] {
  return listed(
    {
      titles: ['CHECK', 'OUTCOME', 'LOCATION', 'TIME'],
      rows: runs.map(({ name, outcome, runLocation, responseTime }) => [
        name,
        { text: outcome ?? 'running', style: styleOf(outcome ?? 'running') },
        runLocation,
        responseTime === null ? '' : `${responseTime} ms`,
      ]),
    },
    '',
  );
}

/** Why a run did not pass, and where to read on. */
function reasonLines({ name, message, resultLink }: TriggeredRunBody): readonly string[] {
  const lines = [message, resultLink].flatMap((text) => (text === null ? [] : [`  ${oneLine(text)}`]));
  return lines.length === 0 ? [] : ['', oneLine(name), ...lines];
}

function summary(runs: readonly TriggeredRunBody[], isTimedOut: boolean, timeoutS: number): string {
  const good = runs.filter(isGood).length;
  const open = runs.filter(({ state }) => state === 'running').length;
  if (isTimedOut) return `${open} of ${runs.length} runs have not ended within ${timeoutS} s; they continue.`;
  if (good < runs.length) return `${runs.length - good} of ${runs.length} runs did not pass.`;
  return runs.length === 1 ? 'The run passed.' : `All ${runs.length} runs passed.`;
}

function writeReport(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch (error) {
    throw new CommandError(`cannot write ${path}: ${errorMessage(error)}`);
  }
}
