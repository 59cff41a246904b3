// npm run fuzz -- templates: verifies guarantees for hundreds of thousands of unusual inputs.
import { parseArgs } from 'node:util';
import { type FuzzOutcome, fuzzTemplates, maxMemory, service, maxRender, maxSave } from './fuzz/templates.ts';
import { templateCase } from './fuzz/template-cases.ts';

const usage = `npm run fuzz -- templates [--cases 200000] [--seed N] [--case N]

  templates  generates and mutates random templates, and saves and renders each with hostile values. Verifies that saving
             takes at most ${maxSave} ms and rendering ${maxRender} ms, that the output is limited, that only template errors occur, and
             that prototypes, files, environment, output and memory are not affected

  --cases    number of cases (1 to 10000000)
  --seed     selects the random cases; the same seed repeats them (default: 1)
  --case     shows one case and its outcome
`;

main();

function main(): void {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { cases: { type: 'string', default: '200000' }, seed: { type: 'string' }, case: { type: 'string' } },
  });
  const [count, seed] = [Number(values.cases), Number(values.seed ?? '1')];
  const isRight = Number.isInteger(count) && count >= 1 && count <= 10_000_000 && Number.isInteger(seed);
  if (positionals.join(' ') !== 'templates' || !isRight) {
    process.stdout.write(usage);
    process.exit(positionals.length === 0 ? 0 : 2);
  }
  const startedAt = performance.now();
  const seconds = (): string => ((performance.now() - startedAt) / 1000).toFixed(1);
  const say = (what: string): void => void process.stdout.write(`${seconds().padStart(6)} s  ${what}\n`);
  if (values.case !== undefined) {
    const number = Number(values.case);
    process.stdout.write(`${JSON.stringify(templateCase(seed, number), null, 1).slice(0, 100_000)}\n`);
    report(fuzzTemplates(service, { seed, first: number, count: 1 }), seed);
    return;
  }
  say(`${count} cases, seed ${seed}`);
  report(fuzzTemplates(service, { seed, count }, say), seed);
}

function report(outcome: FuzzOutcome, seed: number): void {
  const { slowestSave, slowestRender, longestOutput, memory, violations } = outcome;
  const endings = [...outcome.endings].sort((a, b) => b[1] - a[1]);
  const lines = [
    '',
    ...endings.map(([ending, times]) => `${String(times).padStart(9)}  ${ending}`),
    '',
    `slowest to save    ${slowestSave.ms.toFixed(2)} ms (at most ${maxSave}), case ${slowestSave.number}`,
    `slowest to render  ${slowestRender.ms.toFixed(2)} ms (at most ${maxRender}), case ${slowestRender.number}`,
    `longest output     ${longestOutput.length} characters, case ${longestOutput.number}`,
    `memory             ${memory.early.toFixed(1)} MB after a tenth, ${memory.late.toFixed(1)} MB at the end (at most ${maxMemory} more)`,
    violations.length === 0 ? 'no violations' : `${violations.length} VIOLATIONS`,
    ...violations.map((violation) => `    ${violation}`),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  if (violations.length === 0) return;
  process.stdout.write(`\nshow one case: npm run fuzz -- templates --seed ${seed} --case N\n`);
  process.exitCode = 1;
}
