// Creates, copies and edits groups.
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { use } from 'react';
import type { AnswerOf } from '#contract/operations.ts';
import { AccountContext } from '../../api/account.ts';
import { clientOf } from '../../api/client.ts';
import { useRead } from '../../api/query.ts';
import { revisionOf, type Stored } from '../../ui/form/changed-meanwhile.tsx';
import type { Draft } from '../../ui/form/draft.ts';
import { LoadError, Skeleton } from '../../ui/layout/feedback.tsx';
import { PageHead } from '../../ui/layout/page.tsx';
import { GroupEditor } from './editor.tsx';
import { text } from './strings.ts';

type Group = AnswerOf<'getCheckGroup'>;

export function NewGroupPage() {
  const { copy } = useSearch({ from: '/shell/groups/new' });
  return copy === undefined ? (
    <New title={text.newTitle} name="new group" start={empty} />
  ) : (
    <Loaded key={copy} id={copy}>
      {(group) => (
        <New
          title={text.newTitle}
          name={`copy group ${group.id}`}
          start={{ ...writtenOf(group), name: text.copyName(group.name) }}
          copyOf={group.id}
        />
      )}
    </Loaded>
  );
}

/** What the second version of the API uses if nothing is given. */
const empty: Draft = { name: '', retryStrategy: 'FALLBACK', useGlobalAlertSettings: null, runParallel: null };

function New({
  title,
  ...editor
}: {
  readonly title: string;
  readonly name: string;
  readonly start: Draft;
  readonly copyOf?: number;
}) {
  const navigate = useNavigate();
  return (
    <>
      <PageHead title={title} above={<Link to="/groups">{text.groups}</Link>} />
      <GroupEditor
        {...editor}
        groupId={null}
        onDone={(id) =>
          void (id === null
            ? navigate({ to: '/groups' })
            : navigate({ to: '/groups/$groupId', params: { groupId: String(id) } }))
        }
      />
    </>
  );
}

export function EditGroupPage() {
  const { groupId } = useParams({ from: '/shell/groups/$groupId/edit' });
  const navigate = useNavigate();
  const client = clientOf(use(AccountContext));
  const read = async (): Promise<Stored> => {
    const present = await client.call('getCheckGroup', { params: { id: groupId } });
    return { start: writtenOf(present), revision: revisionOf(present) };
  };
  return (
    <Loaded key={groupId} id={Number(groupId)}>
      {(group) => (
        <>
          <PageHead
            title={text.editTitle(group.name)}
            above={
              <>
                <Link to="/groups">{text.groups}</Link>
                <span aria-hidden>/</span>
                <Link to="/groups/$groupId" params={{ groupId }}>
                  {group.name}
                </Link>
              </>
            }
          />
          <GroupEditor
            name={`group ${groupId}`}
            start={writtenOf(group)}
            groupId={group.id}
            stored={{ revision: revisionOf(group), read }}
            onDone={() => void navigate({ to: '/groups/$groupId', params: { groupId } })}
          />
        </>
      )}
    </Loaded>
  );
}

/** The group as it is written: without what the server adds, and without its mute, which has actions of its own. */
function writtenOf(group: Group): Draft {
  const { id: _, created_at: _created, updated_at: _updated, warnings: _warnings, ...rest } = group;
  const { muted: _muted, mutedUntil: _until, mutedUntilRecovery: _recovery, ...written } = rest;
  // The contract describes it as JSON.
  return written as unknown as Draft;
}

function Loaded({ id, children }: { readonly id: number; readonly children: (group: Group) => React.ReactNode }) {
  const group = useRead('getCheckGroup', { params: { id } });
  if (group.error && group.data === undefined) {
    return <LoadError error={group.error} onRetry={() => void group.refetch()} />;
  }
  if (group.data?.id !== id) return <Skeleton lines={8} height={40} />;
  return children(group.data);
}
