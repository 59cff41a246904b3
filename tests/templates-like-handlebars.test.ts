// Templates at random print what Handlebars itself prints of them, given the same helpers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import Handlebars from 'handlebars';
import { compileTemplate } from '#channels/templates/compile.ts';
import { contextOf } from '#channels/templates/context.ts';
import type { Helper, Scope } from '#channels/templates/helper.ts';
import { helpers } from '#channels/templates/helpers.ts';
import { TemplateError } from '#channels/templates/template-error.ts';
import { textOf } from '#channels/templates/text-helpers.ts';
import { templateCase } from '../bench/fuzz/template-cases.ts';

const now = 1_773_144_005_250;
const scope: Scope = { now, timeZone: 'UTC', place: { line: 1, column: 1 }, handle: () => undefined };

/** The engine as it comes, with our helpers in the form that it asks for. */
function engineWithHelpers(): typeof Handlebars {
  const engine = Handlebars.create();
  for (const name of ['log', 'helperMissing']) engine.unregisterHelper(name);
  for (const [name, helper] of helpers) if (helper.kind !== 'block') engine.registerHelper(name, delegateOf(helper));
  return engine;
}

function delegateOf(helper: Exclude<Helper, { kind: 'block' }>): Handlebars.HelperDelegate {
  return function delegate(this: unknown, ...args: unknown[]) {
    const options = args.pop() as Handlebars.HelperOptions;
    const given = args.map((arg) => (arg instanceof Handlebars.SafeString ? arg.toString() : arg));
    const isBlock = (options.fn as unknown) !== undefined;
    if (helper.kind === 'comparison') {
      const holds = helper.holds(given, options.hash as Record<string, unknown>);
      if (!isBlock) return holds;
      return holds ? options.fn(this) : options.inverse(this);
    }
    if (isBlock) return textOf(helper.value([options.fn(this)], scope));
    const value = helper.value(given, scope);
    return helper.kind === 'text' && helper.verbatim ? new Handlebars.SafeString(textOf(value)) : value;
  };
}

/** Helpers whose block form is ours alone. */
const valueBlock = new RegExp(
  String.raw`(\{\{[#^]|else )~?(${[...helpers].flatMap(([name, { kind }]) => (kind === 'value' ? [name] : [])).join('|')})\b`,
);

test('templates at random print what Handlebars prints of them', () => {
  const engine = engineWithHelpers();
  let compared = 0;
  for (let number = 0; number < 1200; number++) {
    const { source: made, field, variables } = templateCase(12, number);
    // Between two raw values without a text Handlebars adds numbers: a mark keeps them apart.
    const source = made.replaceAll(/(?<!\{)\{\{(?=[{&])/g, '·{{');
    if (field !== 'template' || !source.includes('{{') || valueBlock.test(source)) continue;
    const context = contextOf(variables, { uuid: 'u', randomNumber: 7 });
    let ours: string;
    try {
      ours = compileTemplate(source).render(context, now);
    } catch (error) {
      if (error instanceof TemplateError) continue;
      throw error;
    }
    const theirs = engine.compile(source)(context);
    assert.equal(ours, theirs, `case ${number}: ${source.slice(0, 500)}`);
    compared++;
  }
  assert.ok(compared > 150, `${compared} templates were compared`);
});
