// Private locations of the account: who serves them, and how to start a process for them.
import type { AnswerOf } from '#contract/operations.ts';
import { useRead } from '../../api/query.ts';
import { Code } from '../../ui/controls/copy.tsx';
import { textOf } from '../../ui/form/draft.ts';
import { TextInput } from '../../ui/form/text.tsx';
import { ResourcePage, type ResourceSort } from '../../ui/resources/resource-page.tsx';
import { Ago } from '../../ui/text/time.tsx';
import { text } from './strings.ts';
import parts from '../../ui/form/form.module.css';

type Place = AnswerOf<'listPrivateLocations'>[number];

const places: ResourceSort<Place> = {
  type: 'private-location',
  operations: {
    uses: 'getPrivateLocationUses',
    create: 'createPrivateLocation',
    update: 'updatePrivateLocation',
    remove: 'deletePrivateLocation',
  },
  refreshes: ['listPrivateLocations'],
  words: text,
  id: 'id',
  name: 'name',
  columns: [
    { id: 'name', title: text.columns.name, isName: true, cell: ({ name }) => name },
    { id: 'slug', title: text.columns.slug, cell: ({ slugName }) => <code>{slugName}</code> },
    {
      id: 'processes',
      title: text.columns.processes,
      cell: ({ runningAgents }) => runningAgents.map(({ hostname }) => hostname).join(', ') || text.none,
    },
    {
      id: 'seen',
      title: text.columns.seen,
      cell: ({ lastSeen }) => (lastSeen === null ? text.never : <Ago at={lastSeen} />),
    },
  ],
  more: {
    label: text.start,
    title: text.startTitle,
    Content: ({ row }) => (
      <>
        <p>{text.startHelp}</p>
        <Code text={`TOCSIN_LOCATION=${row.slugName}`} label={text.variable} />
      </>
    ),
  },
  isKeptWhileUsed: true,
  startOf: (row) => ({ name: row?.name ?? '', slugName: row?.slugName ?? '' }),
  Fields: ({ draft, onChange, row }) => (
    <div className={parts['short']}>
      <TextInput
        name="name"
        label={text.name}
        value={textOf(draft['name'])}
        onChange={(value) => onChange('name', value)}
        isRequired
      />
      {row === null && (
        <TextInput
          name="slugName"
          label={text.slug}
          placeholder={text.slugExample}
          help={text.slugHelp}
          value={textOf(draft['slugName'])}
          onChange={(value) => onChange('slugName', value)}
          isRequired
        />
      )}
    </div>
  ),
  bodyOf: (draft) => draft,
};

export function PrivateLocationsPage() {
  const list = useRead('listPrivateLocations');
  return <ResourcePage sort={places} list={{ ...list, items: list.data }} />;
}
