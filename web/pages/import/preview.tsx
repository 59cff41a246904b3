// What becomes what, beside what is on the server.
import { Link } from '@tanstack/react-router';
import { CircleAlert } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { ImportRow } from '#importers/imported.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Section } from '../../ui/layout/page.tsx';
import { type Column, Table } from '../../ui/layout/table.tsx';
import { type Compared, keyOf } from './import-text.ts';
import { text } from './strings.ts';
import css from './import.module.css';

/** Rows of a table until all are wanted. */
const mostRows = 200;
/** Longest value of a change, in characters. */
const longestValue = 60;

type Entry = Compared['diff'][number];

/** How many resources are new, differ, and are as imported. */
export function countsOf({ resources, diff }: Compared) {
  const created = diff.filter(({ action }) => action === 'CREATE').length;
  const updated = diff.filter(({ action }) => action === 'UPDATE').length;
  return { created, updated, same: resources.length - created - updated };
}

export function Preview({ compared, isApplied }: { readonly compared: Compared; readonly isApplied: boolean }) {
  const { read, resources, diff, faults, refusal } = compared;
  const declared = new Set(resources.map(keyOf));
  const found = read.rows.filter(({ resource }) => resource !== null && declared.has(keyOf(resource)));
  const left = read.rows.filter((row) => !found.includes(row));
  const entries = new Map(diff.map((entry) => [keyOf(entry), entry]));
  // What differs comes first.
  const rank = ({ resource }: ImportRow): number => {
    const key = resource === null ? '' : keyOf(resource);
    return faults.has(key) ? 0 : entries.get(key)?.action === 'UPDATE' ? 1 : entries.has(key) ? 2 : 3;
  };
  const sorted = found.toSorted((a, b) => rank(a) - rank(b));
  const isRefused = faults.size > 0 || refusal !== null;
  const { created, updated, same } = countsOf(compared);
  const isDone = !isRefused && created + updated === 0;
  const words = found.length === 0 ? text.empty : isRefused ? text.faults(faults.size) : isDone ? text.nothing : '';
  return (
    <>
      {found.length > 0 && (
        <Section title={text.carried}>
          {!isApplied && !isRefused && (
            <p className="quiet" role="status">
              {[words, text.counts({ created, updated, same, left: left.length })].filter(Boolean).join(' ')}
            </p>
          )}
          {isRefused && (
            <p role="alert" className={css['fault']}>
              {[faults.size > 0 ? words : '', refusal].filter(Boolean).join('\n')}
            </p>
          )}
          <Rows
            label={text.carried}
            rows={sorted}
            more={[
              { id: 'becomes', title: text.columns.becomes, cell: ({ to }) => to },
              {
                id: 'status',
                title: text.columns.status,
                cell: ({ resource }) => {
                  const key = resource === null ? '' : keyOf(resource);
                  return <Status entry={entries.get(key)} fault={faults.get(key)} isApplied={isApplied} />;
                },
              },
              {
                id: 'notes',
                title: text.columns.notes,
                cell: ({ notes }) => notes.length > 0 && <Notes notes={notes} />,
              },
            ]}
            linkOf={(row) => (isApplied && row.resource !== null ? entries.get(keyOf(row.resource)) : undefined)}
          />
        </Section>
      )}
      {found.length === 0 && <p role="alert">{words}</p>}
      {left.length > 0 && (
        <Section title={text.notCarried}>
          <Rows
            label={text.notCarried}
            rows={left}
            more={[
              {
                id: 'why',
                title: text.columns.why,
                cell: ({ resource, notes }) => <Notes notes={resource === null ? notes : [text.noEmail]} />,
              },
            ]}
          />
        </Section>
      )}
    </>
  );
}

function Rows({
  label,
  rows,
  more,
  linkOf = () => undefined,
}: {
  readonly label: string;
  readonly rows: readonly ImportRow[];
  readonly more: readonly Column<ImportRow>[];
  readonly linkOf?: (row: ImportRow) => Entry | undefined;
}) {
  const [isWhole, setWhole] = useState(false);
  const shown = (isWhole ? rows : rows.slice(0, mostRows)).map((row, index) => ({ ...row, index }));
  return (
    <>
      <Table
        label={label}
        rows={shown}
        keyOf={({ index }) => String(index)}
        columns={[
          {
            id: 'name',
            title: text.columns.name,
            isName: true,
            cell: (row) => <Name entry={linkOf(row)}>{row.from}</Name>,
          },
          { id: 'kind', title: text.columns.kind, cell: ({ kind }) => kind },
          ...more,
        ]}
      />
      {shown.length < rows.length && <Button onPress={() => setWhole(true)}>{text.showAll(rows.length)}</Button>}
    </>
  );
}

/** The name, with a link to what was created. */
function Name({ entry, children }: { readonly entry: Entry | undefined; readonly children: ReactNode }) {
  const id = entry?.physicalId ?? null;
  const type = id === null ? undefined : entry?.type;
  if (id !== null && type === 'check') {
    return (
      <Link to="/checks/$checkId" params={{ checkId: id }} search={{}}>
        {children}
      </Link>
    );
  }
  if (id !== null && type === 'check-group') {
    return (
      <Link to="/groups/$groupId" params={{ groupId: id }}>
        {children}
      </Link>
    );
  }
  if (id !== null && type === 'alert-channel') {
    return (
      <Link to="/channels/$channelId" params={{ channelId: id }}>
        {children}
      </Link>
    );
  }
  if (type === 'variable') return <Link to="/settings/variables">{children}</Link>;
  return <span className={css['target']}>{children}</span>;
}

function Notes({ notes }: { readonly notes: readonly string[] }) {
  return (
    <ul className={css['list']}>
      {notes.map((note) => (
        <li key={note}>{note}</li>
      ))}
    </ul>
  );
}

function Status({
  entry,
  fault,
  isApplied,
}: {
  readonly entry: Entry | undefined;
  readonly fault: string | undefined;
  readonly isApplied: boolean;
}) {
  const words = isApplied ? text.done : text.status;
  if (fault !== undefined) {
    return (
      <span className={css['verdict']} data-fault="">
        <CircleAlert size={15} aria-hidden />
        <span>
          {words.refused}: {fault}
        </span>
      </span>
    );
  }
  if (entry === undefined) return <span className="quiet">{words.same}</span>;
  if (entry.action !== 'UPDATE') return words.create;
  return (
    <div>
      {words.update}
      <ul className={css['list']}>
        {entry.changes.map(({ field, from, to, secret }) => (
          <li key={field}>
            <code>{field}</code> {secret === true ? text.secret : `${valueText(from)} → ${valueText(to)}`}
          </li>
        ))}
      </ul>
    </div>
  );
}

function valueText(value: unknown): string {
  if (value === undefined) return text.nothingThere;
  const written = JSON.stringify(value);
  return written.length > longestValue ? `${written.slice(0, longestValue)}…` : written;
}
