// The way to the identity provider, and the page to which it sends the browser.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { clientOf } from '../../api/client.ts';
import { endVisit, leaveForProvider, type ProviderVisit, visitOf } from '../../api/provider.ts';
import { useRead } from '../../api/query.ts';
import { Button } from '../../ui/controls/button.tsx';
import { ErrorMessage, Skeleton } from '../../ui/layout/feedback.tsx';
import { toast } from '../../ui/layout/toast.tsx';
import { Card } from './frame.tsx';
import { nextPage } from './search.ts';
import { text } from './strings.ts';
import css from './sign-in.module.css';

/** A button that leads to the identity provider; nothing if the installation has none. */
export function ProviderButton({
  label,
  visit,
}: {
  readonly label: (provider: string) => string;
  readonly visit: ProviderVisit;
}) {
  const setup = useRead('getSetup');
  const begin = useMutation({
    mutationFn: () => clientOf('').call('createProviderSignIn'),
    onSuccess: ({ url }) => leaveForProvider(url, visit),
  });
  const name = setup.data?.provider;
  if (name === undefined || name === null) return null;
  return (
    <div className={css['provider']}>
      <p className={css['or']}>{text.or}</p>
      {/* Disabled until the page of the provider replaces this one. */}
      <Button isDisabled={begin.isPending || begin.isSuccess} onPress={() => begin.mutate()}>
        {label(name)}
      </Button>
      {begin.error && <ErrorMessage error={begin.error} />}
    </div>
  );
}

/** Finishes what the browser left for, and goes on where it was. */
export function CallbackPage() {
  const [visit] = useState(visitOf);
  const navigate = useNavigate();
  const cache = useQueryClient();
  const { answer, invitation, purpose } = visit;
  const next = nextPage(visit).next ?? '/';
  const { isSuccess, error } = useQuery({
    queryKey: ['', 'finishProviderVisit', answer],
    queryFn: (): Promise<unknown> =>
      purpose === 'connect'
        ? clientOf('').call('connectIdentity', { body: { answer } })
        : clientOf('').call('createProviderSession', {
            body: { answer, ...(invitation !== undefined && { invitation }) },
          }),
    enabled: answer !== '',
    // An answer can be used once.
    retry: false,
    staleTime: Infinity,
  });
  useEffect(() => {
    if (isSuccess || error !== null) endVisit();
    if (!isSuccess) return;
    cache.clear();
    if (purpose === 'connect') toast.done(text.connected);
    void navigate({ href: next, replace: true });
  }, [isSuccess, error, purpose, next, cache, navigate]);
  if (error === null && answer !== '') return <Skeleton />;
  return (
    <Card title={purpose === 'connect' ? text.connect : text.signIn}>
      {error === null ? <p>{text.nothingToFinish}</p> : <ErrorMessage error={error} />}
      <p>
        {purpose === 'connect' ? (
          <Link to="/settings/profile">{text.backToProfile}</Link>
        ) : (
          <Link to="/sign-in" search={next === '/' ? {} : { next }}>
            {text.backToSignIn}
          </Link>
        )}
      </p>
    </Card>
  );
}
