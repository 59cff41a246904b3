// Routes of snippets (reference §4.2).
import type { SnippetActions } from '#actions/scripts/snippets.ts';
import type { SnippetBody } from '#contract/scripts/snippet.ts';
import type { Snippet } from '#domain/scripts/snippet.ts';
import { pageOf, type Route, route, sliceOf } from '../route.ts';
import { isoText, isoTextOrNull, usesToWire } from '../wire.ts';

export function snippetRoutes(actions: SnippetActions): Route[] {
  return [
    route('listSnippets', async ({ caller, query }) => pageOf(await actions.list(caller, sliceOf(query)), toWire)),
    route('createSnippet', async ({ caller, body }) => toWire(await actions.create(caller, body))),
    route('getSnippet', async ({ caller, params }) => toWire(await actions.find(caller, params.id))),
    route('updateSnippet', async ({ caller, params, body }) => toWire(await actions.change(caller, params.id, body))),
    route('getSnippetUses', async ({ caller, params, signal }) =>
      usesToWire(await actions.uses(caller, params.id, signal)),
    ),
    route('deleteSnippet', ({ caller, params }) => actions.remove(caller, params.id)),
  ];
}

function toWire({ id, name, script, createdAt, updatedAt }: Snippet): SnippetBody {
  return { id, name, script, created_at: isoText(createdAt), updated_at: isoTextOrNull(updatedAt) };
}
