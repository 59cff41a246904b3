// Serves the web UI's build output: precompressed, and cached forever under hashed names.
import { globSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { reactAriaStyle } from './html.ts';

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** First path segments of the web UI's pages. */
const pageRoots = new Set([
  '',
  'alerts',
  'certificates',
  'channels',
  'checks',
  'deliveries',
  'groups',
  'import',
  'invite',
  'ledger',
  'maintenance',
  'notices',
  'reports',
  'reset-password',
  'settings',
  'setup',
  'sign-in',
  'status-pages',
  'wall',
]);

/** Only scripts and styles of this server, and one style element that React Aria adds; images may be blobs. */
const pageHeaders = {
  'content-security-policy': `default-src 'none'; script-src 'self'; style-src 'self' ${reactAriaStyle}; img-src 'self' data: blob:; media-src blob:; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'same-origin',
  'x-robots-tag': 'noindex, nofollow',
  'cache-control': 'no-cache',
};

/** Codings of the files in the folder, best first, with the end of their names. */
const codings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/** Whether `accept-encoding` allows a coding; a weight of 0 forbids it. */
function accepts(encoding: string, coding: string): boolean {
  return encoding.split(',').some((each) => {
    const [name = '', weight = ''] = each.split(';').map((part) => part.trim());
    return name === coding && !/^q=0(\.0*)?$/.test(weight);
  });
}

/** The HTML document of all pages. */
const page = '/index.html';

/** A file to send. */
export interface WebFile {
  readonly status: 200 | 404;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Finds the file for a GET. */
export type WebFiles = ReturnType<typeof createWebFiles>;

/** @param folder dist/web; if it is missing, nothing is found */
export function createWebFiles(folder: string) {
  // Loads everything at once, so that pages and files are of one version even if an upgrade replaces the folder.
  let loaded: ReadonlyMap<string, Buffer> | null = null;
  const load = (): ReadonlyMap<string, Buffer> => {
    loaded ??= new Map(
      globSync('**/*.{css,html,js,svg,br,gz}', { cwd: folder }).map((name) => [
        `/${name}`,
        readFileSync(join(folder, name)),
      ]),
    );
    return loaded;
  };
  const send = (path: string, encoding: string, headers: Record<string, string>, status: 200 | 404): WebFile | null => {
    const files = load();
    const coding = codings.find(([name, end]) => accepts(encoding, name) && files.has(path + end));
    const body = files.get(path + (coding?.[1] ?? ''));
    if (body === undefined) return null;
    return {
      status,
      headers: {
        'content-type': types[extname(path)] ?? 'application/octet-stream',
        'x-content-type-options': 'nosniff',
        vary: 'accept-encoding',
        ...headers,
        ...(coding !== undefined && { 'content-encoding': coding[0] }),
      },
      body,
    };
  };
  return {
    /**
     * The elements that load scripts and styles into a page of the server; '' if there are none.
     * @param root address of this server relative to the page, which may be behind a proxy that adds a path
     */
    loaders(root: string): string {
      const elements = load()
        .get(page)
        ?.toString()
        .matchAll(/<(?:script|link)\b[^>]*"\/assets\/[^>]*>(?:<\/script>)?/g);
      return Array.from(elements ?? [], ([element]) => element.replace('"/assets/', `"${root}/assets/`)).join('');
    },
    /**
     * null = the web UI has nothing at this path.
     * @param accepted `accept` and `accept-encoding` of the request; a page is sent only to clients that accept HTML
     */
    find(path: string, { type, encoding }: { readonly type: string; readonly encoding: string }): WebFile | null {
      if (extname(path) in types && path !== page) {
        const isHashed = path.startsWith('/assets/');
        const cache = isHashed ? 'public, max-age=31536000, immutable' : 'max-age=3600';
        return send(path, encoding, { 'cache-control': cache }, 200);
      }
      if (!type.includes('text/html')) return null;
      return send(page, encoding, pageHeaders, pageRoots.has(path.split('/')[1] ?? '') ? 200 : 404);
    },
  };
}
