// What a command that talks to a server reads from the environment.
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** Settings of a client command. An empty variable counts as absent. */
export interface ClientConfig {
  /** `TOCSIN_URL`, unvalidated; null = that of the profile. */
  readonly url: string | null;
  /** `TOCSIN_API_KEY`; null = that of the profile. A secret. */
  readonly apiKey: string | null;
  /** `TOCSIN_ACCOUNT`; null = that of the profile, otherwise the default of the key. */
  readonly accountId: string | null;
  /** `CHECKLY_API_KEY` and `CHECKLY_ACCOUNT_ID`, from which `import checkly` reads; null = not set. The key is a secret. */
  readonly checkly: { readonly apiKey: string | null; readonly accountId: string | null };
  /** File with the profiles of `tocsin login`. */
  readonly profilesPath: string;
  /** CA certificates (PEM) to trust in addition to those of Node.js: `TOCSIN_CA_FILE`. */
  readonly caCertificates: readonly string[];
  /** Whether the terminal, if there is one, understands no escape sequences. */
  readonly isDumbTerminal: boolean;
  /** Whether this is a job of GitHub Actions. */
  readonly isGitHubJob: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** @param caCertificates the validated content of `TOCSIN_CA_FILE` */
export function clientConfigOf(env: Environment, caCertificates: readonly string[]): ClientConfig {
  const text = (name: string): string | null => env[name]?.trim() || null;
  const configured = text('XDG_CONFIG_HOME');
  const folder = configured !== null && isAbsolute(configured) ? configured : join(homedir(), '.config');
  return {
    url: text('TOCSIN_URL'),
    apiKey: text('TOCSIN_API_KEY'),
    accountId: text('TOCSIN_ACCOUNT'),
    checkly: { apiKey: text('CHECKLY_API_KEY'), accountId: text('CHECKLY_ACCOUNT_ID') },
    profilesPath: text('TOCSIN_PROFILES') ?? join(folder, 'tocsin', 'profiles.json'),
    caCertificates,
    isDumbTerminal: text('TERM') === 'dumb',
    isGitHubJob: text('GITHUB_ACTIONS') === 'true',
  };
}
