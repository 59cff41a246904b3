// The layout of every page of a signed-in user: navigation, live status, search, account.
import { useQueryClient } from '@tanstack/react-query';
import { Outlet, useNavigate } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { useLive } from '../api/live.ts';
import { SignedIn } from '../ui/layout/signed-in.tsx';
import { Toasts } from '../ui/layout/toast.tsx';
import { LiveBanner } from './live-banner.tsx';
import { Navigation } from './navigation.tsx';
import { Palette } from './palette.tsx';
import { Shortcuts } from './shortcuts.tsx';
import css from './shell.module.css';

export function Shell() {
  return (
    <SignedIn>
      <Frame />
    </SignedIn>
  );
}

function Frame() {
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const cache = useQueryClient();
  const navigate = useNavigate();
  const onSignedOut = useCallback(() => {
    cache.clear();
    void navigate({ to: '/sign-in', search: { next: location.pathname + location.search } });
  }, [cache, navigate]);
  const live = useLive(onSignedOut);
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
