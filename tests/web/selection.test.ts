// Checks selected in the list: the selection outlives filters, and actions say what they apply to.
import { test } from 'node:test';
import { newId } from '#lib/id.ts';
import { idBytes } from '#store/base/codec.ts';
import { insertRow } from '../support/store/rows.ts';
import { expectHidden, expectVisible } from './expect.ts';
import { startWebUi } from './web-ui.ts';

test('selected checks stay selected by name under any filter, and are paused together', async (t) => {
  const { service, open } = await startWebUi(t);
  const request = { hostname: '127.0.0.1', port: 1 };
  await service.must('POST', '/v1/checks/tcp', { name: 'Redis', tags: ['cache'], request });
  await service.must('POST', '/v1/checks/tcp', { name: 'Queue', request });
  const heartbeat = { period: 1, periodUnit: 'days', grace: 1, graceUnit: 'hours' };
  await service.must('POST', '/v1/checks/heartbeat', { name: 'Backup', heartbeat });
  const page = await open();
  const rowOf = (name: string) => page.getByRole('listitem').filter({ hasText: name });
  const box = (name: string) => page.getByRole('checkbox', { name: `Select ${name}` });
  for (const name of ['Redis', 'Backup']) await box(name).click({ force: true });
  const bar = page.getByRole('toolbar', { name: '2 checks selected' });
  await expectVisible(bar.getByText('Redis, Backup'));
  // The progress of a run leaves heartbeats out, which the answer of the server does not show.
  const started = Promise.withResolvers<null>();
  await page.route('**/v1/triggers/checks/**', async (route) => {
    await started.promise;
    await route.abort();
  });
  await bar.getByRole('button', { name: 'Run 1 of 2' }).click();
  await expectVisible(page.getByText('0 of 1 checks done'));
  started.resolve(null);
  const progress = page.getByText(/of \d checks done/);
  await expectHidden(progress);
  await page.unrouteAll();
  for (const name of ['Redis', 'Backup']) await box(name).click({ force: true });
  await bar.getByRole('button', { name: 'Mute' }).click();
  await page.getByRole('menuitem', { name: 'Mute for 24 hours' }).click();
  await expectVisible(page.getByText('Muted 2 checks'));
  await expectHidden(progress);
  for (const name of ['Redis', 'Backup']) await expectVisible(rowOf(name).getByText('Muted', { exact: true }));
  await page.getByRole('button', { name: 'Undo' }).click();
  for (const name of ['Redis', 'Backup']) await expectHidden(rowOf(name).getByText('Muted', { exact: true }));
  for (const name of ['Redis', 'Backup']) await box(name).click({ force: true });
  await expectVisible(bar.getByText('Redis, Backup'));

  await page.getByRole('searchbox', { name: 'Search checks' }).fill('nothing like it');
  await expectVisible(page.getByText('No check matches these filters.'));
  await expectVisible(bar.getByText('Redis, Backup'));
  await bar.getByRole('button', { name: 'Pause' }).click();
  await expectVisible(page.getByText('Paused 2 checks'));
  await expectHidden(bar);

  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.goto('/?sort=name');
  await box('Backup').click({ force: true });
  await box('Redis').click({ force: true, modifiers: ['Shift'] });
  await expectVisible(page.getByRole('toolbar').getByText('Backup, Queue, Redis'));
  await page.getByRole('button', { name: 'Clear selection' }).click();
  await page.getByRole('checkbox', { name: 'Select all 3 checks' }).click({ force: true });
  await expectVisible(page.getByRole('toolbar', { name: '3 checks selected' }));
  await expectVisible(page.getByRole('toolbar').getByRole('button', { name: 'Run 1 of 3' }));
  await page.goto('/?sort=name&by=tag');
  await page.getByRole('button', { name: 'Select all of Other checks' }).click();
  await expectVisible(page.getByRole('toolbar').getByText('Backup, Queue'));

  await page.goto('/');
  await page.getByRole('button', { name: 'Actions for Queue' }).click();
  await page.getByRole('menuitem', { name: 'Mute until…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Mute until' });
  await dialog.getByLabel('Time').fill('2001-01-01T10:00');
  await dialog.getByRole('button', { name: 'Mute' }).click();
  await expectVisible(dialog.getByText('Choose a time in the future.'));
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Actions for Queue' }).click();
  await page.getByRole('menuitem', { name: 'Mute until…' }).click();
  await expectHidden(dialog.getByText('Choose a time in the future.'));
  await dialog.getByLabel('Time').fill('2099-01-01T10:00');
  await dialog.getByRole('button', { name: 'Mute' }).click();
  const queue = rowOf('Queue');
  await expectVisible(queue.getByText('Muted'));
  await page.getByRole('button', { name: 'Undo' }).click();
  await expectHidden(queue.getByText('Muted'));
  for (const [name, state] of [
    ['Redis', 'Paused'],
    ['Backup', 'Paused'],
    ['Queue', 'Failing'],
  ] as const) {
    await expectVisible(rowOf(name).getByText(state));
  }
});

test('the list finds checks that flap and says how long an alert is suppressed; the check marks silent locations', async (t) => {
  const { service, open } = await startWebUi(t, { TOCSIN_ROLES: 'api' });
  const request = { hostname: '127.0.0.1', port: 1 };
  for (const name of ['Cache', 'Queue', 'Router']) await service.must('POST', '/v1/checks/tcp', { name, request });
  const since = Date.UTC(2026, 0, 2, 3, 44);
  service.rows((raw) => {
    for (const row of raw.prepare('SELECT account_id, id, name FROM checks').all()) {
      if (row['name'] === 'Cache') continue;
      insertRow(raw, 'check_states', {
        account_id: row['account_id'] as Uint8Array,
        check_id: row['id'] as Uint8Array,
        status: 'failing',
        since,
        failed_in_a_row: 1,
        degraded_in_a_row: 0,
        flapping_since: row['name'] === 'Router' ? since : null,
        suppressed_by:
          row['name'] === 'Queue'
            ? JSON.stringify({ checkId: newId(), name: 'Router', since, until: since + 300_000 })
            : null,
        created_at: since,
        updated_at: since,
        revision: 1,
      });
    }
    const router = raw.prepare(`SELECT account_id, id FROM checks WHERE name = 'Router'`).get();
    for (const endedAt of [Date.now(), null]) {
      insertRow(raw, 'incidents', {
        account_id: router?.['account_id'] as Uint8Array,
        id: idBytes(newId()),
        check_id: router?.['id'] as Uint8Array,
        check_name: 'Router',
        check_type: 'TCP',
        kind: 'failing',
        started_at: since,
        opened_at: since,
        ended_at: endedAt,
        first_alert_id: idBytes(newId()),
        result_id: idBytes(newId()),
      });
    }
    insertRow(raw, 'locations', { code: 'moon-1', name: 'Moon', seen_at: Date.now() - 3_600_000 });
    raw.exec(`UPDATE checks SET definition = json_set(definition, '$.locations', json('["local","moon-1"]'))`);
  });
  // A process reads the locations at its start.
  await service.stop();
  await service.restart();
  const page = await open('/?sort=name');
  const rows = page.getByRole('list', { name: 'Checks' }).getByRole('listitem');
  await expectVisible(rows.nth(0).getByText('Cache'));
  await expectVisible(rows.nth(1).getByTitle(/Suppressed by Router since Jan \d, .*, at most until Jan \d, .*/));
  await page.getByRole('button', { name: /Sort by: Name/ }).click();
  await page.getByRole('option', { name: 'Sort by: Flapping first' }).click();
  await expectVisible(rows.nth(0).getByText('Router'));
  await expectVisible(rows.nth(0).getByText('3 changes in 1 h'));
  await rows.nth(0).getByRole('link', { name: 'Flapping' }).click();
  await expectVisible(page.getByRole('button', { name: 'Remove this filter' }));
  await expectHidden(rows.nth(1));
  await expectVisible(rows.nth(0).getByText('Router'));
  await page.getByRole('button', { name: 'Remove this filter' }).click();
  await expectVisible(rows.nth(2));

  // From the head of the page and from the palette; the settings are one step away.
  await page.getByRole('link', { name: '1 flapping' }).click();
  await expectVisible(page.getByText(/^These checks fail and recover again and again/));
  await expectVisible(page.getByRole('main').getByRole('link', { name: 'Alert settings' }));
  await page.getByRole('link', { name: 'Deliveries' }).first().click();
  await expectVisible(page.getByRole('heading', { level: 1, name: 'Deliveries' }));
  await page.keyboard.press('Control+k');
  await page.getByRole('searchbox', { name: /^Search checks, pages/ }).fill('flapping');
  await page.getByRole('menuitem', { name: 'Flapping checks' }).click();
  await page.waitForURL(/flapping=true/);
  await expectVisible(rows.nth(0).getByText('Router'));
  await expectHidden(rows.nth(1));
  await page.getByRole('button', { name: 'Remove this filter' }).click();
  await expectVisible(rows.nth(2));

  await page.getByRole('link', { name: 'Router', exact: true }).click();
  await expectVisible(page.getByText(/moon-1 \(silent since .*\)/));
});
