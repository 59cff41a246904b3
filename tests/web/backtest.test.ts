// What settings would have done, beside the form that changes them.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hourOf } from '#domain/results/roll-up.ts';
import { idBytes } from '#store/base/codec.ts';
import { insertRow, putResult } from '../support/store/rows.ts';
import { expectVisible } from './expect.ts';
import { shareWebUi } from './web-ui.ts';

const minuteMs = 60_000;

describe('a backtest in the web UI', () => {
  const { ui } = shareWebUi();

  test('says before saving what a threshold would have done, follows the form, and links to the results', async () => {
    const { service, open } = ui();
    const request = { method: 'GET', url: 'http://127.0.0.1:1/' };
    // Deactivated: its own runs would add alerts.
    const shop = { name: 'Shop', activated: false, frequency: 1, request };
    const { id } = await service.must('POST', '/v1/checks/api', shop);
    const { id: accountId } = await service.must('GET', '/v1/accounts/me');
    const now = Date.now();
    service.rows((raw) => {
      const key = { account_id: idBytes(String(accountId)), check_id: idBytes(String(id)) };
      // As the service does when results come late.
      for (const ago of [300, 240])
        insertRow(raw, 'late_hours', { ...key, start_at: hourOf(now - ago * minuteMs), touched: 1 });
      for (let minute = 0; minute < 60; minute++) {
        const isFailed = minute === 10 || (minute >= 20 && minute < 24);
        const at = now - (300 - minute) * minuteMs;
        putResult(raw, String(accountId), String(id), at, {
          outcome: isFailed ? 'failed' : 'passed',
          intervalMs: minuteMs,
        });
      }
    });
    for (const viewport of [
      { width: 1280, height: 900 },
      { width: 390, height: 844 },
    ]) {
      const page = await open(`/checks/${String(id)}/edit`, { viewport });
      const backtest = page.getByRole('region', { name: 'What these settings would have done' });
      await backtest.getByRole('button', { name: 'Compare with the last 30 days' }).click();
      await expectVisible(backtest.getByText(/this check would have alerted 2 times .*, as with the present ones/));
      await page.locator('summary', { hasText: 'Alerting' }).click();
      await page.getByRole('button', { name: /Alert settings/ }).click();
      await page.getByRole('option', { name: /own/i }).click();
      await page
        .getByRole('button', { name: /^Alert|Alert$/ })
        .last()
        .click();
      await page.getByRole('option', { name: /third failed run/ }).click();
      await expectVisible(backtest.getByText(/would have alerted once .*; with the present ones, 2 times/));
      await expectVisible(backtest.getByText('Only the new ones'));
      await page.getByLabel('URL').fill('http://127.0.0.1:2/');
      await expectVisible(backtest.getByText(/The past cannot show .*: request\./));
      await backtest.getByRole('link').first().click();
      await expectVisible(page.getByRole('heading', { level: 1 }));
      assert.match(new URL(page.url()).pathname, /\/results\//);
    }
  });
});
