// deploy/prometheus-rules.yaml and the example of autoscaling ask for metrics, roles and states that there are.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { roles } from '#config/variables.ts';
import { deliveryStatuses } from '#domain/deliveries/delivery.ts';
import { outcomes } from '#domain/results/result.ts';
import { noticeMs } from '#domain/checks/runtime.ts';
import { reasons } from '#store/base/codes.ts';
import { at, fieldsAt, listOf, readYaml, root, textAt } from './support/service/deploy-files.ts';
import { ofKind } from './support/service/manifests.ts';
import { metricNames } from './support/service/metric-names.ts';

const names = metricNames();

describe('deploy/prometheus-rules.yaml', () => {
  const [file] = readYaml('deploy/prometheus-rules.yaml');
  const rules = listOf(at(file, 'groups')).flatMap((group) => listOf(at(group, 'rules')));

  it('asks for metrics that there are', () => {
    assert.ok(rules.length >= 10, `${rules.length} rules`);
    for (const rule of rules) {
      const named = textAt(rule, 'expr').match(/\btocsin_[a-z_]+/g) ?? [];
      assert.ok(named.length > 0, textAt(rule, 'alert'));
      for (const name of named) assert.ok(names.includes(name.replace(/_bucket$/, '')), name);
    }
  });

  it('asks for roles, outcomes and states that there are, and for each role', () => {
    const text = rules.map((rule) => textAt(rule, 'expr')).join('\n');
    const valuesOf = (label: string): string[] =>
      [...text.matchAll(new RegExp(`\\b${label}=~?"([^"]*)"`, 'g'))].map(([, value = '']) => value);
    assert.deepEqual(
      valuesOf('roles').map((pattern) => roles.filter((role) => new RegExp(`^(?:${pattern})$`).test(`x,${role},y`))),
      roles.map((role) => [role]),
    );
    for (const value of valuesOf('outcome')) assert.ok((outcomes as readonly string[]).includes(value), value);
    for (const value of valuesOf('status')) assert.ok((deliveryStatuses as readonly string[]).includes(value), value);
    for (const value of valuesOf('reason')) assert.ok((reasons as readonly string[]).includes(value), value);
    assert.ok(valuesOf('outcome').length + valuesOf('status').length >= 2);
  });

  it('warns about the end of a runtime as early as users are notified, and about runs without a runtime', () => {
    const exprOf = (name: string): string =>
      textAt(
        rules.find(({ alert }) => alert === name),
        'expr',
      );
    const [, days] =
      /^0 < min by \(runtime\) \(tocsin_runtime_end_timestamp_seconds\) - time\(\) < (\d+) \* 86400$/.exec(
        exprOf('TocsinRuntimeEnds'),
      ) ?? [];
    assert.equal(Number(days) * 86_400_000, noticeMs);
    assert.match(exprOf('TocsinRuntimeMissing'), /tocsin_verdicts_withheld_total\{reason="runtime"\}.* > 0$/);
  });

  it('says of each alert how bad it is, what is wrong and what to do', () => {
    assert.equal(new Set(rules.map(({ alert }) => alert)).size, rules.length);
    for (const rule of rules) {
      assert.match(textAt(rule, 'alert'), /^Tocsin[A-Z]/);
      assert.match(textAt(rule, 'labels', 'severity'), /^(?:critical|warning)$/);
      for (const part of ['summary', 'description']) assert.ok(textAt(rule, 'annotations', part).length > 10);
    }
  });
});

describe('the example of autoscaling', () => {
  const path = 'deploy/kubernetes/autoscaling.example.yaml';
  const scalers = readYaml(path);

  it('asks for metrics that there are, and for the location of the runners', () => {
    const asked = scalers.map((scaler) => {
      const [metric] = listOf(at(scaler, 'spec', 'metrics'));
      return fieldsAt(metric, 'external', 'metric');
    });
    assert.ok(asked.length >= 2);
    for (const name of asked.map((metric) => textAt(metric, 'name'))) assert.ok(names.includes(name), name);
    const locations = asked.flatMap(({ selector }) =>
      selector === undefined ? [] : textAt(selector, 'matchLabels', 'location'),
    );
    const [code] = textAt(ofKind('ConfigMap')[0], 'data', 'TOCSIN_LOCATION').split(':');
    assert.deepEqual(locations, [code]);
  });

  it('has a rule of the adapter for each of them', () => {
    const rules = readFileSync(root + path, 'utf8').match(/^#.*\btocsin_.*$/gm) ?? [];
    for (const scaler of scalers) {
      const [metric] = listOf(at(scaler, 'spec', 'metrics'));
      const name = textAt(metric, 'external', 'metric', 'name');
      for (const part of ['seriesQuery: NAME', 'name: { as: NAME }', 'metricsQuery: max(NAME'])
        assert.ok(
          rules.some((rule) => rule.includes(part.replace('NAME', name))),
          `${part} ${name}`,
        );
    }
  });
});
