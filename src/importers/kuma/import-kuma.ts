// Uptime Kuma: tables of its SQLite database (1.23 and 2.x) to a resource file.
import type { FileResource } from '#contract/projects/resource-file.ts';
import type { WebhookPreset } from '../channels.ts';
import { nameOf } from '../check-parts.ts';
import { createDraft, type Draft, type Imported } from '../imported.ts';
import { type Foreign, numberOf, textOf } from '../values.ts';
import { addMaintenance } from './maintenance.ts';
import { monitorCheck } from './monitor-check.ts';
import { addNotification } from './notification.ts';

/** Rows of the database, by table. Columns that a version does not have are absent. */
export interface KumaTables {
  readonly monitor: readonly Foreign[];
  readonly notification: readonly Foreign[];
  readonly monitor_notification: readonly Foreign[];
  readonly tag: readonly Foreign[];
  readonly monitor_tag: readonly Foreign[];
  readonly maintenance: readonly Foreign[];
  readonly monitor_maintenance: readonly Foreign[];
  readonly setting: readonly Foreign[];
}

/** Imports all monitors, notifications and maintenance windows. @param now epoch ms: what has ended is left out */
export function importKuma(tables: KumaTables, presets: readonly WebhookPreset[], now: number): Imported {
  const draft = createDraft('kuma');
  const channels = new Map(
    tables.notification.map((row) => [textOf(row['id']), addNotification(draft, row, presets)] as const),
  );
  const groups = addGroups(draft, tables, channels);
  const checks = new Map<string, string>();
  for (const row of tables.monitor.filter(({ type }) => type !== 'group')) {
    const added = addMonitor(draft, tables, row, channels, groups);
    if (added !== null) checks.set(textOf(row['id']), added);
  }
  for (const row of tables.maintenance) {
    const members = tables.monitor_maintenance
      .filter((link) => textOf(link['maintenance_id']) === textOf(row['id']))
      .map((link) => textOf(link['monitor_id']));
    addMaintenance(draft, row, { members, checks, groups, timezone: serverZone(tables), now });
  }
  return draft.finish();
}

/** Logical IDs of the channels of a notification, by its ID. */
type Channels = ReadonlyMap<string, readonly string[]>;

/** Groups; one inside another keeps the name of the outer one in front of its own. */
function addGroups(draft: Draft, tables: KumaTables, channels: Channels): Map<string, string> {
  const rows = new Map(
    tables.monitor.filter(({ type }) => type === 'group').map((row) => [textOf(row['id']), row] as const),
  );
  const titleOf = (row: Foreign, depth = 0): string => {
    const parent = rows.get(textOf(row['parent']));
    const own = textOf(row['name']);
    return parent === undefined || depth > 20 ? own : `${titleOf(parent, depth + 1)} / ${own}`;
  };
  const added = new Map<string, string>();
  for (const [id, row] of rows) {
    const isNested = rows.has(textOf(row['parent']));
    const name = nameOf(titleOf(row), `Group ${id}`);
    const notes = [
      ...(isNested ? ['a group cannot contain groups: the outer name is in front'] : []),
      ...(channelsOf(tables, id, channels).length > 0
        ? ['its channels are notified of each of its checks, not of the group as a whole']
        : []),
    ];
    const resource: FileResource = {
      name,
      ...(row['active'] === 0 && { activated: false }),
      ...withChannels(channelsOf(tables, id, channels)),
    };
    const source = { from: textOf(row['name']), kind: 'group' };
    added.set(id, draft.add('checkGroups', `group-${id}`, resource, source, notes));
  }
  return added;
}

function addMonitor(
  draft: Draft,
  tables: KumaTables,
  row: Foreign,
  channels: Channels,
  groups: ReadonlyMap<string, string>,
): string | null {
  const id = textOf(row['id']);
  const kind = textOf(row['type']);
  const source = { from: nameOf(textOf(row['name']), `Monitor ${id}`), kind };
  const notes: string[] = [];
  const check = monitorCheck(row, tagsOf(tables, id), notes);
  if (check === null) {
    draft.skip(source, ...notes);
    return null;
  }
  const group = groups.get(textOf(row['parent']));
  const resource = {
    ...check,
    name: source.from,
    ...(group !== undefined && { group }),
    ...withChannels(channelsOf(tables, id, channels)),
  };
  return draft.add('checks', `monitor-${id}`, resource, source, notes);
}

function withChannels(alertChannels: readonly string[]): FileResource {
  return alertChannels.length === 0 ? {} : { alertChannels };
}

function channelsOf(tables: KumaTables, monitorId: string, channels: Channels): readonly string[] {
  return tables.monitor_notification
    .filter((link) => textOf(link['monitor_id']) === monitorId)
    .flatMap((link) => channels.get(textOf(link['notification_id'])) ?? []);
}

/** `name`, or `name:value` of a tag with a value. */
function tagsOf(tables: KumaTables, monitorId: string): readonly string[] {
  return tables.monitor_tag
    .filter((link) => textOf(link['monitor_id']) === monitorId)
    .flatMap((link) => {
      const tag = tables.tag.find(({ id }) => numberOf(id) === numberOf(link['tag_id']));
      const [name, value] = [textOf(tag?.['name']), textOf(link['value'])];
      return name === '' ? [] : [value === '' ? name : `${name}:${value}`];
    });
}

/** Time zone of the server; its setting is stored as JSON. */
function serverZone({ setting }: KumaTables): string {
  const stored = textOf(setting.find(({ key }) => key === 'serverTimezone')?.['value']);
  return stored.replace(/^"|"$/g, '') || 'UTC';
}
