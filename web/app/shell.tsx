// The layout of every page of a signed-in user: navigation, live status, search, account.
import { useQueryClient } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { lazy, Suspense, use, useCallback, useState } from 'react';
import { useLive } from '../api/live.ts';
import { useMe } from '../api/me.ts';
import { Skeleton } from '../ui/layout/feedback.tsx';
import { ExpiredContext, SignedIn } from '../ui/layout/signed-in.tsx';
import { Toasts } from '../ui/layout/toast.tsx';
import { LiveBanner } from './live-banner.tsx';
import { Navigation } from './navigation.tsx';
import { Palette } from './palette.tsx';
import { Shortcuts } from './shortcuts.tsx';
import css from './shell.module.css';

export function Shell() {
  return (
    <SignedIn
      again={
        <Suspense>
          <SignInAgain />
        </Suspense>
      }
    >
      <Gate />
    </SignedIn>
  );
}

/** Loaded when a session has ended, which is rare. */
const SignInAgain = lazy(async () => {
  const { SignInAgain: dialog } = await import('../pages/sign-in/again.tsx');
  return { default: dialog };
});

/** Most users never need it. */
const RequiredSecondFactor = lazy(async () => {
  const { RequiredSecondFactor: page } = await import('../pages/profile/required.tsx');
  return { default: page };
});

function Gate() {
  const { needsSecondFactor } = useMe();
  if (!needsSecondFactor) return <Frame />;
  return (
    <Suspense fallback={<Skeleton />}>
      <RequiredSecondFactor />
      <Toasts />
    </Suspense>
  );
}

function Frame() {
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const cache = useQueryClient();
  // The query of the person then asks to sign in again.
  const onSignedOut = useCallback(
    () => void cache.invalidateQueries({ predicate: ({ queryKey }) => queryKey[1] === 'getMe' }),
    [cache],
  );
  const live = useLive(onSignedOut, use(ExpiredContext));
  return (
    <div className={css['shell']}>
      <a href="#main" className={css['skip']}>
        Skip to content
      </a>
      <Navigation onSearch={() => setPaletteOpen(true)} live={live} />
      <main id="main" className={css['main']} tabIndex={-1}>
        <LiveBanner live={live} />
        <Outlet />
      </main>
      <Toasts />
      <Palette isOpen={isPaletteOpen} onOpenChange={setPaletteOpen} />
      <Shortcuts onSearch={() => setPaletteOpen(true)} />
    </div>
  );
}
