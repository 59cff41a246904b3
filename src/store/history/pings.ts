// Events of heartbeats as they are shown: all received and all missing pings.
import { selectRows } from '../base/rows.ts';
import { mixedPings, type PingEvent } from '#domain/checks/heartbeat.ts';
import { idBytes, idText, idTime } from '../base/codec.ts';
import { pingSignalCodes, pingStateCodes } from '../base/codes.ts';
import type { Database } from '../base/database.ts';
import type { PingsTable } from '../base/tables/heartbeat-tables.ts';

export function createPings({ reader }: Database) {
  const ofCheck = (accountId: string, checkId: string) =>
    selectRows(reader, 'pings', { account_id: idBytes(accountId), check_id: idBytes(checkId) }).selectAll();
  return {
    /** Newest first; missing pings are at most half of them as long as there are enough received ones. */
    async list(accountId: string, checkId: string, limit: number): Promise<PingEvent[]> {
      const missing = pingSignalCodes.encode('missing');
      const newest = (isMissing: boolean) =>
        ofCheck(accountId, checkId)
          .where('signal', isMissing ? '=' : '<>', missing)
          .orderBy('id', 'desc')
          .limit(limit)
          .execute();
      return mixedPings((await newest(false)).map(pingOf), (await newest(true)).map(pingOf), limit);
    },
    async find(accountId: string, checkId: string, id: string): Promise<PingEvent | null> {
      const row = await ofCheck(accountId, checkId).where('id', '=', idBytes(id)).executeTakeFirst();
      return row === undefined ? null : pingOf(row);
    },
  };
}

function pingOf(row: PingsTable): PingEvent {
  return {
    id: idText(row.id),
    at: idTime(row.id),
    signal: pingSignalCodes.decode(row.signal),
    exitCode: row.exit_code,
    state: pingStateCodes.decode(row.state),
    method: row.method,
    source: row.source,
    userAgent: row.user_agent,
    body: row.body,
  };
}
