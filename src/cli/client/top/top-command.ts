// `top`: the checks of an account as they change, on a terminal or line by line.
import { once } from 'node:events';
import type { Command } from 'commander';
import { readClientConfig } from '#config/config.ts';
import { systemClock } from '#lib/clock.ts';
import { oneLine, safeJson } from '../../terminal-text.ts';
import { type Change, followChanges } from '../changes.ts';
import { type Connection, connect } from '../connect.ts';
import { eventually } from '../eventually.ts';
import { listed, note, print, type ServerOptions, withServer } from '../output.ts';
import { styleOf } from '../result-text.ts';
import { cellText } from '../table.ts';
import { type Board, countsText, sorted } from './frame.ts';
import { watchOnTerminal } from './watch.ts';

interface TopOptions extends ServerOptions {
  readonly once?: true;
}

/** Incidents that are read. */
const incidentsRead = 5;
/** Minimum interval between reads of the states, ms. */
const readEveryMs = 1000;

/** Defines `top`. */
export function defineTop(command: Command): void {
  withServer(
    command
      .description(
        'Show the state of all checks as it changes: failing ones first, and the newest incidents. ' +
          'Without a terminal, or with --json, prints one line for each change of a state.',
      )
      .option('--once', 'print the states once and exit'),
    'top',
    'top --once',
    'top --json | jq .name',
  ).action(top);
}

async function top(options: TopOptions): Promise<void> {
  const isTerminal = process.stdin.isTTY && process.stdout.isTTY && !readClientConfig().isDumbTerminal;
  const isDrawn = isTerminal && options.once !== true && options.json !== true;
  const connection = connect(options, isDrawn ? () => undefined : note);
  const { accountId, accounts } = await connection.client.call('getMe');
  const account = accounts.find(({ id }) => id === accountId)?.name ?? accountId;
  const board = await readBoard(connection, account);
  if (options.once === true) return printOnce(options, board);
  const ended = new AbortController();
  const stopped = ['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => once(process, signal, { signal: ended.signal }));
  const stop = (): void => ended.abort();
  void Promise.race(stopped).then(stop, stop);
  try {
    if (isDrawn) await watchOnTerminal(connection, board, () => readBoard(connection, account), ended);
    else await printChanges(connection, board, options, ended.signal);
  } finally {
    stop();
  }
}

async function readBoard({ client, url }: Connection, account: string): Promise<Board> {
  const [statuses, incidents] = await Promise.all([
    client.call('listCheckStatuses'),
    client.call('listIncidents', { query: { limit: incidentsRead } }),
  ]);
  return { url, account, statuses, incidents, isLive: true };
}

function printOnce(options: TopOptions, { statuses }: Board): void {
  const list = sorted(statuses);
  print(options, list, () => [
    countsText(statuses),
    '',
    ...listed(
      {
        titles: ['NAME', 'STATE', 'SINCE', 'REASON'],
        rows: list.map(({ name, state, since, reason }) => [
          name,
          { text: state, style: styleOf(state) },
          since ?? '',
          reason ?? '',
        ]),
      },
      'There are no checks.',
    ),
  ]);
}

/** One line per state: first of every check that is not passing, then of every change. */
async function printChanges(
  connection: Connection,
  first: Board,
  options: TopOptions,
  signal: AbortSignal,
): Promise<void> {
  const printed = new Map(first.statuses.map(({ checkId, state }) => [checkId, state]));
  const show = ({ checkId, name, state, since, reason }: Board['statuses'][number]): void => {
    const at = new Date(systemClock.now()).toISOString();
    const shown = [cellText({ text: state, style: styleOf(state) }, 8), oneLine(name), oneLine(reason ?? '')];
    const line =
      options.json === true
        ? safeJson({ at, checkId, name, state, since, reason })
        : `${at}  ${shown.join('  ').trimEnd()}`;
    process.stdout.write(`${line}\n`);
  };
  if (options.json !== true) note(`Watching ${first.statuses.length} checks: ${countsText(first.statuses)}.`);
  sorted(first.statuses)
    .filter(({ state }) => state !== 'passing')
    .forEach(show);
  const onDue = eventually(readEveryMs, async () => {
    for (const status of await connection.client.call('listCheckStatuses')) {
      if (printed.get(status.checkId) === status.state) continue;
      printed.set(status.checkId, status.state);
      show(status);
    }
  });
  const onChange = ({ states, checks }: Change): void => void ((states.length > 0 || checks) && onDue());
  const onLost = (): void => note('The connection was lost; trying again.');
  await followChanges(connection, { onConnected: onDue, onChange, onLost }, signal);
}
