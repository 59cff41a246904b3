// Healthchecks: the checks of its API (GET /api/v3/checks/) to a resource file.
import { descriptionOf, nameOf, spanText, tagsOf } from '../check-parts.ts';
import { createDraft, type Draft, type Imported, ImportError } from '../imported.ts';
import { type Foreign, isForeign, numberOf, objectsOf, parseJson, textOf } from '../values.ts';
import { longestGap } from './cron.ts';

/** @throws {ImportError} if it is not a response of the API */
export function importHealthchecks(text: string): Imported {
  const response = parseJson(text);
  if (!isForeign(response) || !Array.isArray(response['checks'])) {
    throw new ImportError('the file has no list "checks": save the response of GET /api/v3/checks/');
  }
  const draft = createDraft('healthchecks');
  for (const check of objectsOf(response['checks'])) addCheck(draft, check);
  return draft.finish();
}

function addCheck(draft: Draft, check: Foreign): void {
  const id = idOf(check);
  const isCron = textOf(check['schedule']) !== '';
  const source = { from: nameOf(textOf(check['name']), id), kind: isCron ? 'schedule' : 'period' };
  const notes = ['has a new ping URL: point the job to it'];
  const period = isCron ? periodOfSchedule(check, notes) : numberOf(check['timeout']);
  if (period === null || period <= 0) {
    draft.skip(
      source,
      isCron ? `the schedule ${textOf(check['schedule']).slice(0, 60)} cannot be read` : 'it has no period',
    );
    return;
  }
  if (textOf(check['channels']) !== '')
    notes.push('its integrations are left out: the API does not contain their settings');
  if (textOf(check['methods']) === 'POST') notes.push('accepts GET and HEAD as well');
  for (const field of ['filter_subject', 'filter_body', 'filter_http_body', 'filter_default_fail']) {
    if (check[field] === true) notes.push(`${field} is left out`);
  }
  const description = descriptionOf(textOf(check['desc']), notes);
  const tags = tagsOf(textOf(check['tags']).split(/\s+/));
  const resource = {
    checkType: 'HEARTBEAT',
    name: source.from,
    ...(check['status'] === 'paused' && { activated: false }),
    ...(description !== null && { description }),
    ...(tags.length > 0 && { tags }),
    heartbeat: { period, periodUnit: 'seconds', grace: numberOf(check['grace']) ?? 3600, graceUnit: 'seconds' },
  };
  draft.add('checks', id, resource, source, notes);
}

/** Stable across exports: the UUID, the key of read-only exports, or the slug. */
function idOf(check: Foreign): string {
  const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i.exec(
    textOf(check['ping_url']) || textOf(check['uuid']),
  )?.[0];
  return uuid ?? (textOf(check['unique_key']) || textOf(check['slug']) || textOf(check['name']) || 'check');
}

function periodOfSchedule(check: Foreign, notes: string[]): number | null {
  const schedule = textOf(check['schedule']);
  const period = longestGap(schedule);
  if (period !== null) {
    notes.push(`expects a ping every ${spanText(period)}, the longest gap of its schedule ${schedule.slice(0, 60)}`);
  }
  return period;
}
