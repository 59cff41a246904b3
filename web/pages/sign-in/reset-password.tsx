// Request a link for another password, and use it.
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { clientOf } from '../../api/client.ts';
import { useRead } from '../../api/query.ts';
import { Code } from '../../ui/controls/copy.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { Skeleton } from '../../ui/layout/feedback.tsx';
import { Card, SessionForm, useLinkToken } from './frame.tsx';
import { text } from './strings.ts';

export function ResetPasswordPage() {
  const token = useLinkToken();
  // A link that is opened in the tab in which it was requested starts anew.
  return <ResetPassword key={token} token={token} />;
}

function ResetPassword({ token }: { readonly token: string }) {
  const [done, setDone] = useState<string | null>(null);
  const setup = useRead('getSetup');
  const content =
    done !== null ? (
      <p role="status">{done}</p>
    ) : token !== '' ? (
      <NewPassword token={token} onDone={() => setDone(text.resetDone)} />
    ) : setup.data === undefined ? (
      <Skeleton />
    ) : setup.data.resetsByEmail ? (
      <Request onDone={() => setDone(text.resetSent)} />
    ) : (
      <>
        <p>{text.resetByOperator}</p>
        <Code label={text.command} text="tocsin reset-password EMAIL" />
      </>
    );
  return (
    <Card title={text.reset}>
      {content}
      <p>
        <Link to="/sign-in">{text.backToSignIn}</Link>
      </p>
    </Card>
  );
}

function Request({ onDone }: { readonly onDone: () => void }) {
  return (
    <>
      <p>{text.resetIntro}</p>
      <SessionForm
        action={text.resetSend}
        next={null}
        send={async (fields) => {
          await clientOf('').call('createPasswordReset', { body: { email: fields.get('email') ?? '' } });
          onDone();
        }}
      >
        <Field label={text.email} name="email" type="email" autoComplete="username" isRequired autoFocus />
      </SessionForm>
    </>
  );
}

function NewPassword({ token, onDone }: { readonly token: string; readonly onDone: () => void }) {
  return (
    <SessionForm
      action={text.resetChoose}
      next={null}
      send={async (fields) => {
        await clientOf('').call('usePasswordReset', { body: { token, password: fields.get('password') ?? '' } });
        onDone();
      }}
    >
      <Field
        label={text.password}
        name="password"
        type="password"
        autoComplete="new-password"
        minLength={10}
        help={text.resetHelp}
        isRequired
        autoFocus
      />
    </SessionForm>
  );
}
