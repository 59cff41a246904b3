// The signed-in user: password, identity provider, second factor and sessions.
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { Form } from 'react-aria-components';
import { ServiceError } from '../../api/client.ts';
import { useMe } from '../../api/me.ts';
import { useRead, useWrite } from '../../api/query.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Confirm } from '../../ui/controls/dialog.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { ErrorMessage, LoadError, Skeleton } from '../../ui/layout/feedback.tsx';
import { textFields } from '../../ui/controls/form-data.ts';
import { Facts, PageHead, Section } from '../../ui/layout/page.tsx';
import { Table } from '../../ui/layout/table.tsx';
import { Ago, At } from '../../ui/text/time.tsx';
import { toast } from '../../ui/layout/toast.tsx';
import { sentence } from '../../ui/text/format.ts';
import { ConnectedProvider } from './identity.tsx';
import { SecondFactor } from './second-factor.tsx';
import { text } from './strings.ts';
import css from './profile.module.css';

export function ProfilePage() {
  const { user, role } = useMe();
  const identity = useRead('getIdentity').data;
  // Shown until it is known that the user has none.
  const hasPassword = identity?.hasPassword !== false;
  return (
    <>
      <PageHead title={text.title} />
      <Facts
        facts={[
          [text.email, user?.email ?? '–'],
          [text.role, sentence(role.replaceAll('-', ' '))],
        ]}
      />
      {hasPassword && (
        <Section title={text.password}>
          <PasswordForm />
        </Section>
      )}
      {identity !== undefined && identity.provider !== null && (
        <Section title={text.identity.title(identity.provider)}>
          <ConnectedProvider identity={identity} />
        </Section>
      )}
      {hasPassword && (
        <Section title={text.secondFactor.title}>
          <SecondFactor />
        </Section>
      )}
      <Section title={text.sessions} aside={<Everywhere />}>
        <Sessions />
      </Section>
    </>
  );
}

function PasswordForm() {
  const change = useWrite('updatePassword', ['listSessions']);
  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget;
    const fields = textFields(form);
    await change.mutateAsync({
      body: { currentPassword: fields.get('currentPassword') ?? '', newPassword: fields.get('newPassword') ?? '' },
    });
    form.reset();
    toast.done(text.changed);
  };
  const { error } = change;
  const attributes = error instanceof ServiceError ? error.attributes : {};
  const perField = Object.fromEntries(Object.entries(attributes).map(([name, fault]) => [name, String(fault)]));
  return (
    <Form
      className={css['form'] ?? ''}
      validationErrors={perField}
      // The error is shown below the fields.
      onSubmit={(event) => void submit(event).catch(() => undefined)}
    >
      <Field label={text.current} name="currentPassword" type="password" autoComplete="current-password" isRequired />
      <Field
        label={text.new}
        name="newPassword"
        type="password"
        autoComplete="new-password"
        minLength={10}
        help={text.help}
        isRequired
      />
      {error !== null && Object.keys(perField).length === 0 && <ErrorMessage error={error} />}
      <Button type="submit" isDisabled={change.isPending}>
        {text.change}
      </Button>
    </Form>
  );
}

function Sessions() {
  const { data, error, refetch } = useRead('listSessions');
  const end = useWrite('deleteSession', ['listSessions']);
  if (error && data === undefined) return <LoadError error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton />;
  const { columns } = text;
  return (
    <Table
      label={text.sessions}
      rows={data}
      keyOf={({ id }) => id}
      columns={[
        {
          id: 'browser',
          title: columns.browser,
          isName: true,
          cell: ({ userAgent, isCurrent }) =>
            `${browserName(userAgent)}${isCurrent ? ` (${text.thisBrowser.toLowerCase()})` : ''}`,
        },
        { id: 'opened', title: columns.opened, cell: ({ openedBy }) => text.openings[openedBy] },
        { id: 'created', title: columns.created, cell: ({ createdAt }) => <At at={createdAt} /> },
        { id: 'seen', title: columns.seen, cell: ({ lastSeenAt }) => <Ago at={lastSeenAt} /> },
        { id: 'expires', title: columns.expires, cell: ({ expiresAt }) => <Ago at={expiresAt} /> },
        {
          id: 'end',
          title: columns.end,
          cell: ({ id, userAgent, isCurrent }) =>
            !isCurrent && (
              <Button
                aria-label={text.endLabel(browserName(userAgent))}
                onPress={() => void toast.of(end.mutateAsync({ params: { id } }), text.ended)}
              >
                {text.end}
              </Button>
            ),
        },
      ]}
    />
  );
}

function Everywhere() {
  const [isAsking, setAsking] = useState(false);
  const endAll = useWrite('deleteSessions');
  const navigate = useNavigate();
  const cache = useQueryClient();
  return (
    <>
      <Button onPress={() => setAsking(true)}>{text.everywhere}</Button>
      <Confirm
        title={text.everywhereTitle}
        action={text.everywhere}
        isDanger
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={async () => {
          await endAll.mutateAsync({});
          cache.clear();
          await navigate({ to: '/sign-in' });
        }}
      >
        <p>{text.everywhereQuestion}</p>
      </Confirm>
    </>
  );
}

/** `Firefox on Linux`, as far as the user agent reveals it. */
function browserName(userAgent: string): string {
  const browser = ['Edg', 'OPR', 'Firefox', 'Chrome', 'Safari'].find((name) => userAgent.includes(`${name}/`));
  const system = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac OS X', 'Linux'].find((name) => userAgent.includes(name));
  const names: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera', 'Mac OS X': 'macOS' };
  if (browser === undefined) return userAgent.slice(0, 60) || text.unknown;
  return `${names[browser] ?? browser}${system === undefined ? '' : ` on ${names[system] ?? system}`}`;
}
