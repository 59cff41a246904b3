// `migrate --from … --to …`: copies an installation to another database and verifies it (docs/decisions/0045).
import { errorMessage } from '#lib/errors.ts';
import type { Command } from 'commander';
import { dirname } from 'node:path';
import { readConfig } from '#config/config.ts';
import { findSecretKey, readKeyFile } from '#config/secret-key.ts';
import { configVariables, type DatabaseUrl } from '#config/variables.ts';
import { isUuid } from '#lib/id.ts';
import { UsageError } from './exits.ts';
import { moveBetween, type MoveOrder } from './move-sides.ts';
import { copyInstallation, type CopyOrder } from '#store/copy/copy-installation.ts';
import type { Screen } from './progress.ts';
import { commandName } from '#lib/package-files.ts';
import { idBytes } from '#store/base/codec.ts';
import { copyAccount } from '#store/copy/copy-account.ts';
import { sealOf } from '#store/copy/side.ts';

/** Copies and verifies the installation, and reports progress. Throws CommandError. */
async function migrate(order: MoveOrder & CopyOrder): Promise<void> {
  const startedAt = screen.now();
  await moveBetween(
    order,
    'copy',
    screen,
    (source, target, listener) => copyInstallation(source, target, order, listener),
    (source, target, tables) => {
      const rows = tables.reduce((sum, table) => sum + table.rows, 0);
      const seconds = (screen.now() - startedAt) / 1000;
      return (
        `Copied and verified ${rows} rows in ${tables.length} tables in ${seconds.toFixed(1)} s.\n` +
        `Start Tocsin with DATABASE_URL=${target.shown} and the same secret key. ${source.shown} is ` +
        `unchanged. Do not start it again, or both installations will run the same checks.`
      );
    },
  );
}

interface MigrateOptions {
  readonly from?: string;
  readonly to?: string;
  readonly overwrite?: true;
  readonly account?: string;
  readonly toSecretKeyFile?: string;
}

/** Defines `migrate`. */
export function defineMigrate(command: Command): void {
  command
    .description(
      'Copy the whole installation, or move one account, to another database and verify it. Stop both services first.',
    )
    .option('--from <database>', 'source: sqlite:<file> or postgres://…')
    .option('--to <database>', 'target: sqlite:<file> or postgres://…')
    .option('--overwrite', 'delete existing data in the target')
    .option('--account <id>', 'move only this account')
    .option('--to-secret-key-file <file>', 'secret key of the target, if it differs; requires --account')
    .addHelpText(
      'after',
      '\nAn interrupted copy resumes when the command runs again.\n\nExample:\n' +
        `  ${commandName} migrate --from sqlite:data/tocsin.db --to postgres://tocsin@db/tocsin`,
    )
    .action(migrateDatabase);
}

async function migrateDatabase(values: MigrateOptions): Promise<void> {
  const [from, to] = [parseDatabase('--from', values.from), parseDatabase('--to', values.to)];
  const config = readConfig();
  const beside = from.kind === 'sqlite' ? [dirname(from.path)] : [];
  const secretKey = findSecretKey(config, [...new Set([...beside, config.dataDir])]);
  const { account, toSecretKeyFile: keyFile } = values;
  if (account === undefined) {
    if (keyFile !== undefined) throw new UsageError('--to-secret-key-file requires --account');
    await migrate({ from, to, secretKey, overwrite: values.overwrite === true });
    return;
  }
  if (!isUuid(account)) throw new UsageError('--account must be an account id (UUID)');
  if (values.overwrite === true) throw new UsageError('--overwrite cannot be combined with --account');
  const toKey = keyFile === undefined ? secretKey : readKeyFile(keyFile);
  await copyOneAccount({ accountId: account.toLowerCase(), from, to, fromKey: secretKey, toKey }, screen);
}

const screen: Screen = {
  write: (text) => process.stdout.write(text),
  isTerminal: process.stdout.isTTY,
  now: () => performance.now(),
};

function parseDatabase(option: string, text: string | undefined): DatabaseUrl {
  const { read, right } = configVariables.DATABASE_URL;
  if (text === undefined) throw new UsageError(`migrate needs ${option} ${right}`);
  let database: DatabaseUrl | undefined;
  let why = '';
  try {
    database = read(text);
  } catch (error) {
    why = `: ${errorMessage(error)}`;
  }
  if (database === undefined) throw new UsageError(`${option} is invalid${why}; use ${right}`);
  return database;
}

/** Options of an account move. */
interface CopyAccountOrder extends MoveOrder {
  readonly accountId: string;
  /** 32 bytes each; equal if both installations share a key. */
  readonly fromKey: Uint8Array;
  readonly toKey: Uint8Array;
}

/** Copies the account, removes it from the source and reports progress. Throws CommandError. */
async function copyOneAccount(order: CopyAccountOrder, screen: Screen): Promise<void> {
  const { accountId } = order;
  await moveBetween(
    order,
    'move',
    screen,
    async (source, target, listener) => {
      const seals = { fromSeal: await sealOf(source, order.fromKey), toSeal: await sealOf(target, order.toKey) };
      return copyAccount(source, target, { accountId, id: idBytes(accountId), ...seals }, listener);
    },
    (source, target) =>
      `Moved account ${accountId} from ${source.shown} to ${target.shown}. ` +
      'Start both services. Callers of its API, trigger URLs and ping URLs must use the new address.',
  );
}
