// A banner shown while the page is not up to date or the server has another version.
import { RefreshCw, WifiOff } from 'lucide-react';
import type { LiveStatus } from '../api/live.ts';
import { Button } from '../ui/controls/button.tsx';
import { Ago, At } from '../ui/text/time.tsx';
import css from './shell.module.css';

export function LiveBanner({ live }: { readonly live: LiveStatus }) {
  return (
    <div role="status">
      {live.state === 'lost' && live.lastSignAt !== null && (
        <p className={css['banner']}>
          <WifiOff size={16} aria-hidden />
          <span>
            Not live since <At at={live.lastSignAt} precise /> (<Ago at={live.lastSignAt} />
            ): the server does not answer. Reconnecting…
          </span>
        </p>
      )}
      {live.isOutdated && live.state === 'live' && (
        <p className={css['banner']}>
          <RefreshCw size={16} aria-hidden />
          <span>Tocsin was upgraded. Reload the page to use the new version.</span>
          <Button onPress={() => location.reload()}>Reload</Button>
        </p>
      )}
    </div>
  );
}
