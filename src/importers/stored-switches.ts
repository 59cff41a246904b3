// Reads what people switched on: a repeated import must not switch channels off again.
import type { Client } from '#contract/caller.ts';
import type { PageQuery } from '#contract/paging.ts';
import type { switchedOff } from './channels.ts';

/** What a channel sends. */
export type Switches = Readonly<Record<keyof typeof switchedOff, boolean>>;

/**
 * The switches of the channels that a project owns, by logical ID.
 * @param ids logical IDs that are read; others are left out
 */
export async function storedSwitches(
  client: Client,
  project: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Switches>> {
  const found = new Map<string, Switches>();
  let next: PageQuery | null = ids.length === 0 ? null : { limit: 100, page: 1 };
  while (next !== null) {
    const query = { project, type: 'alert-channel', ...next } as const;
    const page = await client.page('listProjectResources', { query });
    for (const { logicalId, physicalId } of page.items.filter((each) => ids.includes(each.logicalId))) {
      const channel = await client.call('getAlertChannel', { params: { id: Number(physicalId) } });
      const { sendFailure, sendRecovery, sendDegraded, sslExpiry } = channel;
      found.set(logicalId, { sendFailure, sendRecovery, sendDegraded, sslExpiry });
    }
    next = page.next;
  }
  return found;
}
