// Parses DATABASE_URL for PostgreSQL: server, credentials and encryption.

/** As in libpq (manual, 34.19): `prefer` encrypts if the server can, the `verify-` modes verify its identity. */
export const sslModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
export type SslMode = (typeof sslModes)[number];

export interface PostgresAddress {
  /** A name, an address, or the folder of a Unix socket (starting with a slash). */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  /** A secret; null = none. */
  readonly password: string | null;
  readonly database: string;
  readonly sslMode: SslMode;
  /** Files: CAs of the server's certificate (null = the default CAs), and a client certificate. */
  readonly sslRootCert: string | null;
  readonly sslCert: string | null;
  readonly sslKey: string | null;
}

const noHost = 'no-host.invalid';
const known = ['host', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey'];

/**
 * Parses an address.
 * @throws {Error} with the reason, without the password
 */
export function readPostgresAddress(text: string): PostgresAddress {
  // Node.js does not accept a URL with a user but no host, as in ?host=/run/postgresql.
  const whole = text.replace(/^([^/?#]*:\/\/[^/?#]*@)(?=[:/?])/, `$1${noHost}`);
  const url = /^postgres(ql)?:\/\//i.test(text) ? URL.parse(whole) : null;
  if (url === null) {
    throw new Error(
      'it is not a valid URL; percent-encode the characters : / ? # [ ] @ % in user and password, for example %3A for :',
    );
  }
  if (url.hash !== '') throw new Error('it contains #, which must be written as %23 in a password');
  const options = url.searchParams;
  const odd = [...options.keys()].find((name) => !known.includes(name));
  if (odd !== undefined) throw new Error(`it has the unknown option ${odd}; use ${known.join(', ')}`);
  const named = url.hostname === noHost ? '' : decoded(url.hostname.replace(/^\[(.*)\]$/, '$1'));
  const host = options.get('host') ?? named;
  if (host === '') throw new Error('it has no host; for a Unix socket set its folder, as in ?host=/run/postgresql');
  if (host.includes(',')) throw new Error('it has several hosts; use a single host or a proxy');
  const user = decoded(url.username);
  if (user === '') throw new Error('it has no user');
  const database = decoded(url.pathname.slice(1));
  if (database === '') throw new Error('it has no database');
  const file = (name: string): string | null => options.get(name) || null;
  return {
    host,
    port: url.port === '' ? 5432 : Number(url.port),
    user,
    password: url.password === '' ? null : decoded(url.password),
    database,
    sslMode: parseSslMode(options.get('sslmode')),
    sslRootCert: file('sslrootcert'),
    sslCert: file('sslcert'),
    sslKey: file('sslkey'),
  };
}

function parseSslMode(text: string | null): SslMode {
  const mode = sslModes.find((each) => each === (text ?? 'prefer'));
  if (mode === undefined) throw new Error(`its sslmode is invalid; use one of ${sslModes.join(', ')}`);
  return mode;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('it contains % without an escape; write % as %25');
  }
}

/** The address for display, without the password. */
export function shownAddress({ host, port, user, database }: PostgresAddress): string {
  return `postgres://${user}@${host.startsWith('/') ? encodeURIComponent(host) : host}:${port}/${database}`;
}
