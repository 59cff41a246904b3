// Badges, the frame for other sites, and the feeds of a status page: addresses and code to copy.
import { useState } from 'react';
import { useEveryEntry } from '../../api/entries.ts';
import { BadgeSnippets, escaped, Snippets } from '../../ui/badges/badge-dialog.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Panel } from '../../ui/controls/dialog.tsx';
import { Choice } from '../../ui/controls/field.tsx';
import type { StatusPage } from './frame.tsx';
import { text } from './strings.ts';
import css from './status-pages.module.css';

/** The button and the dialog that it opens. */
export function PageBadges({ page }: { readonly page: StatusPage }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onPress={() => setOpen(true)}>{text.badges}</Button>
      <Panel title={text.badgesOf(page.name)} isOpen={isOpen} onClose={() => setOpen(false)}>
        <Badges page={page} />
        <div className={css['buttons']}>
          <Button onPress={() => setOpen(false)}>{text.close}</Button>
        </div>
      </Panel>
    </>
  );
}

const ofPage = 'page';

function Badges({ page }: { readonly page: StatusPage }) {
  const { name, url, pageUrl, visibility, isPublished, cards } = page;
  const [of, setOf] = useState(ofPage);
  const [kind, setKind] = useState<'badge' | 'uptime'>('badge');
  // Until the page is built, a moment after it was created.
  const [missing, setMissing] = useState('');
  const services = useEveryEntry('listStatusServices').data ?? [];
  const shown = new Map(cards.flatMap((card) => card.services.map((service) => [service.id, service.name] as const)));
  const service = services.find(({ id }) => id === of);
  const counts = service !== undefined && service.showHistory && hasChecks(service);
  const path = of === ofPage ? 'badge.svg' : `services/${of}/${counts ? kind : 'badge'}.svg`;
  const isOpenToOthers = isPublished && (visibility === 'PUBLIC' || visibility === 'LINK');
  return (
    <>
      {!isOpenToOthers && <p>{text.badgesPrivate}</p>}
      {missing === path ? (
        <p className="quiet">{text.badgeSoon}</p>
      ) : (
        // From this server, also if the page has a host name of its own.
        <img
          className={css['badge']}
          src={`/status/${url}/${path}`}
          alt={text.badgePreview}
          onError={() => setMissing(path)}
        />
      )}
      <div className={css['pair']}>
        <Choice
          label={text.badgeOf}
          value={of}
          options={[[ofPage, text.wholePage], ...shown]}
          onChange={(value) => setOf(value)}
        />
        {counts && (
          <Choice label={text.badgeKind} value={kind} options={text.badgeKinds} onChange={(value) => setKind(value)} />
        )}
      </div>
      <BadgeSnippets name={shown.get(of) ?? name} address={`${pageUrl}${path}`} />
      {of === ofPage && (
        <Snippets
          snippets={[
            [
              text.embed,
              `<iframe src="${escaped(`${pageUrl}embed.html`)}" title="${escaped(name)}" width="400" height="48" style="border: 0"></iframe>`,
            ],
            [text.feed, `${pageUrl}feed.atom`],
            [text.calendar, `${pageUrl}maintenance.ics`],
            [text.json, `${pageUrl}api/v2/summary.json`],
          ]}
        />
      )}
    </>
  );
}

function hasChecks({
  checkIds,
  groupIds,
  tags,
}: Record<'checkIds' | 'groupIds' | 'tags', readonly unknown[]>): boolean {
  return checkIds.length + groupIds.length + tags.length > 0;
}
