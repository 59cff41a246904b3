// What can be imported: lines, texts of other products, and products that need the command line.
import type { TextFormat } from '#importers/text-formats.ts';

/** A text to paste or open. */
export interface TextInputWords {
  readonly label: string;
  /** For the button that opens it. */
  readonly file: string;
  readonly types: readonly string[];
  readonly example: string;
}

/** A product whose configuration is a text. */
export interface TextProduct {
  readonly id: TextFormat;
  readonly label: string;
  readonly about: string;
  readonly input: TextInputWords;
  /** A second text. */
  readonly targets?: TextInputWords;
  /** A command that writes the text. */
  readonly export?: string;
  readonly hasUrl?: true;
}

/** A product that only the command line reads. */
export interface CommandProduct {
  readonly id: string;
  readonly label: string;
  readonly about: string;
  /** After `tocsin login`. */
  readonly commands: readonly string[];
}

const yaml = ['.yaml', '.yml'];
const json = ['application/json', '.json'];

export const lines = {
  id: 'lines',
  label: 'Lines, CSV or curl commands',
  about: 'Each line becomes a check',
  title: 'Add many checks',
} as const;

export const textProducts: readonly TextProduct[] = [
  {
    id: 'gatus',
    label: 'Gatus',
    about: 'Its configuration file',
    input: {
      label: 'Configuration',
      file: 'config.yaml',
      types: yaml,
      example: "endpoints:\n  - name: website\n    url: https://shop.example\n    conditions: ['[STATUS] == 200']",
    },
  },
  {
    id: 'blackbox',
    label: 'Blackbox exporter',
    about: 'The configurations of the exporter and of Prometheus',
    input: {
      label: 'Configuration of the exporter',
      file: 'blackbox.yml',
      types: yaml,
      example: 'modules:\n  http_2xx:\n    prober: http',
    },
    targets: {
      label: 'Configuration of Prometheus',
      file: 'prometheus.yml',
      types: yaml,
      example:
        'scrape_configs:\n  - job_name: web\n    metrics_path: /probe\n    params: { module: [http_2xx] }\n    static_configs:\n      - targets: [https://shop.example]',
    },
  },
  {
    id: 'healthchecks',
    label: 'Healthchecks',
    about: 'The list of checks from its API',
    input: { label: 'Response of the API', file: 'checks.json', types: json, example: '{"checks": []}' },
    export: 'curl -H "X-Api-Key: $KEY" https://healthchecks.io/api/v3/checks/ > checks.json',
  },
  {
    id: 'uptimerobot',
    label: 'UptimeRobot',
    about: 'The list of monitors from its API',
    input: { label: 'Response of the API', file: 'monitors.json', types: json, example: '{"monitors": []}' },
    export:
      'curl https://api.uptimerobot.com/v2/getMonitors -d "api_key=$KEY" -d format=json -d alert_contacts=1 > monitors.json',
  },
  {
    id: 'openapi',
    label: 'OpenAPI document',
    about: 'Each GET operation becomes a check',
    input: {
      label: 'Document',
      file: 'openapi.yaml or .json',
      types: [...yaml, ...json],
      example: "openapi: 3.1.0\nservers: [{ url: 'https://shop.example' }]\npaths:",
    },
    hasUrl: true,
  },
];

export const commandProducts: readonly CommandProduct[] = [
  {
    id: 'kuma',
    label: 'Uptime Kuma',
    about: 'Its database, with the command line',
    commands: ['tocsin import kuma kuma.db --dry-run', 'tocsin import kuma kuma.db'],
  },
  {
    id: 'checkly',
    label: 'Checkly',
    about: 'An account, with an API key and the command line',
    commands: [
      'export CHECKLY_API_KEY=cu_… CHECKLY_ACCOUNT_ID=…',
      'tocsin import checkly --dry-run',
      'tocsin import checkly',
    ],
  },
];
