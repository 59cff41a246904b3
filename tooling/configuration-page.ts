// The page docs/configuration.md, written from the same table that reads the environment.
import { clientVariables, configVariables } from '#config/variables.ts';

const clients = clientVariables.map((name) => `\`${name}\``).join(', ');

const head = `# Configuration

<!-- Written by \`npm run docs\` from src/config/variables.ts; a test fails when the two differ. -->

Tocsin is configured by environment variables, all of them optional. An empty variable counts as unset. If a value is
invalid, Tocsin exits with one line that names the variable, the value and the allowed values. A variable that begins with \`TOCSIN_\` and is not in this list is warned about, except ${clients},
which are for clients. Settings of an account (channels, alert settings, execution limit, API keys) are made through the API.
For PostgreSQL, database URLs and the needs of each role, see [postgresql.md](postgresql.md).

| Variable | Default | What it does | Allowed values |
|---|---|---|---|
`;

const foot = `
## Where requests may go

\`TOCSIN_EGRESS\` judges every address that a check or a webhook connects to, redirects included. While the server listens
on a loopback address only, whoever can call it is on this machine already, so the default is \`any\`. As soon as it listens
elsewhere the default is \`public\`: an account must not be able to look into your network through Tocsin. Set \`private\`
where checking your own network is what Tocsin is for. With \`TOCSIN_PROXY\` the proxy judges instead
([security.md](security.md#through-a-proxy)); \`HTTP_PROXY\` and the like have no effect.

## Secrets

\`TOCSIN_BOOTSTRAP_API_KEY\` and \`TOCSIN_SECRET_KEY\` are never shown again, not even in the error for an invalid value.
With containers prefer \`TOCSIN_SECRET_KEY_FILE\`. Back up the secret key apart from the database: one without the other
gives no secret away, and both are needed to restore.
`;

/** The whole page as Markdown. */
export function configurationPage(): string {
  const rows = Object.entries(configVariables).map(([name, { fallback, meaning, right }]) => {
    const shownFallback =
      /^[\w./]+$/.test(fallback) && !/^(none|random)$/.test(fallback) ? `\`${fallback}\`` : fallback;
    return `| \`${name}\` | ${shownFallback} | ${meaning} | ${right.replaceAll('<', '&lt;')} |`;
  });
  return `${head}${rows.join('\n')}\n${foot}`;
}
