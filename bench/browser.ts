// Overhead of a browser check over plain Playwright, and the effect of four concurrent and twenty queued ones on API
// checks.
import type { Check } from '#domain/checks/check.ts';
import { withheldAboveMs } from '#domain/results/honest-finding.ts';
import { outcomeCodes } from '#store/base/codes.ts';
import { firstIdAt, idBytes, idTime } from '#store/base/codec.ts';
import { bareRunner } from './support/bare-browser.ts';
import { median, percentile, type Bench, type BenchOptions } from './support/report.ts';
import { startPeer } from './support/peer.ts';
import { openView } from './support/results.ts';
import { apiCheck, apiChecks as seededChecks, readRows, seedAccount, seedChecks } from './support/seed.ts';
import { create, pause, type Service, startService } from './support/service.ts';

/** The same purchase as Playwright tests and as a plain program. */
const scripts = {
  tests: {
    path: 'check.spec.mjs',
    content: `import { test, expect } from '@playwright/test';
test('buying', async ({ page }) => {
  await page.goto(process.env.SHOP);
  await expect(page.locator('.article')).toHaveCount(200);
  await page.getByRole('button').click();
  await expect(page.getByRole('button')).toHaveText('sold');
});
`,
  },
  program: {
    path: 'check.cjs',
    content: `const { chromium } = require('playwright');
(async () => {
  const browser = await chromium.launch(process.env.BARE_LAUNCH ? JSON.parse(process.env.BARE_LAUNCH) : {});
  const page = await browser.newPage();
  await page.goto(process.env.SHOP);
  if ((await page.locator('.article').count()) !== 200) throw new Error('not all articles');
  await page.getByRole('button').click();
  await page.getByText('sold').waitFor();
  await browser.close();
})();
`,
  },
} as const;
type ScriptName = keyof typeof scripts;

/** At 10 s: the load of a small installation, thirty per second. */
const apiChecks = 300;
/** At 10 s, too: one per second, each with a setup script in its own process. */
const signedChecks = 10;
const signing = `const { createHmac } = require('node:crypto');
request.headers['x-signature'] = createHmac('sha256', 'key').update(request.url).digest('hex');
`;
/** Maximum number of concurrent browser checks; others are queued. */
const atOnce = 4;
const queued = 20;

export const browserBench: Bench = {
  about: 'a browser check against plain Playwright, and API checks beside four and twenty of them',
  async run(options) {
    const shop = startPeer('shop');
    const url = `${await shop.ask<string>('listen')}/`;
    const tests = await compare({ name: 'tests', warm: 1 }, url, options);
    const program = await compare({ name: 'program', warm: 1 }, url, options);
    const coldTests = await compare({ name: 'tests', warm: 0 }, url, options);
    const coldProgram = await compare({ name: 'program', warm: 0 }, url, options);
    const before = await besides(url, { name: 'alone', browsers: 0, signed: 0 }, options);
    const beside = await besides(url, { name: `beside ${atOnce}`, browsers: atOnce, signed: 0 }, options);
    // Measured twice: a machine that was slow the first time would hide a slowdown.
    const after = await besides(url, { name: 'alone again', browsers: 0, signed: 0 }, options);
    const alone = before.responseP95 <= after.responseP95 ? before : after;
    const behind = await besides(url, { name: `beside ${queued}`, browsers: queued, signed: signedChecks }, options);
    await shop.stop();
    const { signed } = behind;
    const ratio = beside.responseP95 / alone.responseP95;
    const times = ({ service, bare }: Compared): string =>
      `${service.map(Math.round).join(', ')} ms; bare: ${bare.map(Math.round).join(', ')} ms`;
    return {
      rows: [
        { figure: 'tests: service / bare', value: ratioOf(tests), unit: '×', atMost: 1.3 },
        { figure: 'program: service / bare', value: ratioOf(program), unit: '×', atMost: 1.3 },
        // No bar: each run loads everything itself, like plain Playwright, and is contained.
        { figure: 'tests without a warm process: service / bare', value: ratioOf(coldTests), unit: '×' },
        { figure: 'program without a warm process: service / bare', value: ratioOf(coldProgram), unit: '×' },
        { figure: 'API checks beside 4 browser checks: delay p99', value: beside.delayP99, unit: 'ms', atMost: 250 },
        { figure: 'API checks beside 4 browser checks: response p95 / alone', value: ratio, unit: '×', atMost: 1.2 },
        { figure: 'API checks beside 4 browser checks: slots run', value: beside.share * 100, unit: '%', atLeast: 100 },
        { figure: `API checks beside ${queued}: delay p99`, value: behind.delayP99, unit: 'ms', atMost: 250 },
        { figure: `API checks beside ${queued}: slots run`, value: behind.share * 100, unit: '%', atLeast: 100 },
        // No bar for the slowest: scripts around requests are queued, and each takes seconds beside browsers.
        {
          figure: `with a setup script beside ${queued}: delay median`,
          value: median(signed.delays),
          unit: 'ms',
          atMost: 250,
        },
        {
          figure: `with a setup script beside ${queued}: delay p99`,
          value: percentile(signed.delays, 0.99),
          unit: 'ms',
        },
        {
          figure: `with a setup script beside ${queued}: slots passed`,
          value: signed.share * 100,
          unit: '%',
          atLeast: 100,
        },
      ],
      notes: [
        `script containment: ${tests.containment}; none for plain Playwright`,
        `Playwright tests, from the creation of the folder to the end of their output: ${times(tests)}`,
        `plain program: ${times(program)}`,
        `without warm processes (TOCSIN_SCRIPTS_WARM=0), tests: ${times(coldTests)}`,
        `and the plain program: ${times(coldProgram)}`,
        `${apiChecks} API checks at 10 s, alone: delay p99 ${alone.delayP99.toFixed(0)} ms, response p95 ${before.responseP95.toFixed(1)} ms before and ${after.responseP95.toFixed(1)} ms after the runs beside 4 browser checks; the lower one counts`,
        `beside ${beside.browserRuns} browser runs, 4 at once: response p95 ${beside.responseP95.toFixed(1)} ms, ${beside.flagged} withheld`,
        `beside ${queued} browser checks, of which ${atOnce} run at once (${behind.browserRuns} runs): response p95 ${behind.responseP95.toFixed(1)} ms, ${behind.flagged} withheld`,
        `${signed.times.length} runs of ${signedChecks} API checks with a setup script beside those: ${median(signed.times).toFixed(0)} ms median duration, ${percentile(signed.times, 0.99).toFixed(0)} ms p99`,
      ],
      faults: [...beside.faults, ...behind.faults],
    };
  },
};

interface Compared {
  /** Duration of each round, ms. */
  readonly service: readonly number[];
  readonly bare: readonly number[];
  /** Containment of the scripts; stronger levels cost more. */
  readonly containment: string;
}

function ratioOf({ service, bare }: Compared): number {
  return median(service) / median(bare);
}

/** Time until the process for the next script has loaded, ms; neither side runs meanwhile. */
const quietMs = 1500;

/**
 * Alternates between both sides, so that changes of the machine's speed affect both.
 *
 * @param warm number of warm processes
 */
async function compare(
  { name, warm }: { readonly name: ScriptName; readonly warm: 0 | 1 },
  url: string,
  options: BenchOptions,
): Promise<Compared> {
  const { folder: base, isQuick, say } = options;
  const folder = `${base}/warm-${warm}`;
  say(`${name}: with the service${warm === 0 ? ', in a new process,' : ''} and with plain Playwright`);
  const dataDir = `${folder}/${name}`;
  await seedAccount(dataDir);
  // The log contains the containment level.
  const service = await startService({
    dataDir,
    environment: { TOCSIN_SCRIPTS_AT_ONCE: '1', TOCSIN_SCRIPTS_WARM: String(warm), LOG_LEVEL: 'info' },
  });
  const { path, content } = scripts[name];
  const bare = bareRunner(`${folder}/bare-${name}`, { path, content, environment: { SHOP: url } });
  const checkId = await makeCheck(service, name, url);
  const [times, bareTimes]: [number[], number[]] = [[], []];
  // The first rounds fill the disk caches.
  for (let round = -1; round < (isQuick ? 5 : 15); round++) {
    await pause(quietMs);
    const took = await runOnce(service, checkId);
    await pause(quietMs);
    const bareTook = await bare();
    if (round < 0) continue;
    times.push(took);
    bareTimes.push(bareTook);
  }
  await service.stop();
  const line = service
    .output()
    .split('\n')
    .find((each) => each.includes('scripts.contained'));
  const containment = /containment\W+(\w+)/.exec(line ?? '')?.[1] ?? 'unknown';
  return { service: times, bare: bareTimes, containment };
}

async function makeCheck(service: Service, name: ScriptName, url: string): Promise<string> {
  const { path, content } = scripts[name];
  const made = await create(service, '/v1/checks/browser', {
    name,
    frequency: 1440,
    script: content,
    scriptPath: path,
    environmentVariables: [{ key: 'SHOP', value: url }],
  });
  return String(made['id']);
}

interface Result {
  readonly id: string;
  readonly outcome: string;
  readonly message: string | null;
  readonly startedAt: string;
  readonly stoppedAt: string;
}

/** Starts a run and waits for its result. @returns its duration, ms */
async function runOnce(service: Service, checkId: string, pollMs = 50): Promise<number> {
  const newest = async (): Promise<Result | undefined> =>
    ((await service.call('GET', `/v1/check-results/${checkId}?limit=1`)).body as readonly Result[])[0];
  const before = await newest();
  await create(service, `/v1/triggers/checks/${checkId}`);
  for (;;) {
    const result = await newest();
    if (result === undefined || result.id === before?.id) {
      await pause(pollMs);
      continue;
    }
    if (result.outcome !== 'passed') throw new Error(`the outcome is ${result.outcome}: ${result.message}`);
    return Date.parse(result.stoppedAt) - Date.parse(result.startedAt);
  }
}

interface Beside {
  readonly delayP99: number;
  /** ms. */
  readonly responseP95: number;
  /** Share of the API checks' slots that were run. */
  readonly share: number;
  /** Verdicts withheld because the thread was delayed. */
  readonly flagged: number;
  readonly browserRuns: number;
  readonly signed: Signed;
  readonly faults: readonly string[];
}

/** API checks with a setup script. */
interface Signed {
  /** Share of their slots that passed; a script that exceeds its limit beside browsers does not count. */
  readonly share: number;
  /** From slot to start, ms. */
  readonly delays: readonly number[];
  /** From start to end, including the script, ms. */
  readonly times: readonly number[];
}

interface Load {
  readonly name: string;
  /** Checks that are restarted as soon as they end. */
  readonly browsers: number;
  /** API checks with a setup script, in addition to those without. */
  readonly signed: number;
}

/** Runs API checks at a constant rate beside that many browser checks. */
async function besides(
  url: string,
  { name, browsers, signed }: Load,
  { folder, isQuick, say }: BenchOptions,
): Promise<Beside> {
  say(`${apiChecks} API checks ${name}`);
  const dataDir = `${folder}/${name.replaceAll(' ', '-')}`;
  const accountId = await seedAccount(dataDir);
  const checks = seededChecks(accountId, apiChecks, `${url}api`);
  const signedOnes = Array.from({ length: signed }, (_, index) => signedCheck(accountId, `${url}api/signed/${index}`));
  await seedChecks(dataDir, [...checks, ...signedOnes]);
  const service = await startService({ dataDir, environment: { TOCSIN_SCRIPTS_AT_ONCE: String(atOnce) } });
  const ids = await Promise.all(Array.from({ length: browsers }, () => makeCheck(service, 'tests', url)));
  const faults: string[] = [];
  let browserRuns = 0;
  const over = new AbortController();
  const again = async (checkId: string): Promise<void> => {
    while (!over.signal.aborted) {
      // The number of requests to the service does not depend on the number of checks.
      await runOnce(service, checkId, 15 * browsers).catch((error: unknown) => void faults.push(String(error)));
      browserRuns++;
    }
  };
  const loops = ids.map(again);
  await pause(isQuick ? 6000 : 12_000);
  const from = Date.now();
  await pause(isQuick ? 15_000 : 60_000);
  const to = Date.now();
  over.abort();
  await Promise.all(loops);
  await pause(1000);
  await service.stop();
  using view = openView(dataDir);
  const { passed, failed, degraded, missed, unknown } = view.outcomes(from, to);
  return {
    delayP99: percentile(view.delays(from, to), 0.99),
    ...responsesOf(dataDir, from, to),
    share: (passed + failed + degraded) / (passed + failed + degraded + missed + unknown),
    browserRuns,
    signed: signedRuns(dataDir, signedOnes, from, to),
    faults: faults.slice(0, 5),
  };
}

function signedCheck(accountId: string, url: string): Check {
  const check = apiCheck(accountId, url);
  return { ...check, settings: { ...check.settings, localSetupScript: signing } };
}

/** Outcomes of the slots of these checks in a span. */
function signedRuns(dataDir: string, checks: readonly Check[], from: number, to: number): Signed {
  const ofCheck = `SELECT id, started_at, duration_ms, outcome, slots FROM results
     WHERE check_id = ? AND source = 0 AND run_id IS NULL AND id >= ? AND id < ?`;
  const rows = checks.flatMap(({ id }) => readRows(dataDir, ofCheck, idBytes(id), firstIdAt(from), firstIdAt(to)));
  const slots = rows.reduce((sum, row) => sum + Number(row['slots']), 0);
  const passed = rows.filter((row) => Number(row['outcome']) === outcomeCodes.encode('passed'));
  return {
    share: passed.length / slots,
    delays: passed.map((row) => Number(row['started_at']) - idTime(row['id'] as Uint8Array)),
    times: passed.map((row) => Number(row['duration_ms'])),
  };
}

/** Response times of scheduled runs. Withheld ones are only flagged and not part of any figure. */
function responsesOf(dataDir: string, from: number, to: number): Pick<Beside, 'responseP95' | 'flagged'> {
  const rows = readRows(
    dataDir,
    `SELECT response_us, loop_delay_ms FROM results
     WHERE source = 0 AND started_at >= ? AND started_at < ? AND response_us IS NOT NULL`,
    from,
    to,
  );
  const isFlagged = (row: (typeof rows)[number]): boolean => Number(row['loop_delay_ms']) > withheldAboveMs;
  const times = rows.filter((row) => !isFlagged(row)).map((row) => Number(row['response_us']) / 1000);
  return { responseP95: percentile(times, 0.95), flagged: rows.filter(isFlagged).length };
}
