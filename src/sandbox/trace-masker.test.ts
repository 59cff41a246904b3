// Masking of traces outside of their run. Unreadable traces are not stored.
import assert from 'node:assert/strict';
import test from 'node:test';
import { crc32, deflateRawSync } from 'node:zlib';
import { createRedactor } from '#checks/parts/redact.ts';
import { unzip } from '../../tests/support/scripts/unzip.ts';
import { traceMasker } from './trace-masker.ts';

function zipOf(entries: Readonly<Record<string, string | Buffer>>): Buffer {
  const [locals, central]: [Buffer[], Buffer[]] = [[], []];
  let offset = 0;
  for (const [name, text] of Object.entries(entries)) {
    const content = Buffer.from(text);
    const packed = deflateRawSync(content);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(crc32(content), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(content.length, 18);
    fields.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), fields, Buffer.from(name), packed]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    central.push(Buffer.from('PK\u0001\u0002\u0014\u0000'), fields, tail, Buffer.from(name));
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006', 'latin1');
  end.writeUInt16LE(Object.keys(entries).length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}

const mask = traceMasker(createRedactor(['hush-hush-token']).forms);

test('masks a secret in every text of a trace, in any mixture of escapes', async () => {
  const mixed = ['hush-hush-token', 'hush\\u002dhush%2Dtoken', 'hush&#45;hush%252dtoken', 'HUSH&amp;#45;hush-token'];
  const picture = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff]);
  const masked = await mask(
    zipOf({
      'a.network': mixed.map((text) => JSON.stringify({ url: `/?q=${text}`, status: 200 })).join('\n'),
      'resources/page.html': mixed.join(' '),
      'resources/picture.png': picture,
    }),
  );
  const entries = unzip(Buffer.from(masked ?? []));
  const line = '{"url":"/?q=********","status":200}';
  assert.equal(entries.get('a.network')?.toString(), mixed.map(() => line).join('\n'));
  assert.equal(entries.get('resources/page.html')?.toString(), '******** ******** ******** ********');
  assert.deepEqual(entries.get('resources/picture.png'), picture);
});

for (const [what, zip] of [
  ['no zip', Buffer.from('PK\u0003\u0004 hush-hush-token')],
  ['a zip that grows beyond 64 MB', zipOf({ 'a.trace': Buffer.alloc(65 << 20) })],
] as const) {
  test(`does not store ${what}`, async () => {
    assert.equal(await mask(zip), null);
  });
}
