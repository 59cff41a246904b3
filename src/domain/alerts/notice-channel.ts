// Notices about Tocsin itself that a channel of the operator receives (docs/decisions/0135).
import type { TemplateVariables } from '../deliveries/template-variables.ts';

/** A problem of Tocsin or of an account that needs attention, and how to fix it. Times are epoch ms. */
export interface Notice {
  /** Stays the same while the problem lasts. */
  readonly id: string;
  readonly kind: string;
  readonly since: number;
  readonly subject: string;
  readonly message: string;
  readonly action: string;
}

/** A notice that the channel has received, and whose end it has not. */
export type SentNotice = Pick<Notice, 'id' | 'kind' | 'since' | 'subject'>;

/** How long a problem lasts before the channel receives it, ms. */
export const noticeAfterMs = 300_000;

/** What the channel receives now: each notice once, and its end. */
export function noticesToSend(
  sent: readonly SentNotice[],
  current: readonly Notice[],
  now: number,
): { readonly opened: readonly Notice[]; readonly ended: readonly SentNotice[] } {
  const isIn = (all: readonly SentNotice[], { id }: SentNotice): boolean => all.some((each) => each.id === id);
  return {
    opened: current.filter((one) => now - one.since >= noticeAfterMs && !isIn(sent, one)),
    ended: sent.filter((one) => !isIn(current, one)),
  };
}

const titles: Readonly<Record<string, string>> = {
  downtime: 'it was not running',
  gap: 'scheduled runs were missed or inconclusive',
  'location-silent': 'no process runs checks at a location',
  'browser-missing': 'Chromium is missing',
  'resolver-down': 'name servers do not answer',
  'connections-refused': 'connections are refused',
  'database-damaged': 'the database is damaged',
  'runtime-broken': 'a runtime cannot be used',
  'page-copies-failed': 'copies of status pages are not up to date',
  'watchdog-withheld': 'the watchdog is not called',
  'watchdog-failed': 'the watchdog cannot be called',
};

/**
 * Input for the channel's template. The problem takes the place of the check, so that its end closes the right incident.
 * @param link page of the notices
 */
export function noticeVariables(
  notice: SentNotice & Partial<Pick<Notice, 'message' | 'action'>>,
  deliveryId: string,
  link: string,
): TemplateVariables {
  const { id, kind, subject, since, message, action } = notice;
  const isOver = message === undefined;
  const of = subject === 'Tocsin' ? '' : ` (${subject})`;
  const name = `Tocsin: ${titles[kind] ?? kind.replaceAll('-', ' ')}${of}`;
  return {
    ALERT_TITLE: isOver ? `${name} – resolved` : name,
    ALERT_TYPE: isOver ? 'ALERT_RECOVERY' : 'ALERT_FAILURE',
    CHECK_NAME: name,
    CHECK_ID: `tocsin-${id}`,
    CHECK_TYPE: 'TOCSIN',
    CHECK_ERROR_MESSAGE: isOver ? undefined : [message, action].filter(Boolean).join(' '),
    RESULT_LINK: link,
    STARTED_AT: new Date(since).toISOString(),
    TAGS: [],
    IS_REMINDER: false,
    IS_REPLAY: false,
    DELIVERY_ID: deliveryId,
  };
}
