// Accept an invitation to an account.
import { useQuery } from '@tanstack/react-query';
import { clientOf } from '../../api/client.ts';
import { ErrorMessage, Skeleton } from '../../ui/layout/feedback.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { Card, SessionForm, useCode, useLinkToken } from './frame.tsx';
import { ProviderButton } from './provider.tsx';
import { text } from './strings.ts';

export function InvitePage() {
  const token = useLinkToken();
  const { field, noteFault, codeOf } = useCode();
  const invite = useQuery({
    queryKey: ['', 'readInvite', token],
    queryFn: () => clientOf('').call('readInvite', { body: { token } }),
    staleTime: Infinity,
  });
  if (invite.error) {
    return (
      <Card title={text.invite}>
        <ErrorMessage error={invite.error} />
      </Card>
    );
  }
  if (invite.data === undefined) return <Skeleton />;
  const { email, accountName, role } = invite.data;
  return (
    <Card title={text.invite}>
      <p>{text.inviteIntro(accountName, role)}</p>
      <SessionForm
        action={text.accept}
        send={(fields) =>
          clientOf('')
            .call('acceptInvite', { body: { token, password: fields.get('password') ?? '', ...codeOf(fields) } })
            .catch(noteFault)
        }
      >
        <Field label={text.email} name="email" type="email" autoComplete="username" value={email} isReadOnly />
        <Field
          label={text.password}
          name="password"
          type="password"
          autoComplete="current-password"
          help={text.invitePassword}
          isRequired
          autoFocus
        />
        {field}
      </SessionForm>
      <ProviderButton label={text.acceptWith} visit={{ purpose: 'sign-in', next: '/', invitation: token }} />
    </Card>
  );
}
