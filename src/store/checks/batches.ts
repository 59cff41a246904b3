// The runs started by a call of a trigger.
import { selectRows } from '../base/rows.ts';
import { type SqlBool, sql } from 'kysely';
import type { Batch, CallRun, TriggerTarget } from '#domain/checks/batch.ts';
import type { Outcome } from '#domain/results/result.ts';
import { firstIdAt, type IdBytes, idBytes, idText, idTime } from '../base/codec.ts';
import { outcomeCodes, sourceCodes } from '../base/codes.ts';
import type { Database } from '../base/database.ts';
import type { Db } from '../base/tables/schema.ts';

/** The final result of one run of a batch. */
export interface RunResult {
  readonly runId: string;
  readonly outcome: Outcome;
  /** ms with decimals; null without a response. */
  readonly responseTimeMs: number | null;
  /** Why the check did not pass. */
  readonly message: string | null;
}

const pairsAtOnce = 200;

/** Runs that were started together. */
export function createBatches({ dialect, reader }: Database) {
  return {
    /** Whether every run has ended, or was deleted with its check. */
    async isClosed(batch: Batch): Promise<boolean> {
      const ids = batch.checks.flatMap((check) => check.runIds).sort();
      const [first, last] = [ids.at(0), ids.at(-1)];
      if (first === undefined || last === undefined) return true;
      // The runs of a batch are adjacent in the key; scheduled ones of the same time may be between them.
      const open = await selectRows(reader, 'runs', {
        account_id: idBytes(batch.accountId),
        batch_id: idBytes(batch.id),
      })
        .select('id')
        .where('id', '>=', idBytes(first))
        .where('id', '<=', idBytes(last))
        .limit(1)
        .executeTakeFirst();
      return open === undefined;
    },
    /** Results of the ended runs; checks deleted meanwhile have none. */
    async results(batch: Batch): Promise<RunResult[]> {
      const pairs = batch.checks.flatMap(({ checkId, runIds }) => runIds.map((runId) => [checkId, runId] as const));
      const results: RunResult[] = [];
      for (let start = 0; start < pairs.length; start += pairsAtOnce) {
        const values = pairs
          .slice(start, start + pairsAtOnce)
          .map(([checkId, runId]) => sql`(${dialect.idValue(idBytes(checkId))}, ${dialect.idValue(idBytes(runId))})`);
        const rows = await selectRows(reader, 'results', { account_id: idBytes(batch.accountId) })
          .select(['id', 'outcome', 'message', 'response_us'])
          .where(sql<SqlBool>`(check_id, id) IN (VALUES ${sql.join(values)})`)
          .execute();
        for (const { id, outcome, message, response_us } of rows) {
          const responseTimeMs = response_us === null ? null : response_us / 1000;
          results.push({ runId: idText(id), outcome: outcomeCodes.decode(outcome), responseTimeMs, message });
        }
      }
      return results;
    },
    /**
     * The runs that a call of a trigger started, in the order of its checks; without those of deleted checks.
     * @param call ID of the batch, or time of the call (epoch ms)
     */
    async runs(accountId: string, target: TriggerTarget, call: string | number): Promise<CallRun[]> {
      const at = typeof call === 'number' ? call : idTime(idBytes(call));
      const checks = await checksOf(reader, accountId, target);
      const open = await openRuns(reader, accountId, checks, at);
      const ended: CallRun[] = [];
      for (let start = 0; start < checks.length; start += pairsAtOnce) {
        ended.push(...(await endedRuns(reader, accountId, checks.slice(start, start + pairsAtOnce), at)));
      }
      const byCheck = Map.groupBy([...ended, ...open], ({ checkId }) => checkId);
      return checks.flatMap(({ id, name }) => {
        const own = byCheck.get(idText(id)) ?? [];
        return own.map((run) => ({ ...run, name })).sort((a, b) => (a.location < b.location ? -1 : 1));
      });
    },
  };
}

interface NamedCheck {
  readonly id: IdBytes;
  readonly name: string;
}

function checksOf(reader: Db, accountId: string, { groupId, checkId }: TriggerTarget): Promise<NamedCheck[]> {
  const own = selectRows(reader, 'checks', { account_id: idBytes(accountId) }).select(['id', 'name']);
  const wanted = checkId === null ? own.where('group_id', '=', groupId) : own.where('id', '=', idBytes(checkId));
  return wanted.orderBy('created_at').orderBy('id').execute();
}

/** Runs of a call have its time. */
function boundsOf(at: number): readonly [from: IdBytes, before: IdBytes] {
  return [firstIdAt(at), firstIdAt(at + 1)];
}

async function openRuns(reader: Db, accountId: string, checks: readonly NamedCheck[], at: number): Promise<CallRun[]> {
  const own = new Set(checks.map(({ id }) => idText(id)));
  const [from, before] = boundsOf(at);
  const rows = await selectRows(reader, 'runs', {
    account_id: idBytes(accountId),
    source: sourceCodes.encode('TRIGGER_API'),
  })
    .select(['id', 'check_id', 'location'])
    .where('id', '>=', from)
    .where('id', '<', before)
    .execute();
  const none = { name: '', outcome: null, message: null, responseTimeMs: null };
  return rows
    .map(({ id, check_id, location }) => ({ ...none, id: idText(id), checkId: idText(check_id), location }))
    .filter(({ checkId }) => own.has(checkId));
}

async function endedRuns(reader: Db, accountId: string, checks: readonly NamedCheck[], at: number): Promise<CallRun[]> {
  const [from, before] = boundsOf(at);
  const rows = await selectRows(reader, 'results', {
    account_id: idBytes(accountId),
    check_id: checks.map(({ id }) => id),
    run_id: null,
    source: sourceCodes.encode('TRIGGER_API'),
  })
    .select(['id', 'check_id', 'location', 'outcome', 'message', 'response_us'])
    .where('id', '>=', from)
    .where('id', '<', before)
    .execute();
  return rows.map(({ id, check_id, location, outcome, message, response_us }) => ({
    id: idText(id),
    checkId: idText(check_id),
    name: '',
    location,
    outcome: outcomeCodes.decode(outcome),
    message,
    responseTimeMs: response_us === null ? null : response_us / 1000,
  }));
}
