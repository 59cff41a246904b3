// Pages beside a status page: those about the subscription of a reader, and the one that asks for the password.
import { createHash } from 'node:crypto';
import type { PublicPage, PublicService } from '#domain/status-pages/page-snapshot.ts';
import type { SubscriptionSheet } from '#domain/status-pages/status-subscriber.ts';
import { cleanText } from '#lib/markup/clean-text.ts';
import { Html, markup } from '#lib/markup/html.ts';
import { createPageWriter, type PageWriter } from '../texts/page-writer.ts';
import { pageStyle } from './page-style.ts';

type NamedService = Pick<PublicService, 'id' | 'name'>;

/** Pages beside a status page, in its language and colors. */
export type SubscriptionSheets = ReturnType<typeof createSubscriptionSheets>;

/** The style is inside: files of a page that is not public cannot be loaded without its password. */
export function createSubscriptionSheets(
  page: Pick<PublicPage, 'name' | 'language' | 'timeZone' | 'texts' | 'defaultTheme' | 'themeColors'>,
  services: readonly NamedService[],
) {
  const style = pageStyle(page);
  const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`;
  const texts = Object.fromEntries(Object.entries(page.texts).map(([key, text]) => [key, cleanText(text)]));
  const writer = createPageWriter({ page: { ...page, texts } });
  const name = cleanText(page.name);
  const named = services.map((service) => ({ id: service.id, name: cleanText(service.name) }));
  const sheetWith = (title: string, content: Html): string =>
    markup`<!doctype html>
<html lang="${writer.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex,nofollow">
<title>${title}</title>
${new Html(`<style>${style}</style>`)}
</head>
<body>
<main class="wrap sheet">
${content}
</main>
</body>
</html>
`.text;
  return {
    /** IDs of the services that can be chosen. */
    serviceIds: services.map(({ id }) => id),
    /** What browsers may do with them: no script, and nothing that is loaded. */
    policy,
    /** Asks for the password without telling anything of the page. @param action address of the form */
    askPassword(action: string, problem: 'wrong' | 'many' | null): string {
      const title = writer.plain('password.title');
      return sheetWith(
        title,
        markup`<h1>${title}</h1>
${problem !== null && markup`<p role="alert">${writer.plain(`password.${problem}`)}</p>`}
<form method="post" action="${action}"><p><label for="password">${writer.plain('password.label')}</label><br><input id="password" type="password" name="password" autocomplete="current-password" required></p><button>${writer.plain('password.submit')}</button></form>`,
      );
    },
    /** @param home relative address of the page; null = no link */
    render(sheet: SubscriptionSheet, home: string | null): string {
      const title = writer.plain(`subscription.${sheet.kind}.title`);
      return sheetWith(
        `${title} · ${name}`,
        markup`<p class="soft" dir="auto">${name}</p>
<h1>${title}</h1>
<p>${writer.plain(`subscription.${sheet.kind}.text`, { page: name })}</p>
${sheet.kind === 'confirm' && markup`<form method="post"><button>${writer.plain('subscription.confirm.submit')}</button></form>`}${
          sheet.kind === 'end' && endForms(writer, named, sheet.serviceIds)
        }${home !== null && markup`<p><a href="${home}">${writer.plain('page.current')}</a></p>`}`,
      );
    },
  };
}

function endForms(
  { plain }: PageWriter,
  services: readonly NamedService[],
  chosen: readonly string[] | null | undefined,
): Html {
  const choices = chosen === undefined ? null : serviceChoices(services, chosen ?? []);
  const change =
    choices !== null &&
    markup`<h2>${plain('subscription.choose.title')}</h2><p>${plain('subscription.choose.text')}</p><form method="post"><input type="hidden" name="action" value="choose">${choices}<button>${plain('subscription.choose.submit')}</button></form>`;
  return markup`<form method="post"><button>${plain('subscription.end.submit')}</button></form>${change}`;
}

/** Boxes to choose services with; null = there is no choice. */
export function serviceChoices(services: readonly NamedService[], chosen: readonly string[]): Html | null {
  if (services.length < 2) return null;
  const items = services.map(
    ({ id, name }) =>
      markup`<li><label><input type="checkbox" name="services" value="${id}"${chosen.includes(id) && markup` checked`}><span dir="auto">${name}</span></label></li>`,
  );
  return markup`<ul class="choices">${items}</ul>`;
}
