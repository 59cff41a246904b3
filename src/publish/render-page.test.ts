// Unit tests of published pages: what each format says, in each state and language, also of hostile texts.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { PageSnapshot } from '#domain/status-pages/page-snapshot.ts';
import {
  exampleIncident,
  exampleMaintenance,
  examplePage,
  exampleService,
  exampleSnapshot,
  gap,
  exampleDays,
  hostileSnapshot,
  largestSnapshot,
  numberedId,
  snapshotAt,
  troubledSnapshot,
} from '../../tests/support/page-snapshots.ts';
import { renderMarkdown } from './markdown.ts';
import { renderPage } from './render-page.ts';
import { english } from '#domain/status-pages/page-texts.ts';

function textOf(snapshot: PageSnapshot, path: string, address: string | null = null): string {
  const content = renderPage(snapshot, {}, address).get(path)?.content;
  assert.equal(typeof content, 'string', `there is ${path}`);
  return String(content);
}

/** Words of a document without its markup. */
function words(markup: string): string {
  return markup.replaceAll(/<[^>]*>/g, '').replaceAll(/\s+/g, ' ');
}

function headline(snapshot: PageSnapshot): string {
  return words(/<h1[^>]*>(.*?)<\/h1>/s.exec(textOf(snapshot, 'index.html'))?.[1] ?? '');
}

/** Fields of JSON files that tests read. */
interface Read {
  readonly page: object;
  readonly state: string;
  readonly status: { readonly indicator: string; readonly description: string };
  readonly components: readonly { readonly name: string; readonly status: string; readonly group: boolean }[];
  readonly incidents: readonly {
    readonly impact: string;
    readonly shortlink: string;
    readonly components: readonly { readonly name: string }[];
    readonly incident_updates: readonly { readonly status: string }[];
  }[];
  readonly scheduled_maintenances: readonly { readonly status: string }[];
}

function json(snapshot: PageSnapshot, path: string): Read {
  return JSON.parse(textOf(snapshot, path)) as Read;
}

suite('the first sentence', () => {
  test('names the state, what is affected and since when', () => {
    assert.equal(headline(exampleSnapshot()), 'As of 14:02 UTC all systems are operational.');
    assert.equal(headline(troubledSnapshot('outage')), 'Checkout has been failing since 13:22 UTC.');
    assert.equal(headline(troubledSnapshot('degraded')), 'Checkout has been degraded since 13:22 UTC.');
    assert.equal(headline(troubledSnapshot('maintenance')), 'Maintenance of Checkout is in progress.');
    assert.equal(headline(troubledSnapshot('unknown')), 'As of 14:02 UTC the state of Checkout is unknown.');
    assert.equal(headline(exampleSnapshot({ cards: [], incidents: [] })), 'No services are shown here yet.');
  });

  test('is written in German and in the zone of the page', () => {
    const page = { language: 'de', timeZone: 'Europe/Berlin' } as const;
    assert.equal(headline(troubledSnapshot('outage', { page })), 'Checkout ist seit 14:22 MEZ gestört.');
    assert.match(
      textOf(exampleSnapshot({ page }), 'index.html'),
      /<html lang="de">.*Dienste.*100,00\u00a0% verfügbar/s,
    );
  });

  test('counts the services of a large outage', () => {
    const services = [1, 2, 3].map((number) => exampleService(number, { state: 'outage', since: snapshotAt - 60_000 }));
    const cards = [{ id: numberedId(11), name: 'All', services }];
    assert.equal(
      headline(exampleSnapshot({ state: 'outage', cards })),
      'Service 1 and 2 other services have been failing since 14:01 UTC.',
    );
  });

  test('never is better than the services: without data nothing is operational', () => {
    const cards = [
      { id: numberedId(11), name: 'All', services: [exampleService(1, { state: 'unknown', since: null })] },
    ];
    const snapshot = exampleSnapshot({ state: 'operational', cards });
    assert.equal(headline(snapshot), 'As of 14:02 UTC the state of Service 1 is unknown.');
    assert.equal(json(snapshot, 'summary.json').state, 'unknown');
    assert.equal(json(snapshot, 'api/v2/status.json').status.indicator, 'minor');
    assert.equal(json(snapshot, 'api/v2/components.json').components[1]?.status, 'degraded_performance');
  });
});

suite('services', () => {
  test('show uptime rounded down, how much is monitored, and gaps as no data', () => {
    const days = exampleDays({ 1: { downMs: 1000 }, 3: gap, 4: gap });
    const cards = [{ id: numberedId(11), name: 'All', services: [exampleService(1, { days })] }];
    const markup = textOf(exampleSnapshot({ cards, incidents: [] }), 'index.html');
    assert.match(words(markup), /99\.99% uptime · 97% of 90 days monitored/);
    assert.match(markup, /<path class="n" d="M340 15h7"\/>/);
    assert.match(markup, /data-odd="85:No data\|86:No data\|88:1 min down"/);
  });

  test('a day with problems leads to its incidents', () => {
    const snapshot = troubledSnapshot('outage');
    const markup = textOf(snapshot, 'index.html');
    assert.match(markup, /<a href="history\/2026-11\.html#d2026-11-29">29 November 2026<\/a>/);
    const month = textOf(snapshot, 'history/2026-11.html');
    assert.match(month, /id="d2026-11-29".*Payments are declined/s);
    assert.match(words(month), /24 November 2026.*Slow search.*Minor/);
    assert.match(words(month), /Checkout 14 min down/);
  });

  test('without history show no uptime', () => {
    const cards = [{ id: numberedId(11), name: 'All', services: [exampleService(1, { days: [] })] }];
    assert.doesNotMatch(textOf(exampleSnapshot({ cards }), 'index.html'), /uptime|class="bars"/);
  });
});

suite('files of a page', () => {
  test('are complete for each link in its HTML', () => {
    for (const snapshot of [troubledSnapshot('outage'), largestSnapshot()]) {
      const files = renderPage(snapshot);
      for (const [path, { content, mediaType }] of files) {
        if (!mediaType.startsWith('text/html')) continue;
        for (const [, link = ''] of String(content).matchAll(/\s(?:href|src)="([^"#]+)[^"]*"/g)) {
          const target = new URL(link, `http://page.test/${path}`);
          assert.ok(target.host === 'page.test' && files.has(target.pathname.slice(1)), `${path} links to ${link}`);
        }
      }
    }
  });

  test('take at most 60 kB for the first view of the largest page', () => {
    const files = renderPage(largestSnapshot());
    const first = [...files].filter(([path]) => path === 'index.html' || path.startsWith('assets/'));
    const bytes = first.reduce((sum, [, { content }]) => sum + gzipSync(content).length, 0);
    assert.ok(bytes < 60_000 - 32_768, `${bytes} bytes leave room for a logo`);
    const example = [...renderPage(exampleSnapshot())].filter(
      ([path]) => path === 'index.html' || path.startsWith('assets/'),
    );
    assert.ok(example.reduce((sum, [, { content }]) => sum + content.length, 0) < 60_000);
  });

  test('cut long updates on the first page and have all of them on that of the incident', () => {
    const update = {
      id: numberedId(1),
      status: 'INVESTIGATING',
      description: 'word '.repeat(2000),
      at: snapshotAt,
    } as const;
    const snapshot = exampleSnapshot({ incidents: [exampleIncident(1, { updates: [update] })] });
    assert.match(textOf(snapshot, 'index.html'), /(?:word ){400}…/);
    assert.match(textOf(snapshot, `incidents/${numberedId(1001)}.html`), /(?:word ){1999}word/);
  });

  test('stay the same while nothing happens, except those that show the time', () => {
    const [now, later] = [
      troubledSnapshot('outage'),
      { ...troubledSnapshot('outage'), builtAt: snapshotAt + 60_000 },
    ].map((snapshot) => renderPage(snapshot));
    const changed = [...(now ?? [])].flatMap(([path, { content }]) =>
      later?.get(path)?.content === content ? [] : [path],
    );
    assert.deepEqual(
      changed.filter((path) => !/\.json$|^(?:index|embed)\.html$/.test(path)),
      [],
    );
  });

  test('carry images by hash, and the style carries the accent colours', () => {
    const image = { mediaType: 'image/png', content: new Uint8Array([1, 2, 3]) };
    const snapshot = exampleSnapshot({
      page: { themeColors: { light: '#0a5d33', dark: null }, defaultTheme: 'LIGHT' },
    });
    const files = renderPage(snapshot, { logo: image });
    const logo = [...files.keys()].find((path) => path.startsWith('assets/logo-'));
    assert.match(String(files.get('index.html')?.content), new RegExp(`<img src="${logo}" alt=""`));
    const style = String([...files].find(([path]) => path.endsWith('.css'))?.[1].content);
    assert.match(style, /--accent:#0a5d33/);
    assert.doesNotMatch(style, /prefers-color-scheme/);
  });

  test('ask search engines to leave private pages alone', () => {
    assert.doesNotMatch(textOf(exampleSnapshot(), 'index.html'), /noindex/);
    for (const page of [{ allowIndexing: false }, { visibility: 'LINK' } as const])
      assert.match(textOf(exampleSnapshot({ page }), 'index.html'), /noindex/);
  });
});

suite('formats for programs', () => {
  test('Statuspage JSON lists components, incidents and maintenance', () => {
    const snapshot = troubledSnapshot('outage', { page: { customDomain: 'status.example.com' } });
    const {
      page,
      status,
      components,
      incidents,
      scheduled_maintenances: planned,
    } = json(snapshot, 'api/v2/summary.json');
    assert.deepEqual(page, {
      id: numberedId(1),
      name: 'Example status',
      url: 'https://status.example.com/',
      time_zone: 'UTC',
      updated_at: '2026-11-29T14:02:00.000Z',
    });
    assert.deepEqual(status, { indicator: 'major', description: 'Checkout has been failing since 13:22 UTC.' });
    assert.deepEqual(
      components.map(({ name, status, group }) => [name, status, group]),
      [
        ['Shop', 'major_outage', true],
        ['Storefront', 'operational', false],
        ['Checkout', 'major_outage', false],
        ['Developers', 'operational', true],
        ['API', 'operational', false],
        ['Webhooks', 'operational', false],
      ],
    );
    assert.equal(incidents.length, 1);
    assert.equal(incidents[0]?.impact, 'major');
    assert.equal(incidents[0]?.shortlink, `https://status.example.com/incidents/${numberedId(1002)}.html`);
    assert.equal(incidents[0]?.components[0]?.name, 'Checkout');
    assert.deepEqual(
      incidents[0]?.incident_updates.map(({ status }) => status),
      ['identified', 'investigating'],
    );
    assert.equal(planned[0]?.status, 'scheduled');
    assert.equal(json(snapshot, 'api/v2/incidents.json').incidents.length, 2);
  });

  test('feeds list updates, newest first, with addresses of the page', () => {
    const address = 'https://tocsin.example.com/status/example/';
    const rss = textOf(troubledSnapshot('outage'), 'feed.rss', address);
    assert.deepEqual(
      [...rss.matchAll(/<item><title>(.*?)<\/title>/g)].map(([, title]) => title),
      [
        'Payments are declined: Identified',
        'Payments are declined: Investigating',
        'Slow search: Resolved',
        'Slow search: Investigating',
      ],
    );
    const link = `${address}incidents/${numberedId(1002)}.html#u-${numberedId(5021)}`;
    assert.ok(rss.includes(`<link>${link}</link>`));
    const atom = textOf(troubledSnapshot('outage'), 'feed.atom', address);
    assert.ok(atom.includes(`<link href="${link}"/>`));
    assert.match(atom, /<updated>2026-11-29T13:47:00\.000Z<\/updated>/);
  });

  test('the calendar has maintenance at its instant, also where summer time begins', () => {
    const startsAt = Date.parse('2027-03-28T02:30:00+01:00');
    const maintenance = [exampleMaintenance(1, { startsAt, endsAt: startsAt + 3_600_000 })];
    const calendar = textOf(exampleSnapshot({ maintenance, page: { timeZone: 'Europe/Berlin' } }), 'maintenance.ics');
    assert.match(calendar, /\r\nDTSTART:20270328T013000Z\r\nDTEND:20270328T023000Z\r\n/);
    const markup = textOf(exampleSnapshot({ maintenance, page: { timeZone: 'Europe/Berlin' } }), 'index.html');
    assert.match(words(markup), /28 Mar 2027, 03:30.04:30 CEST/);
  });

  test('badges say state and uptime', () => {
    const snapshot = troubledSnapshot('outage');
    assert.match(textOf(snapshot, 'badge.svg'), /aria-label="Example status: Outage"/);
    assert.match(textOf(snapshot, `services/${numberedId(101)}/badge.svg`), /aria-label="Storefront: Operational"/);
    assert.match(
      textOf(snapshot, `services/${numberedId(101)}/uptime.svg`),
      /aria-label="Storefront: 100\.00% uptime"/,
    );
  });
});

suite('hostile texts', () => {
  const files = renderPage(hostileSnapshot());

  test('stay text in HTML, SVG and feeds', () => {
    for (const [path, { content }] of files) {
      if (!/\.(?:html|svg|rss|atom)$/.test(path)) continue;
      assert.doesNotMatch(String(content), /<script>|<img src=x|="javascript:|\sonclick=|\sonmouseover=/i, path);
      // eslint-disable-next-line no-control-regex
      assert.doesNotMatch(String(content), /[\u0000-\u0008\u202e\ufffe]/, path);
      assert.ok(String(content).isWellFormed(), path);
    }
  });

  test('stay within their line of a calendar, which is folded at 75 bytes', () => {
    const lines = String(files.get('maintenance.ics')?.content).split('\r\n');
    assert.ok(lines.every((line) => Buffer.byteLength(line) <= 75 && !line.includes('\n')));
    const unfolded = lines.join('\r\n').replaceAll('\r\n ', '').split('\r\n');
    assert.equal(unfolded.filter((line) => line === 'BEGIN:VEVENT').length, 1);
    const summary = unfolded.find((line) => line.startsWith('SUMMARY:')) ?? '';
    assert.match(summary, /\\nBEGIN:VEVENT\\;\\,\\\\n/);
  });

  test('do not leave the style', () => {
    const style = [...files].find(([path]) => path.endsWith('.css'))?.[1].content;
    assert.doesNotMatch(String(style), /red;|body\{display/);
  });

  test('are the same in JSON, without what no format can carry', () => {
    const value = JSON.parse(String(files.get('api/v2/summary.json')?.content)) as { page: { name: string } };
    assert.match(value.page.name, /^"><script>alert\(1\)<\/script>'&\]\]>/);
  });
});

test('texts of the page replace those of the language, and keep their values', () => {
  const texts = { 'headline.operational': 'All good at {time}, {nothing}', services: 'Systems' };
  assert.equal(headline(exampleSnapshot({ page: { texts } })), 'All good at 14:02 UTC, {nothing}');
  assert.match(textOf(exampleSnapshot({ page: { texts } }), 'index.html'), /<h2>Systems<\/h2>/);
});

test('an incident has a page with updates, postmortem and whether it was added afterwards', () => {
  const incident = exampleIncident(7, { isBackdated: true, postmortem: '1. First\n2. Second' });
  const markup = textOf(exampleSnapshot({ incidents: [incident] }), `incidents/${numberedId(1007)}.html`);
  assert.match(markup, /<h1[^>]*>Payments are declined<\/h1>/);
  assert.match(markup, /<ol><li>First<\/li><li>Second<\/li><\/ol>/);
  assert.match(words(markup), /Added afterwards, on 29 Nov 2026, 13:24 UTC/);
  assert.match(markup, /<strong>all cards<\/strong>/);
});

test('the page takes subscribers only if it says so', () => {
  assert.doesNotMatch(textOf(exampleSnapshot(), 'index.html'), /<form/);
  const page = examplePage({ takesSubscribers: true });
  assert.match(textOf(exampleSnapshot({ page }), 'index.html'), /<form method="post" action="subscribe">/);
});

suite('the documentation', () => {
  const docs = readFileSync('docs/status-page-files.md', 'utf8');

  test('lists each text by its key', () => {
    const listed = [...docs.matchAll(/^\| `([a-zA-Z.]+)` +\| (.*?) *\|$/gm)].map(([, key, text]) => [key, text]);
    assert.deepEqual(Object.fromEntries(listed.filter(([key = '']) => key in english)), english);
  });

  test('lists files that exist, and no other file is published but assets', () => {
    const listed = [...docs.matchAll(/`([a-z0-9{}/-]+\.(?:html|json|atom|rss|ics|svg))`/g)].map(
      ([, path = '']) => path,
    );
    const published = [...renderPage(troubledSnapshot('outage')).keys()].map((path) =>
      path.replace(/[0-9a-f-]{36}/, '{id}').replace(/\d{4}-\d{2}/, '2026-11'),
    );
    const unlisted = published.filter((path) => !listed.some((each) => path === each || path === `api/v2/${each}`));
    assert.deepEqual(
      [...new Set(unlisted)].filter((path) => !path.startsWith('assets/')),
      ['favicon.svg'],
    );
    const missing = listed.filter((each) => !published.includes(each) && !published.includes(`api/v2/${each}`));
    assert.deepEqual(missing, []);
  });
});

test('the line for frames has its time in each state, because no script can say that it is old', () => {
  for (const state of ['outage', 'degraded', 'unknown', 'maintenance'] as const) {
    assert.match(textOf(troubledSnapshot(state), 'embed.html'), /14:02/, state);
  }
  assert.match(textOf(exampleSnapshot(), 'embed.html'), /14:02/);
});

test('a text that looks like thousands of links takes no time', () => {
  const text = '[a]('.repeat(12_500);
  const times = Array.from({ length: 5 }, () => {
    const startedAt = performance.now();
    assert.doesNotMatch(renderMarkdown(text).text, /<a /);
    return performance.now() - startedAt;
  });
  // 3 ms; with backtracking over each address, 260 ms.
  assert.ok(Math.min(...times) < 100, String(times));
});
