// Twelve kinds of hostile receivers: each attempt ends in time with its class and does not delay others.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type HostileReceivers, startHostileReceivers } from '../../../../tests/support/receivers/hostile-receivers.ts';
import type { ChannelSender } from '../../kind.ts';
import { receiver, sender, sending } from '../../../../tests/support/receivers/http-receivers.ts';
import { jsonFix, urlFix } from './hostile.ts';

let hostile: HostileReceivers;
before(async () => {
  hostile = await startHostileReceivers();
});
after(() => hostile.close());

/** Some respond in thousands of chunks from this process, and need this long on a busy machine. */
const deadlineMs = 10_000;
/** Enough to connect, for attempts that end at their deadline. */
const shortDeadlineMs = 2000;

test('classifies each of twelve hostile receivers by the deadline', async () => {
  assert.equal(hostile.kinds.length, 12);
  const classify = async (stalls: boolean, one: ChannelSender): Promise<number> => {
    const attempts = hostile.kinds.flatMap(({ name, variants }) =>
      variants.map(async ({ what, expected, isStalling, url }) => {
        if (stalls !== (isStalling ?? expected === 'timeout')) return 0;
        const { error, response } = await one.send(sending('', { url }));
        const seen = `${name}, ${what}: ${error?.message ?? response?.status}`;
        assert.equal(error?.class ?? null, expected, seen);
        assert.ok((response?.body.length ?? 0) <= 16 * 1024, seen);
        return 1;
      }),
    );
    return (await Promise.all(attempts)).reduce<number>((sum, one) => sum + one, 0);
  };
  const quick = await classify(false, sender(deadlineMs));
  assert.ok(quick + (await classify(true, sender(shortDeadlineMs))) >= 25);
});

test('delivers everything to a good receiver among hostile ones', async () => {
  const { host, received } = await receiver((_request, response) => response.end('ok'));
  const one = sender(deadlineMs);
  const silent = hostile.kinds.flatMap(({ variants }) => variants.filter(({ expected }) => expected === 'timeout'));
  let ended = 0;
  const bad = silent.map(async ({ url }) => {
    await one.send(sending('', { url }));
    ended++;
  });
  for (let n = 0; n < 20; n++) assert.equal((await one.send(sending(host))).error, null);
  assert.equal(received.length, 20);
  assert.equal(ended, 0, 'all are still in progress');
  await one.close();
  await Promise.all(bad);
});

const applied = (template: string, fix: ReturnType<typeof jsonFix>): string =>
  fix === null ? template : template.replace(fix.find, () => fix.replaceWith);
const fixed = (template: string): string => applied(template, jsonFix(template, 'X'));

test('a variable alone between quotes is written as JSON, without the quotes', () => {
  assert.equal(fixed('{"a": "{{X}}"}'), '{"a": {{json X}} }');
  assert.equal(fixed('{"a": "{{{ ../X }}}"}'), '{"a": {{json ../X}} }');
});

test('a variable within a text is escaped there, also after escaped quotes and other tags', () => {
  assert.equal(fixed('{"a": "down: {{X}}"}'), '{"a": "down: {{jsonString X}}"}');
  assert.equal(fixed('{"a": "\\"{{X}}\\" {{default Y "-"}}"}'), '{"a": "\\"{{jsonString X}}\\" {{default Y "-"}}"}');
  assert.equal(
    fixed('{"a": {{default Y "-"}}, "b": "is {{X}}"}'),
    '{"a": {{default Y "-"}}, "b": "is {{jsonString X}}"}',
  );
});

test('a variable outside of quotes is written as JSON', () => {
  assert.equal(fixed('{"a": {{X}} }'), '{"a": {{json X}} }');
});

test('an escaped quotation mark before a variable belongs to the text', () => {
  assert.equal(fixed(String.raw`{"a": "\"{{X}}"}`), String.raw`{"a": "\"{{jsonString X}}"}`);
});

test('the first plain use is fixed, and uses with helpers stay', () => {
  assert.equal(fixed('{"a": {{json X}}, "b": "{{X}}"}'), '{"a": {{json X}}, "b": {{json X}} }');
  assert.equal(jsonFix('{"a": "{{upper X}}"}', 'X'), null);
  assert.equal(jsonFix('{"a": "{{XY}}"}', 'X'), null);
});

test('a variable of a URL is percent-encoded', () => {
  assert.equal(applied('https://x/{{{X}}}', urlFix('https://x/{{{X}}}', 'X')), 'https://x/{{urlencode X}}');
});
