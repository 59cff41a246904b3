// The wall: every check as a tile, failing ones first, readable from a distance.
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Maximize, Undo2, Repeat, UserCheck, WifiOff } from 'lucide-react';
import { type CSSProperties, use, useCallback, useEffect, useSyncExternalStore } from 'react';
import { AccountContext } from '../../api/account.ts';
import { useLive } from '../../api/live.ts';
import type { AnswerOf } from '#contract/operations.ts';
import { useAll } from '../../api/all.ts';
import { read, useRead } from '../../api/query.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { Choice } from '../../ui/controls/field.tsx';
import { Empty, LoadError, Skeleton } from '../../ui/layout/feedback.tsx';
import { SignedIn } from '../../ui/layout/signed-in.tsx';
import { lookOf, states } from '../../ui/checks/state.tsx';
import { useNow } from '../../ui/text/now.ts';
import { At, Lasting } from '../../ui/text/time.tsx';
import type { WallSearch } from './search.ts';
import { text } from './strings.ts';
import css from './wall.module.css';

/** Maximum number of tiles; the rest is only counted. */
const maxTiles = 200;
/** Size of the smallest readable tile with its gap, and height of what is above and below the tiles, px. */
const [tileWidth, tileHeight, otherHeight] = [176, 84, 150];
/** Lines of counters of groups, each lower than a tile. */
const counterLines = 2;

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
  const { columns, lines } = useFittingTiles();
  const query = { ...search, limit: maxTiles };
  const { data, error, refetch } = useQuery({ ...read(accountId, 'getOverview', { query }), refetchInterval: 60_000 });
  if (error && data === undefined) return <LoadError error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton lines={6} height={80} />;
  const isCrowded = columns !== null && data.total > columns * lines;
  // Below a readable size, groups are counted, and what passes needs no tile.
  const rows = isCrowded
    ? data.rows.filter(({ state }) => state !== 'passing').slice(0, columns * Math.max(1, lines - counterLines))
    : data.rows;
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
            countsText(data.summary)
          )}
        </h1>
        <WallControls />
      </header>
      {data.rows.length === 0 ? (
        <Empty title={text.empty} />
      ) : (
        <>
          {isCrowded && <GroupCounters query={search} most={counterLines * columns} />}
          <ul className={css['tiles']} style={{ ['--columns' as string]: columnsFor(rows.length) }}>
            {rows.map((row) => (
              <Tile key={row.checkId} row={row} />
            ))}
          </ul>
        </>
      )}
      {data.total > rows.length && <p className={css['more']}>{text.more(data.total - rows.length)}</p>}
    </main>
  );
}

type Row = AnswerOf<'getOverview'>['rows'][number];

function Tile({ row }: { readonly row: Row }) {
  const { checkId, name, since, acknowledgedAt, flappingSince, groupName } = row;
  const { icon: Icon, word } = lookOf(row, useNow());
  return (
    <li className={css['tile']} data-state={row.state}>
      <Link to="/checks/$checkId" params={{ checkId }} {...nameProps(name)} title={name}>
        {name}
      </Link>
      <span className={css['state']}>
        <Icon aria-hidden /> {word} {since !== null && <Lasting since={since} brief />}
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
}

/** How many checks of each group are in which state; groups that are not all passing first. */
function GroupCounters({ query, most }: { readonly query: WallSearch; readonly most: number }) {
  const { data } = useRead('getOverview', { query: { ...query, groupBy: 'group', limit: 1 } });
  const sections = (data?.sections ?? [])
    .map(({ groupId, name, counts }) => ({ key: groupId ?? 0, name: name ?? text.noGroup, counts }))
    .toSorted((one, other) => troubleOf(other.counts) - troubleOf(one.counts));
  if (sections.length < 2) return null;
  return (
    <ul className={css['counters']} aria-label={text.byGroup}>
      {sections.slice(0, most).map(({ key, name, counts }) => (
        <li key={key} className={css['counter']} data-state={shownStates.find((state) => counts[state] > 0)}>
          <strong title={name}>{name}</strong>
          <span>{countsText(counts)}</span>
        </li>
      ))}
    </ul>
  );
}

type Counts = AnswerOf<'getOverview'>['summary'];
const shownStates = ['failing', 'degraded', 'unknown', 'passing'] as const;

function countsText(counts: Counts): string {
  return shownStates
    .filter((state) => counts[state] > 0)
    .map((state) => text.counts(counts[state], states[state].word))
    .join(' · ');
}

/** For sorting: failing checks first, then degraded ones. */
function troubleOf({ failing, degraded, unknown, total }: Counts): number {
  return (failing * 1e6 + degraded * 1e3 + unknown) / Math.max(1, total);
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

/** Tiles that fit on the screen: nobody scrolls a wallboard. A phone does, so it has no columns. */
function useFittingTiles(): { readonly columns: number | null; readonly lines: number } {
  const columns = useSyncExternalStore(onResize, () =>
    innerWidth <= 760 ? null : Math.max(1, Math.floor((innerWidth - 24) / tileWidth)),
  );
  const lines = useSyncExternalStore(onResize, () => Math.max(1, Math.floor((innerHeight - otherHeight) / tileHeight)));
  return { columns, lines };
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
