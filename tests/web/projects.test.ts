// Records that a project manages say so, also before they are edited, and every record can be copied as YAML.
import { describe, test } from 'node:test';
import { expectVisible } from './expect.ts';
import { shareWebUi } from './web-ui.ts';

describe('projects', () => {
  const { ui } = shareWebUi();

  test('a managed check names its project, warns in its form, and is copied as YAML', async () => {
    const { service, open } = ui();
    const payload = {
      checkType: 'URL',
      name: 'Home page',
      frequency: 5,
      activated: false,
      request: { url: 'https://shop.example/' },
    };
    await service.must('POST', '/v1/variables', { key: 'SHOP_TOKEN', value: 'hush', secret: true });
    const resources = [{ type: 'check', logicalId: 'home', payload }];
    const { id } = await service.must('POST', '/v1/projects/shop/deployments', { resources });
    await service.must('GET', `/v1/projects/shop/deployments/${String(id)}/completion`);
    const [check] = (await service.must('GET', '/v1/checks')) as unknown as { readonly id: string }[];

    const page = await open(`/checks/${check?.id}`, { viewport: { width: 390, height: 844 } });
    await expectVisible(page.getByText('Managed by resource files: project shop, home.'));
    await page.getByRole('button', { name: 'Copy as YAML' }).click();
    const yaml = page.getByRole('dialog').getByRole('region', { name: 'Copy as YAML' });
    await expectVisible(yaml.getByText(/^checks:\n {2}home:\n {4}checkType: URL\n {4}name: Home page\n/));
    await page.getByRole('button', { name: 'Close' }).click();
    await page.goto(`/checks/${check?.id}/edit`);
    await expectVisible(page.getByRole('note').filter({ hasText: 'The next deployment replaces what you save here.' }));

    await page.goto('/settings/variables');
    await page.getByRole('button', { name: 'Where used: SHOP_TOKEN' }).click();
    await page.getByRole('button', { name: 'Copy as YAML' }).click();
    await expectVisible(page.getByText(/\$\{env:SHOP_TOKEN\}/));
  });

  test('a managed status page and its service warn in their forms, and are copied as YAML with a variable for the password', async () => {
    const { service, open } = ui();
    const resources = [
      { type: 'status-service', logicalId: 'shop', payload: { name: 'Shop', tags: ['shop'] } },
      {
        type: 'status-page',
        logicalId: 'main',
        payload: {
          name: 'Example status',
          url: 'managed',
          visibility: 'PASSWORD',
          password: 'hush-hush',
          cards: [{ name: 'Online', services: [{ ref: 'shop' }] }],
        },
      },
    ];
    const { id } = await service.must('POST', '/v1/projects/pages/deployments', { resources });
    const { diff } = await service.must('GET', `/v1/projects/pages/deployments/${String(id)}/completion`);
    const [shop = '', main = ''] = (diff as { physicalId: string }[]).map(({ physicalId }) => physicalId);
    const page = await open(`/status-pages/${main}`, { viewport: { width: 390, height: 844 } });
    await expectVisible(page.getByRole('note').filter({ hasText: 'project pages, main.' }));
    await page.getByRole('button', { name: 'Copy as YAML' }).click();
    const yaml = page.getByRole('dialog').getByRole('region', { name: 'Copy as YAML' });
    await expectVisible(yaml.getByText(/^statusPages:\n {2}main:\n {4}name: Example status\n/));
    await expectVisible(yaml.getByText(/password: "\$\{env:MAIN_PASSWORD\}"/));
    await page.goto(`/status-pages/services/${shop}`);
    await expectVisible(page.getByRole('note').filter({ hasText: 'project pages, shop.' }));
    await page.getByRole('button', { name: 'Copy as YAML' }).click();
    await expectVisible(yaml.getByText(/^statusServices:\n {2}shop:\n {4}name: Shop\n {4}tags: \[shop\]\n/));
  });
});
