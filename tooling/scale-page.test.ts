// The numbers of docs/scale.md follow from its unit costs, and would not if they were changed alone.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { aroundLimits, browserLimits, programLimits } from '#domain/checks/script-limits.ts';
import { type Fields, fieldsAt } from '../tests/support/deploy-files.ts';
import { containerOf, deployments, roleOf } from '../tests/support/manifests.ts';
import { deployedCosts, keptDays, measuredCosts, unitCosts } from './measured-costs.ts';
import { scalePage, valueOf } from './scale-page.ts';

const [page, performance] = ['scale.md', 'performance.md'].map((name) =>
  readFileSync(new URL(`../docs/${name}`, import.meta.url), 'utf8'),
) as [string, string];

describe('docs/scale.md', () => {
  it('has costs as they stand elsewhere, and every number as its formula gives it; if not, run npm run docs', () =>
    assert.equal(scalePage(page, unitCosts(performance)), page));

  it('would not be right with another cost', () => {
    const [row = '', name = '', value = ''] = /^\| `(cell_\w+)` \| ([\d,]+) \|/m.exec(page) ?? [];
    assert.notEqual(row, '');
    const larger = page.replace(row, `| \`${name}\` | 1${value} |`);
    assert.notEqual(scalePage(larger, unitCosts(performance)), larger);
  });

  it('would not be right if something else had been measured', () => {
    const costs = Object.entries(measuredCosts(performance));
    assert.ok(costs.length >= 8, `${costs.length} measured costs`);
    const dearer = performance.replace(
      /^(\| CPU per 1,000 checks: service, PostgreSQL \|).*$/m,
      '$1 9.25, 7.5 s | – |',
    );
    const { cpu_check, cpu_database } = measuredCosts(dearer);
    assert.deepEqual([cpu_check, cpu_database], [9.25, 7.5]);
    assert.match(scalePage(page, unitCosts(dearer)), /^\| `cpu_check` \| 9\.25 \|.*\n\| `cpu_database` \| 7\.5 \|/m);
    for (const broken of ['$1 0.6–0.7, 0.5 s | – |', '$1 | – |', '|']) {
      const text = performance.replace(/^(\| CPU per 1,000 checks: service, PostgreSQL \|).*$/m, broken);
      assert.throws(() => unitCosts(text), /CPU per 1,000 checks/);
    }
  });

  it('takes the dearer of two measurements of rolling up', () => {
    const row = /^(\| rolling up at 1,000 results a second, of a core \|[^|]*\|)[^|]*\|/m;
    const { cpu_roll_up: present = 0 } = measuredCosts(performance);
    for (const [percent, expected] of [
      ['0.1 %', present],
      ['9.5 %', 0.095],
    ] as const) {
      const text = performance.replace(row, `$1 ${percent} |`);
      assert.notEqual(text, performance);
      assert.equal(measuredCosts(text)['cpu_roll_up'], expected);
    }
  });

  it('would not be right if pods had other memory, and is told of what it cannot read', () => {
    const larger = deployedCosts(deployments.map((one) => withMemory(one, roleOf(one) === 'runner' ? '9Gi' : '256Mi')));
    assert.equal(larger['memory_process'], (256 << 20) / 1e9);
    assert.equal(larger['memory_browser_runner'], (9 * 2 ** 30) / 1e9);
    const ofEach = browserLimits.memoryBytes + programLimits.memoryBytes + aroundLimits.memoryBytes;
    const scripts = Number(larger['browsers_at_once']) * ofEach;
    assert.equal(larger['memory_runner'], (9 * 2 ** 30 - scripts) / 1e9);
    const all = { ...unitCosts(performance), ...larger };
    assert.match(scalePage(page, all), /^\| `memory_browser_runner` \| 9\.66 \|/m);
    assert.throws(() => deployedCosts(deployments.map((one) => withMemory(one, '5G'))), /5G is no memory/);
    assert.throws(() => deployedCosts(deployments.filter((one) => roleOf(one) !== 'runner')), /no runner/);
  });

  it('says of every unit cost whether it was measured, and by what', () => {
    const rows = [...page.matchAll(/^\| `(\w+)` \| [\d,.]+ \| ([^|]+) \| ([^|]+) \|$/gm)];
    assert.ok(rows.length >= 10, `${rows.length} unit costs`);
    for (const [, name, , from = ''] of rows) assert.match(from, /^(?:measured|on paper|chosen|read)\b/, name);
    const namesFrom = (source: RegExp): readonly string[] =>
      rows.flatMap(([, name = '', , from = '']) => (source.test(from) ? name : []));
    assert.deepEqual(namesFrom(/^measured for performance\.md$/), Object.keys(measuredCosts(performance)));
    assert.deepEqual(namesFrom(/deploy\/kubernetes/), Object.keys(deployedCosts(deployments)));
    assert.deepEqual(namesFrom(/roll-up\.ts/), Object.keys(keptDays));
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

/** A deployment whose pods ask for other memory. */
function withMemory(deployment: Fields, memory: string): Fields {
  const changed = structuredClone(deployment);
  Object.assign(fieldsAt(containerOf(changed), 'resources', 'requests'), { memory });
  return changed;
}

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
