// The audit log: who changed what, when and from where; filters are in the address.
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { use } from 'react';
import type { AnswerOf } from '#contract/operations.ts';
import { AccountContext } from '../../api/account.ts';
import { clientOf } from '../../api/client.ts';
import { useMay } from '../../api/me.ts';
import { useRead } from '../../api/query.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Choice } from '../../ui/controls/field.tsx';
import { saveFile } from '../../ui/controls/save-file.ts';
import { Empty, LoadError, Skeleton } from '../../ui/layout/feedback.tsx';
import { PageHead } from '../../ui/layout/page.tsx';
import { Table } from '../../ui/layout/table.tsx';
import { toast } from '../../ui/layout/toast.tsx';
import { At } from '../../ui/text/time.tsx';
import type { AuditSearch } from './search.ts';
import { text } from './strings.ts';
import css from './audit.module.css';

type Entry = AnswerOf<'listAuditLog'>['entries'][number];
type Change = Entry['changes'][number];

export function AuditPage() {
  const search = useSearch({ from: '/shell/settings/audit' });
  const { admin } = useMay();
  return (
    <>
      <PageHead title={text.title}>{admin && <Filters search={search} />}</PageHead>
      {admin && (
        <>
          <p className="quiet">{text.help}</p>
          <Entries search={search} />
        </>
      )}
    </>
  );
}

function queryOf({ resource, resourceId, kind, actor }: AuditSearch) {
  return {
    ...(resource !== undefined && { resource }),
    ...(resourceId !== undefined && { resourceId }),
    ...(kind !== undefined && { actorKind: kind }),
    ...(actor !== undefined && { actorId: actor }),
  };
}

function Filters({ search }: { readonly search: AuditSearch }) {
  const navigate = useNavigate({ from: '/settings/audit' });
  const accountId = use(AccountContext);
  const { resource, kind } = search;
  const download = async (): Promise<void> => {
    const csv = await clientOf(accountId).call('exportAuditLog', { query: queryOf(search) });
    saveFile(new Blob([csv], { type: 'text/csv' }), 'tocsin-audit-log.csv');
  };
  return (
    <>
      <Choice
        label={text.resource}
        isLabelHidden
        value={resource ?? ''}
        options={[['', text.anyResource], ...optionsOf(text.resources)]}
        onChange={(value) =>
          void navigate({ search: { ...(kind && { kind }), ...(value !== '' && { resource: value }) }, replace: true })
        }
      />
      <Choice
        label={text.actorKind}
        isLabelHidden
        value={kind ?? ''}
        options={[['', text.anyActor], ...optionsOf(text.actorKinds)]}
        onChange={(value) =>
          void navigate({
            search: { ...(resource && { resource }), ...(value !== '' && { kind: value }) },
            replace: true,
          })
        }
      />
      <Button onPress={() => void toast.of(download(), text.downloaded)}>{text.download}</Button>
    </>
  );
}

function optionsOf<Name extends string>(words: Readonly<Record<Name, string>>): (readonly [Name, string])[] {
  return Object.entries(words) as [Name, string][];
}

function Entries({ search }: { readonly search: AuditSearch }) {
  const { after } = search;
  const log = useRead('listAuditLog', { query: { ...queryOf(search), ...(after !== undefined && { nextId: after }) } });
  if (log.data === undefined) {
    return log.error ? (
      <LoadError error={log.error} onRetry={() => void log.refetch()} />
    ) : (
      <Skeleton lines={8} height={36} />
    );
  }
  const { entries, nextId } = log.data;
  const isFiltered = Object.keys(search).length > 0;
  const { columns } = text;
  return (
    <>
      {entries.length === 0 ? (
        <Empty title={text.emptyTitle}>
          <p>{isFiltered ? text.noMatch : text.empty}</p>
        </Empty>
      ) : (
        <Table
          label={text.title}
          rows={entries}
          keyOf={({ id }) => id}
          columns={[
            { id: 'change', title: columns.change, isName: true, cell: (entry) => <EntryCell entry={entry} /> },
            { id: 'actor', title: columns.actor, cell: ({ actor }) => <ActorCell actor={actor} /> },
            { id: 'at', title: columns.at, cell: ({ at }) => <At at={at} /> },
            { id: 'address', title: columns.address, cell: ({ address }) => address ?? '–' },
          ]}
        />
      )}
      <p>
        {nextId !== null && (
          <Link to="/settings/audit" search={{ ...search, after: nextId }}>
            {text.older}
          </Link>
        )}{' '}
        {isFiltered && (
          <Link to="/settings/audit" search={{}}>
            {after === undefined ? text.all : text.newest}
          </Link>
        )}
      </p>
    </>
  );
}

function ActorCell({ actor: { id, kind, name } }: { readonly actor: Entry['actor'] }) {
  const shown = name ?? text.actorKinds[kind];
  if (id === null) return shown;
  return (
    <Link to="/settings/audit" search={{ actor: id }} title={text.only(shown)}>
      {shown}
    </Link>
  );
}

function EntryCell({ entry }: { readonly entry: Entry }) {
  const { changes, count, operation, requestId, via } = entry;
  const [main] = changes;
  return (
    <details>
      <summary>
        {main === undefined ? operation : sentenceOf(main)}
        {count > 1 && ` ${text.more(count - 1)}`}
      </summary>
      <p className="quiet">
        {text.details(operation, requestId, via)} {main !== undefined && <ResourceLink change={main} />}
      </p>
      {changes.map((change, index) => (
        <div key={index}>
          {changes.length > 1 && <p>{sentenceOf(change)}</p>}
          {change.fields.length > 0 && <Fields change={change} />}
          {change.omittedFields !== undefined && <p>{text.more(change.omittedFields)}</p>}
        </div>
      ))}
    </details>
  );
}

function sentenceOf({ resource, id, name, action }: Change): string {
  // Numbers name a record, long random IDs do not.
  const known = name ?? (/^\d+$/.test(id) ? id : null);
  return [text.resources[resource], known, text.actions[action]].filter((part) => part !== null).join(' ');
}

function ResourceLink({ change: { resource, id, action } }: { readonly change: Change }) {
  if (action === 'deleted') return null;
  const label = text.resources[resource];
  if (resource === 'check') {
    return (
      <Link to="/checks/$checkId" params={{ checkId: id }}>
        {label}
      </Link>
    );
  }
  if (resource !== 'check-group') return null;
  return (
    <Link to="/groups/$groupId" params={{ groupId: id }}>
      {label}
    </Link>
  );
}

function Fields({ change: { fields } }: { readonly change: Change }) {
  return (
    <ul className={css['fields']}>
      {fields.map(({ path, from, to, isSecret }) => (
        <li key={path}>
          <code>{path}</code>{' '}
          {isSecret === true ? (
            text.secret
          ) : (
            <>
              <span className="visually-hidden">{text.before}</span> <del>{valueOf(from)}</del> →{' '}
              <span className="visually-hidden">{text.after}</span> <ins>{valueOf(to)}</ins>
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

function valueOf(value: unknown): string {
  if (value === undefined || value === null || value === '') return text.none;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
