// Status pages are made, published and kept up to date in the web UI, without a word about the API.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { breaches } from './accessibility.ts';
import { expectHidden, expectVisible } from './expect.ts';
import { shareWebUi } from './web-ui.ts';

const phone = { viewport: { width: 390, height: 844 } };

const press = (page: Page, name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();

const fill = (page: Page, label: string, text: string): Promise<void> =>
  page.getByLabel(label, { exact: true }).fill(text);

async function choose(page: Page, label: string, option: string): Promise<void> {
  const field = page.getByRole('combobox', { name: label });
  await field.click();
  await field.fill(option);
  // Opens the list again, which closes if its data arrives meanwhile.
  await field.press('ArrowDown');
  await page.getByRole('option', { name: option }).click();
}

describe('status pages', () => {
  const { ui } = shareWebUi({ TOCSIN_ROLES: 'api' });
  const first = async (path: string): Promise<Record<string, unknown>> => {
    const { entries } = (await ui().service.must('GET', path)) as unknown as { entries: Record<string, unknown>[] };
    return entries[0] ?? assert.fail(`${path} lists nothing`);
  };

  test('a person makes a service and a page, orders its services, publishes it, and tells customers of an incident until it is resolved', async () => {
    const { service, open } = ui();
    await service.must('POST', '/v2/check-groups', { name: 'Search' });
    await service.must('POST', '/v1/checks/url', { name: 'Sign-in', request: { url: 'https://shop.example/' } });
    const page = await open('/status-pages', phone);
    await expectVisible(page.getByText('There is no status page yet.'));

    await page.getByRole('link', { name: 'Services' }).click();
    await page.getByRole('link', { name: 'New service' }).click();
    await fill(page, 'Name', 'Checkout');
    await expectVisible(page.getByText('Nothing is chosen yet: only incidents tell its state.'));
    await fill(page, 'Tags', 'shop, pay');
    await expectHidden(page.getByText('Nothing is chosen yet: only incidents tell its state.'));
    await page.getByRole('button', { name: /An outage opens/ }).click();
    await page.getByRole('option', { name: 'An incident that is published by itself' }).click();
    await fill(page, 'Publish after', '5');
    await press(page, 'Create service');
    await expectVisible(page.getByText('2 tags'));
    const madeService = await first('/v1/status-pages/services');
    assert.deepEqual(madeService['tags'], ['shop', 'pay']);
    assert.deepEqual(madeService['incidents'], {
      mode: 'PUBLISH',
      afterMinutes: 5,
      severity: 'MAJOR',
      name: null,
      description: null,
      resolution: null,
      notifySubscribers: true,
    });

    await page.getByRole('link', { name: 'Pages' }).click();
    await page.getByRole('link', { name: 'New status page' }).click();
    await fill(page, 'Name', 'Example status');
    assert.equal(await page.getByLabel('Address', { exact: true }).inputValue(), 'example-status');
    await fill(page, 'Heading 1', 'Shop');
    await choose(page, 'Add a service', 'Checkout');
    await choose(page, 'Add a service', 'Check group Search');
    await expectVisible(page.getByRole('button', { name: 'Remove Search', exact: true }));
    await choose(page, 'Add a service', 'Check Sign-in');
    await expectVisible(page.getByRole('button', { name: 'Remove Sign-in', exact: true }));
    await expectVisible(page.getByRole('button', { name: 'Move Search up' }));
    await page.getByRole('button', { name: 'Move Search up' }).focus();
    await page.keyboard.press('Enter');
    await expectVisible(page.locator('button:focus[aria-label="Move Search down"]'));
    await fill(page, 'Colour on light background', '#aaaaaa');
    await expectVisible(page.getByText('too low, at least 4.5 is needed.'));
    await fill(page, 'Colour on light background', '#0a7d33');
    await expectVisible(page.getByText('Contrast 5.2: readable.'));
    await press(page, 'Create page');
    await expectVisible(page.getByRole('heading', { level: 1, name: 'Example status' }));
    await expectVisible(page.getByRole('main').getByText('Draft', { exact: true }));
    const made = await first('/v1/status-pages');
    assert.equal(made['isPublished'], false);
    const [card] = made['cards'] as { services: { name: string }[] }[];
    assert.deepEqual(
      card?.services.map(({ name }) => name),
      ['Search', 'Checkout', 'Sign-in'],
    );
    assert.equal(await page.getByRole('link', { name: 'Open page' }).getAttribute('href'), made['pageUrl']);

    await page.getByRole('checkbox', { name: 'Published' }).click({ force: true });
    await press(page, 'Save changes');
    await expectVisible(page.getByText('Saved Example status'));
    assert.equal((await first('/v1/status-pages'))['isPublished'], true);

    await page.goto('/status-pages/incidents/new');
    await fill(page, 'Name', 'Payments fail');
    await expectVisible(page.getByText('Without services, it is shown on all pages: Example status'));
    await choose(page, 'Affected services', 'Checkout');
    await expectVisible(page.getByRole('link', { name: 'Example status' }));
    await fill(page, 'Text', 'We are looking into it.');
    await page.getByRole('checkbox', { name: 'Draft' }).click({ force: true });
    await press(page, 'Save as draft');
    await expectVisible(page.getByRole('heading', { level: 1, name: 'Payments fail' }));

    await page.goto('/status-pages/incidents');
    await press(page, 'Publish Payments fail');
    await expectVisible(
      page.getByText('No notifications will be sent: its pages have no subscribers and no channels.'),
    );
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
    await expectVisible(page.getByText('Published Payments fail'));
    assert.equal((await first('/v1/status-pages/incidents'))['isDraft'], false);

    await page.getByRole('link', { name: 'Payments fail' }).click();
    await page.getByRole('button', { name: 'Status' }).click();
    await page.getByRole('option', { name: 'Resolved' }).click();
    await fill(page, 'Text', 'Payments work again.');
    await press(page, 'Add update');
    await expectVisible(page.getByRole('paragraph').filter({ hasText: 'Payments work again.' }));
    await fill(page, 'What happened', 'A certificate had expired.');
    await press(page, 'Save postmortem');
    await expectVisible(page.getByText('Saved Postmortem'));
    const incident = await first('/v1/status-pages/incidents');
    assert.equal(incident['lastUpdateStatus'], 'RESOLVED');
    assert.equal(incident['postmortem'], 'A certificate had expired.');
    assert.notEqual(incident['resolvedAt'], null);
  });

  test('a page asks for the password of its visitors, and says beside the field what is wrong', async () => {
    const { service, open } = ui();
    const { id } = await service.must('POST', '/v1/status-pages', { name: 'Partners', url: 'partners' });
    const page = await open(`/status-pages/${String(id)}`);
    await page.getByRole('button', { name: 'Visible to' }).click();
    await page.getByRole('option', { name: 'Everyone who knows the password' }).click();
    await fill(page, 'Own host name', 'not a host');
    await fill(page, 'Password', 'open sesame');
    await press(page, 'Save changes');
    await expectVisible(page.getByText('must be a host name, such as status.example.com').first());
    await fill(page, 'Own host name', '');
    await press(page, 'Save changes');
    await expectVisible(page.getByText('Saved Partners'));
    await expectVisible(page.getByLabel('New password', { exact: true }));
    const { visibility, hasPassword } = await service.must('GET', `/v1/status-pages/${String(id)}`);
    assert.deepEqual([visibility, hasPassword], ['PASSWORD', true]);
  });

  test('a page is seen as visitors will see it while it is edited, as wide as a desktop and a phone', async () => {
    const { service, open } = ui();
    const { id } = await service.must('POST', '/v1/status-pages/services', { name: 'Search box' });
    const made = await service.must('POST', '/v1/status-pages', {
      name: 'Wide',
      url: 'wide',
      cards: [{ name: 'Shop', services: [id] }],
    });
    const path = `/status-pages/${String(made['id'])}`;
    const page = await open(path, { viewport: { width: 1440, height: 900 } });
    const preview = page.frameLocator('iframe[title="Preview"]');
    await expectVisible(preview.getByRole('heading', { name: 'All systems are operational' }));
    await expectVisible(preview.getByText('Search box'));
    const width = (): Promise<number> => preview.locator('body').evaluate((body) => body.clientWidth);
    assert.equal(await width(), 1100);
    await fill(page, 'Name', 'Renamed <b>');
    await fill(page, 'Heading 1', 'Storefront');
    await fill(page, 'Colour on light background', '#0a7d33');
    await expectVisible(preview.getByRole('heading', { name: 'Storefront' }));
    await expectVisible(preview.getByText('Renamed <b>'));
    const { name } = await service.must('GET', `/v1${path}`);
    assert.equal(name, 'Wide', 'nothing is saved');
    await press(page, 'Phone');
    assert.equal(await width(), 390);
    await fill(page, 'Colour on light background', '#0a7');
    await expectVisible(page.getByText('A field is not valid yet.'));
    await expectVisible(preview.getByText('Renamed <b>'));
    assert.deepEqual(await breaches(page), []);

    const small = await open('/status-pages/new', phone);
    await press(small, 'Show preview');
    await expectVisible(small.frameLocator('iframe[title="Preview"]').getByText('Example status'));
  });

  test('incidents begin with texts in the language of their page or of an earlier incident, and the postmortem is shown as visitors see it', async () => {
    const { service, open } = ui();
    const { id } = await service.must('POST', '/v1/status-pages/services', { name: 'Kasse' });
    const cards = [{ name: 'Laden', services: [id] }];
    await service.must('POST', '/v1/status-pages', { name: 'Laden', url: 'laden', language: 'de', cards });
    const page = await open('/status-pages/incidents/new');
    const pick = async (menu: string, item: string): Promise<void> => {
      await press(page, menu);
      await page.getByRole('menuitem', { name: item }).click();
    };
    await choose(page, 'Affected services', 'Kasse');
    await pick('Start from a template', 'Langsame Antworten: Kasse');
    await press(page, 'Create incident');
    await expectVisible(page.getByRole('heading', { level: 1, name: 'Langsame Antworten: Kasse' }));
    await page.getByRole('button', { name: 'Status' }).click();
    await page.getByRole('option', { name: 'Resolved' }).click();
    await pick('Insert a text', 'Das Problem ist behoben. Alle Funktionen stehen wieder zur Verfügung.');
    await press(page, 'Add update');
    await expectVisible(page.getByText('Added an update'));
    const incident = await first('/v1/status-pages/incidents');
    assert.deepEqual([incident['severity'], incident['lastUpdateStatus']], ['MINOR', 'RESOLVED']);
    await fill(page, 'What happened', 'The **cache** was full <b>\n\n- [more](javascript:alert)');
    const preview = page.getByRole('group', { name: 'Preview' });
    assert.equal(await preview.locator('strong').textContent(), 'cache');
    assert.equal(await preview.locator('b, a').count(), 0);

    await page.goto('/status-pages/incidents/new');
    await pick('Start from a template', 'As before: Langsame Antworten: Kasse');
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Langsame Antworten: Kasse');
    await expectVisible(page.getByRole('button', { name: 'Remove Kasse' }));
  });

  test('a page notifies channels, has badges and a frame to copy, and an update can notify nobody', async () => {
    const { service, open } = ui();
    const config = { name: 'Status room', url: 'https://example.com/hook' };
    const channel = await service.must('POST', '/v1/alert-channels', { type: 'WEBHOOK', config });
    const { id: serviceId } = await service.must('POST', '/v1/status-pages/services', { name: 'Cart', tags: ['cart'] });
    const cards = [{ name: 'Shop', services: [serviceId] }];
    const made = await service.must('POST', '/v1/status-pages', { name: 'Badge <page>', url: 'badges', cards });
    const page = await open(`/status-pages/${String(made['id'])}`);
    await page.getByRole('checkbox', { name: 'Status room' }).click({ force: true });
    await press(page, 'Save changes');
    await expectVisible(page.getByText('Saved Badge <page>'));
    const stored = await service.must('GET', `/v1/status-pages/${String(made['id'])}`);
    assert.deepEqual(stored['alertChannelIds'], [channel['id']]);

    await press(page, 'Badges');
    const dialog = page.getByRole('dialog');
    await expectVisible(dialog.getByText(`${String(made['pageUrl'])}badge.svg`, { exact: true }));
    await expectVisible(dialog.getByText(/<iframe src=".*embed\.html" title="Badge &lt;page&gt;"/));
    await dialog.getByRole('button', { name: /Badge of/ }).click();
    await page.getByRole('option', { name: 'Cart' }).click();
    await dialog.getByRole('button', { name: /It shows/ }).click();
    await page.getByRole('option', { name: 'Uptime' }).click();
    await expectVisible(
      dialog.getByText(`${String(made['pageUrl'])}services/${String(serviceId)}/uptime.svg`, { exact: true }),
    );
    await dialog.getByRole('button', { name: 'Close', exact: true }).click();

    const subscriptions = [{ type: 'EMAIL', address: 'reader@example.com' }];
    const pagePath = `/v1/status-pages/${String(made['id'])}`;
    await service.must('POST', `${pagePath}/subscriptions/bulk`, { subscriptions, autoVerify: true });
    assert.equal((await service.must('GET', pagePath))['subscribers'], 1);
    const incidentUpdates = [{ status: 'INVESTIGATING', description: 'Slow.' }];
    const draft = { name: 'Slow cart', services: [serviceId], isDraft: true, incidentUpdates };
    await service.must('POST', '/v1/status-pages/incidents', draft);
    await page.goto('/status-pages/incidents');
    await press(page, 'Publish Slow cart');
    await expectVisible(page.getByText('Up to 1 subscriber and 1 channel are notified a minute later.'));
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();

    const incident = { name: 'Quiet', incidentUpdates: [{ status: 'INVESTIGATING', description: 'Nothing yet.' }] };
    const { id } = await service.must('POST', '/v1/status-pages/incidents', incident);
    await page.goto(`/status-pages/incidents/${String(id)}`);
    await fill(page, 'Text', 'Found it.');
    await page.getByRole('checkbox', { name: 'Notify subscribers and channels' }).click({ force: true });
    await press(page, 'Add update');
    await expectVisible(page.getByText('Added an update'));
    const changed = await service.must('GET', `/v1/status-pages/incidents/${String(id)}`);
    const updates = changed['incidentUpdates'] as { notifySubscribers: boolean }[];
    assert.deepEqual(
      updates.map((each) => each.notifySubscribers),
      [true, false],
    );
  });

  test('subscribers of a page are added, found, removed and downloaded', async () => {
    const { service, open } = ui();
    const { id } = await service.must('POST', '/v1/status-pages', { name: 'Readers', url: 'readers' });
    const page = await open(`/status-pages/${String(id)}`);
    await page.getByRole('link', { name: 'Subscribers' }).click();
    await expectVisible(page.getByText('Nobody has subscribed yet.'));
    await press(page, 'Add subscribers');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Email addresses').fill('one@example.com, two@example.com\nnot an address');
    await dialog.getByRole('checkbox', { name: 'They have agreed to receive emails' }).click({ force: true });
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await expectVisible(dialog.getByText(/must be an email address/).first());
    await dialog.getByLabel('Email addresses').fill('one@example.com, two@example.com');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await expectVisible(page.getByText('Added 2'));
    await expectVisible(page.getByRole('row', { name: /two@example.com/ }).getByText('Confirmed'));
    assert.deepEqual(await breaches(page), []);
    const [download] = await Promise.all([page.waitForEvent('download'), press(page, 'Download CSV')]);
    assert.equal(download.suggestedFilename(), 'tocsin-subscribers.csv');
    await page.getByLabel('Search addresses').fill('one');
    await expectHidden(page.getByText('two@example.com'));
    await press(page, 'Remove one@example.com');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await expectVisible(page.getByText('No subscriber has this address.'));
    const { entries } = await service.must('GET', `/v1/status-pages/${String(id)}/subscriptions`);
    assert.deepEqual(
      (entries as { address: string }[]).map(({ address }) => address),
      ['two@example.com'],
    );
  });

  test('texts of a page are replaced, and words that nothing fills in are reported beside the text', async () => {
    const { service, open } = ui();
    const { id } = await service.must('POST', '/v1/status-pages', { name: 'Words', url: 'words' });
    const page = await open(`/status-pages/${String(id)}`, { viewport: { width: 1440, height: 900 } });
    const preview = page.frameLocator('iframe[title="Preview"]');
    await page.getByText('Texts', { exact: true }).click();
    await choose(page, 'Replace a text', 'Past incidents');
    await fill(page, 'Past incidents', 'What went wrong');
    await expectVisible(preview.getByRole('heading', { name: 'What went wrong' }));
    await choose(page, 'Replace a text', 'No services are shown here yet.');
    await fill(page, 'No services are shown here yet.', 'Nothing at {time}');
    await expectVisible(page.getByText('{time} cannot be filled in here.'));
    await press(page, 'Use the default again: No services are shown here yet.');
    await press(page, 'Save changes');
    await expectVisible(page.getByText('Saved Words'));
    const { texts } = await service.must('GET', `/v1/status-pages/${String(id)}`);
    assert.deepEqual(texts, { 'incidents.recent': 'What went wrong' });
  });

  test('a service that a page shows is not deleted, and an incident is', async () => {
    const { service, open } = ui();
    const { id } = await service.must('POST', '/v1/status-pages/services', { name: 'Mail' });
    await service.must('POST', '/v1/status-pages', {
      name: 'Mail',
      url: 'mail',
      cards: [{ name: 'Mail', services: [id] }],
    });
    const page = await open(`/status-pages/services/${String(id)}`);
    await press(page, 'Delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await expectVisible(page.getByRole('dialog').getByRole('alert'));
    await service.must('GET', `/v1/status-pages/services/${String(id)}`);

    const incidentUpdates = [{ status: 'INVESTIGATING', description: 'Mail is late.' }];
    const { id: incident } = await service.must('POST', '/v1/status-pages/incidents', {
      name: 'Late',
      incidentUpdates,
    });
    await page.goto(`/status-pages/incidents/${String(incident)}`);
    await expectVisible(page.getByText('Without services, it is shown on all pages: '));
    await press(page, 'Delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await expectVisible(page.getByText('Deleted Late'));
  });
});
