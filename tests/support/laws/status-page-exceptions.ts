// Statements about status pages that do not name the account, each with the reason why it may.
import type { AccountException } from './account-exceptions.ts';

const why = 'what is published is built, and taken up by processes that serve visitors, in every account';
const mailed = 'mails that ask for confirmation are sent when they are due, in every account';
const expired = 'upkeep removes subscribers that did not confirm, in every account';
const due = 'changes are handed to sending when they are due, in every account';
const sentLongAgo = 'upkeep removes changes that were sent long ago, in every account';
const clock = 'the clock was set: what waits in any account keeps its distance';
const listed = / from status_page_snapshots inner join status_pages /;

export const statusPageExceptions: readonly AccountException[] = [
  { table: 'status_page_snapshots', statement: listed, why, seenIn: 'status-snapshots' },
  { table: 'status_pages', statement: listed, why, seenIn: 'status-snapshots' },
  { table: 'status_pages', statement: /^select distinct account_id /, why, seenIn: 'status-snapshots' },
  {
    table: 'status_page_changes',
    statement: /^update status_page_changes set due_at = /,
    why: clock,
    seenIn: 'path-clock',
  },
  {
    table: 'status_subscribers',
    statement: /^update status_subscribers set mail_due_at = /,
    why: clock,
    seenIn: 'path-clock',
  },
  { table: 'status_subscribers', statement: / where mail_due_at /, why: mailed, seenIn: 'status-subscribers' },
  {
    table: 'status_page_changes',
    statement: /^select (?:account_id, page_id|due_at) from status_page_changes where ended_at is null and due_at /,
    why: due,
    seenIn: 'notify-changes',
  },
  { table: 'status_page_changes', statement: / where created_at < /, why: sentLongAgo, seenIn: 'notify-changes' },
  {
    table: 'status_subscribers',
    statement: / where confirmed_at is null and requested_at <= /,
    why: expired,
    seenIn: 'status-subscribers',
  },
];
