// What can be changed of many checks at once, a part of the dialog each.
import type { ReactNode } from 'react';
import { useAll } from '../../api/all.ts';
import { AlertSettingsOfCheck } from '../../ui/alert-settings/of-check.tsx';
import { useChannelNames } from '../../ui/alerts/channels.tsx';
import { GroupField } from '../../ui/check-settings/labels.tsx';
import { Interval, Places } from '../../ui/check-settings/schedule.tsx';
import { type FieldsOfDraft, textsOf } from '../../ui/check-settings/section.ts';
import type { BulkWanted } from '../../ui/checks/bulk-changes.ts';
import { Choice } from '../../ui/controls/field.tsx';
import type { Draft } from '../../ui/form/draft.ts';
import { TextInput } from '../../ui/form/text.tsx';
import { text } from './strings.ts';

interface Aspect {
  readonly id: string;
  readonly label: string;
  /** Values that it begins with; their names are those of its fields. */
  readonly start: Draft;
  readonly Fields: (props: FieldsOfDraft) => ReactNode;
}

/** The parts, in the order of the dialog. */
export const aspects: readonly Aspect[] = [
  {
    id: 'interval',
    label: text.aspects.interval,
    start: { frequency: 10, frequencyOffset: null },
    Fields: (fields) => <Interval {...fields} shortest={0} isLabelHidden />,
  },
  { id: 'tags', label: text.aspects.tags, start: { addTags: [], removeTags: [] }, Fields: Tags },
  {
    id: 'group',
    label: text.aspects.group,
    start: { groupId: null },
    Fields: (fields) => <GroupField {...fields} isLabelHidden />,
  },
  {
    id: 'locations',
    label: text.aspects.locations,
    start: { locations: [], privateLocations: null, runParallel: false },
    Fields: Places,
  },
  { id: 'channels', label: text.aspects.channels, start: { addChannels: [], removeChannels: [] }, Fields: Channels },
  {
    id: 'alerts',
    label: text.aspects.alerts,
    start: { useGlobalAlertSettings: true, alertSettings: null },
    // Whatever group the checks are in.
    Fields: ({ draft: { groupId: _group, ...draft }, onChange }) => (
      <AlertSettingsOfCheck draft={draft} onChange={onChange} />
    ),
  },
];

/** The change that the chosen parts describe; null = nothing yet. */
export function editOf(draft: Draft, chosen: readonly string[]): NonNullable<BulkWanted['change']> | null {
  const names = aspects.filter(({ id }) => chosen.includes(id)).flatMap(({ start }) => Object.keys(start));
  const fields = names.flatMap((name) => {
    const value = draft[name];
    // Lists of what is added and removed have at least one item; own settings of a check are kept if they have no effect.
    if (value === undefined || (/^(add|remove)/.test(name) && textsOf(value).every((each) => each === ''))) return [];
    if (name === 'alertSettings' && draft['useGlobalAlertSettings'] !== false) return [];
    return [[name, Array.isArray(value) ? value.filter((each) => each !== '') : value] as const];
  });
  return fields.length === 0 ? null : Object.fromEntries(fields);
}

function Tags({ draft, onChange }: FieldsOfDraft) {
  const field = (name: 'addTags' | 'removeTags') => (
    <TextInput
      name={`change.${name}`}
      label={text[name]}
      placeholder={text.tagsExample}
      value={textsOf(draft[name]).join(', ')}
      onChange={(value) => onChange(name, value === '' ? [] : value.split(/,\s*/))}
    />
  );
  return (
    <>
      {field('addTags')}
      {field('removeTags')}
      <span className="quiet">{text.tagsHelp}</span>
    </>
  );
}

type Subscribing = 'keep' | 'add' | 'remove';

/** Each channel is kept as it is, subscribed or unsubscribed. */
function Channels({ draft, onChange }: FieldsOfDraft) {
  const channels = useAll('listAlertChannels');
  const nameOf = useChannelNames();
  const without = (name: string, id: number) =>
    textsOf(draft[name])
      .map(Number)
      .filter((each) => each !== id);
  const set = (id: number, chosen: Subscribing): void => {
    for (const [name, value] of [
      ['addChannels', 'add'],
      ['removeChannels', 'remove'],
    ] as const) {
      onChange(name, chosen === value ? [...without(name, id), id] : without(name, id));
    }
  };
  const of = (id: number): Subscribing => {
    const isIn = (name: string): boolean => textsOf(draft[name]).includes(String(id));
    return isIn('addChannels') ? 'add' : isIn('removeChannels') ? 'remove' : 'keep';
  };
  if (channels.data?.length === 0) return <p className="quiet">{text.noChannels}</p>;
  return (channels.data ?? []).map(({ id }) => (
    <Choice
      key={id}
      label={nameOf(id)}
      value={of(id)}
      options={text.subscribing}
      onChange={(chosen) => set(id, chosen)}
    />
  ));
}
