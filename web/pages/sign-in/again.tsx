// Asks for the password again when a session has ended, over the page, which keeps what was entered.
import { useQueryClient } from '@tanstack/react-query';
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { clientOf } from '../../api/client.ts';
import { useMe } from '../../api/me.ts';
import { Field } from '../../ui/controls/field.tsx';
import { SessionForm, useCode } from './frame.tsx';
import { ProviderButton } from './provider.tsx';
import { text } from './strings.ts';
import dialog from '../../ui/controls/dialog.module.css';
import css from './sign-in.module.css';

export function SignInAgain() {
  const { user } = useMe();
  const cache = useQueryClient();
  const { field, noteFault, codeOf } = useCode();
  const email = user?.email ?? '';
  const present = location.pathname + location.search;
  return (
    <ModalOverlay isOpen isKeyboardDismissDisabled className={`${dialog['overlay']} ${css['again']}`}>
      <Modal className={dialog['modal'] ?? ''}>
        <Dialog className={dialog['dialog'] ?? ''}>
          <Heading slot="title">{text.again}</Heading>
          <p>{text.againHelp}</p>
          <SessionForm
            action={text.signIn}
            send={(fields) =>
              clientOf('')
                .call('createSession', { body: { email, password: fields.get('password') ?? '', ...codeOf(fields) } })
                .catch(noteFault)
            }
            onDone={() => cache.invalidateQueries()}
          >
            <p className="quiet">{email}</p>
            <Field
              label={text.password}
              name="password"
              type="password"
              autoComplete="current-password"
              isRequired
              autoFocus
            />
            {field}
          </SessionForm>
          <p>
            <a href={`/sign-in?next=${encodeURIComponent(present)}`}>{text.againElsewhere}</a>
          </p>
          <ProviderButton label={text.signInWith} visit={{ purpose: 'sign-in', next: present }} />
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
