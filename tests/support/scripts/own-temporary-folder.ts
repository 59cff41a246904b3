// A temporary folder of one suite, because folders of other runs would be counted or removed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';

/** Called in a suite: its tests have a folder of their own as TMPDIR, which is gone afterwards. */
export function useOwnTemporaryFolder(): void {
  const usual = process.env['TMPDIR'];
  let folder: string | null = null;
  before(() => {
    process.env['TMPDIR'] = folder = mkdtempSync(join(tmpdir(), 'tsn-'));
  });
  after(() => {
    if (usual === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = usual;
    if (folder !== null) rmSync(folder, { recursive: true });
  });
}
