// API keys of the account: created once, revoked at once.
import { type FormEvent, useState } from 'react';
import { Form } from 'react-aria-components';
import type { AnswerOf } from '#contract/operations.ts';
import { useMay } from '../../api/me.ts';
import { useMore, useWrite } from '../../api/query.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Code } from '../../ui/controls/copy.tsx';
import { Confirm } from '../../ui/controls/dialog.tsx';
import { Choice } from '../../ui/controls/field.tsx';
import { More } from '../../ui/controls/more.tsx';
import { FaultList, faultsOf } from '../../ui/form/faults.tsx';
import { TextInput } from '../../ui/form/text.tsx';
import { LoadError, Skeleton } from '../../ui/layout/feedback.tsx';
import { PageHead, Section } from '../../ui/layout/page.tsx';
import { Table } from '../../ui/layout/table.tsx';
import { Ago, At } from '../../ui/text/time.tsx';
import { text } from './strings.ts';
import css from './api-keys.module.css';

type ApiKey = AnswerOf<'listApiKeys'>[number];

export function ApiKeysPage() {
  const { admin } = useMay();
  return (
    <>
      <PageHead title={text.title} />
      {admin && (
        <>
          <p className="quiet">{text.help}</p>
          <Keys />
          <Section title={text.newTitle}>
            <NewKey />
          </Section>
        </>
      )}
    </>
  );
}

function Keys() {
  const keys = useMore('listApiKeys');
  const revoke = useWrite('deleteApiKey', ['listApiKeys']);
  const [asked, setAsked] = useState<ApiKey | null>(null);
  if (keys.error && keys.items === undefined) {
    return <LoadError error={keys.error} onRetry={() => void keys.refetch()} />;
  }
  if (keys.items === undefined) return <Skeleton />;
  if (keys.items.length === 0) return <p>{text.empty}</p>;
  const { columns } = text;
  return (
    <>
      <Table
        label={text.title}
        rows={keys.items}
        keyOf={({ id }) => id}
        columns={[
          { id: 'name', title: columns.name, isName: true, cell: ({ name }) => name },
          { id: 'key', title: columns.key, cell: ({ prefix }) => <code>{prefix}…</code> },
          { id: 'role', title: columns.role, cell: ({ role }) => role },
          { id: 'created', title: columns.created, cell: ({ createdAt }) => <At at={createdAt} /> },
          {
            id: 'used',
            title: columns.used,
            cell: ({ lastUsedAt }) => (lastUsedAt === null ? text.never : <Ago at={lastUsedAt} />),
          },
          {
            id: 'expires',
            title: columns.expires,
            cell: ({ expiresAt }) => (expiresAt === null ? text.never : <Ago at={expiresAt} />),
          },
          {
            id: 'actions',
            title: columns.actions,
            cell: (key) => (
              <Button aria-label={text.revokeLabel(key.name)} onPress={() => setAsked(key)}>
                {text.revoke}
              </Button>
            ),
          },
        ]}
      />
      <More {...keys} shown={keys.items.length} />
      <Confirm
        title={text.revokeTitle(asked?.name ?? '')}
        action={text.revoke}
        isDanger
        isOpen={asked !== null}
        onClose={() => setAsked(null)}
        onConfirm={() => revoke.mutateAsync({ params: { id: asked?.id ?? '' } })}
      >
        <p>{text.revokeHelp}</p>
      </Confirm>
    </>
  );
}

const dayMs = 86_400_000;

function NewKey() {
  const [name, setName] = useState('');
  const [role, setRole] = useState<(typeof text.roles)[number][0]>('read-write');
  const [days, setDays] = useState<(typeof text.expiries)[number][0]>('');
  const create = useWrite('createApiKey', ['listApiKeys']);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const expiresAt = days === '' ? null : new Date(Date.now() + Number(days) * dayMs).toISOString();
    create.mutate({ body: { name, role, expiresAt } }, { onSuccess: () => setName('') });
  };
  return (
    <>
      <Form className={css['form'] ?? ''} onSubmit={submit} validationBehavior="aria">
        <TextInput name="name" label={text.name} placeholder="CI" value={name} onChange={setName} isRequired />
        <Choice label={text.role} value={role} options={text.roles} onChange={setRole} />
        <Choice label={text.expires} value={days} options={text.expiries} onChange={setDays} />
        <Button type="submit" kind="primary" isDisabled={create.isPending}>
          {text.create}
        </Button>
      </Form>
      <FaultList error={create.error} faults={faultsOf(create.error)} />
      {create.data !== undefined && (
        <div role="status" className={css['created']}>
          <p>{text.created}</p>
          <Code label={text.keyLabel} text={create.data.key} />
          <details>
            <summary>{text.assistant}</summary>
            <p className="quiet">
              {text.assistantHelp} <a href="/docs/agents.md">{text.assistantDocs}</a>
            </p>
            <Code label={text.assistantLabel} text={text.assistantCommand(location.origin, create.data.key)} />
          </details>
        </div>
      )}
    </>
  );
}
