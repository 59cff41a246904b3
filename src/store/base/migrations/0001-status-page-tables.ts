// The tables of status pages in the first schema.
import type { Dialect } from '../dialect.ts';

/** The statements that create them, in order. */
export function statusPageTables({ types, strict, clustered }: Dialect): string[] {
  const { id, text, integer, code, instant, bytes } = types;
  const account = `account_id ${id} NOT NULL`;
  return [
    `CREATE TABLE status_pages (${account}, id ${id} NOT NULL, name ${text} NOT NULL, url ${text} NOT NULL,
      custom_domain ${text}, is_published ${code} NOT NULL, password_hash ${text}, definition ${text} NOT NULL,
      created_at ${instant} NOT NULL, updated_at ${instant}, PRIMARY KEY (account_id, id))${strict}`,
    `CREATE TABLE status_page_addresses (address ${text} PRIMARY KEY NOT NULL, owner_id ${id} NOT NULL,
      page_id ${id} NOT NULL)${clustered}`,
    `CREATE TABLE status_page_images (${account}, page_id ${id} NOT NULL, name ${text} NOT NULL,
      media_type ${text} NOT NULL, content ${bytes} NOT NULL, PRIMARY KEY (account_id, page_id, name))${strict}`,
    `CREATE TABLE status_services (${account}, id ${id} NOT NULL, name ${text} NOT NULL, definition ${text} NOT NULL,
      created_at ${instant} NOT NULL, updated_at ${instant}, PRIMARY KEY (account_id, id))${strict}`,
    `CREATE TABLE status_service_days (${account}, service_id ${id} NOT NULL, day_at ${instant} NOT NULL,
      known_ms ${integer} NOT NULL, down_ms ${integer} NOT NULL, unknown_ms ${integer} NOT NULL,
      PRIMARY KEY (account_id, service_id, day_at))${clustered}`,
    `CREATE TABLE status_incidents (${account}, id ${id} NOT NULL, name ${text} NOT NULL, is_draft ${code} NOT NULL,
      publish_at ${instant}, started_at ${instant} NOT NULL, resolved_at ${instant}, published_at ${instant},
      definition ${text} NOT NULL, created_at ${instant} NOT NULL, updated_at ${instant},
      PRIMARY KEY (account_id, id))${strict}`,
    'CREATE INDEX status_incidents_by_start ON status_incidents (account_id, started_at)',
    'CREATE INDEX status_incidents_open ON status_incidents (account_id, is_draft) WHERE resolved_at IS NULL',
    'CREATE INDEX status_incidents_to_publish ON status_incidents (publish_at) WHERE publish_at IS NOT NULL',
    `CREATE TABLE status_incident_updates (${account}, incident_id ${id} NOT NULL, id ${id} NOT NULL,
      status ${text} NOT NULL, description ${text} NOT NULL, notify_subscribers ${code} NOT NULL,
      public_at ${instant} NOT NULL, created_at ${instant} NOT NULL,
      PRIMARY KEY (account_id, incident_id, id))${strict}`,
    `CREATE TABLE status_page_snapshots (${account}, page_id ${id} NOT NULL, built_at ${instant} NOT NULL,
      fingerprint ${text} NOT NULL, content ${bytes} NOT NULL, PRIMARY KEY (account_id, page_id))${strict}`,
    `CREATE TABLE status_subscribers (${account}, page_id ${id} NOT NULL, id ${id} NOT NULL, email ${text} NOT NULL,
      services ${text}, confirmed_at ${instant}, requested_at ${instant} NOT NULL, mail_due_at ${instant},
      mail_attempts ${integer} NOT NULL, created_at ${instant} NOT NULL,
      PRIMARY KEY (account_id, page_id, id))${strict}`,
    'CREATE UNIQUE INDEX status_subscribers_by_email ON status_subscribers (account_id, page_id, email)',
    'CREATE INDEX status_subscribers_to_mail ON status_subscribers (mail_due_at) WHERE mail_due_at IS NOT NULL',
    'CREATE INDEX status_subscribers_pending ON status_subscribers (requested_at) WHERE confirmed_at IS NULL',
    `CREATE TABLE status_mail_slots (key ${text} PRIMARY KEY NOT NULL, free_at ${instant} NOT NULL)${clustered}`,
    `CREATE TABLE status_page_changes (${account}, page_id ${id} NOT NULL, id ${id} NOT NULL, subject ${text} NOT NULL,
      content ${text} NOT NULL, known_until ${instant}, due_at ${instant} NOT NULL, begun_at ${instant}, progress ${id},
      notified ${integer} NOT NULL DEFAULT 0, subscribers ${integer} NOT NULL DEFAULT 0, ended_at ${instant},
      created_at ${instant} NOT NULL, PRIMARY KEY (account_id, page_id, id))${strict}`,
    'CREATE UNIQUE INDEX status_page_changes_by_subject ON status_page_changes (account_id, page_id, subject)',
    'CREATE INDEX status_page_changes_due ON status_page_changes (due_at) WHERE ended_at IS NULL',
    `CREATE INDEX status_page_changes_waiting ON status_page_changes (account_id, page_id, due_at, id)
      WHERE ended_at IS NULL`,
    `CREATE INDEX status_page_changes_known ON status_page_changes (account_id, known_until)
      WHERE known_until IS NOT NULL`,
    'CREATE INDEX status_page_changes_old ON status_page_changes (created_at)',
  ];
}
