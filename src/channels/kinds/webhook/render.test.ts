// Rendering of webhook requests: body, URL, headers and query.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemVariableNames } from '#domain/deliveries/template-variables.ts';
import { renderWebhook } from './render.ts';
import { TemplateError } from '../../templates/template-error.ts';

const facts = {
  createdAt: Date.parse('2026-11-21T09:05:07.089Z'),
  uuid: '6b1f0f0e-3d3c-4a55-9a51-1d2f3c4b5a69',
  randomNumber: 612,
  userAgent: 'Tocsin/0.1.0',
  timeZone: 'UTC',
};
const variables = {
  CHECK_NAME: 'Shop "A" & <B>',
  ALERT_TYPE: 'ALERT_FAILURE',
  RESPONSE_TIME: 1234,
  CHECK_ERROR_MESSAGE: undefined,
  REGION: 'local',
  TAGS: ['prod', 'eu'],
  IS_REMINDER: false,
  HOST: 'hooks.example.com',
  KEY: 'k/1 é@',
};
const render = (config: Parameters<typeof renderWebhook>[0]): ReturnType<typeof renderWebhook> =>
  renderWebhook({ url: 'https://example.com/hook', ...config }, variables, facts);

test('double braces escape HTML and triple braces do not, in body, URL, headers and query', () => {
  const request = render({
    url: 'https://example.com/{{CHECK_NAME}}/{{{CHECK_NAME}}}',
    template: '{{CHECK_NAME}}|{{{CHECK_NAME}}}',
    headers: [
      { key: 'X-Escaped', value: '{{CHECK_NAME}}' },
      { key: 'X-Raw', value: '{{{CHECK_NAME}}}' },
    ],
    queryParameters: [
      { key: 'escaped', value: '{{CHECK_NAME}}' },
      { key: 'raw', value: '{{{CHECK_NAME}}}' },
    ],
  });
  const escaped = 'Shop &quot;A&quot; &amp; &lt;B&gt;';
  assert.equal(request.body, `${escaped}|Shop "A" & <B>`);
  assert.deepEqual(request.headers.slice(-2), [
    ['X-Escaped', escaped],
    ['X-Raw', 'Shop "A" & <B>'],
  ]);
  const url = new URL(request.url);
  assert.equal(url.pathname, '/Shop%20&quot;A&quot;%20&amp;%20&lt;B&gt;/Shop%20%22A%22%20&%20%3CB%3E');
  assert.deepEqual(
    [...url.searchParams],
    [
      ['escaped', escaped],
      ['raw', 'Shop "A" & <B>'],
    ],
  );
});

test('without a template, the body is all variables as compact JSON in documented order', () => {
  const request = render({});
  const body = JSON.parse(request.body) as Record<string, unknown>;
  assert.deepEqual(Object.keys(body), [...systemVariableNames]);
  assert.equal(body['RESPONSE_TIME'], 1234);
  assert.equal(body['IS_REMINDER'], false);
  assert.equal(body['CHECK_ERROR_MESSAGE'], '');
  assert.deepEqual(body['TAGS'], ['prod', 'eu']);
  assert.equal(request.body, JSON.stringify(body));
  assert.equal(render({ template: '' }).body, request.body);
  assert.equal(render({ template: null }).body, request.body);
});

test('without a template, a body above 256 kB is an error, too', () => {
  const long = {
    ALERT_TITLE: '"'.repeat(60_000),
    CHECK_NAME: '"'.repeat(60_000),
    CHECK_ERROR_MESSAGE: '"'.repeat(60_000),
  };
  assert.throws(
    () => renderWebhook({ url: 'https://h/' }, long, facts),
    (error) =>
      error instanceof TemplateError && error.path === 'config.template' && /longer than 256 kB/.test(error.message),
  );
});

test('missing values are empty, lists join with commas, 0 and false print', () => {
  assert.equal(
    render({ template: '[{{CHECK_ERROR_MESSAGE}}{{NOBODY}}] {{TAGS}} {{IS_REMINDER}}' }).body,
    '[] prod,eu false',
  );
});

test('$UUID, $RANDOM_NUMBER and REGION have one value per delivery', () => {
  const template =
    '{{$UUID}} {{uppercase $UUID}} {{$RANDOM_NUMBER}} {{#gt $RANDOM_NUMBER 600}}big{{/gt}} {{#eq REGION "local"}}here{{/eq}} {{REGION}}';
  const request = render({ template, headers: [{ key: 'x-id', value: '{{$UUID}}' }] });
  assert.equal(request.body, `${facts.uuid} ${facts.uuid.toUpperCase()} 612 big here local`);
  assert.deepEqual(request.headers.at(-1), ['x-id', facts.uuid]);
});

test('now is the creation time of the delivery', () => {
  assert.equal(render({ template: '{{moment "YYYY-MM-DD HH:mm"}}' }).body, '2026-11-21 09:05');
});

test('the content type follows the body unless the channel sets it', () => {
  const type = (config: Parameters<typeof render>[0]): unknown =>
    render(config).headers.filter(([name]) => name.toLowerCase() === 'content-type');
  assert.deepEqual(type({}), [['content-type', 'application/json']]);
  assert.deepEqual(type({ template: '{"a": {{json CHECK_NAME}} }' }), [['content-type', 'application/json']]);
  assert.deepEqual(type({ template: ' [1]' }), [['content-type', 'application/json']]);
  assert.deepEqual(type({ template: '{"a": "{{{CHECK_NAME}}}"}' }), [['content-type', 'text/plain; charset=utf-8']]);
  assert.deepEqual(type({ template: 'plain' }), [['content-type', 'text/plain; charset=utf-8']]);
  const own = [{ key: 'Content-Type', value: 'application/x-www-form-urlencoded' }];
  assert.deepEqual(type({ headers: own }), [['Content-Type', 'application/x-www-form-urlencoded']]);
  assert.deepEqual(type({ method: 'GET' }), []);
});

test('the method is upper case and POST by default; GET and HEAD have no body', () => {
  assert.equal(render({}).method, 'POST');
  assert.equal(render({ method: 'put' }).method, 'PUT');
  for (const method of ['get', 'HEAD']) assert.equal(render({ method, template: 'text' }).body, '');
  assert.equal(render({ method: 'DELETE', template: 'text' }).body, 'text');
});

test('the user agent is ours unless the channel sets one', () => {
  assert.ok(render({}).headers.some(([name, value]) => name === 'user-agent' && value === 'Tocsin/0.1.0'));
  const own = render({ headers: [{ key: 'User-Agent', value: 'mine' }] }).headers;
  assert.deepEqual(
    own.filter(([name]) => name.toLowerCase() === 'user-agent'),
    [['User-Agent', 'mine']],
  );
});

test('user info becomes decoded Basic credentials and is removed from the URL', () => {
  const request = render({ url: 'https://{{urlencode KEY}}:p%3Aw@{{HOST}}/x#part' });
  assert.equal(request.url, 'https://hooks.example.com/x');
  const expected = `Basic ${Buffer.from('k/1 é@:p:w').toString('base64')}`;
  assert.deepEqual(
    request.headers.find(([name]) => name === 'authorization'),
    ['authorization', expected],
  );
  const own = render({ url: 'https://u:p@example.com/', headers: [{ key: 'Authorization', value: 'Bearer x' }] });
  assert.deepEqual(
    own.headers.filter(([name]) => /authorization/i.test(name)),
    [['Authorization', 'Bearer x']],
  );
});

test('query parameters are appended without changing the URL’s own query', () => {
  const queryParameters = [
    { key: 'a b', value: '{{TAGS}}' },
    { key: 'a b', value: '&=#' },
    { key: 'none', value: '{{NOBODY}}' },
  ];
  assert.equal(
    render({ url: 'https://example.com/x?sig=a%2fb&q=%20+', queryParameters }).url,
    'https://example.com/x?sig=a%2fb&q=%20+&a%20b=prod%2Ceu&a%20b=%26%3D%23&none=',
  );
  assert.match(render({ queryParameters }).url, /^https:\/\/example\.com\/hook\?a%20b=/);
});

test('URLs, headers and query values are limited to 8 kB, bodies to 256 kB', () => {
  const long = 'x'.repeat(9000);
  const error = (config: Parameters<typeof render>[0]): string => {
    try {
      renderWebhook({ url: 'https://h/', ...config }, { LONG: long }, facts);
      return 'rendered';
    } catch (thrown) {
      return thrown instanceof TemplateError ? `${thrown.path}: ${thrown.message}` : 'threw';
    }
  };
  assert.equal(error({ url: 'https://h/{{LONG}}' }), 'config.url: the rendered text is longer than 8 kB');
  assert.equal(
    error({ headers: [{ key: 'a', value: '{{LONG}}' }] }),
    'config.headers[0].value: the rendered text is longer than 8 kB',
  );
  assert.equal(
    error({ queryParameters: [{ key: 'a', value: long }] }),
    'config.queryParameters[0].value: the rendered text is longer than 8 kB',
  );
  assert.equal(error({ template: '{{LONG}}' }), 'rendered');
});

test('a header value stays on one line', () => {
  const headers = [{ key: 'X-Message', value: 'a{{{TEXT}}}b' }];
  const request = renderWebhook({ url: 'http://h/', headers }, { TEXT: '\r\nX-Evil: 1\0\u007f' }, facts);
  assert.deepEqual(request.headers.at(-1), ['X-Message', 'a X-Evil: 1 b']);
});

test('system variables take precedence, and dangerous names are dropped', () => {
  const harmful = JSON.parse('{"__proto__":"p","constructor":"c","toHTML":"t","call":"x"}') as Record<string, string>;
  const template = '[{{__proto__}}{{constructor}}{{toHTML}}{{call}}]';
  assert.equal(renderWebhook({ url: 'http://h/', template }, harmful, facts).body, '[]');
});

const bad: Readonly<Record<string, string>> = {
  '{{NOBODY}}': '""',
  'ftp://example.com/': '"ftp://example.com/"',
  '{{CHECK_NAME}}://x': 'is not an http or https URL',
  'http://': '"http://"',
};
for (const [url, part] of Object.entries(bad)) {
  test(`a rendered URL that is not http or https is an error: ${url}`, () => {
    assert.throws(
      () => render({ url }),
      (error) => error instanceof TemplateError && error.path === 'config.url' && error.message.includes(part),
    );
  });
}

test('a template error has field, line and column', () => {
  const place = (config: Parameters<typeof render>[0]): unknown => {
    try {
      render(config);
    } catch (error) {
      if (error instanceof TemplateError) return [error.path, error.line, error.column];
    }
    return null;
  };
  assert.deepEqual(place({ template: 'a\n {{moment CHECK_NAME "X"}}' }), ['config.template', 2, 2]);
  assert.deepEqual(
    place({
      headers: [
        { key: 'a', value: '' },
        { key: 'b', value: ' {{foo 1}}' },
      ],
    }),
    ['config.headers[1].value', 1, 2],
  );
  assert.deepEqual(place({ queryParameters: [{ key: 'a', value: '{{#if X}}' }] }), [
    'config.queryParameters[0].value',
    1,
    1,
  ]);
});

const loop = Array.from({ length: 100 }, (_, index) => `tag ${index}`);
const big = 'x'.repeat(7000);
const spent: Readonly<Record<string, readonly [template: string, path: RegExp, message: RegExp]>> = {
  steps: [
    '{{#each LOOP}}{{/each}}',
    /^config\.headers\[9\d\]\.value$/,
    /^rendering takes more than 10000 steps for all fields combined: loop over fewer items$/,
  ],
  text: [
    '{{BIG}}',
    /^config\.headers\[32\]\.value$/,
    /^the rendered text of all fields combined is longer than 256 kB$/,
  ],
  'plain text': [
    big,
    /^config\.headers\[32\]\.value$/,
    /^the rendered text of all fields combined is longer than 256 kB$/,
  ],
  'what helpers read': [
    '{{#if (trim HUGE)}}{{/if}}',
    /^config\.headers\[\d+\]\.value$/,
    /^the helpers of all fields combined process too much text$/,
  ],
};
for (const [what, [template, path, message]] of Object.entries(spent)) {
  test(`all fields of a delivery share the limit on ${what}, and the error names the field`, () => {
    const pairs = Array.from({ length: 200 }, (_, index) => ({ key: `x-${index}`, value: template }));
    const values = { LOOP: loop, BIG: big, HUGE: 'y'.repeat(60_000) };
    const one = { url: 'https://h/', template: 'body', headers: pairs.slice(0, 5), queryParameters: pairs.slice(0, 5) };
    assert.equal(renderWebhook(one, values, facts).body, 'body');
    const ends = (config: Parameters<typeof render>[0]) => {
      try {
        renderWebhook(config, values, facts);
        return 'rendered';
      } catch (error) {
        if (!(error instanceof TemplateError)) throw error;
        assert.match(error.message, message);
        return error.path;
      }
    };
    assert.match(ends({ ...one, headers: pairs }), path);
    assert.match(ends({ ...one, headers: [], queryParameters: pairs }), /^config\.queryParameters\[\d+\]\.value$/);
  });
}

test('the default body counts towards the shared output limit', () => {
  const headers = Array.from({ length: 10 }, (_, index) => ({ key: `x-${index}`, value: big }));
  const long = {
    CHECK_ERROR_MESSAGE: 'x'.repeat(60_000),
    ALERT_TITLE: 'x'.repeat(60_000),
    CHECK_NAME: 'x'.repeat(60_000),
  };
  assert.ok(renderWebhook({ url: 'https://h/', headers }, long, facts).body.length > 180_000);
  assert.throws(
    () => renderWebhook({ url: 'https://h/', headers: [...headers, ...headers] }, long, facts),
    (error) => error instanceof TemplateError && /^config\.headers\[1\d\]\.value$/.test(error.path),
  );
});
