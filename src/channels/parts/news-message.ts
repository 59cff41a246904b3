// A message about changes of a status page, as kinds render it.
import type { NewsItem, PageNews } from '#domain/deliveries/page-news.ts';
import type { TemplateVariables } from '#domain/deliveries/template-variables.ts';
import type { JsonObject } from '#domain/json.ts';

/** A change in words, in the language of the page. Names are in one line. */
export interface NewsWords {
  readonly name: string;
  readonly state: string;
  readonly time: string;
  /** Markdown; '' = none. */
  readonly text: string;
  readonly affects: string | null;
  readonly url: string;
}

/** Changes of a status page to render. */
export interface NewsMessage {
  readonly news: PageNews;
  /** System variables of its delivery. */
  readonly variables: TemplateVariables;
  /** The same in words; `html` is safe. */
  readonly written: {
    readonly language: string;
    readonly subject: string;
    readonly pageName: string;
    readonly items: readonly NewsWords[];
    readonly text: string;
    readonly html: string;
  };
}

/** The body for programs (docs/status-pages.md, Notify channels). */
export function newsBody({ news, variables }: NewsMessage): JsonObject {
  const { id, name, url } = news.page;
  return {
    type: 'status-page',
    deliveryId: String(variables['DELIVERY_ID']),
    isReplay: variables['IS_REPLAY'] === true,
    page: { id, name, url },
    changes: news.items.map(changeBody),
  };
}

function changeBody(item: NewsItem): JsonObject {
  const { id, name, url } = item;
  const services = [...item.services];
  if (item.kind === 'maintenance') {
    const { event, description, startsAt, endsAt } = item;
    const times = { startsAt: isoText(startsAt), endsAt: isoText(endsAt) };
    return { type: 'MAINTENANCE', id, name, event, description, services, ...times, url };
  }
  const { severity, startedAt, resolvedAt, update } = item;
  return {
    type: 'INCIDENT',
    id,
    name,
    severity,
    status: update.status,
    updateId: update.id,
    description: update.description,
    services,
    startedAt: isoText(startedAt),
    resolvedAt: resolvedAt === null ? null : isoText(resolvedAt),
    updatedAt: isoText(update.at),
    url,
  };
}

const isoText = (at: number): string => new Date(at).toISOString();
