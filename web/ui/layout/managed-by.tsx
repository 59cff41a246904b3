// Says which files or code manage a record, because their next deployment overwrites what is edited here.
import { useQuery } from '@tanstack/react-query';
import { FileCode } from 'lucide-react';
import { use } from 'react';
import type { InputOf } from '#contract/operations.ts';
import { AccountContext } from '../../api/account.ts';
import { read } from '../../api/query.ts';
import { Ago } from '../text/time.tsx';
import css from './page.module.css';

/** A record that a project may own. */
export interface Managed {
  readonly type: NonNullable<InputOf<'listProjectResources'>['query']['type']>;
  readonly id: string;
}

const sources = {
  files: 'resource files',
  folder: 'the folder of resource files',
  cli: 'code',
} as const;

/** Nothing for a record without a project. @param isEdited it is being edited here */
export function ManagedBy({ type, id, isEdited = false }: Managed & { readonly isEdited?: boolean }) {
  const query = { type, physicalId: id, limit: 1 };
  const { data } = useQuery(read(use(AccountContext), 'listProjectResources', { query }));
  const owner = data?.[0];
  if (owner === undefined) return null;
  return (
    <p className={css[isEdited ? 'managedNote' : 'managed']} role={isEdited ? 'note' : undefined}>
      <FileCode size={15} aria-hidden />
      <span>
        Managed by {sources[owner.source]}: project <b>{owner.project}</b>, {owner.logicalId}.
        {owner.retiredAt !== null && (
          <>
            {' '}
            It is no longer declared since <Ago at={owner.retiredAt} />, and will be deleted a week after.
          </>
        )}
        {isEdited && ' The next deployment replaces what you save here. Change the files instead.'}
      </span>
    </p>
  );
}
