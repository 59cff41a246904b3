// Responses derived from the schemas of bodies.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { bodyInstant, instant, orNull } from './fields.ts';
import { showAs, shown } from './shown.ts';

test('a response contains every field, in one form and without limits', () => {
  const name = orNull(z.string().max(10), () => '')
    .default('')
    .describe('A name.');
  const field = z
    .strictObject({ name, ports: z.array(z.int().min(1)).max(3).default([]), note: z.string().exactOptional() })
    .meta({ id: 'ThingWrite' });
  assert.equal(shown(field).meta()?.id, 'Thing');
  const { properties, required } = z.toJSONSchema(z.strictObject(shown(field).shape));
  assert.deepEqual(required, ['name', 'ports']);
  assert.deepEqual(properties?.['name'], { type: 'string', description: 'A name.' });
  assert.deepEqual(shown(field).parse({ name: 'longer than ten', ports: [0, 0, 0, 0] }), {
    name: 'longer than ten',
    ports: [0, 0, 0, 0],
  });
});

test('a response is null exactly if the field keeps null', () => {
  const zeroIsNull = orNull(z.int(), () => 0).transform((value) => value || null);
  for (const [field, isNullable] of [
    [z.string().nullable().default(null), true],
    [zeroIsNull.default(null), true],
    [orNull(z.string(), () => ''), false],
    [z.preprocess((value) => value ?? 'GET', z.enum(['GET'])), false],
  ] as const) {
    assert.equal(shown(field as z.ZodType).safeParse(null).success, isNullable);
  }
});

test('a field with a form of its own in responses keeps it inside of objects, lists and copies', () => {
  const at = showAs(bodyInstant.nullable().default(null), instant.nullable());
  const list = shown(z.array(z.strictObject({ at: at.describe('When.') })));
  assert.deepEqual(list.parse([{ at: '2026-01-31T12:00:00.000Z' }]), [{ at: '2026-01-31T12:00:00.000Z' }]);
});
