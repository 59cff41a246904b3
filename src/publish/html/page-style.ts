// The style of status pages, in the accent colours and the theme of a page.
import { pageBackgrounds, type StatusPage } from '#domain/status-pages/status-page.ts';

type Palette = Readonly<Record<string, string>>;

const light: Palette = {
  paper: pageBackgrounds.light,
  raised: '#f7f7f5',
  ink: '#1b1d21',
  soft: '#555b64',
  line: '#e4e4e0',
  good: '#0b7a5c',
  slow: '#8f5a00',
  bad: '#c02522',
  plan: '#2c5bc0',
  odd: '#5d636c',
  goodbar: '#2f9e78',
  slowbar: '#d9962b',
  badbar: '#d6453f',
  gap: '#b9bdc3',
};
const dark: Palette = {
  paper: pageBackgrounds.dark,
  raised: '#1b1f25',
  ink: '#e7e8ea',
  soft: '#a4abb5',
  line: '#2c3137',
  good: '#55cda4',
  slow: '#f0b854',
  bad: '#ff8a82',
  plan: '#8fb4ff',
  odd: '#a4abb5',
  goodbar: '#3fb78d',
  slowbar: '#e0a540',
  badbar: '#f06c64',
  gap: '#5b626c',
};
const accents = { light: '#3d52c4', dark: '#9fadff' };

/** The whole style sheet. Colours come from the page's settings, which are checked to be `#rrggbb`. */
export function pageStyle({ defaultTheme, themeColors }: Pick<StatusPage, 'defaultTheme' | 'themeColors'>): string {
  const lightTokens = tokens(light, themeColors.light ?? accents.light);
  const darkTokens = tokens(dark, themeColors.dark ?? accents.dark);
  if (defaultTheme === 'LIGHT') return `:root{color-scheme:light;${lightTokens}}\n${rules}`;
  if (defaultTheme === 'DARK') return `:root{color-scheme:dark;${darkTokens}}\n${rules}`;
  return `:root{color-scheme:light dark;${lightTokens}}\n@media (prefers-color-scheme:dark){:root{${darkTokens}}}\n${rules}`;
}

function tokens(palette: Palette, accent: string): string {
  const safe = /^#[0-9a-f]{6}$/i.test(accent) ? accent : 'currentColor';
  return Object.entries({ ...palette, accent: safe })
    .map(([name, color]) => `--${name}:${color}`)
    .join(';');
}

const rules = `*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
a{color:var(--accent);text-decoration-thickness:1px;text-underline-offset:3px}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:3px}
.wrap{max-width:54rem;margin:0 auto;padding:0 clamp(1rem,4vw,2rem)}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:.5rem;background:var(--paper);padding:.4rem .8rem;z-index:2}
.top{display:flex;gap:.5rem 1.5rem;align-items:center;flex-wrap:wrap;padding-top:1.4rem;padding-bottom:1.4rem}
.brand{font-weight:650;font-size:1.05rem;color:inherit;text-decoration:none;display:flex;align-items:center;gap:.7rem;margin-right:auto;min-width:0}
.brand img{display:block;height:32px;width:auto;max-width:12rem;object-fit:contain}
nav ul{list-style:none;display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;margin:0;padding:0}
nav a{display:inline-block;padding:.25rem 0}
h1,h2,h3{line-height:1.25;margin:0;text-wrap:balance}
h1{font-size:clamp(1.35rem,3.4vw,1.75rem);font-weight:650;letter-spacing:-.015em}
h2{font-size:1.05rem;font-weight:650}
h3{font-size:1rem;font-weight:600}
main{padding-bottom:3rem}
section{margin:0 0 2.25rem}
section>h2{margin-bottom:.75rem}
.soft{color:var(--soft)}
.small{font-size:.87rem}
.operational{--tone:var(--good)}.maintenance{--tone:var(--plan)}.unknown{--tone:var(--odd)}.degraded{--tone:var(--slow)}.outage{--tone:var(--bad)}
.now{display:flex;gap:1rem;align-items:flex-start;border:1px solid var(--line);border-left:4px solid var(--tone);border-radius:10px;background:var(--raised);padding:1.15rem 1.35rem;margin-bottom:2rem}
.now .icon{width:28px;height:28px;margin-top:.1rem}
.now p{margin:.3rem 0 0}
.icon{width:16px;height:16px;flex:none;color:var(--tone);fill:none;stroke:currentColor;stroke-width:1.7;stroke-linecap:round;stroke-linejoin:round}
.stale{border:1px solid var(--slow);border-radius:10px;padding:.8rem 1.2rem;margin:0 0 1rem;color:var(--slow);font-weight:600}
.is-stale .now,.is-stale .cards{filter:grayscale(1)}
.box{border:1px solid var(--line);border-radius:10px;padding:1rem 1.35rem;margin:0 0 .75rem}
.box.open{border-left:4px solid var(--tone)}
.box h3 a{color:inherit}
.head{display:flex;flex-wrap:wrap;gap:.15rem .9rem;align-items:baseline}
.head h3{margin-right:auto}
.word{color:var(--tone);font-weight:600}
.updates{list-style:none;margin:.9rem 0 0;padding:0}
.updates li.update{position:relative;padding:0 0 .9rem 1.25rem;border-left:1px solid var(--line);margin-left:.3rem}
.updates li.update:before{content:"";position:absolute;left:-5px;top:.45rem;width:9px;height:9px;border-radius:9px;background:var(--soft)}
.updates li.update:first-child:before{background:var(--tone,var(--accent))}
.updates li.update:last-child{padding-bottom:0}
.text p{margin:.2rem 0 .5rem}.text ul,.text ol{margin:.2rem 0 .5rem;padding-left:1.3rem}
.text>:last-child{margin-bottom:0}
code{font:.88em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;background:var(--raised);border-radius:4px;padding:.1em .3em}
.card{border:1px solid var(--line);border-radius:10px;margin:0 0 1rem}
.card>h3{padding:.85rem 1.35rem .1rem;font-weight:650}
.card ul.services{list-style:none;margin:0;padding:0}
.service{padding:.8rem 1.35rem .85rem}
.service+.service{border-top:1px solid var(--line)}
.line{display:flex;gap:.2rem 1rem;align-items:baseline}
.name{font-weight:550;margin-right:auto;min-width:0}
.name .soft{font-weight:400;display:block}
.state{display:inline-flex;gap:.4rem;align-items:baseline;color:var(--tone);font-weight:550;font-size:.93rem;flex:none;max-width:60%}.state .soft{font-weight:400}
.state .icon{align-self:flex-start;margin-top:.2rem}
[data-as=time]{white-space:nowrap}
.bars{height:30px;overflow:hidden;margin:.55rem 0 .3rem;border-radius:3px}
.bars svg,.chart svg{display:block;width:100%;height:100%}
.bars path{fill:none;stroke-width:30;stroke-dasharray:3 1}
.bars .q1{stroke-width:7.5}.bars .q2{stroke-width:15}.bars .q3{stroke-width:22.5}
.o{stroke:var(--goodbar)}.s{stroke:var(--slowbar)}.x{stroke:var(--badbar)}.n{stroke:url(#gaps)}
#gaps rect{fill:var(--line)}#gaps path{stroke:var(--gap);stroke-width:1;stroke-dasharray:none}
.legend{display:flex;justify-content:space-between;gap:.15rem 1rem;font-size:.82rem;color:var(--soft)}
.legend b{font-weight:550;color:var(--ink)}
.legend .mid{text-align:center}
.phone{display:none}
summary{cursor:pointer;width:fit-content}
details.days{font-size:.87rem;margin-top:.25rem}
details.days ul{margin:.35rem 0 0;padding:0;list-style:none}
details.days li{padding:.15rem 0}
.chart{height:40px;margin:.5rem 0 0}
.chart path{fill:none;stroke:var(--accent);stroke-width:1.5;vector-effect:non-scaling-stroke;stroke-linejoin:round}
.facts{margin:.35rem 0 0;padding:0;list-style:none;color:var(--soft);font-size:.9rem}
section.day{border-top:1px solid var(--line);padding:.9rem 0;margin:0}
.day:target{background:var(--raised)}
.day h2{margin-bottom:.4rem}
.day ul{list-style:none;margin:0;padding:0}.day li{padding:.2rem 0;display:flex;gap:.1rem .7rem;flex-wrap:wrap;align-items:baseline}
.months{display:flex;flex-wrap:wrap;gap:.3rem 1rem;list-style:none;padding:0;margin:.5rem 0 1.5rem}
.months [aria-current]{font-weight:650;color:inherit;text-decoration:none}
.subscribe form{display:flex;flex-wrap:wrap;gap:.5rem;align-items:end;margin:0 0 .5rem}
.subscribe label{display:block;font-size:.87rem;color:var(--soft)}
.subscribe details{flex-basis:100%}
.choices{list-style:none;margin:.5rem 0;padding:0;display:flex;flex-wrap:wrap;gap:.3rem 1.2rem}
.choices input{width:auto;margin:0 .45rem 0 0}
.sheet{padding-top:3rem;max-width:36rem}.sheet form{margin:0 0 2rem}
input{font:inherit;color:inherit;background:var(--paper);border:1px solid var(--soft);border-radius:7px;padding:.45rem .7rem;width:17rem;max-width:100%}
button{font:inherit;font-weight:600;color:var(--paper);background:var(--accent);border:1px solid var(--accent);border-radius:7px;padding:.45rem 1.1rem;cursor:pointer}
.feeds{list-style:none;padding:0;margin:.4rem 0 0;display:flex;flex-wrap:wrap;gap:.2rem 1.2rem}
footer{border-top:1px solid var(--line);padding:1.2rem 0 2.5rem;color:var(--soft);font-size:.87rem}
footer ul{list-style:none;padding:0;margin:0 0 .4rem;display:flex;flex-wrap:wrap;gap:.2rem 1.2rem}
footer p{margin:.2rem 0}
.tip{position:absolute;z-index:3;pointer-events:none;background:var(--ink);color:var(--paper);font-size:.82rem;line-height:1.35;padding:.4rem .65rem;border-radius:7px;max-width:16rem;transform:translate(-50%,-100%)}
.tip b{display:block}
.embed{margin:0;padding:.6rem .9rem}.embed h1{display:flex;gap:.6rem;align-items:center;font-size:1rem;font-weight:550;letter-spacing:0}.embed main{padding:0}.embed a{color:inherit}
@media (max-width:40rem){.bars .long{width:300%;margin-left:-200%}.phone{display:inline}.desk{display:none}.service,.box,.now,.card>h3{padding-left:1rem;padding-right:1rem}.legend{flex-wrap:wrap}.legend .mid{order:-1;width:100%;text-align:left}}
@media print{.subscribe,nav{display:none}}
`;
