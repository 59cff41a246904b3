// Creating, trying and changing checks, without any other tool.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import type { CheckForm } from '#checks/form.ts';
import * as forms from '#checks/forms.ts';
import { startTarget, startTcpTarget } from '../support/targets/target.ts';
import { expectHidden, expectVisible } from './expect.ts';
import { shareWebUi, signIn, startWebUi } from './web-ui.ts';

const checkForms = Object.values<CheckForm>(forms);

/** What makes each type work: fields of the first screen by label. */
function fieldsOf(
  type: string,
  { url, port }: { readonly url: string; readonly port: number },
): readonly (readonly [string, string])[] {
  if (type === 'API' || type === 'URL') return [['URL', url]];
  if (type === 'TCP' || type === 'SSL')
    return [
      ['Host', '127.0.0.1'],
      ['Port', String(port)],
    ];
  if (type === 'ICMP') return [['Host', '127.0.0.1']];
  return type === 'DNS' ? [['Name', 'localhost']] : [];
}

describe('checks in the web UI', () => {
  const { ui, later } = shareWebUi();
  const save = (page: Page) => page.getByRole('button', { name: 'Create check' }).click();

  test('an empty installation leads to a first result with three fields', async () => {
    let requests = 0;
    const target = await startTarget(later, (_, response) => {
      requests++;
      response.end('open');
    });
    const page = await ui().open('/');
    await page.getByRole('main').getByRole('link', { name: 'New check' }).click();
    await page.getByRole('link', { name: /^URL/ }).click();
    await page.getByLabel('Name', { exact: true }).fill('First');
    await page.getByLabel('URL').fill(target.url);
    await page.getByRole('button', { name: /Interval/ }).click();
    await page.getByRole('option', { name: '1 min', exact: true }).click();
    await save(page);
    await expectVisible(page.getByRole('heading', { level: 1, name: 'First' }));
    await expectVisible(page.getByText('Passing').first(), 30_000);
    assert.ok(requests > 0, 'the target was asked');
  });

  test('a check is tried before it is saved, a value of the response becomes an assertion, and input survives', async () => {
    const target = await startTarget(later, (_, response) =>
      response.setHeader('content-type', 'application/json').end(`{"stock":{"lamp":7},"long":"${'a'.repeat(60)}!"}`),
    );
    const page = await ui().open('/checks/new?type=API', { viewport: { width: 390, height: 844 } });
    await page.getByLabel('Name', { exact: true }).fill('Stock');
    await page.getByLabel('URL').fill('ftp://shop.example');
    await page.getByRole('button', { name: 'Run now' }).click();
    await expectVisible(page.getByText('must be an absolute http or https URL').first());
    await page.getByLabel('URL').fill(target.url);
    await page.getByRole('button', { name: 'Run now' }).click();
    const result = page.getByRole('complementary', { name: 'Result' });
    await expectVisible(result.getByText('Passed', { exact: true }), 30_000);
    const top = (await result.boundingBox())?.y ?? Infinity;
    assert.ok(top < 844, 'the result is on screen');
    await page.getByText('Add an assertion on a value').click();
    await page.getByRole('button', { name: 'Add an assertion on $.stock.lamp' }).click();
    await page.locator('summary', { hasText: 'Assertions' }).click();
    await expectVisible(page.getByLabel('Holds').first());
    await page.getByLabel('Expected value').fill('8');
    await expectVisible(page.getByText('Expected $.stock.lamp to equal 8, got 7').first());
    await page.getByRole('button', { name: 'Run now' }).click();
    await expectVisible(page.getByText('to equal 8, got 7').first(), 30_000);
    // A regular expression that takes forever stops neither the page nor the other evaluations.
    await page.getByRole('button', { name: 'Add assertion' }).click();
    const second = page.getByRole('group', { name: 'Assertion 2' });
    await second.getByRole('button', { name: /Source/ }).click();
    await page.getByRole('option', { name: 'Body text' }).click();
    await second.getByLabel('Regular expression').fill('(a+)+$');
    await expectVisible(second.getByText('take too long to evaluate here'));
    await second.getByLabel('Regular expression').fill('"long":"(a+)');
    await second.getByLabel('Expected value').fill('aaa');
    await expectVisible(second.getByLabel('Holds'));
    await page.getByRole('button', { name: 'Remove assertion 2' }).click();
    await page.reload();
    await expectVisible(page.getByText('This is what you entered before.'));
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Stock');
    await save(page);
    await expectVisible(page.getByRole('heading', { level: 1, name: 'Stock' }));
    const [check] = (await ui().service.must('GET', '/v1/checks?search=Stock')) as unknown as {
      request: { assertions: object[] };
    }[];
    assert.deepEqual(check?.request.assertions, [
      { source: 'JSON_BODY', property: '$.stock.lamp', comparison: 'EQUALS', target: '8', regex: null },
    ]);
  });

  test('what was entered is forgotten when the person signs out', async () => {
    const page = await ui().open('/checks/new?type=API');
    await page.getByLabel('Name', { exact: true }).fill('With a password');
    const drafts = () => page.evaluate("Object.keys(sessionStorage).filter((key) => key.startsWith('draft '))");
    assert.equal(((await drafts()) as string[]).length, 1);
    await page.getByRole('button', { name: 'Profile and theme' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await expectVisible(page.getByRole('heading', { name: 'Sign in' }));
    assert.deepEqual(await drafts(), []);
  });

  test('a check of each type is tried, created and changed', async () => {
    const target = await startTarget(later, (_, response) => void response.end('open'));
    const { port } = await startTcpTarget(later, () => {});
    const page = await ui().open('/');
    for (const { type, label } of checkForms) {
      await page.goto(`/checks/new?type=${type}`);
      await page.getByLabel('Name', { exact: true }).first().fill(`My ${label}`);
      for (const [name, value] of fieldsOf(type, { url: target.url, port })) {
        await page.getByLabel(name, { exact: true }).last().fill(value);
      }
      // A heartbeat is not run by Tocsin.
      if (type !== 'HEARTBEAT') {
        await page.getByRole('button', { name: 'Run now' }).click();
        const verdict = page.getByRole('complementary', { name: 'Result' }).getByText(/^(Passed|Failed|Unknown)$/);
        await expectVisible(verdict.first(), 60_000);
      }
      await save(page);
      await expectVisible(page.getByRole('heading', { level: 1, name: `My ${label}` }));
      await page.getByRole('button', { name: 'Actions' }).click();
      await page.getByRole('menuitem', { name: 'Edit' }).click();
      await page.locator('summary', { hasText: 'Tags' }).click();
      await page.getByLabel('Tags').fill('shop, team:core');
      await page.getByRole('button', { name: 'Save changes' }).click();
      await expectVisible(page.getByRole('list', { name: 'Tags' }).getByText('team:core'));
    }
    const checks = (await ui().service.must('GET', '/v1/checks?tag=shop&limit=100')) as unknown as {
      checkType: string;
    }[];
    assert.deepEqual(
      checks.map(({ checkType }) => checkType).toSorted(),
      checkForms.map(({ type }) => type).toSorted(),
    );
  });

  test('a script shows its steps and output while it runs, and is stopped by a press or by leaving the page', async () => {
    const held: Promise<void>[] = [];
    const target = await startTarget(later, (_, response) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      response.once('close', resolve);
      held.push(promise);
    });
    const page = await ui().open('/checks/new?type=MULTI_STEP', { viewport: { width: 390, height: 844 } });
    await page.getByLabel('Name', { exact: true }).first().fill('Long');
    await page.locator('.cm-content[aria-label="Script"]').press('Control+a');
    await page.keyboard.insertText(`console.log('looking around');\nawait fetch('${target.url}/cart');\n`);
    // The connection is lost once.
    await page.route('**/v1/check-trials/*', (route) => route.abort(), { times: 1 });
    for (const leave of [
      () => page.getByRole('button', { name: 'Stop', exact: true }).click(),
      () => page.getByRole('link', { name: 'Another type' }).click(),
    ]) {
      await page.getByRole('button', { name: 'Run now' }).click();
      const result = page.getByRole('complementary', { name: 'Result' });
      await expectVisible(result.getByText('looking around'), 60_000);
      await expectVisible(result.getByText(`GET ${target.url}/cart`), 60_000);
      await leave();
      await held.at(-1);
    }
    assert.equal(held.length, 2);
  });

  test('a script is written in an editor that marks errors, offers examples and lets the keyboard leave', async () => {
    const page = await ui().open('/checks/new?type=MULTI_STEP');
    await page.getByLabel('Name', { exact: true }).first().fill('Steps');
    const script = page.locator('.cm-content[aria-label="Script"]');
    // Not `fill`, which Chromium does with inline styles, and those are not allowed.
    const write = async (text: string): Promise<void> => {
      await script.press('Control+a');
      await page.keyboard.insertText(text);
    };
    await write("import { test } from '@playwright/test';\n\nconst a = = 2;\n");
    const lines = page.locator('.cm-lineNumbers .cm-gutterElement');
    await expectVisible(lines.filter({ hasText: /^3$/ }));
    await save(page);
    await expectVisible(page.getByText('Expression expected (line 3, column 11)').first());
    await expectVisible(page.locator('.cm-lint-marker-error'));
    assert.equal(await page.locator('.cm-lintRange-error').textContent(), '=');
    await page.getByRole('button', { name: 'Examples' }).click();
    await page.getByRole('menuitem', { name: 'One request (whole script)' }).click();
    await expectVisible(script.getByText('shop.example/cart'));
    await write("throw new Error('no stock');\n");
    await page.getByRole('button', { name: 'Run now' }).click();
    await expectVisible(page.locator('.cm-lint-marker-error'), 60_000);
    assert.equal(await page.locator('.cm-lintRange-error').count(), 1);
    await write('const half = 1;\n');
    await script.press('Tab');
    assert.ok((await script.textContent())?.includes('  '), 'Tab indents what is typed');
    await script.press('Escape');
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate("document.activeElement.shadowRoot?.querySelector('.cm-content') ?? null"), null);
    await save(page);
    await expectVisible(page.getByRole('heading', { level: 1, name: 'Steps' }));
  });

  test('a copy keeps what is hidden, and a deletion says what goes with it', async () => {
    const { id } = await ui().service.must('POST', '/v1/checks/api', {
      name: 'Original',
      activated: false,
      request: {
        method: 'GET',
        url: 'http://127.0.0.1:1/',
        headers: [{ key: 'x-token', value: 'secret of the shop', locked: true }],
      },
    });
    const page = await ui().open(`/checks/${String(id)}`);
    await page.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('menuitem', { name: 'Duplicate' }).click();
    await expectVisible(page.getByRole('heading', { level: 1, name: 'New check' }));
    await page.getByLabel('Name', { exact: true }).first().fill('Copy');
    await save(page);
    await expectVisible(page.getByRole('heading', { level: 1, name: 'Copy' }));
    const tokens: unknown[] = [];
    const target = await startTarget(later, (request, response) => {
      tokens.push(request.headers['x-token']);
      response.end('open');
    });
    const [copy] = (await ui().service.must('GET', '/v1/checks?search=Copy')) as unknown as { id: string }[];
    await page.goto(`/checks/${String(copy?.id)}/edit`);
    await page.getByLabel('URL').fill(target.url);
    await page.getByRole('button', { name: 'Run now' }).click();
    await expectVisible(page.getByRole('complementary').getByText('Passed', { exact: true }), 30_000);
    assert.deepEqual(tokens, ['secret of the shop']);
    await page.goto(`/checks/${String(id)}`);
    await page.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await expectVisible(page.getByText('Its results, alerts and figures are deleted, too.'));
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await expectVisible(page.getByRole('heading', { level: 1, name: 'Checks' }));
    assert.equal((await ui().service.api('GET', `/v1/checks/${String(id)}`)).status, 404);
  });

  test('a person who may only read sees no control that would be refused', async (t) => {
    const { service, open } = await startWebUi(t, { TOCSIN_SMTP_URL: '', TOCSIN_MAIL_FROM: '' });
    const { id } = await service.must('POST', '/v1/checks/tcp', {
      name: 'Port',
      activated: false,
      request: { hostname: '127.0.0.1', port: 1 },
    });
    const reader = { email: 'reader@example.com', password: 'correct horse battery staple' };
    const { url } = await service.must('POST', '/v1/invites', { email: reader.email, role: 'read-only' });
    const token = String(url).split('#')[1];
    await service.must('POST', '/v1/invites/accept', { token, password: reader.password });
    const page = await open('/sign-in', { signedOut: true });
    await signIn(page, reader);
    await page.goto(`/checks/${String(id)}`);
    await expectVisible(page.getByRole('heading', { level: 1, name: 'Port' }));
    await expectHidden(page.getByRole('link', { name: 'New check' }));
    await page.getByRole('button', { name: 'Actions' }).click();
    await expectVisible(page.getByRole('menuitem', { name: 'Copy link' }));
    await expectHidden(page.getByRole('menuitem', { name: 'Edit' }));
  });
});
