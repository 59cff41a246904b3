// Members of the account: roles and invitations.
import { type FormEvent, useState } from 'react';
import { Form } from 'react-aria-components';
import type { AnswerOf } from '#contract/operations.ts';
import { useMay, useMe } from '../../api/me.ts';
import { useAll } from '../../api/all.ts';
import { useMore, useRead, useWrite } from '../../api/query.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Code } from '../../ui/controls/copy.tsx';
import { Confirm } from '../../ui/controls/dialog.tsx';
import { Choice, Field } from '../../ui/controls/field.tsx';
import { ErrorMessage, LoadError, Skeleton } from '../../ui/layout/feedback.tsx';
import { textFields } from '../../ui/controls/form-data.ts';
import { More } from '../../ui/controls/more.tsx';
import { PageHead, Section } from '../../ui/layout/page.tsx';
import { Table } from '../../ui/layout/table.tsx';
import { Ago, At } from '../../ui/text/time.tsx';
import { toast } from '../../ui/layout/toast.tsx';
import { text } from './strings.ts';
import css from './people.module.css';

type Person = AnswerOf<'listUsers'>[number];
const roleOptions = Object.entries(text.roles) as [Person['role'], string][];

export function PeoplePage() {
  const { admin } = useMay();
  if (!admin) return <PageHead title={text.title} />;
  return (
    <>
      <PageHead title={text.title} />
      <Members />
      <Section title={text.invite}>
        <InviteForm />
      </Section>
      <Invites />
      <SecondFactorRule />
    </>
  );
}

function SecondFactorRule() {
  const { role } = useMe();
  const { data } = useRead('getOwnAccount');
  const setup = useRead('getSetup');
  const change = useWrite('updateAccount', ['getOwnAccount']);
  const isRequired = data?.requiresSecondFactor === true;
  const isOwner = role === 'owner' || role === 'operator';
  return (
    <Section title={text.secondFactor}>
      <p>{isRequired ? text.isRequired : text.isOptional}</p>
      {typeof setup.data?.provider === 'string' && <p>{text.atProvider(setup.data.provider)}</p>}
      {isOwner && data !== undefined && (
        <Button
          isDisabled={change.isPending}
          onPress={() => {
            const written = change.mutateAsync({ params: { id: 'me' }, body: { requiresSecondFactor: !isRequired } });
            void toast.of(written, isRequired ? text.nowOptional : text.nowRequired);
          }}
        >
          {isRequired ? text.makeOptional : text.makeRequired}
        </Button>
      )}
    </Section>
  );
}

function Members() {
  const people = useMore('listUsers');
  const me = useMe();
  const change = useWrite('updateUser', ['listUsers', 'getMe']);
  const remove = useWrite('deleteUser', ['listUsers']);
  const [leaving, setLeaving] = useState<Person | null>(null);
  if (people.error && people.items === undefined) {
    return <LoadError error={people.error} onRetry={() => void people.refetch()} />;
  }
  if (people.items === undefined) return <Skeleton />;
  const { columns } = text;
  return (
    <>
      <Table
        label={text.members}
        rows={people.items}
        keyOf={({ id }) => id}
        columns={[
          {
            id: 'email',
            title: columns.email,
            isName: true,
            cell: ({ id, email }) => (id === me.user?.id ? `${email} (${text.you})` : email),
          },
          {
            id: 'role',
            title: columns.role,
            cell: ({ id, email, role, isMapped }) => (
              <>
                <Choice
                  label={text.roleOf(email)}
                  isLabelHidden
                  value={role}
                  options={roleOptions}
                  onChange={(next) =>
                    void toast.of(change.mutateAsync({ params: { id }, body: { role: next } }), text.changed(email))
                  }
                />
                {isMapped && <p className="quiet">{text.byClaim}</p>}
              </>
            ),
          },
          { id: 'joined', title: columns.joined, cell: ({ createdAt }) => <At at={createdAt} /> },
          {
            id: 'seen',
            title: columns.seen,
            cell: ({ lastSignInAt }) => (lastSignInAt === null ? text.never : <Ago at={lastSignInAt} />),
          },
          {
            id: 'actions',
            title: columns.actions,
            cell: (person) => (
              <Button aria-label={text.removeLabel(person.email)} onPress={() => setLeaving(person)}>
                {text.remove}
              </Button>
            ),
          },
        ]}
      />
      <More {...people} shown={people.items.length} />
      <Confirm
        title={text.removeTitle(leaving?.email ?? '')}
        action={text.remove}
        isDanger
        isOpen={leaving !== null}
        onClose={() => setLeaving(null)}
        onConfirm={() => remove.mutateAsync({ params: { id: leaving?.id ?? '' } })}
      >
        <p>{text.removeQuestion}</p>
      </Confirm>
    </>
  );
}

function InviteForm() {
  const [role, setRole] = useState<Person['role']>('read-write');
  const invite = useWrite('createInvite', ['listInvites']);
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const email = textFields(event.currentTarget).get('email') ?? '';
    invite.mutate({ body: { email, role } });
  };
  return (
    <>
      <Form className={css['form'] ?? ''} onSubmit={submit}>
        <Field label={text.email} name="email" type="email" isRequired />
        <Choice label={text.role} value={role} options={roleOptions} onChange={setRole} />
        <Button type="submit" isDisabled={invite.isPending}>
          {text.create}
        </Button>
      </Form>
      {invite.error !== null && <ErrorMessage error={invite.error} />}
      {invite.data !== undefined && (
        <div className={css['link']} role="status">
          <p>{invite.data.url === null ? text.sent(invite.data.email) : text.link}</p>
          {invite.data.url !== null && <Code label={text.linkLabel} text={invite.data.url} />}
        </div>
      )}
    </>
  );
}

function Invites() {
  const { data } = useAll('listInvites');
  const withdraw = useWrite('deleteInvite', ['listInvites']);
  if (data === undefined || data.length === 0) return null;
  return (
    <Section title={text.open}>
      <Table
        label={text.open}
        rows={data}
        keyOf={({ id }) => id}
        columns={[
          { id: 'email', title: text.email, isName: true, cell: ({ email }) => email },
          { id: 'role', title: text.role, cell: ({ role }) => role },
          { id: 'expires', title: text.expires, cell: ({ expiresAt }) => <Ago at={expiresAt} /> },
          {
            id: 'withdraw',
            title: '',
            cell: ({ id, email }) => (
              <Button
                aria-label={text.withdrawLabel(email)}
                onPress={() => void toast.of(withdraw.mutateAsync({ params: { id } }), text.withdrawn)}
              >
                {text.withdraw}
              </Button>
            ),
          },
        ]}
      />
    </Section>
  );
}
