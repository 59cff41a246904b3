// Keeps what people switched on: a repeated import must not switch channels off again.
import type { FileResource, ResourceFile } from '#contract/projects/resource-file.ts';
import { switchedOff } from '#importers/channels.ts';
import type { Connection } from '../connect.ts';
import { readAll } from '../find.ts';

/** The file, with the switches that channels have on the server since an earlier import. */
export async function keepSwitches(connection: Connection, file: ResourceFile): Promise<ResourceFile> {
  const { project = '', alertChannels = {} } = file;
  if (Object.keys(alertChannels).length === 0) return file;
  const owned = await readAll(connection, 'listProjectResources', { project, type: 'alert-channel' });
  const kept = new Map<string, FileResource>();
  for (const { logicalId, physicalId } of owned.items.filter((each) => Object.hasOwn(alertChannels, each.logicalId))) {
    const channel = await connection.client.call('getAlertChannel', { params: { id: Number(physicalId) } });
    kept.set(
      logicalId,
      Object.fromEntries(Object.keys(switchedOff).map((name) => [name, channel[name as keyof typeof switchedOff]])),
    );
  }
  const merged = Object.entries(alertChannels).map(([id, channel]) => [id, { ...channel, ...kept.get(id) }]);
  return { ...file, alertChannels: Object.fromEntries(merged) as Record<string, FileResource> };
}
