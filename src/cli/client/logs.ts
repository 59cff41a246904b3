// `logs`: the results of a check as they are recorded, one line each.
import type { Command } from 'commander';
import { safeJson } from '../terminal-text.ts';
import { concerns, followChanges } from './changes.ts';
import { checkArgument, wholeNumber } from './checks.ts';
import { type Connection, connect } from './connect.ts';
import { findCheck } from './find.ts';
import { note, type ServerOptions, withServer } from './output.ts';
import { type Result, resultLine } from './result-text.ts';

interface LogsOptions extends ServerOptions {
  readonly limit: number;
  readonly failed?: true;
  readonly follow?: true;
}

/** Results of a page, and pages that are read at most after a gap. */
const [pageSize, mostPages] = [100, 10];
/** IDs that are remembered to print each result once. */
const mostSeen = 2 * pageSize * mostPages;

/** Defines `logs`. */
export function defineLogs(command: Command): void {
  withServer(
    command
      .description('Print the newest results of a check, oldest first. With --json, one object per line.')
      .argument('<check>', checkArgument)
      .option('-n, --limit <number>', 'number of results', wholeNumber(0, pageSize), 20)
      .option('--failed', 'only failed results')
      .option('-f, --follow', 'continue with new results until Ctrl-C'),
    'logs "Home page" --limit 5',
    'logs "Home page" --follow --failed',
  ).action(logs);
}

async function logs(wanted: string, options: LogsOptions): Promise<void> {
  const connection = connect(options);
  const { id: checkId } = await findCheck(connection, wanted);
  const read = (page: number): Promise<readonly Result[]> =>
    connection.client.call('listCheckResults', {
      params: { checkId },
      query: { limit: pageSize, page, ...(options.failed === true && { hasFailures: true }) },
    });
  const newest = await read(1);
  for (const result of newest.slice(0, options.limit).toReversed()) printResult(result, options);
  if (options.follow !== true) return;
  await follow(connection, checkId, new Set(newest.map(({ id }) => id)), read, (result) =>
    printResult(result, options),
  );
}

/** Prints new results until the process is stopped. @param seen IDs that are not printed, newest first */
async function follow(
  connection: Connection,
  checkId: string,
  seen: Set<string>,
  read: (page: number) => Promise<readonly Result[]>,
  printNew: (result: Result) => void,
): Promise<void> {
  const wanted = new Set([checkId]);
  const ended = new AbortController();
  let reading: Promise<void> | null = null;
  let isDue = false;
  const readNew = async (): Promise<void> => {
    while (isDue) {
      isDue = false;
      const fresh: Result[] = [];
      for (let page = 1; page <= mostPages; page++) {
        const results = await read(page);
        const unseen = results.filter(({ id }) => !seen.has(id));
        fresh.push(...unseen);
        if (unseen.length < pageSize) break;
      }
      for (const result of fresh.toReversed()) {
        seen.add(result.id);
        printNew(result);
      }
      for (const id of seen) if (seen.size > mostSeen) seen.delete(id);
    }
  };
  let failure: unknown = null;
  const onDue = (): void => {
    isDue = true;
    reading ??= readNew()
      .catch((error: unknown) => {
        failure = error;
        ended.abort();
      })
      .finally(() => (reading = null));
  };
  const onLost = (): void => note('The connection was lost; trying again.');
  const onChange = ({ results }: Parameters<Parameters<typeof followChanges>[1]['onChange']>[0]): void => {
    if (concerns(results, wanted)) onDue();
  };
  await followChanges(connection, { onConnected: onDue, onChange, onLost }, ended.signal);
  if (failure !== null) throw failure;
}

function printResult(result: Result, { json }: ServerOptions): void {
  process.stdout.write(json === true ? `${safeJson(result)}\n` : `${result.startedAt}  ${resultLine(result)}\n`);
}
