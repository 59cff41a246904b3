// Reports channels whose service is not set up, such as email channels without a mail server.
import { idText } from '#store/base/codec.ts';
import type { Finding } from './finding.ts';

/** Statement that reads the types of the channels of each account. */
export const channelTypes = 'SELECT DISTINCT account_id, type FROM alert_channels';

/** A row of `channelTypes`. */
export interface ChannelTypeRow {
  readonly account_id: Uint8Array;
  readonly type: string;
}

/** Returns what an account's channels of a type lack, in a sentence; null = nothing. */
export type MissingService = (type: string, accountId: string) => string | null;

/** One finding for each missing service. */
export function channelFindings(rows: readonly ChannelTypeRow[], missing: MissingService): Finding[] {
  const all = rows.flatMap(({ account_id, type }) => missing(type, idText(account_id)) ?? []);
  return [...new Set(all)].map((message) => ({
    what: 'channels',
    grade: 'warning',
    message: `${message}. Stored channels of this type cannot send`,
  }));
}
