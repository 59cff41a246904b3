// Rendering and saving a template, compared with plain Handlebars with every helper's result as a variable.
import Handlebars from 'handlebars';
import { compileTemplate, forgetTemplates } from '#channels/templates/compile.ts';
import { contextOf } from '#channels/templates/context.ts';
import { renderWebhook } from '#channels/kinds/webhook/render.ts';
import { channelRules } from '#channels/rules.ts';
import { median } from './support/numbers.ts';
import {
  bareTemplate,
  bareValues,
  facts,
  referenceTemplate,
  referenceVariables,
} from './support/reference-template.ts';
import type { Bench, Findings, Row } from './support/report.ts';

export const renderBench: Bench = {
  about:
    'a 1 kB alert template, compared with plain Handlebars with precomputed helper results; validation and compilation',
  run({ isQuick, say }) {
    say('rendering');
    return Promise.resolve(measure(isQuick ? 30 : 300, isQuick ? 500 : 2000));
  },
};

function measure(rounds: number, calls: number): Findings {
  const context = contextOf(referenceVariables, facts);
  const ours = compileTemplate(referenceTemplate);
  const bare = Handlebars.create().compile(bareTemplate);
  const config = { url: 'https://receiver.example/', template: referenceTemplate };
  const same = ours.render(context, facts.createdAt) === bare(bareValues);
  // Interleaved, so that other load of the machine affects all of them equally.
  const figures = alternately(rounds, {
    ours: () => repeated(calls, () => ours.render(context, facts.createdAt)),
    bare: () => repeated(calls, () => bare(bareValues)),
    request: () => repeated(calls, () => renderWebhook(config, referenceVariables, facts)),
    save: () =>
      repeated(5, () => {
        forgetTemplates();
        channelRules.validateConfig('WEBHOOK', config, new Set());
      }),
  });
  const { ours: own = Number.NaN, bare: limit = Number.NaN, request = Number.NaN, save = Number.NaN } = figures;
  const limitOf = { what: 'bare Handlebars', value: limit };
  const rows: Row[] = [
    { figure: 'rendering the reference template', value: own, unit: 'µs', limit: limitOf },
    { figure: 'compared with plain Handlebars', value: own / limit, unit: '×', atMost: 1.3 },
    { figure: 'a whole request: body, URL, headers', value: request, unit: 'µs' },
    { figure: 'validate and compile', value: save / 1000, unit: 'ms', atMost: 5 },
  ];
  return {
    rows,
    notes: [
      `the template has ${referenceTemplate.length} characters; medians of ${rounds} rounds of ${calls} renderings`,
      'plain: the same text with a variable in place of every helper call',
    ],
    faults: same ? [] : ['the outputs differ'],
  };
}

/** Time of one call, µs. */
function repeated(calls: number, work: () => unknown): number {
  const startedAt = performance.now();
  for (let i = 0; i < calls; i++) work();
  return ((performance.now() - startedAt) / calls) * 1000;
}

/** Medians by name, without the first tenth, in which code is still compiled. */
function alternately(rounds: number, works: Readonly<Record<string, () => number>>): Record<string, number> {
  const taken = new Map(Object.keys(works).map((name) => [name, [] as number[]]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, work] of Object.entries(works)) taken.get(name)?.push(work());
  }
  return Object.fromEntries([...taken].map(([name, values]) => [name, median(values.slice(Math.ceil(rounds / 10)))]));
}
