// Keeps what people switched on: a repeated import must not switch channels off again.
import type { FileResource, ResourceFile } from '#contract/projects/resource-file.ts';
import { storedSwitches } from '#importers/stored-switches.ts';
import type { Connection } from '../connect.ts';

/** The file, with the switches that channels have on the server since an earlier import. */
export async function keepSwitches({ client }: Connection, file: ResourceFile): Promise<ResourceFile> {
  const { project = '', alertChannels = {} } = file;
  const stored = await storedSwitches(client, project, Object.keys(alertChannels));
  if (stored.size === 0) return file;
  const merged = Object.entries(alertChannels).map(([id, channel]) => [id, { ...channel, ...stored.get(id) }]);
  return { ...file, alertChannels: Object.fromEntries(merged) as Record<string, FileResource> };
}
