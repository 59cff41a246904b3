// The status page as visitors would see it, with everything that is entered and not saved yet.
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { InputOf } from '#contract/operations.ts';
import { useRead } from '../../api/query.ts';
import { Button } from '../../ui/controls/button.tsx';
import { type Draft, textOf } from '../../ui/form/draft.ts';
import { useSettled } from '../../ui/form/settled.ts';
import { useMedia } from '../../ui/layout/media.ts';
import { pageBody } from './page-draft.ts';
import { text } from './strings.ts';
import css from './status-pages.module.css';

/** Widths of the screens that are shown, px. */
const widths = { desktop: 1100, phone: 390 } as const;
type PreviewInput = InputOf<'previewStatusPage'>['body'];
type Screen = keyof typeof widths;

/** Whether there is room beside the form. */
export function useIsBeside(): boolean {
  return useMedia('(min-width: 1250px)');
}

/** @param pageId null = a new page */
export function PagePreview({ draft, pageId }: { readonly draft: Draft; readonly pageId: string | null }) {
  const isBeside = useIsBeside();
  const [isShown, setShown] = useState(false);
  return (
    <section className={css['preview']} aria-label={text.preview}>
      {!isBeside && (
        <Button aria-expanded={isShown} onPress={() => setShown(!isShown)}>
          {isShown ? text.hidePreview : text.showPreview}
        </Button>
      )}
      {(isBeside || isShown) && <Rendered draft={draft} pageId={pageId} isPhone={!isBeside} />}
    </section>
  );
}

function Rendered({
  draft,
  pageId,
  isPhone,
}: {
  readonly draft: Draft;
  readonly pageId: string | null;
  readonly isPhone: boolean;
}) {
  const [screen, setScreen] = useState<Screen>(isPhone ? 'phone' : 'desktop');
  const asked = useSettled(JSON.stringify(previewBody(draft, pageId)));
  const { data, error } = useRead('previewStatusPage', { body: JSON.parse(asked) as PreviewInput });
  return (
    <>
      <div className={css['buttons']}>
        {(['desktop', 'phone'] as const).map((each) => (
          <Button
            key={each}
            kind={each === screen ? 'plain' : 'quiet'}
            aria-pressed={each === screen}
            onPress={() => setScreen(each)}
          >
            {text.screens[each]}
          </Button>
        ))}
      </div>
      {error !== null && (
        <p className="quiet" role="status">
          {text.previewFaulty}
        </p>
      )}
      <Frame html={data?.html ?? ''} style={data?.style ?? ''} screen={screen} />
    </>
  );
}

/** The fields that visitors see; an unfinished name or address is no fault here. */
function previewBody(draft: Draft, pageId: string | null): Draft {
  const { password: _password, ...body } = pageBody(draft);
  const name = textOf(body['name']).trim() || text.pageExample;
  return { ...body, name, url: 'preview', customDomain: null, pageId };
}

/** A frame without scripts, whose document is replaced in place, so that it neither flickers nor scrolls. */
function Frame({ html, style, screen }: { readonly html: string; readonly style: string; readonly screen: Screen }) {
  const host = useRef<HTMLDivElement>(null);
  const frame = useRef<HTMLIFrameElement>(null);
  const [room, setRoom] = useState(0);
  useLayoutEffect(() => {
    const { current } = host;
    if (current === null) return undefined;
    const watch = new ResizeObserver(() => setRoom(current.clientWidth));
    watch.observe(current);
    setRoom(current.clientWidth);
    return () => watch.disconnect();
  }, []);
  useEffect(() => draw(frame.current?.contentDocument ?? null, html, style), [html, style]);
  const width = widths[screen];
  const scale = Math.min(1, room / width);
  return (
    <div ref={host} className={css['screen']}>
      <iframe
        ref={frame}
        title={text.preview}
        sandbox="allow-same-origin"
        style={{ width, height: `calc(100% / ${scale || 1})`, transform: `scale(${scale})` }}
      />
    </div>
  );
}

function draw(target: Document | null, html: string, style: string): void {
  if (target === null || html === '') return;
  const next = new DOMParser().parseFromString(html, 'text/html');
  // It is one page: links lead nowhere.
  for (const each of next.querySelectorAll('script')) each.remove();
  for (const link of next.querySelectorAll('a')) link.removeAttribute('href');
  target.documentElement.lang = next.documentElement.lang;
  target.body.replaceWith(target.adoptNode(next.body));
  const own = target.defaultView;
  if (own === null) return;
  const sheet = new own.CSSStyleSheet();
  sheet.replaceSync(style);
  target.adoptedStyleSheets = [sheet];
}
