// Databases of Uptime Kuma as its versions 1.23 and 2 write them, with made-up monitors.
import { DatabaseSync } from 'node:sqlite';

/** Columns that 2.x added to those of 1.23. */
const added = ", json_path_operator VARCHAR(255), ip_family TEXT, conditions TEXT NOT NULL DEFAULT '[]'";

type Row = Readonly<Record<string, string | number | null>>;

const monitors: readonly Row[] = [
  { id: 1, name: 'Web', type: 'group', interval: 60 },
  { id: 2, name: 'Inner', type: 'group', interval: 60, parent: 1 },
  {
    id: 3,
    name: 'Shop',
    type: 'http',
    url: 'https://shop.example/health',
    interval: 60,
    maxretries: 2,
    retry_interval: 30,
    method: 'POST',
    headers: '{"x-token":"abc"}',
    body: '{"a":1}',
    auth_method: 'basic',
    basic_auth_user: 'me',
    basic_auth_pass: 'quietword',
    accepted_statuscodes_json: '["200-299","304"]',
    ignore_tls: 1,
    timeout: 48,
    expiry_notification: 1,
    parent: 2,
    description: 'The shop',
    resend_interval: 10,
  },
  { id: 4, name: 'Words', type: 'keyword', url: 'https://shop.example/', keyword: 'Welcome', interval: 45 },
  {
    id: 5,
    name: 'No error',
    type: 'keyword',
    url: 'https://shop.example/',
    keyword: 'Error',
    invert_keyword: 1,
    interval: 20,
  },
  {
    id: 6,
    name: 'Total',
    type: 'json-query',
    url: 'https://shop.example/api',
    json_path: 'items[0].total',
    expected_value: '3',
    interval: 300,
  },
  {
    id: 7,
    name: 'Sum',
    type: 'json-query',
    url: 'https://shop.example/api',
    json_path: '$sum(items.total)',
    expected_value: '3',
    interval: 300,
  },
  { id: 8, name: 'Database', type: 'port', hostname: 'db.example', port: 5432, interval: 120, active: 0 },
  { id: 9, name: 'Gateway', type: 'ping', hostname: 'gateway.example', interval: 60, upside_down: 1 },
  {
    id: 10,
    name: 'Mail',
    type: 'dns',
    hostname: 'shop.example',
    port: 53,
    dns_resolve_type: 'MX',
    dns_resolve_server: '1.1.1.1',
    interval: 3600,
  },
  { id: 11, name: 'Backup', type: 'push', push_token: 'abc', interval: 86_400, maxretries: 1, retry_interval: 3600 },
  { id: 12, name: 'Container', type: 'docker', docker_container: 'web', interval: 60 },
  { id: 13, name: 'Browser', type: 'real-browser', url: 'https://shop.example/', interval: 60 },
  { id: 14, name: 'Broker', type: 'mqtt', hostname: 'mq.example', interval: 60 },
  { id: 15, name: '${env:HOME}', type: 'http', url: 'https://shop.example/${env:HOME}', interval: 60 },
];

const notifications: readonly Row[] = [
  {
    id: 1,
    name: 'Team',
    config: JSON.stringify({
      type: 'slack',
      slackwebhookURL: 'https://hooks.slack.com/services/T/B/x',
      slackchannel: '#ops',
    }),
  },
  { id: 2, name: 'Mail', config: JSON.stringify({ type: 'smtp', smtpTo: 'Ops <ops@example.com>, b@example.com' }) },
  {
    id: 3,
    name: 'Games',
    config: JSON.stringify({ type: 'discord', discordWebhookUrl: 'https://discord.com/api/webhooks/1/quietword' }),
  },
  {
    id: 4,
    name: 'Own',
    config: JSON.stringify({
      type: 'webhook',
      webhookURL: 'https://hooks.example/in',
      webhookAdditionalHeaders: '{"x-key":"quietword"}',
    }),
  },
  { id: 5, name: 'Pager', config: JSON.stringify({ type: 'PagerDuty', pagerdutyIntegrationKey: 'k'.repeat(32) }) },
  {
    id: 6,
    name: 'Genie',
    config: JSON.stringify({ type: 'Opsgenie', opsgenieApiKey: 'key', opsgenieRegion: 'eu', opsgeniePriority: 2 }),
  },
  {
    id: 7,
    name: 'Phone',
    config: JSON.stringify({ type: 'telegram', telegramBotToken: '1:quietword', telegramChatID: '-5' }),
  },
  { id: 8, name: 'Push', config: JSON.stringify({ type: 'ntfy', ntfyserverurl: 'https://ntfy.sh', ntfytopic: 'ops' }) },
  { id: 9, name: 'Sirens', config: JSON.stringify({ type: 'gorush' }) },
];

const maintenances: readonly Row[] = [
  {
    id: 1,
    title: 'Move',
    strategy: 'single',
    start_date: '2031-03-01 22:00:00',
    end_date: '2031-03-01 23:30:00',
    timezone: 'Europe/Berlin',
  },
  {
    id: 2,
    title: 'Past',
    strategy: 'single',
    start_date: '2021-03-01 22:00:00',
    end_date: '2021-03-01 23:30:00',
    timezone: 'UTC',
  },
  {
    id: 3,
    title: 'Weekly',
    strategy: 'recurring-weekday',
    start_date: '2031-01-01 00:00:00',
    start_time: '23:00',
    end_time: '01:00',
    weekdays: '[1,3]',
    timezone: 'UTC',
  },
  { id: 4, title: 'Complex', strategy: 'cron', cron: '0 3 * * *', duration: 60 },
];

/** Writes a database. @param version major */
export function writeKumaDatabase(path: string, version: 1 | 2): void {
  const database = new DatabaseSync(path);
  database.exec(`
    CREATE TABLE monitor (id INTEGER PRIMARY KEY AUTOINCREMENT, name VARCHAR(150), active BOOLEAN NOT NULL DEFAULT 1,
      user_id INTEGER, interval INTEGER NOT NULL DEFAULT 20, url TEXT, type VARCHAR(20), weight INTEGER DEFAULT 2000,
      hostname VARCHAR(255), port INTEGER, keyword VARCHAR(255), invert_keyword BOOLEAN NOT NULL DEFAULT 0,
      maxretries INTEGER NOT NULL DEFAULT 0, ignore_tls BOOLEAN NOT NULL DEFAULT 0, upside_down BOOLEAN NOT NULL DEFAULT 0,
      maxredirects INTEGER NOT NULL DEFAULT 10, accepted_statuscodes_json TEXT NOT NULL DEFAULT '["200-299"]',
      dns_resolve_type VARCHAR(5), dns_resolve_server VARCHAR(255), retry_interval INTEGER NOT NULL DEFAULT 0,
      push_token VARCHAR(32), method TEXT NOT NULL DEFAULT 'GET', body TEXT, headers TEXT, basic_auth_user TEXT,
      basic_auth_pass TEXT, docker_container VARCHAR(255), proxy_id INTEGER, expiry_notification BOOLEAN DEFAULT 0,
      auth_method VARCHAR(250), resend_interval INTEGER NOT NULL DEFAULT 0, packet_size INTEGER NOT NULL DEFAULT 56,
      description TEXT, parent INTEGER, json_path TEXT, expected_value VARCHAR(255), timeout DOUBLE NOT NULL DEFAULT 0
      ${version === 2 ? added : ''});
    CREATE TABLE heartbeat (id INTEGER PRIMARY KEY, monitor_id INTEGER, status SMALLINT, time DATETIME);
    CREATE TABLE notification (id INTEGER PRIMARY KEY, name VARCHAR(255), active BOOLEAN NOT NULL DEFAULT 1,
      user_id INTEGER, is_default BOOLEAN NOT NULL DEFAULT 0, config TEXT);
    CREATE TABLE monitor_notification (id INTEGER PRIMARY KEY, monitor_id INTEGER, notification_id INTEGER);
    CREATE TABLE tag (id INTEGER PRIMARY KEY, name VARCHAR(255) NOT NULL, color VARCHAR(255) NOT NULL);
    CREATE TABLE monitor_tag (id INTEGER PRIMARY KEY, monitor_id INTEGER, tag_id INTEGER, value TEXT);
    CREATE TABLE maintenance (id INTEGER PRIMARY KEY, title VARCHAR(150), description TEXT, active BOOLEAN NOT NULL DEFAULT 1,
      strategy VARCHAR(50), start_date DATETIME, end_date DATETIME, start_time TIME, end_time TIME, weekdays VARCHAR(250),
      days_of_month TEXT, interval_day INTEGER, cron TEXT, timezone VARCHAR(255), duration INTEGER);
    CREATE TABLE monitor_maintenance (id INTEGER PRIMARY KEY, monitor_id INTEGER, maintenance_id INTEGER);
    CREATE TABLE setting (id INTEGER PRIMARY KEY, key VARCHAR(200), value TEXT, type VARCHAR(20));
    INSERT INTO tag VALUES (1, 'team', '#fff'), (2, 'prod', '#000');
    INSERT INTO monitor_tag VALUES (1, 3, 1, 'web'), (2, 3, 2, '');
    INSERT INTO monitor_notification VALUES (1, 3, 1), (2, 3, 3), (3, 1, 2), (4, 4, 9);
    INSERT INTO monitor_maintenance VALUES (1, 3, 1), (2, 4, 2), (3, 1, 3), (4, 4, 4);
    INSERT INTO setting VALUES (1, 'serverTimezone', '"Europe/Berlin"', 'general');`);
  insert(database, 'monitor', monitors);
  insert(database, 'notification', notifications);
  insert(database, 'maintenance', maintenances);
  database.close();
}

function insert(database: DatabaseSync, table: string, rows: readonly Row[]): void {
  for (const row of rows) {
    const names = Object.keys(row);
    const marks = names.map(() => '?').join(', ');
    database.prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${marks})`).run(...Object.values(row));
  }
}
