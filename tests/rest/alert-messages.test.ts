// What a preview shows to whom: locked values to nobody, and to a key that may not write not even by what a template makes of them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Composed, startComposed } from '../support/service/composed.ts';
import { send } from './operation-calls.ts';

const locked = 'hunter2-Locked/Value';
const long = `start-of-it-${'x'.repeat(400)}`;

const groups = {
  Shop: [
    { key: 'FLOOR', value: 'hunter2 of the group' },
    { key: 'OPEN', value: 'hunter2', secret: true },
  ],
  Office: [{ key: 'GROUP_SECRET', value: 'never-shown', secret: true }],
};

let on: Composed;
let reader = '';
const cleanups: (() => void | Promise<void>)[] = [];

before(async () => {
  on = await startComposed(
    { after: (work) => void cleanups.push(work) },
    {
      TOCSIN_ROLES: 'api',
      // Never sent to.
      TOCSIN_SMTP_URL: 'smtp://localhost:9',
      TOCSIN_MAIL_FROM: 'alerts@example.com',
      TOCSIN_SMS_URL: 'http://localhost:9/',
      TOCSIN_SMS_TEMPLATE: 'To={{NUMBER}}&Body={{TEXT}}',
    },
  );
  reader = (await must('/v1/api-keys', { name: 'reader', role: 'read-only' }))['key'] as string;
  await must('/v1/variables', { key: 'LOCKED', value: locked, locked: true });
  await must('/v1/variables', { key: 'LONG', value: long, locked: true });
  await must('/v1/variables', { key: 'SECRET', value: 'never-shown', secret: true });
  await must('/v1/variables', { key: 'OPEN', value: 'open' });
  for (const [name, environmentVariables] of Object.entries(groups)) {
    await must('/v2/check-groups', { name, environmentVariables });
  }
});
after(async () => {
  for (const work of cleanups) await work();
});

function ask(path: string, body: object, key = on.apiKey) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return send(on.port, { method: 'POST', path, headers, body: JSON.stringify(body) });
}

async function must(path: string, body: object): Promise<Record<string, unknown>> {
  const made = await ask(path, body);
  assert.equal(made.status, 201, made.text);
  return JSON.parse(made.text) as Record<string, unknown>;
}

interface Shown {
  readonly view:
    | { readonly kind: 'mail'; readonly subject: string; readonly html: string }
    | { readonly kind: 'text'; readonly text: string; readonly note: string }
    | null;
  readonly request: { readonly url: string; readonly body: string } | null;
  readonly warnings: readonly { readonly path: string; readonly message: string }[];
  readonly errors: readonly { readonly path: string; readonly line: number; readonly message: string }[];
}

async function preview(config: object, key: string, more: object = {}): Promise<Shown> {
  const { status, text } = await ask('/v1/alert-channels/preview', { config, ...more }, key);
  assert.equal(status, 200, text);
  assert.ok(!text.includes('hunter2') && !text.includes('start-of-it') && !text.includes('never-shown'), text);
  return JSON.parse(text) as Shown;
}

const url = 'https://receiver.example/';

test('what a preview says of a URL or a time does not show a locked value, to no key', async () => {
  for (const key of [reader, on.apiKey]) {
    const bad = await preview({ url: '{{{LOCKED}}}x' }, key);
    assert.deepEqual(
      bad.errors.map(({ path, message }) => [path, message]),
      [['config.url', '"********x" is not an http or https URL']],
    );
    const [time] = (await preview({ url, template: "at\n{{moment LOCKED 'X'}}" }, key)).errors;
    assert.deepEqual([time?.path, time?.line], ['config.template', 2]);
  }
});

test('a locked value that is longer than what a sentence quotes shows no piece of it', async () => {
  for (const key of [reader, on.apiKey]) {
    const [fault] = (await preview({ url: '{{{LONG}}}x' }, key)).errors;
    assert.match(fault?.message ?? '', / is not an http or https URL/);
    for (const template of ["{{moment LONG 'X'}}", '{{moment LONG}}', "{{moment 'now' LONG}}"]) {
      await preview({ url, template }, key);
    }
  }
});

test('a key that may not write learns nothing of a locked value by asking about it', async () => {
  const template =
    "{{#startsWith 'hunter' LOCKED}}yes{{else}}no{{/startsWith}} {{#contains LOCKED '2'}}yes{{else}}no{{/contains}} {{#eq LOCKED '********'}}masked{{/eq}}";
  assert.equal((await preview({ url, template }, reader)).request?.body, 'no no masked');
  assert.equal((await preview({ url, template }, on.apiKey)).request?.body, 'yes yes ');
});

test('a key that may not write does not learn a value by writing guesses and seeing which one is hidden', async () => {
  const template = `OPEN hunter1-Locked/Value ${locked.replace('hunter2', '{{OPEN}}')}`;
  assert.equal((await preview({ url, template }, reader)).request?.body, 'OPEN hunter1-Locked/Value open-Locked/Value');
  const guess = { config: { url, template: `${locked} never-shown` } };
  const { text } = await ask('/v1/alert-channels/preview', guess, reader);
  assert.equal((JSON.parse(text) as Shown).request?.body, `${locked} never-shown`);
});

test('what a caller lays over a locked variable itself is used', async () => {
  const shown = await preview({ url, template: '{{LOCKED}} {{OPEN}}' }, reader, { variables: { LOCKED: 'mine' } });
  assert.equal(shown.request?.body, 'mine open');
});

test('a test message that cannot be rendered does not say a locked value', async () => {
  const { id } = await must('/v1/alert-channels', { type: 'WEBHOOK', config: { url: '{{{LOCKED}}}' } });
  const { status, text } = await ask(`/v1/alert-channels/${String(id)}/test`, {});
  assert.equal(status, 400, text);
  assert.match(text, /\\"\*{8}\\" is not an http or https URL/);
  assert.ok(!text.includes('hunter2'), text);
});

test('a preview of more templates than a channel may hold names the first field that is too much, and renders nothing', async () => {
  const headers = Array.from({ length: 200 }, (_, index) => ({ key: `x-${index}`, value: '{{OPEN}}{{OPEN}}{{OPEN}}' }));
  const { request, errors } = await preview({ url, template: 'x', headers }, reader);
  assert.equal(request, null);
  assert.deepEqual(
    errors.map(({ path }) => path),
    ['config.headers[166].value'],
  );
  assert.match(
    errors[0]?.message ?? '',
    /^URL, body, headers and query parameters together have more than 500 expressions and blocks: /,
  );
});

test('a variable of any group of the account is known to a preview, without its value', async () => {
  const { request, warnings } = await preview({ url, template: 'on {{FLOOR}} {{FLOR}} {{OPEN}}' }, reader);
  assert.equal(request?.body, 'on   open');
  assert.deepEqual(
    warnings.map(({ message }) => message),
    ['FLOR is not defined and renders as empty text. Did you mean FLOOR?'],
  );
});

test('a secret of a group is warned of in a preview as one of the account is', async () => {
  const { warnings } = await preview({ url, template: '{{GROUP_SECRET}} {{SECRET}}' }, reader);
  assert.match(warnings[0]?.message ?? '', /^GROUP_SECRET is a secret/);
  assert.match(warnings[1]?.message ?? '', /^SECRET is a secret/);
});

test('a channel is created from every preset as it is returned', async () => {
  const { text } = await send(on.port, {
    method: 'GET',
    path: '/v1/alert-channels/presets',
    headers: { authorization: `Bearer ${on.apiKey}` },
    body: '',
  });
  const presets = JSON.parse(text) as { readonly config: object }[];
  assert.ok(presets.length >= 24);
  for (const preset of presets) {
    const { config } = await must('/v1/alert-channels', preset);
    const { webhookSecret: _, previousSecretUntil: __, ...kept } = config as Record<string, unknown>;
    assert.deepEqual(kept, preset.config);
  }
});

test('a preview with another CHECK_NAME has it in ALERT_TITLE too', async () => {
  const { request } = await preview({ url, template: '{{ALERT_TITLE}}' }, reader, {
    variables: { CHECK_NAME: 'Till' },
  });
  assert.match(request?.body ?? '', /Till/);
  const variables = { CHECK_NAME: 'Till', ALERT_TITLE: 'Mine' };
  assert.equal((await preview({ url, template: '{{ALERT_TITLE}}' }, reader, { variables })).request?.body, 'Mine');
});

test('a preview shows a mail as it will look, without locked values whatever the template makes of them', async () => {
  for (const key of [reader, on.apiKey]) {
    const config = {
      address: 'ops@example.com',
      subject: 'On {{CHECK_NAME}}',
      body: '<b>{{uppercase LOCKED}} {{LOCKED}}',
    };
    const { view, request } = await preview(config, key, { type: 'EMAIL' });
    assert.ok(view?.kind === 'mail');
    assert.equal(view.subject, 'On Cart of the shop');
    assert.match(view.html, /&lt;b&gt;\*{8} \*{8}/);
    assert.match(request?.body ?? '', /^Not shown/);
    const usual = await preview({ address: 'ops@example.com' }, key, { type: 'EMAIL', alertType: 'ALERT_RECOVERY' });
    assert.match(usual.view?.kind === 'mail' ? usual.view.html : '', /Cart of the shop.* has recovered/);
  }
  const bad = await preview({ address: 'ops@example.com', body: '{{#if' }, reader, { type: 'EMAIL' });
  assert.deepEqual([bad.view, bad.errors[0]?.path], [null, 'config.body']);
});

test('a preview shows the text of an SMS message with its number of messages, and that of a Slack message', async () => {
  const sms = await preview({ number: '+15551234567' }, reader, { type: 'SMS', variables: { CHECK_NAME: 'Каша' } });
  assert.ok(sms.view?.kind === 'text');
  assert.equal(sms.view.text, sms.request?.body);
  assert.match(sms.view.note, /^\d+ characters: \d SMS messages, because of characters outside the GSM alphabet\.$/);
  const slack = await preview({ url: 'https://hooks.slack.com/services/T/B/X' }, reader, {
    type: 'SLACK',
    variables: { CHECK_NAME: 'A & <b> *c*' },
  });
  const shown = slack.view?.kind === 'text' ? slack.view.text : '';
  assert.match(shown, /A & <b> \*c\* has failed\n\nexpected a status below 400/);
  assert.match(shown, /Status: 503 Service Unavailable\n/);
  assert.match(shown, /\[View result\] \[Acknowledge\]/);
  assert.equal((await preview({ url }, reader)).view, null);
});

test('everything that templates can use is listed with an example, without secrets and locked values', async () => {
  for (const key of [reader, on.apiKey]) {
    const headers = { authorization: `Bearer ${key}` };
    const { text } = await send(on.port, {
      method: 'GET',
      path: '/v1/alert-channels/template-names',
      headers,
      body: '',
    });
    const { variables, helpers } = JSON.parse(text) as {
      readonly variables: readonly {
        readonly name: string;
        readonly about: string | null;
        readonly example: string | null;
      }[];
      readonly helpers: readonly { readonly name: string; readonly use: string }[];
    };
    const find = (name: string) => variables.find((each) => each.name === name);
    assert.deepEqual(find('CHECK_NAME'), {
      name: 'CHECK_NAME',
      about: 'Name of the check',
      example: 'Cart of the shop',
    });
    assert.deepEqual([find('TAGS')?.example, find('SSL_DAYS_REMAINING')?.example], ['shop,env:production', '7']);
    assert.deepEqual(find('OPEN'), undefined, 'is a secret of a group');
    assert.deepEqual(find('FLOOR'), { name: 'FLOOR', about: null, example: null });
    assert.equal(find('SECRET'), undefined);
    const shown = key === reader ? '********' : locked;
    assert.equal(find('LOCKED')?.example, shown);
    assert.equal(find('LONG')?.example?.length, key === reader ? 8 : 100);
    assert.deepEqual(
      ['if', 'eq', 'json'].map((name) => helpers.find((each) => each.name === name)?.use),
      ['block', 'comparison', 'value'],
    );
  }
});
