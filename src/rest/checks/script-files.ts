// Routes of files of scripts that are uploaded apart from their checks.
import type { ScriptFileActions } from '#actions/checks/script-files.ts';
import { fileHeaders } from '../html.ts';
import { Answer, type Route, route } from '../route.ts';

export function scriptFileRoutes(actions: ScriptFileActions): Route[] {
  return [
    route('uploadScriptFile', ({ caller, bytes }) => actions.upload(caller, bytes)),
    route('getScriptFile', async ({ caller, params }) => fileAnswer(await actions.read(caller, params.key))),
  ];
}

/** A download whose content is untrusted. */
export function fileAnswer(content: Buffer): Answer {
  return new Answer(200, content, {
    ...fileHeaders,
    'content-disposition': 'attachment',
    'content-type': 'application/octet-stream',
  });
}
