// Sign in with email and password, or with the identity provider.
import { Link, Navigate, useSearch } from '@tanstack/react-router';
import { clientOf } from '../../api/client.ts';
import { useRead } from '../../api/query.ts';
import { Field } from '../../ui/controls/field.tsx';
import { Card, SessionForm, useCode } from './frame.tsx';
import { ProviderButton } from './provider.tsx';
import { text } from './strings.ts';

export function SignInPage() {
  const { next } = useSearch({ from: '/sign-in' });
  const setup = useRead('getSetup');
  const { field, noteFault, codeOf } = useCode();
  if (setup.data?.isNeeded) return <Navigate to="/setup" replace />;
  return (
    <Card title={text.signIn}>
      <SessionForm
        action={text.signIn}
        next={next ?? '/'}
        send={(fields) =>
          clientOf('')
            .call('createSession', {
              body: { email: fields.get('email') ?? '', password: fields.get('password') ?? '', ...codeOf(fields) },
            })
            .catch(noteFault)
        }
      >
        <Field label={text.email} name="email" type="email" autoComplete="username" isRequired autoFocus />
        <Field label={text.password} name="password" type="password" autoComplete="current-password" isRequired />
        {field}
      </SessionForm>
      <p>
        <Link to="/reset-password">{text.forgotten}</Link>
      </p>
      <ProviderButton label={text.signInWith} visit={{ purpose: 'sign-in', next: next ?? '/' }} />
    </Card>
  );
}
