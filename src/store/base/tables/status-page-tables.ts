// Tables of status pages.
import type { UpdateStatus } from '#domain/status-pages/status-incident.ts';
import type { Flag, IdBytes } from '../codec.ts';

export interface StatusPagesTable {
  account_id: IdBytes;
  id: IdBytes;
  name: string;
  url: string;
  custom_domain: string | null;
  is_published: Flag;
  password_hash: string | null;
  /** The rest of the record, JSON. */
  definition: string;
  created_at: number;
  updated_at: number | null;
}

/** Whose page an address is, in the whole installation. */
export interface StatusPageAddressesTable {
  /** `path:` or `host:` and the address. */
  address: string;
  /** The account. */
  owner_id: IdBytes;
  page_id: IdBytes;
}

export interface StatusPageImagesTable {
  account_id: IdBytes;
  page_id: IdBytes;
  name: string;
  media_type: string;
  content: Uint8Array;
}

export interface StatusServicesTable {
  account_id: IdBytes;
  id: IdBytes;
  name: string;
  /** The rest of the record, JSON. */
  definition: string;
  created_at: number;
  updated_at: number | null;
}

/** A day of a service, once it is over. */
export interface StatusServiceDaysTable {
  account_id: IdBytes;
  service_id: IdBytes;
  /** Start of a UTC day. */
  day_at: number;
  known_ms: number;
  down_ms: number;
  unknown_ms: number;
}

export interface StatusIncidentsTable {
  account_id: IdBytes;
  id: IdBytes;
  name: string;
  is_draft: Flag;
  /** When a draft is published by itself; null = never. */
  publish_at: number | null;
  started_at: number;
  /** null = it is open. */
  resolved_at: number | null;
  published_at: number | null;
  /** The rest of the record, JSON. */
  definition: string;
  created_at: number;
  updated_at: number | null;
}

export interface StatusIncidentUpdatesTable {
  account_id: IdBytes;
  incident_id: IdBytes;
  id: IdBytes;
  status: UpdateStatus;
  description: string;
  notify_subscribers: Flag;
  public_at: number;
  created_at: number;
}

/** What is published of a page. */
export interface StatusPageSnapshotsTable {
  account_id: IdBytes;
  page_id: IdBytes;
  built_at: number;
  /** Hash of the content without its time. */
  fingerprint: string;
  /** Compressed JSON. */
  content: Uint8Array;
}

export interface StatusSubscribersTable {
  account_id: IdBytes;
  page_id: IdBytes;
  id: IdBytes;
  email: string;
  /** JSON: IDs of services; null = all. */
  services: string | null;
  /** null = the address was not confirmed yet. */
  confirmed_at: number | null;
  /** When the subscription was last requested; one that is not confirmed expires a day later. */
  requested_at: number;
  /** When the next mail that asks for confirmation is sent; null = none is. */
  mail_due_at: number | null;
  mail_attempts: number;
  created_at: number;
}

/** When the next mail may be sent to an address of the installation, or for an account. */
export interface StatusMailSlotsTable {
  /** `address:` and the hash of an address, or `account:` and an ID. */
  key: string;
  free_at: number;
}

/** A change of a page that subscribers are notified of. */
export interface StatusPageChangesTable {
  account_id: IdBytes;
  page_id: IdBytes;
  id: IdBytes;
  /** What it is about and which: the key of a change that happens once. */
  subject: string;
  /** JSON. */
  content: string;
  /** Until when it must be known; null = it is kept as the retention says. */
  known_until: number | null;
  /** When subscribers are notified. */
  due_at: number;
  /** null = sending has not begun. */
  begun_at: number | null;
  /** The last subscriber that was notified; null = none was. */
  progress: IdBytes | null;
  /** Subscribers that were notified, and all of them when sending began. */
  notified: number;
  subscribers: number;
  /** null = not all subscribers were notified yet. */
  ended_at: number | null;
  created_at: number;
}

export interface StatusPageTables {
  status_pages: StatusPagesTable;
  status_page_addresses: StatusPageAddressesTable;
  status_page_images: StatusPageImagesTable;
  status_services: StatusServicesTable;
  status_service_days: StatusServiceDaysTable;
  status_incidents: StatusIncidentsTable;
  status_incident_updates: StatusIncidentUpdatesTable;
  status_page_snapshots: StatusPageSnapshotsTable;
  status_subscribers: StatusSubscribersTable;
  status_mail_slots: StatusMailSlotsTable;
  status_page_changes: StatusPageChangesTable;
}
