// Alerting of Gatus that would not work as a channel, by settings of its providers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importGatus } from './import-gatus.ts';

const presets = ['WEBHOOK_NTFY', 'WEBHOOK_TELEGRAM'].map((webhookType) => ({ webhookType, config: {} }));

test('a token of ntfy and an API server of Telegram are refused with the reason', () => {
  for (const [type, settings, reason] of [
    ['ntfy', 'topic: ops', null],
    ['ntfy', 'topic: ops, token: tk_a', /ntfy\.sh without a token/],
    ['telegram', "token: '1:a', id: '-5'", null],
    ['telegram', "token: '1:a', id: '-5', api-url: 'https://telegram.example'", /only the API server of Telegram/],
    ['googlechat', 'webhook-url: x', /no channel of this kind/],
  ] as const) {
    const text = `alerting: { ${type}: { ${settings} } }
endpoints:
  - { name: a, url: 'https://shop.example', conditions: ['[STATUS] == 200'], alerts: [{ type: ${type} }] }
`;
    const { file, rows } = importGatus(text, presets);
    assert.equal(Object.keys(file.alertChannels ?? {}).length, reason === null ? 1 : 0, settings);
    const notes = rows.find(({ kind }) => kind === 'alerting')?.notes.join() ?? '';
    if (reason !== null) assert.match(notes, reason);
  }
});
