// Files that runs of scripts leave, and their content in parts (docs/decisions/0083).
import type { Dialect } from '../dialect.ts';

/** Only adds: a process of the version before runs on with it, and keeps none. */
export function resultAssets(dialect: Dialect): string[] {
  const { id, text, integer, code, bytes } = dialect.types;
  const asset = `account_id ${id} NOT NULL, check_id ${id} NOT NULL, result_id ${id} NOT NULL, number ${integer} NOT NULL`;
  return [
    `CREATE TABLE result_assets (${asset}, sort ${text} NOT NULL, name ${text} NOT NULL, content_type ${text} NOT NULL,
      bytes ${integer} NOT NULL, location ${text} NOT NULL, is_newest ${code} NOT NULL,
      PRIMARY KEY (account_id, check_id, result_id, number))${dialect.strict}${dialect.byDay('result_id')}`,
    'CREATE INDEX result_assets_newest ON result_assets (account_id, check_id, location) WHERE is_newest = 1',
    `CREATE TABLE asset_parts (${asset}, part ${integer} NOT NULL, content ${bytes} NOT NULL,
      PRIMARY KEY (account_id, check_id, result_id, number, part))${dialect.strict}${dialect.byDay('result_id')}`,
    ...['result_assets', 'asset_parts'].flatMap((table) => dialect.otherDays(table)),
  ];
}
