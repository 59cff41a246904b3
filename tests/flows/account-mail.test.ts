// An account with its own sender sends mail from it, through the real service.
import assert from 'node:assert/strict';
import { test } from '../support/service/one-process.ts';
import { readMail } from '../support/receivers/read-mail.ts';
import { startSmtpServer } from '../support/receivers/smtp-server.ts';

test('mail of an account comes from its own sender, without a common mail server', async ({ t, startService }) => {
  const server = await startSmtpServer();
  t.after(() => server.close());
  const accountId = '0b9f6a52-6c1e-4c55-9f52-2f1f6a1d7a11';
  const own = { from: 'Shop <alerts@shop.example>', url: `smtp://localhost:${server.port}` };
  const service = await startService(t, {
    TOCSIN_BOOTSTRAP_ACCOUNT_ID: accountId,
    TOCSIN_ACCOUNT_MAIL: JSON.stringify({ [accountId]: own }),
  });
  const config = { address: 'ops@example.org' };
  const { id } = await service.must('POST', '/v1/alert-channels', { type: 'EMAIL', config });
  await service.must('POST', `/v1/alert-channels/${String(id)}/test`, {});
  const { headers } = readMail(server.mails[0]?.raw ?? assert.fail('no mail arrived'));
  assert.equal(headers['from'], own.from);
  assert.match(headers['message-id'] ?? '', /@shop\.example>$/);
});
