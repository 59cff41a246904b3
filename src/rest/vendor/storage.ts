// Uploads of the `checkly` command line: snapshots of browser checks.
import type { ScriptFileActions } from '#actions/checks/script-files.ts';
import { fileAnswer } from '../checks/script-files.ts';
import { type Route, route } from '../route.ts';

export function cliStorageRoutes(files: ScriptFileActions): Route[] {
  return [
    route('uploadCliSnapshot', ({ caller, bytes }) => files.upload(caller, bytes)),
    route('downloadCliSnapshot', async ({ caller, body }) => fileAnswer(await files.read(caller, body.key))),
  ];
}
