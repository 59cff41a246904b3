// The numbers of docs/scale.md follow from its unit costs, and would not if they were changed alone.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { scalePage, valueOf } from './scale-page.ts';

const page = readFileSync(new URL('../docs/scale.md', import.meta.url), 'utf8');

describe('docs/scale.md', () => {
  it('has every number as its formula gives it; if not, run npm run docs', () => assert.equal(scalePage(page), page));

  it('would not be right with another cost', () => {
    const [, name = '', value = ''] = /^\| `(cpu_\w+)` \| ([\d.]+) \|/m.exec(page) ?? [];
    assert.notEqual(value, '');
    const dearer = page.replace(`| \`${name}\` | ${value} |`, `| \`${name}\` | ${Number(value) * 10} |`);
    assert.notEqual(scalePage(dearer), dearer);
  });

  it('says of every unit cost whether it was measured, and by what', () => {
    const rows = [...page.matchAll(/^\| `(\w+)` \| [\d,.]+ \| ([^|]+) \| ([^|]+) \|$/gm)];
    assert.ok(rows.length >= 10, `${rows.length} unit costs`);
    for (const [, name, , from = ''] of rows) assert.match(from, /^(?:measured|on paper|chosen|read)\b/, name);
  });

  it('puts no more schedulers to work in an installation than intervals are in use, and one to stand by', () => {
    const [intervals, schedulers, cells] = [
      /^\| `intervals` \| ([\d.]+) \|/m,
      /`schedulers = .* \| ([\d,.]+) \|$/m,
      /`cells = .* \| ([\d,.]+) \|$/m,
    ].map((row) => Number(row.exec(page)?.[1]?.replaceAll(',', '')));
    assert.ok(intervals !== undefined && schedulers !== undefined && cells !== undefined);
    assert.ok(schedulers / cells <= intervals + 1, `${schedulers} schedulers in ${cells} installations`);
  });

  it('derives something from every unit cost', () => {
    const names = [...page.matchAll(/^\| `(\w+)` \| [\d,.]+ \|/gm)].map(([, name = '']) => name);
    const formulas = [...page.matchAll(/`\w+ = ([^`]+)`/g)].map(([, expression = '']) => expression).join(' ');
    assert.deepEqual(
      names.filter((name) => !new RegExp(`\\b${name}\\b`).test(formulas)),
      [],
    );
  });
});

describe('a formula', () => {
  it('is reckoned as in school', () => {
    const names = { a: 6, b: 4 };
    assert.equal(valueOf('a + b * 2 - 1', names), 13);
    assert.equal(valueOf('(a + b) / 4', names), 2.5);
    assert.equal(valueOf('max(2, ceil(a / b))', names), 2);
  });

  it('is refused when it is none, or names what is not there', () => {
    for (const wrong of ['a +', 'a b', '(a', 'c * 2', '']) assert.throws(() => valueOf(wrong, { a: 1, b: 2 }));
  });
});
