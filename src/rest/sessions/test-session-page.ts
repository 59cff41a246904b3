// The page of a link to a test session: its checks, with links to their results.
import type { LinkedTestSession } from '#actions/sessions/test-sessions.ts';
import { zonedText } from '#domain/accounts/time-zone.ts';
import { type StoredTestRun, testSessionStatus } from '#domain/sessions/test-session.ts';
import { html } from '#lib/markup/html.ts';
import { factTable, messagePage, page } from '../html.ts';
import { testResultLink, type TestLinks } from './test-links.ts';

const words = { RUNNING: 'Running', PASSED: 'Passed', FAILED: 'Failed', CANCELLED: 'Cancelled' } as const;
/** Classes of the colours of a page. */
const verdicts = { RUNNING: 'unknown', PASSED: 'passed', FAILED: 'failed', CANCELLED: 'unknown' } as const;

/** Readable without JavaScript. Texts are untrusted. */
export function testSessionPage({ session, timeZone, expiresAt }: LinkedTestSession, links: TestLinks): string {
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
export const noSessionPage = messagePage(
  'Test session not found',
  'The link is incomplete or has expired, or the test session is no longer stored.',
);
