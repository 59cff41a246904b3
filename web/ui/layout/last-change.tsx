// Which project manages a record, and who changed it last, with a link to its entries in the audit log.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { use } from 'react';
import type { AnswerOf } from '#contract/operations.ts';
import { AccountContext } from '../../api/account.ts';
import { useMay } from '../../api/me.ts';
import { read } from '../../api/query.ts';
import { Ago } from '../text/time.tsx';
import { AsYaml } from './as-yaml.tsx';
import { type Managed, ManagedBy } from './managed-by.tsx';
import css from './page.module.css';

interface LastChangeProps {
  readonly resource: Managed['type'];
  readonly id: string;
  /** ISO time. */
  readonly createdAt: string;
  /** ISO time; null = it has not been changed. */
  readonly updatedAt: string | null;
}

/** Only people who may read the audit log see who it was. */
export function LastChange(props: LastChangeProps) {
  const { admin } = useMay();
  const { createdAt, updatedAt } = props;
  return (
    <>
      <ManagedBy type={props.resource} id={props.id} />
      <p className={css['lastChange']}>
        {updatedAt === null ? 'Created' : 'Last changed'} <Ago at={updatedAt ?? createdAt} />
        {admin && <By key={updatedAt} {...props} />}
      </p>
      <AsYaml type={props.resource} id={props.id} />
    </>
  );
}

/** An entry is written with its change; other changes, such as those of many records at once, are not named. */
const sameChangeMs = 2000;

function By({ resource, id, createdAt, updatedAt }: LastChangeProps) {
  const options = read(use(AccountContext), 'listAuditLog', { query: { resource, resourceId: id, limit: 1 } });
  const log = useQuery({ ...options, staleTime: 0 });
  const entry = log.data?.entries[0];
  const changedAt = Date.parse(updatedAt ?? createdAt);
  const isThis = entry !== undefined && Math.abs(Date.parse(entry.at) - changedAt) < sameChangeMs;
  return (
    <>
      {isThis && ` by ${nameOf(entry.actor)}`}
      {' · '}
      <Link to="/settings/audit" search={{ resource, resourceId: id }}>
        All changes
      </Link>
    </>
  );
}

type Actor = AnswerOf<'listAuditLog'>['entries'][number]['actor'];

function nameOf({ kind, name }: Actor): string {
  if (kind === 'api-key') return `the API key ${name ?? ''}`.trim();
  if (kind === 'link') return 'a signed link';
  return kind === 'command' ? `the command ${name ?? ''}`.trim() : (name ?? 'someone who was not signed in');
}
