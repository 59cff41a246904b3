// Generates docs/configuration.md from the table that defines the environment variables.
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
\`TOCSIN_EGRESS\` and \`TOCSIN_PROXY\`: see [egress policy](security.md#egress-policy). \`HTTP_PROXY\` and similar variables have no effect.

> [!WARNING]
> Back up the secret key (\`secret.key\`, \`TOCSIN_SECRET_KEY\` or \`TOCSIN_SECRET_KEY_FILE\`) apart from the database. Both are needed to restore.
`;

/** The complete page as Markdown. */
export function configurationPage(): string {
  const rows = Object.entries(configVariables).map(([name, { fallback, meaning, right }]) => {
    const shownFallback =
      /^[\w./]+$/.test(fallback) && !/^(none|random)$/.test(fallback) ? `\`${fallback}\`` : fallback;
    return `| \`${name}\` | ${shownFallback} | ${meaning} | ${right.replaceAll('<', '&lt;')} |`;
  });
  return `${head}${rows.join('\n')}\n${foot}`;
}
