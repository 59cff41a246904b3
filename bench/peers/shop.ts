// A shop for browser checks: a page with a script and an image, and delayed JSON for API checks.
import { createServer } from 'node:http';
import { answerQuestions, listenLocally } from '../support/peer.ts';

/** Typical network delay, ms; without it, small differences would count too much. */
const apiMs = 50;

const articles = Array.from({ length: 200 }, (_, index) => `<li class="article">Article ${index + 1}</li>`).join('');
const page = `<!doctype html><html><head><title>Shop</title><link rel="stylesheet" href="/style.css"></head>
<body><h1>Shop</h1><button>buy</button><ul>${articles}</ul><script src="/shop.js"></script></body></html>`;
const style = 'body { font-family: sans-serif } .article { display: inline-block; width: 10rem; padding: 1rem }';
const script = `const button = document.querySelector('button');
button.addEventListener('click', async () => {
  const answer = await fetch('/order');
  button.textContent = (await answer.json()).ok ? 'sold' : 'gone';
});`;

const files: Readonly<Record<string, readonly [type: string, text: string]>> = {
  '/': ['text/html', page],
  '/style.css': ['text/css', style],
  '/shop.js': ['text/javascript', script],
  '/order': ['application/json', '{"ok":true}'],
};

const server = createServer((request, response) => {
  const path = request.url ?? '/';
  const file = files[path];
  if (file !== undefined) {
    response.setHeader('content-type', file[0]).end(file[1]);
    return;
  }
  setTimeout(() => response.setHeader('content-type', 'application/json').end('{"ok":true}'), apiMs);
});

answerQuestions({
  listen: () => listenLocally(server),
});
