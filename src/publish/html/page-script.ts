// The script of status pages: the visitor's time zone, staleness, renewal each minute and a tip on daily bars.

/** It reads and replaces only what the page holds; without it, the page is complete. */
export const pageScript = `(() => {
'use strict';
const root = document.documentElement, body = document.body, lang = root.lang;
const locale = (navigator.languages || []).find((each) => each.split('-')[0] === lang) || lang;
const clock = { hour: '2-digit', minute: '2-digit', timeZoneName: 'short' };
const day = { day: 'numeric', month: 'long', year: 'numeric' };
const styles = { time: clock, day, month: { month: 'long', year: 'numeric' }, both: { day: 'numeric', month: 'short', year: 'numeric', ...clock } };
const made = {};
const format = (style, zone) => made[style + zone] ||= new Intl.DateTimeFormat(locale, { ...styles[style], timeZone: zone });
const words = JSON.parse(body.dataset.words || '{}');
let title = document.title;
const fill = (text, name, value) => (text || '').replaceAll('{' + name + '}', () => value);

function localize() {
  for (const each of document.querySelectorAll('time[data-as]')) {
    const at = new Date(each.dateTime);
    each.textContent = format(each.dataset.as).format(at);
    each.title = format('both').format(at);
  }
  for (const each of document.querySelectorAll('[data-from]'))
    each.textContent = format('both').formatRange(new Date(+each.dataset.from), new Date(+each.dataset.to));
  const zone = document.getElementById('zone');
  if (zone) zone.textContent = fill(words.zone, 'zone', Intl.DateTimeFormat().resolvedOptions().timeZone);
}

function judge(answer) {
  const now = Date.parse(answer.headers.get('date') || ''), main = document.querySelector('main[data-built]');
  const note = document.getElementById('stale');
  if (!main || !note || !answer.ok || !(now > 0)) return;
  const built = +main.dataset.built, isStale = now - built > 300000;
  const text = isStale ? fill(words.stale, 'time', format('both').format(built)) : '';
  if (note.textContent !== text) note.textContent = text;
  note.hidden = !isStale;
  root.classList.toggle('is-stale', isStale);
  for (const each of document.querySelectorAll('[data-now]')) {
    each.dataset.now ||= each.textContent;
    each.textContent = isStale ? words.old : each.dataset.now;
  }
  for (const each of document.querySelectorAll('.now > .icon use, .state > .icon use')) {
    each.dataset.icon ||= each.getAttribute('href');
    each.setAttribute('href', isStale ? '#i-unknown' : each.dataset.icon);
  }
  document.title = isStale ? words.old + ' \u00b7 ' + title : title;
}

async function renew() {
  const answer = await fetch(location.href, { cache: 'no-store' });
  if (answer.ok) {
    const next = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const [now, then] = [document.querySelector('main[data-built]'), next.querySelector('main[data-built]')];
    const isBusy = now && now.contains(document.activeElement);
    if (now && then && !isBusy && +then.dataset.built > +now.dataset.built) {
      for (const open of now.querySelectorAll('details[open][id]')) {
        const same = then.querySelector('#' + CSS.escape(open.id));
        if (same) same.open = true;
      }
      hide();
      now.replaceWith(document.adoptNode(then));
      document.title = title = next.title;
      localize();
    } else if (now && then && +then.dataset.built > +now.dataset.built) now.dataset.built = then.dataset.built;
  }
  judge(answer);
}

let tip = null;
const hide = () => { if (tip) tip.remove(); tip = null; };
function dayAt(event) {
  const bars = event.target.closest && event.target.closest('.bars[data-first]');
  if (!bars) return null;
  const box = bars.getBoundingClientRect(), all = +bars.dataset.count;
  const shown = getComputedStyle(bars.firstElementChild).marginLeft === '0px' ? all : all / 3;
  const index = Math.min(all - 1, Math.max(0, Math.floor(all - shown + ((event.clientX - box.left) / box.width) * shown)));
  return { bars, box, index, all, shown, at: +bars.dataset.first + index * 86400000 };
}
function show(event) {
  const found = dayAt(event);
  if (!found) return hide();
  const { bars, box, index, all, shown, at } = found;
  const odd = (bars.dataset.odd || '').split('|').find((each) => each.split(':')[0] === String(index));
  hide();
  tip = document.createElement('div');
  tip.className = 'tip';
  tip.setAttribute('aria-hidden', 'true');
  const name = document.createElement('b');
  name.textContent = format('day', 'UTC').format(at);
  tip.append(name, odd ? odd.slice(odd.indexOf(':') + 1) : words.fine);
  body.append(tip);
  const half = tip.offsetWidth / 2, middle = box.left + ((index - (all - shown) + 0.5) / shown) * box.width;
  tip.style.left = Math.min(Math.max(middle, half + 4), root.clientWidth - half - 4) + scrollX + 'px';
  tip.style.top = box.top + scrollY - 6 + 'px';
}
addEventListener('pointermove', show, { passive: true });
addEventListener('pointerdown', show, { passive: true });
addEventListener('scroll', hide, { passive: true });
document.addEventListener('pointerleave', hide);

localize();
const quietly = (work) => work().catch(() => {});
quietly(async () => judge(await fetch(location.href, { method: 'HEAD', cache: 'no-store' })));
if (document.querySelector('main[data-built]')) setInterval(() => { if (!document.hidden) quietly(renew); }, 60000);
document.addEventListener('visibilitychange', () => { if (!document.hidden) quietly(renew); });
})();
`;
