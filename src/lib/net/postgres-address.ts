// What DATABASE_URL says of a PostgreSQL: where it is, who we are there, and how the connection is encrypted.

/** As libpq means them (its manual, 34.19): `prefer` encrypts when the server can, the `verify-` ones check who it is. */
export const sslModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
export type SslMode = (typeof sslModes)[number];

/** Where a database is. */
export interface PostgresAddress {
  /** A name, an address, or the folder of a Unix socket (it begins with a slash). */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  /** A secret; null = the server asks for none. */
  readonly password: string | null;
  readonly database: string;
  readonly sslMode: SslMode;
  /** Files: who signs the server's certificate (null = the usual authorities), and a certificate of our own. */
  readonly sslRootCert: string | null;
  readonly sslCert: string | null;
  readonly sslKey: string | null;
}

const noHost = 'no-host.invalid';
const known = ['host', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey'];

/**
 * Reads an address.
 *
 * @throws {Error} that says what is wrong, without the password
 */
export function readPostgresAddress(text: string): PostgresAddress {
  // A user without a host, as it is written with ?host=/run/postgresql, is no URL to Node.js.
  const whole = text.replace(/^([^/?#]*:\/\/[^/?#]*@)(?=[:/?])/, `$1${noHost}`);
  const url = /^postgres(ql)?:\/\//i.test(text) ? URL.parse(whole) : null;
  if (url === null) {
    throw new Error(
      'it is no address; in a user and a password the characters : / ? # [ ] @ % are written as %3A and so on',
    );
  }
  if (url.hash !== '') throw new Error('it has a #, which is written as %23 in a password');
  const options = url.searchParams;
  const odd = [...options.keys()].find((name) => !known.includes(name));
  if (odd !== undefined) throw new Error(`it has the option ${odd}; there are ${known.join(', ')}`);
  const named = url.hostname === noHost ? '' : decoded(url.hostname.replace(/^\[(.*)\]$/, '$1'));
  const host = options.get('host') ?? named;
  if (host === '') throw new Error('it names no host; a Unix socket is named by its folder, as ?host=/run/postgresql');
  if (host.includes(',')) throw new Error('it names several hosts; one is expected, or a proxy before them');
  const user = decoded(url.username);
  if (user === '') throw new Error('it names no user');
  const database = decoded(url.pathname.slice(1));
  if (database === '') throw new Error('it names no database');
  const file = (name: string): string | null => options.get(name) || null;
  return {
    host,
    port: url.port === '' ? 5432 : Number(url.port),
    user,
    password: url.password === '' ? null : decoded(url.password),
    database,
    sslMode: sslModeOf(options.get('sslmode')),
    sslRootCert: file('sslrootcert'),
    sslCert: file('sslcert'),
    sslKey: file('sslkey'),
  };
}

function sslModeOf(text: string | null): SslMode {
  const mode = sslModes.find((each) => each === (text ?? 'prefer'));
  if (mode === undefined) throw new Error(`its sslmode is none of ${sslModes.join(', ')}`);
  return mode;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('it has a % that does not begin an escape; a % itself is written as %25');
  }
}

/** The address as a person may read it: without the password. */
export function shownAddress({ host, port, user, database }: PostgresAddress): string {
  return `postgres://${user}@${host.startsWith('/') ? encodeURIComponent(host) : host}:${port}/${database}`;
}
