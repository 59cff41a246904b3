// What an operation writes to an audited table is recorded: by the helpers of rows.ts, or by a call of the recorder.
import assert from 'node:assert/strict';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { auditRuleOf } from '#store/base/tables/audit-rules.ts';
import type { Tables } from '#store/base/tables/schema.ts';
import { readSources } from './support/laws/source-files.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Statements that need no entry, by file and table. */
const unrecorded: Readonly<Record<string, string>> = {
  'accounts/api-keys.ts api_keys': 'the deletion from its account is recorded',
  'accounts/invites.ts invites': 'expired ones, and one that another replaces',
  'accounts/setup-links.ts setup_links': 'expired and used ones',
  'channels/active-hours.ts deliveries': 'steps of sending',
  'channels/failing-channels.ts alert_channels': 'what deliveries found',
  'channels/requested-delay.ts alert_channels': 'what a receiver requested',
  'channels/requested-delay.ts deliveries': 'follows from the change of the channel',
  'checks/start-trigger.ts accounts': 'a lock',
  'status-pages/status-pages.ts status_subscribers': 'the deletion of their page is recorded',
};

const writes = /\.(?:updateTable|insertInto|deleteFrom)\(\s*'(\w+)'/g;

test('every write to an audited table outside of rows.ts is recorded, or has a reason', () => {
  const found = new Set<string>();
  for (const { path, code } of readSources(root, ['src/store'])) {
    // Monitoring itself is not audited, and `copy/` makes databases that nobody uses yet.
    if (/\.test\.ts$|^src\/store\/(path|copy|base)\//.test(path)) continue;
    for (const [, table = ''] of code.matchAll(writes)) {
      const isAudited = auditRuleOf(table as keyof Tables) !== null;
      if (isAudited && !code.includes(`recorderOf(tx)?.deleted('${table}'`))
        found.add(`${path.replace('src/store/', '')} ${table}`);
    }
  }
  assert.deepEqual([...found].toSorted(), Object.keys(unrecorded).toSorted());
});
