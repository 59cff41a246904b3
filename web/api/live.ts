// Live updates: one event stream for the whole page, which refreshes what the page shows.
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { use, useEffect, useState } from 'react';
import type { OperationId } from '#contract/operations.ts';
import { AccountContext } from './account.ts';
import { readEvents, StreamRefused } from './event-stream.ts';

/** Whether the page is up to date. */
export interface LiveStatus {
  readonly state: 'connecting' | 'live' | 'lost';
  /** While not live: epoch ms of the last byte from the server, or of the start of the page. null = not lost yet. */
  readonly lastSignAt: number | null;
  /** The server has another version than the page. */
  readonly isOutdated: boolean;
}

/** Kinds of changes, as named by the server. */
interface Change {
  readonly states: readonly string[] | 'all';
  readonly results: readonly string[] | 'all';
  readonly deliveries: boolean;
  readonly alerts: boolean;
  readonly checks: boolean;
  readonly notices: boolean;
}

/** Queries invalidated by each kind of change. */
const affected: Readonly<Record<keyof Change, readonly OperationId[]>> = {
  states: [
    'getOverview',
    'listCheckStatuses',
    'getCheckStatus',
    'getCheckGroup',
    'listIncidents',
    'getCheckAlerting',
    'listStatusIncidentsOfCheck',
    'listStatusServices',
    'getStatusService',
  ],
  results: [
    'listCheckResults',
    'listCheckResultsV2',
    'getCheckAnalytics',
    'listHeartbeatEvents',
    'getHeartbeatAvailability',
  ],
  deliveries: ['listDeliveries', 'getDelivery', 'listAlertChannels', 'getAlertChannel', 'getStatusIncident'],
  alerts: ['listCheckAlerts', 'listAlertsOfCheck', 'listIncidents'],
  checks: [
    'getOverview',
    'getCheck',
    'listChecks',
    'listCheckGroups',
    'getCheckGroup',
    'listChecksOfGroup',
    'getCheckAlerting',
    'listCertificates',
    'getVariableUses',
    'getSnippetUses',
    'getPrivateLocationUses',
    'listStatusPages',
    'getStatusPage',
    'listStatusServices',
    'getStatusService',
    'listStatusIncidents',
    'listStatusIncidentsOfCheck',
    'getStatusIncident',
  ],
  notices: ['listNotices'],
};

/** Minimum interval between refreshes of the overview because of results: a page of rows costs the server a few ms. */
const resultsEveryMs = 5000;
/** Mean delay before the stream is opened again, ms: short while a restart may be the reason, longer afterwards or if refused. */
const [soonMs, laterMs, refusedMs] = [600, 5000, 10_000];
/** Number of fast retries: about a minute. */
const soonAttempts = 100;
/** The server writes a comment every 6 s; after this silence the page is not live, whatever the connection says. */
const silenceMs = 20_000;

/** Keeps the queries of the page fresh while it is mounted. @param isPaused nobody is signed in */
export function useLive(onSignedOut: () => void, isPaused = false): LiveStatus {
  const accountId = use(AccountContext);
  const cache = useQueryClient();
  const [status, setStatus] = useState<LiveStatus>({ state: 'connecting', lastSignAt: null, isOutdated: false });
  useEffect(() => {
    if (isPaused) return undefined;
    const connection = connect(accountId, cache, setStatus, onSignedOut);
    return () => connection.close();
  }, [accountId, cache, onSignedOut, isPaused]);
  // No page shows green for what may have changed (styles/tokens.css).
  useEffect(() => {
    document.documentElement.dataset['live'] = status.state;
  }, [status.state]);
  return status;
}

function connect(
  accountId: string,
  cache: QueryClient,
  setStatus: (change: (status: LiveStatus) => LiveStatus) => void,
  onSignedOut: () => void,
): { close(): void } {
  const ended = new AbortController();
  const refresh = refresher(accountId, cache);
  let lastSignAt = Date.now();
  const sign = (): void => {
    lastSignAt = Date.now();
  };
  // By age, because a server that is stopped, or a network that drops packets, keeps the connection open.
  const watch = (): void => {
    if (Date.now() - lastSignAt > silenceMs) setStatus((status) => lost(status, lastSignAt));
  };
  const watching = setInterval(watch, 1000);
  document.addEventListener('visibilitychange', watch, { signal: ended.signal });
  ended.signal.addEventListener('abort', () => clearInterval(watching));
  let lastId = '';
  let version: string | null = null;
  let fails = 0;

  const once = async (): Promise<void> => {
    const attempt = new AbortController();
    const onEnded = (): void => attempt.abort();
    ended.signal.addEventListener('abort', onEnded);
    const startedAt = Date.now();
    const watchdog = setInterval(
      () => Date.now() - Math.max(startedAt, lastSignAt) > silenceMs && attempt.abort(),
      1000,
    );
    // A sleeping computer or a lost network keeps a dead connection open for minutes.
    const onOnline = (): void => attempt.abort();
    addEventListener('online', onOnline);
    try {
      await readEvents(
        '/v1/events',
        {
          headers: {
            ...(accountId !== '' && { 'x-service-account': accountId }),
            ...(lastId !== '' && { 'last-event-id': lastId }),
          },
          signal: attempt.signal,
        },
        ({ id, event, data }) => {
          if (id !== '') lastId = id;
          if (event === 'hello') {
            const hello = JSON.parse(data) as { readonly version: string };
            version ??= hello.version;
            const isOutdated = version !== hello.version;
            fails = 0;
            setStatus(() => ({ state: 'live', lastSignAt: null, isOutdated }));
            // Events may have been missed before this connection.
            void cache.invalidateQueries({ queryKey: [accountId] });
          } else if (event === 'change') refresh(JSON.parse(data) as Change);
        },
        sign,
      );
    } finally {
      clearInterval(watchdog);
      removeEventListener('online', onOnline);
      ended.signal.removeEventListener('abort', onEnded);
    }
  };

  const run = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      const refusal = await once().then(
        () => null,
        (error: unknown) => (error instanceof StreamRefused ? error.status : null),
      );
      if (ended.signal.aborted) return;
      if (refusal === 401) return onSignedOut();
      fails++;
      if (fails > 1) setStatus((status) => lost(status, lastSignAt));
      // A proxy responds 502 or 503 while the server restarts.
      const isRefused = refusal !== null && refusal < 500;
      const meanMs = isRefused ? refusedMs : fails <= soonAttempts ? soonMs : laterMs;
      // Random, so that not all pages reconnect to a restarted server at once.
      await pause(meanMs * (0.5 + Math.random()), ended.signal);
    }
  };
  void run();
  return { close: () => ended.abort() };
}

/** @param lastSignAt of the last byte, or of the start of the page */
function lost(status: LiveStatus, lastSignAt: number): LiveStatus {
  return status.state === 'lost' ? status : { ...status, state: 'lost', lastSignAt };
}

/** Invalidates queries; those on the page are fetched again at once. */
function refresher(accountId: string, cache: QueryClient): (change: Change) => void {
  let resultsAt = 0;
  let pending: ReturnType<typeof setTimeout> | undefined;
  const invalidate = (ids: readonly OperationId[], checkIds: readonly string[] | 'all' = 'all'): void => {
    void cache.invalidateQueries({
      predicate: ({ queryKey: [account, id, input] }) =>
        account === accountId && ids.includes(id as OperationId) && concerns(input, checkIds),
    });
  };
  return (change) => {
    if (change.states.length > 0) invalidate(affected.states, change.states);
    if (change.results.length > 0) {
      invalidate(affected.results, change.results);
      const wait = resultsAt + resultsEveryMs - Date.now();
      clearTimeout(pending);
      pending = setTimeout(
        () => {
          resultsAt = Date.now();
          invalidate(['getOverview']);
        },
        Math.max(0, wait),
      );
    }
    if (change.deliveries) invalidate(affected.deliveries);
    if (change.alerts) invalidate(affected.alerts);
    if (change.checks) invalidate(affected.checks);
    if (change.notices) invalidate(affected.notices);
  };
}

/** Whether a query may contain one of the checks: queries of one check name it, others may contain any. */
function concerns(input: unknown, checkIds: readonly string[] | 'all'): boolean {
  if (checkIds === 'all') return true;
  const { params } = (input ?? {}) as { readonly params?: { readonly checkId?: string; readonly id?: string } };
  return params?.checkId === undefined || checkIds.includes(params.checkId);
}

/** Waits, but only until the page becomes visible or the network is back. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const over = new AbortController();
    const end = (): void => {
      clearTimeout(timer);
      over.abort();
      resolve();
    };
    const timer = setTimeout(end, ms);
    const { signal: unlisten } = over;
    signal.addEventListener('abort', end, { signal: unlisten });
    addEventListener('online', end, { signal: unlisten });
    document.addEventListener('visibilitychange', end, { signal: unlisten });
  });
}
