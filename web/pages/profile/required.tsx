// Shown instead of an account that requires a second factor, until the user has set it up.
import { useNavigate } from '@tanstack/react-router';
import { useQueryClient } from '@tanstack/react-query';
import { clientOf } from '../../api/client.ts';
import { storeAccount } from '../../api/account.ts';
import { useMe } from '../../api/me.ts';
import { Button } from '../../ui/controls/button.tsx';
import { PageHead } from '../../ui/layout/page.tsx';
import { SecondFactor } from './second-factor.tsx';
import { text } from './strings.ts';
import css from './profile.module.css';

const words = text.secondFactor;

export function RequiredSecondFactor() {
  const { accountId, accounts } = useMe();
  const navigate = useNavigate();
  const cache = useQueryClient();
  const name = accounts.find(({ id }) => id === accountId)?.name ?? '';
  const others = accounts.filter(({ id }) => id !== accountId);
  const signOut = async (): Promise<void> => {
    await clientOf('').call('signOut');
    cache.clear();
    await navigate({ to: '/sign-in' });
  };
  return (
    <main className={css['required']}>
      <PageHead title={words.title}>
        <Button kind="quiet" onPress={() => void signOut()}>
          {words.signOut}
        </Button>
      </PageHead>
      <p>{words.required(name)}</p>
      <SecondFactor />
      {others.length > 0 && (
        <p className={css['actions']}>
          {others.map((each) => (
            <Button
              key={each.id}
              kind="quiet"
              onPress={() => {
                storeAccount(each.id);
                location.reload();
              }}
            >
              {words.other(each.name)}
            </Button>
          ))}
        </p>
      )}
    </main>
  );
}
