// Routes of test sessions (reference §4.7).
import type { ShownTestResult } from '#actions/sessions/test-results.ts';
import type { TestSessionActions, TestSessionInput, LinkedTestSession } from '#actions/sessions/test-sessions.ts';
import type { InputOf } from '#contract/operations.ts';
import type { CheckResultBody } from '#contract/results/check-result.ts';
import type { TestSessionBody, TestSessionEntryBody } from '#contract/sessions/test-session.ts';
import { type StoredTestRun, type StoredTestSession, testSessionStatus } from '#domain/sessions/test-session.ts';
import { isUuid } from '#lib/id.ts';
import { pageHeaders, factTable, messagePage, page } from '../html.ts';
import { resultToWire, wrongCursor } from '../results/check-results.ts';
import { Answer, type Route, route } from '../route.ts';
import { given, isoText, isoTextOrNull } from '../wire.ts';
import { targetOf } from './check-sessions.ts';
import { zonedText } from '#domain/accounts/time-zone.ts';
import { html } from '#lib/markup/html.ts';
import type { ResultLinks, SessionLinks } from '#actions/signed-links.ts';

export function testSessionRoutes(actions: TestSessionActions, links: TestLinks): Route[] {
  const toWire = (session: StoredTestSession) => testSessionToWire(session, links);
  return [
    route('listTestSessions', async ({ caller, query: { nextId, limit, textSearch, ...filter } }) => {
      const after = nextId ?? null;
      if (after !== null && !isUuid(after)) throw wrongCursor();
      const found = await actions.list(caller, { ...filter, text: textSearch }, after, limit);
      return { length: found.rows.length, entries: found.rows.map(entryOf), nextId: found.nextId };
    }),
    route('triggerTestSession', async ({ caller, body }) => {
      const { environmentVariables, target, name, metadata, runLocation, retryStrategy } = body;
      const variables = (environmentVariables ?? []).map((each) => ({ ...each, locked: true, secret: true }));
      const input: TestSessionInput = {
        suiteId: null,
        name,
        provider: 'API',
        isRecorded: true,
        metadata: given(metadata ?? {}),
        location: locationOf(runLocation),
        retryStrategy: retryStrategy ?? null,
      };
      return toWire((await actions.trigger(caller, input, targetOf(target), variables)).session);
    }),
    route('getTestSession', async ({ caller, params }) => toWire(await actions.find(caller, params.id))),
    route('waitForTestSession', async ({ caller, params, query, signal }) =>
      toWire(await actions.wait(caller, params.id, { maxMs: query.maxWaitSeconds * 1000, signal })),
    ),
    route('cancelTestSession', async ({ caller, params, body }) =>
      toWire(await actions.cancel(caller, params.id, body?.sequenceId ?? null)),
    ),
    route('getTestSessionResult', async ({ caller, params }) =>
      testResultToWire(await actions.result(caller, params.id, params.resultId)),
    ),
    route('showTestSession', async ({ params }) => {
      const found = await actions.open(params.link);
      if (found === null) return new Answer(404, noSessionPage, pageHeaders);
      return new Answer(200, testSessionPage(found, links), pageHeaders);
    }),
  ];
}

/** Code of the location that a body names. */
export function locationOf(place: InputOf<'triggerTestSession'>['body']['runLocation']): string {
  if (typeof place === 'string') return place;
  return place.type === 'PUBLIC' ? place.region : place.slugName;
}

/** A result in a response. */
export function testResultToWire({ shown, isCancelled }: ShownTestResult): CheckResultBody {
  return { ...resultToWire(shown), isCancelled };
}

/** A session in a response. */
export function testSessionToWire(session: StoredTestSession, links: TestLinks): TestSessionBody {
  const { accountId, id, name, metadata, createdAt, endedAt, location, runs } = session;
  return {
    testSessionId: id,
    testSessionLink: links.sessions.link(accountId, id, links.now()),
    name,
    status: testSessionStatus(session),
    startedAt: isoText(createdAt),
    stoppedAt: isoTextOrNull(endedAt),
    timeElapsed: Math.max(0, (endedAt ?? links.now()) - createdAt),
    metadata,
    results: runs.map((run) => ({
      testSessionResultId: run.id,
      testSessionResultLink: testResultLink(session, run, run.id, links),
      checkId: run.checkId,
      checkType: run.checkType,
      name: run.name,
      logicalId: run.logicalId,
      runLocation: location,
      resultType: 'FINAL',
      status: statusOf(run),
      hasErrors: run.outcome === 'unknown',
      hasFailures: run.outcome === 'failed',
      isDegraded: run.outcome === 'degraded',
      aborted: run.outcome === 'cancelled',
    })),
  };
}

/** The status of a run, as that of a session. */
export function statusOf({ outcome }: StoredTestRun): ReturnType<typeof testSessionStatus> {
  if (outcome === null) return 'RUNNING';
  if (outcome === 'cancelled') return 'CANCELLED';
  return outcome === 'passed' || outcome === 'degraded' ? 'PASSED' : 'FAILED';
}

function entryOf(session: StoredTestSession): TestSessionEntryBody {
  const { accountId, id, name, provider, location, metadata, createdAt, endedAt, runs } = session;
  const namesOf = (status: string) => runs.filter((run) => statusOf(run) === status).map((run) => run.name);
  return {
    id,
    accountId,
    name,
    provider,
    status: testSessionStatus(session),
    region: location,
    running: namesOf('RUNNING'),
    passed: namesOf('PASSED'),
    failed: namesOf('FAILED'),
    cancelled: namesOf('CANCELLED'),
    branchName: metadata['branchName'] ?? null,
    commitOwner: metadata['commitOwner'] ?? null,
    commitId: metadata['commitId'] ?? null,
    environment: metadata['environment'] ?? null,
    startedAt: isoText(createdAt),
    stoppedAt: isoTextOrNull(endedAt),
    created_at: isoText(createdAt),
  };
}

const words = { RUNNING: 'Running', PASSED: 'Passed', FAILED: 'Failed', CANCELLED: 'Cancelled' } as const;
/** Classes of the colours of a page. */
const verdicts = { RUNNING: 'unknown', PASSED: 'passed', FAILED: 'failed', CANCELLED: 'unknown' } as const;

/** Readable without JavaScript. Texts are untrusted. */
function testSessionPage({ session, timeZone, expiresAt }: LinkedTestSession, links: TestLinks): string {
  const { name, location, createdAt, endedAt, metadata, runs } = session;
  const status = testSessionStatus(session);
  const facts: (readonly [string, string])[] = [
    ['Started', zonedText(createdAt, timeZone)],
    ...(endedAt === null ? [] : [['Ended', zonedText(endedAt, timeZone)] as const]),
    ['Location', location],
    ...(['environment', 'branchName', 'commitId', 'commitOwner'] as const).flatMap((field) => {
      const value = metadata[field];
      return value === undefined ? [] : [[labels[field], value] as const];
    }),
  ];
  const row = (run: StoredTestRun) =>
    html`<tr>
      <th scope="row">${wordOf(run)}</th>
      <td>
        ${run.outcome === null ? run.name : html`<a href="${testResultLink(session, run, run.id, links)}">${run.name}</a>`}
      </td>
    </tr>`;
  return page(
    `${words[status]}: ${name}`,
    html`<main class="result">
      <p><strong class="verdict ${verdicts[status]}">${words[status]}</strong></p>
      <h1>${name}</h1>
      ${factTable(facts)}
      <h2>Checks</h2>
      <div class="card">
        <table class="facts">
          ${runs.map(row)}
        </table>
      </div>
      <p class="soft">
        This link works until ${zonedText(expiresAt, timeZone)}. Anyone with the link can read this page.
      </p>
    </main>`,
  );
}

const labels = {
  environment: 'Environment',
  branchName: 'Branch',
  commitId: 'Commit',
  commitOwner: 'Author',
} as const;

function wordOf({ outcome, startedAt }: StoredTestRun): string {
  if (outcome === null) return startedAt === null ? 'Waiting' : 'Running';
  return `${outcome.charAt(0).toUpperCase()}${outcome.slice(1)}`;
}

/** The page for a link that is invalid or expired, or whose session is no longer stored. */
const noSessionPage = messagePage(
  'Test session not found',
  'The link is incomplete or has expired, or the test session is no longer stored.',
);

/** What the responses of sessions link to. */
export interface TestLinks {
  readonly results: Pick<ResultLinks, 'link'>;
  readonly sessions: Pick<SessionLinks, 'link'>;
  /** Epoch ms. */
  readonly now: () => number;
}

/** The page of a result. @param resultId that of the run, or of an attempt */
export function testResultLink(
  { accountId }: StoredTestSession,
  { checkId }: StoredTestRun,
  resultId: string,
  { results, now }: Pick<TestLinks, 'results' | 'now'>,
): string {
  return results.link(accountId, checkId ?? resultId, resultId, now());
}
