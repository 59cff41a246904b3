// Notifications of Uptime Kuma that would not work as channels, by fields of its providers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDraft } from '../imported.ts';
import { addNotification } from './notification.ts';

const presets = ['WEBHOOK_NTFY', 'WEBHOOK_TELEGRAM'].map((webhookType) => ({ webhookType, config: {} }));

function imported(config: object) {
  const draft = createDraft('kuma');
  const ids = addNotification(draft, { id: 1, name: 'N', config: JSON.stringify(config) }, presets);
  return { ids, ...draft.finish() };
}

test('a login at ntfy and a Telegram server of its own are refused with the reason', () => {
  const ntfy = { type: 'ntfy', ntfyserverurl: 'https://ntfy.sh/', ntfytopic: 'ops' };
  const telegram = { type: 'telegram', telegramBotToken: '1:a', telegramChatID: '-5' };
  for (const [config, reason] of [
    [{ ...ntfy, ntfyAuthenticationMethod: 'none' }, null],
    [{ ...ntfy, ntfyAuthenticationMethod: 'accessToken', ntfyaccesstoken: 'tk_a' }, /ntfy\.sh without a login/],
    [{ ...ntfy, ntfyserverurl: 'https://ntfy.example' }, /ntfy\.sh without a login/],
    [{ ...telegram, telegramServerUrl: 'https://api.telegram.org' }, null],
    [{ ...telegram, telegramServerUrl: 'https://telegram.example' }, /only the API server of Telegram/],
  ] as const) {
    const { ids, rows } = imported(config);
    assert.equal(ids.length, reason === null ? 1 : 0, JSON.stringify(config));
    if (reason !== null) assert.match(rows[0]?.notes.join() ?? '', reason);
  }
});

test('an Opsgenie alert without a priority has P3, as in Uptime Kuma', () => {
  const { file } = imported({ type: 'Opsgenie', opsgenieApiKey: 'key' });
  assert.match(JSON.stringify(file.alertChannels), /"priority":"P3"/);
});
