// Messages about the runs of test sessions, derived from rows: a reader that comes late or again misses none.
import type { Store } from '#store/store.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import { sessionMs, type StoredTestRun, type TestEvent } from '#domain/sessions/test-session.ts';
import type { Clock } from '#lib/clock.ts';
import { requirePermission } from '../accounts/permission.ts';
import { resultOfEvent, type ShownTestResult, type TestResultDeps } from './test-results.ts';

/** Something that happened to a run of a suite. */
export interface TestMessage {
  readonly suiteId: string;
  readonly run: StoredTestRun;
  readonly kind: TestEvent['kind'];
  /** null = the run has only started. */
  readonly result: ShownTestResult | null;
}

/** Reads messages, each once, in the order of their session. */
export interface TestMessageReader {
  /** Whether there are messages that were not read; cheap. */
  hasNext(): Promise<boolean>;
  /** The next messages, at most `messagesAtOnce`; [] = none at the moment. */
  next(): Promise<readonly TestMessage[]>;
}

export interface TestMessageDeps extends Pick<Store, 'testSessions'>, Pick<TestResultDeps, 'describeResult'> {
  readonly testEvents: Pick<Store['testEvents'], 'after'>;
  readonly clock: Clock;
}

export type TestMessageActions = ReturnType<typeof createTestMessageActions>;

/** Messages of a read: each may hold a whole response. */
export const messagesAtOnce = 5;

export function createTestMessageActions({ testSessions, testEvents, describeResult, clock }: TestMessageDeps) {
  return {
    /**
     * Reads the messages of a suite from its beginning, whether it exists already or will be started.
     * @param suiteId null = those of all suites of the account, from now on
     */
    async read(caller: Caller, suiteId: string | null): Promise<TestMessageReader> {
      requirePermission(caller, 'read');
      const { accountId } = caller;
      const followed = () => testSessions.followed(accountId, suiteId, clock.now() - sessionMs);
      /** Number of the last event that was read, by session. */
      let cursors: ReadonlyMap<string, number> = new Map(
        suiteId === null ? (await followed()).map(({ id, events }) => [id, events]) : [],
      );
      const findNews = async () => {
        const sessions = await followed();
        // Those that are no longer followed are forgotten.
        const present = new Map(sessions.map(({ id }) => [id, cursors.get(id) ?? 0]));
        cursors = present;
        return { present, news: sessions.find(({ id, events }) => events > (present.get(id) ?? 0)) };
      };
      return {
        hasNext: async () => (await findNews()).news !== undefined,
        async next() {
          const { present, news } = await findNews();
          if (news === undefined) return [];
          const found = await testEvents.after(
            { accountId, sessionId: news.id },
            present.get(news.id) ?? 0,
            messagesAtOnce,
          );
          const session = await testSessions.find(accountId, news.id);
          cursors = new Map([...present, [news.id, found.at(-1)?.number ?? news.events]]);
          if (session === null) return [];
          return found.flatMap((event) => {
            const run = session.runs.find(({ id }) => id === event.runId);
            const { kind } = event;
            if (run === undefined) return [];
            return [{ suiteId: news.suiteId, run, kind, result: resultOfEvent(session, event, { describeResult }) }];
          });
        },
      };
    },
  };
}
