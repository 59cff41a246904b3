// The wall: every check as a tile, failing ones first, readable from a distance.
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Maximize, Undo2, Repeat, UserCheck, WifiOff } from 'lucide-react';
import { type CSSProperties, use, useCallback, useEffect, useSyncExternalStore } from 'react';
import { AccountContext } from '../../api/account.ts';
import { useLive } from '../../api/live.ts';
import { useAll } from '../../api/all.ts';
import { read } from '../../api/query.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { Choice } from '../../ui/controls/field.tsx';
import { Empty, LoadError, Skeleton } from '../../ui/layout/feedback.tsx';
import { SignedIn } from '../../ui/layout/signed-in.tsx';
import { states } from '../../ui/checks/state.tsx';
import { At, Lasting } from '../../ui/text/time.tsx';
import { text } from './strings.ts';
import css from './wall.module.css';

/** Maximum number of tiles; the rest is only counted. */
const maxTiles = 200;
/** Size of the smallest readable tile with its gap, and height of what is above and below the tiles, px. */
const [tileWidth, tileHeight, otherHeight] = [176, 84, 150];

export function WallPage() {
  return (
    <SignedIn>
      <Wall />
    </SignedIn>
  );
}

function Wall() {
  const search = useSearch({ from: '/wall' });
  const navigate = useNavigate();
  const accountId = use(AccountContext);
  const onSignedOut = useCallback(() => void navigate({ to: '/sign-in', search: { next: '/wall' } }), [navigate]);
  const live = useLive(onSignedOut);
  useWakeLock();
  useEffect(() => {
    document.title = `${text.title} · Tocsin`;
  }, []);
  // A wall without a keyboard cannot confirm a reload.
  useEffect(() => {
    if (live.isOutdated) location.reload();
  }, [live.isOutdated]);
  const fitting = useFittingTiles();
  const query = { ...search, limit: maxTiles };
  const { data, error, refetch } = useQuery({ ...read(accountId, 'getOverview', { query }), refetchInterval: 60_000 });
  if (error && data === undefined) return <LoadError error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton lines={6} height={80} />;
  const rows = data.rows.slice(0, fitting);
  return (
    <main className={css['wall']}>
      <header className={css['head']}>
        <h1 className={css['title']} data-live={live.state}>
          {live.state === 'lost' && live.lastSignAt !== null ? (
            <span role="status">
              <WifiOff aria-hidden /> {text.notLive} <At at={live.lastSignAt} precise />
            </span>
          ) : data.summary.failing + data.summary.degraded + data.summary.unknown === 0 && data.summary.total > 0 ? (
            text.allPassing(data.summary.passing)
          ) : (
            (['failing', 'degraded', 'unknown', 'passing'] as const)
              .filter((state) => data.summary[state] > 0)
              .map((state) => text.counts(data.summary[state], states[state].word))
              .join(' · ')
          )}
        </h1>
        <WallControls />
      </header>
      {data.rows.length === 0 ? (
        <Empty title={text.empty} />
      ) : (
        <ul className={css['tiles']} style={{ ['--columns' as string]: columnsFor(rows.length) }}>
          {rows.map(({ checkId, name, state, since, acknowledgedAt, flappingSince, groupName }) => {
            const Icon = states[state].icon;
            return (
              <li key={checkId} className={css['tile']} data-state={state}>
                <Link to="/checks/$checkId" params={{ checkId }} {...nameProps(name)} title={name}>
                  {name}
                </Link>
                <span className={css['state']}>
                  <Icon aria-hidden /> {states[state].word} {since !== null && <Lasting since={since} />}
                </span>
                {acknowledgedAt !== null && (
                  <span className={css['acknowledged']}>
                    <UserCheck aria-hidden /> {text.acknowledged}
                  </span>
                )}
                {flappingSince !== null && (
                  <span className={css['acknowledged']}>
                    <Repeat aria-hidden /> {text.flapping}
                  </span>
                )}
                {groupName !== null && <span className={css['group']}>{groupName}</span>}
              </li>
            );
          })}
        </ul>
      )}
      {data.total > rows.length && <p className={css['more']}>{text.more(data.total - rows.length)}</p>}
    </main>
  );
}

function WallControls() {
  const search = useSearch({ from: '/wall' });
  const navigate = useNavigate({ from: '/wall' });
  const groups = useAll('listCheckGroups');
  return (
    <div className={css['controls']}>
      {(groups.data?.length ?? 0) > 0 && (
        <Choice
          label={text.group}
          isLabelHidden
          value={search.groupId ?? ''}
          options={[['', text.allGroups], ...(groups.data ?? []).map(({ id, name }) => [String(id), name] as const)]}
          onChange={(groupId) => void navigate({ search: groupId === '' ? {} : { groupId } })}
        />
      )}
      <IconButton label={text.fullScreen} onPress={() => void document.documentElement.requestFullscreen()}>
        <Maximize size={20} />
      </IconButton>
      <IconButton label={text.leave} onPress={() => void navigate({ to: '/' })}>
        <Undo2 size={20} />
      </IconButton>
    </div>
  );
}

/** Names are wrapped between words, in letters so small that the longest word fits; a longer one is cut on one line. */
function nameProps(name: string): { readonly className: string; readonly style: CSSProperties } {
  const longest = Math.max(...name.split(/[\s-]+/).map((word) => word.length + 1));
  return {
    className: `${css['name']} ${longest > longestWord ? css['cut'] : ''}`,
    style: { ['--longest' as string]: longest },
  };
}

/** Letters that fit into the smallest tile. */
const longestWord = 20;

/** Tiles that fit on the screen: nobody scrolls a wallboard. A phone does. */
function useFittingTiles(): number {
  const fitting = useSyncExternalStore(onResize, () =>
    innerWidth <= 760
      ? maxTiles
      : Math.floor((innerWidth - 24) / tileWidth) * Math.floor((innerHeight - otherHeight) / tileHeight),
  );
  return Math.max(1, Math.min(maxTiles, fitting));
}

function onResize(listener: () => void): () => void {
  addEventListener('resize', listener);
  return () => removeEventListener('resize', listener);
}

/** More checks, smaller tiles. */
function columnsFor(count: number): number {
  return Math.max(2, Math.min(14, Math.ceil(Math.sqrt(count * 1.6))));
}

/** Keeps the screen on while the wall is visible. */
function useWakeLock(): void {
  useEffect(() => {
    let lock: WakeLockSentinel | null = null;
    const ask = (): void => {
      if (document.visibilityState !== 'visible' || !('wakeLock' in navigator)) return;
      navigator.wakeLock.request('screen').then(
        (given) => {
          lock = given;
        },
        // Refused on low battery, which is harmless.
        () => undefined,
      );
    };
    ask();
    document.addEventListener('visibilitychange', ask);
    return () => {
      document.removeEventListener('visibilitychange', ask);
      void lock?.release();
    };
  }, []);
}
