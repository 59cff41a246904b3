// `checks`: lists, shows, runs and deletes checks.
import { type Command, InvalidArgumentError, Option } from 'commander';
import * as shows from '#checks/shows.ts';
import type { AnswerOf } from '#contract/operations.ts';
import { CommandError } from '../exits.ts';
import { oneLine } from '../terminal-text.ts';
import { systemClock } from '#lib/clock.ts';
import { type Connection, connect } from './connect.ts';
import { type CheckBody, findCheck, findGroupId, readAll } from './find.ts';
import { ago, facts, listed, note, print, type ServerOptions, withServer } from './output.ts';
import { evidenceLines, resultLine, styleOf } from './result-text.ts';
import { isGood, runTargets } from './triggered-runs.ts';

/** Not read from the contract, whose schemas would double the time that the command takes to start. */
const checkTypes = Object.values(shows)
  .map(({ type }) => type)
  .toSorted();

type StatusBody = AnswerOf<'getCheckStatus'>;

interface ListOptions extends ServerOptions {
  readonly tag?: readonly string[];
  readonly type?: string;
  readonly status?: string;
  readonly group?: string;
  readonly search?: string;
  readonly activated?: boolean;
  readonly limit: number;
  readonly all?: true;
}

/** Defines `checks` and its subcommands. */
export function defineChecks(command: Command): void {
  command.description('List, show, run or delete checks.');
  withServer(
    command
      .command('ls')
      .description('List checks with their state.')
      .option('--tag <tag>', 'only checks with this tag; repeat it for checks with all of them', collected)
      .addOption(new Option('--type <type>', 'only checks of this type').choices(checkTypes))
      .addOption(
        new Option('--status <state>', 'only checks in this state').choices(['passing', 'degraded', 'failing']),
      )
      .option('--group <group>', 'only checks of the group with this ID or name')
      .option('--search <text>', 'only checks whose name contains the text')
      .option('--activated', 'only activated checks')
      .option('--no-activated', 'only deactivated checks')
      .option('--limit <number>', 'maximum number of checks', wholeNumber(1, 100_000), 100)
      .option('--all', 'list all checks'),
    'checks ls --status failing',
    'checks ls --tag shop --all --json',
  ).action(list);
  withServer(
    command
      .command('get')
      .description('Show a check, its state and its newest results.')
      .argument('<check>', checkArgument),
    'checks get "Home page"',
  ).action(show);
  withServer(
    command
      .command('run')
      .description(
        'Run a check now, wait for its results and show what they saw. The run is a real one: it can change the state ' +
          'and send alerts. Exits with 1 unless every location passed or is degraded.',
      )
      .argument('<check>', checkArgument)
      .option('--timeout <seconds>', 'longest wait for the results', wholeNumber(1, 3600), 300),
    'checks run "Home page"',
  ).action(run);
  withServer(
    command
      .command('rm')
      .description('Delete checks with their results. Channels with an open alert receive a recovery.')
      .argument('<check...>', 'ID or full name of the check'),
    'checks rm 7c0e2f5a-1d34-4b8e-9a61-0f2d3c4b5a69',
  ).action(remove);
}

export const checkArgument = 'ID or name of the check; a part of the name is enough if it is unambiguous';

/** Collects the values of an option that can be repeated. */
export function collected(text: string, texts: readonly string[] = []): readonly string[] {
  return [...texts, text];
}

/** Parses a whole number of an option. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d{1,9}$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Use a whole number from ${min} to ${max}.`);
  };
}

async function list(options: ListOptions): Promise<void> {
  const connection = connect(options);
  const { tag, type, status, group, search, activated, limit, all } = options;
  const query = {
    ...(tag !== undefined && { tag }),
    ...(type !== undefined && { checkType: type }),
    ...(status !== undefined && { status }),
    ...(search !== undefined && { search }),
    ...(activated !== undefined && { activated }),
    ...(group !== undefined && { groupId: await findGroupId(connection, group) }),
  };
  const { items, total } = await readAll(connection, 'listChecks', query, all === true ? undefined : limit);
  const statuses = new Map((await connection.client.call('listCheckStatuses')).map((each) => [each.checkId, each]));
  const now = systemClock.now();
  print(
    options,
    items.map((check) => ({ ...check, status: statuses.get(check.id) ?? null })),
    () =>
      listed(
        {
          titles: ['NAME', 'STATE', 'SINCE', 'TYPE', 'EVERY', 'ID'],
          rows: items.map((check) => {
            const { state = 'pending', since = null } = statuses.get(check.id) ?? {};
            const shownSince = since === null ? '' : ago(since, now);
            return [
              check.name,
              { text: state, style: styleOf(state) },
              shownSince,
              check.checkType,
              intervalText(check),
              check.id,
            ];
          }),
        },
        'No checks match.',
      ),
  );
  if (items.length < total) note(`Showing ${items.length} of ${total} checks. Use --all to list all of them.`);
}

/** How often a check runs; empty for one that waits for pings. */
function intervalText(check: CheckBody): string {
  if (check.checkType === 'HEARTBEAT') return '';
  return check.frequency === 0 ? `${check.frequencyOffset} s` : `${check.frequency} min`;
}

async function show(wanted: string, options: ServerOptions): Promise<void> {
  const connection = connect(options);
  const check = await findCheck(connection, wanted);
  const params = { checkId: check.id };
  const status = await connection.client.call('getCheckStatus', { params });
  const results = await connection.client.call('listCheckResults', { params, query: { limit: 5 } });
  print(options, { ...check, status, results }, () => [
    ...facts(factsOf(check, status, systemClock.now())),
    ...(results.length === 0 ? [] : ['', 'Newest results']),
    ...results.map((result) => `  ${result.startedAt}  ${resultLine(result)}`),
  ]);
}

function factsOf(check: CheckBody, status: StatusBody, now: number): Parameters<typeof facts>[0] {
  const { state, since, reason, nextRunAt, incidentId } = status;
  return [
    ['Name', check.name],
    ['ID', check.id],
    ['Type', check.checkType],
    [
      'State',
      { text: `${state}${since === null ? '' : ` since ${since} (${ago(since, now)})`}`, style: styleOf(state) },
    ],
    ['Reason', reason],
    ['Incident', incidentId],
    ['Next run', nextRunAt],
    ['Every', intervalText(check) || null],
    ['Locations', check.locations.join(', ') || null],
    ['Group', check.groupId === null ? null : String(check.groupId)],
    ['Tags', check.tags.join(', ') || null],
  ];
}

async function run(wanted: string, options: ServerOptions & { readonly timeout: number }): Promise<void> {
  const connection = connect(options);
  const check = await findCheck(connection, wanted);
  const { runs, isTimedOut } = await runTargets(connection, [{ checkId: check.id }], options.timeout * 1000);
  const ended = runs.filter(({ state }) => state === 'ended');
  const results = await Promise.all(
    ended.map(({ id, checkId }) =>
      connection.client.call('getCheckResult', { params: { checkId, checkResultId: id } }),
    ),
  );
  print(options, { checkId: check.id, name: check.name, runs, results }, () =>
    results.flatMap((result, index) => [
      `${oneLine(result.name)}  ${resultLine(result)}`,
      ...evidenceLines(result),
      ...linkLines(ended[index]?.resultLink ?? null),
    ]),
  );
  if (isTimedOut) throw new CommandError(`the run has not ended within ${options.timeout} s; it continues`);
  if (!runs.every(isGood)) process.exitCode = 1;
}

function linkLines(link: string | null): readonly string[] {
  return link === null ? [] : ['', oneLine(link)];
}

async function remove(wanted: readonly string[], options: ServerOptions): Promise<void> {
  const connection = connect(options);
  // Found before anything is deleted, so that a misspelled name deletes nothing.
  const checks = await found(connection, wanted);
  for (const { id } of checks) await connection.client.call('deleteCheck', { params: { id } });
  print(
    options,
    checks.map(({ id, name }) => ({ id, name })),
    () => checks.map(({ id, name }) => `Deleted ${oneLine(name)} (${id}).`),
  );
}

async function found(connection: Connection, wanted: readonly string[]): Promise<readonly CheckBody[]> {
  const checks: CheckBody[] = [];
  for (const each of wanted) checks.push(await findCheck(connection, each, false));
  return [...new Map(checks.map((check) => [check.id, check])).values()];
}
