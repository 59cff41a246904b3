// Creates the first user with the link printed at the start of the server.
import { clientOf } from '../../api/client.ts';
import { useRead } from '../../api/query.ts';
import { Code } from '../../ui/controls/copy.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { Card, SessionForm, useLinkToken } from './frame.tsx';
import { text } from './strings.ts';

export function SetupPage() {
  const token = useLinkToken();
  const setup = useRead('getSetup');
  if (token === '') {
    return (
      <Card title={text.setup}>
        <p>{setup.data?.isNeeded === false ? text.setupDone : text.setupWithoutLink}</p>
        <Code label={text.command} text="tocsin new-user" />
      </Card>
    );
  }
  return (
    <Card title={text.setup}>
      <p className="quiet">{text.setupIntro}</p>
      <SessionForm
        action={text.createUser}
        send={(fields) =>
          clientOf('').call('createSetup', {
            body: { token, email: fields.get('email') ?? '', password: fields.get('password') ?? '' },
          })
        }
      >
        <Field label={text.email} name="email" type="email" autoComplete="username" isRequired autoFocus />
        <Field
          label={text.password}
          name="password"
          type="password"
          autoComplete="new-password"
          minLength={10}
          help={text.passwordHelp}
          isRequired
        />
      </SessionForm>
    </Card>
  );
}
