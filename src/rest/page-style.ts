// Style of pages without JavaScript, with the colors of the web UI (web/styles/tokens.css), for all screen sizes.

export const style = `
:root{color-scheme:light dark;--paper:#fafaf9;--card:#fff;--ink:#1b1d21;--soft:#555b64;--line:#e2e2de;--code:#f3f3f1;
--accent:#3d52c4;--good:#0b7a5c;--slow:#8f5a00;--bad:#c02522;--odd:#5d636c}
@media (prefers-color-scheme:dark){:root{--paper:#121417;--card:#191c20;--ink:#e7e8ea;--soft:#a4abb5;--line:#2c3137;--code:#21252a;
--accent:#9fadff;--good:#55cda4;--slow:#f0b854;--bad:#ff8a82;--odd:#a4abb5}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,sans-serif;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
a{color:var(--accent);text-decoration-thickness:1px;text-underline-offset:2px}
button{font:inherit;font-weight:600;color:var(--card);background:var(--accent);border:0;border-radius:8px;padding:.6rem 1.4rem;cursor:pointer}
a:focus-visible,button:focus-visible,summary:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:4px}
h1{font-size:1.7rem;line-height:1.2;margin:0 0 .5rem;letter-spacing:-.01em}
h2{font-size:1.25rem;margin:2.5rem 0 1rem;padding-bottom:.3rem;border-bottom:1px solid var(--line)}
h3{font-size:1rem;margin:0}
h4{font-size:.75rem;letter-spacing:.06em;text-transform:uppercase;color:var(--soft);margin:1.2rem 0 .4rem}
p{margin:.4rem 0}
code,pre{font:.86em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
code{background:var(--code);border-radius:4px;padding:.08em .3em}
pre{background:var(--code);border-radius:8px;padding:.8rem 1rem;margin:.4rem 0;overflow:auto;max-height:28rem;white-space:pre-wrap}
table{border-collapse:collapse;width:100%;font-size:.92rem}
th{text-align:left;font-weight:600;vertical-align:top}
td,th{padding:.4rem .8rem .4rem 0;border-top:1px solid var(--line);vertical-align:top}
tr:first-child>td,tr:first-child>th{border-top:0}
.soft{color:var(--soft)}
.card{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:1rem 1.25rem;margin:0 0 1rem}
details>summary{cursor:pointer;color:var(--soft);font-size:.9rem;margin:.6rem 0 .2rem}
.result{max-width:60rem;margin:0 auto;padding:2rem clamp(1rem,4vw,2rem) 4rem}
.verdict{display:inline-block;font-weight:700;border-radius:99px;padding:.15rem .8rem;border:2px solid currentColor}
.passed{color:var(--good)}.degraded{color:var(--slow)}.failed{color:var(--bad)}.unknown,.missed{color:var(--odd)}
.why{font-size:1.05rem;margin:0 0 1.2rem}.foot{margin-top:2.5rem;font-size:.9rem}
.outcome{width:6rem;white-space:nowrap;font-weight:600}
.facts th{width:11rem;color:var(--soft);font-weight:500}
.phases{display:block;width:100%;height:1.5rem;border-radius:6px;background:var(--code)}
.legend{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;list-style:none;padding:0;margin:.6rem 0 0;font-size:.88rem}
.legend svg{width:.7rem;height:.7rem;margin-right:.4rem}
.note{border-left:3px solid var(--slow);padding:.1rem .8rem;background:var(--code);border-radius:0 8px 8px 0}
.error{border-left:3px solid var(--bad)}
.pictures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr));gap:1rem}
figure{margin:0}figcaption{font-size:.85rem;margin-top:.3rem}
figure img{display:block;width:100%;height:auto;border:1px solid var(--line);border-radius:8px;background:var(--code)}
.steps .at{width:6rem;text-align:right;padding-right:1rem;white-space:nowrap;font-variant-numeric:tabular-nums;color:var(--soft)}
.named{font-weight:600}.vital{white-space:nowrap;margin-right:1rem}
.p0{fill:#7a5fc0}.p1{fill:#3578c0}.p2{fill:#1c8f8a}.p3{fill:#c4841d}.p4{fill:#b8527a}.p5{fill:#6f7985}
@media (max-width:34rem){.facts th,.facts td{display:block;width:auto;padding:.25rem 0}.facts td{border-top:0;padding-top:0}}
@media print{pre{max-height:none}}
`;
