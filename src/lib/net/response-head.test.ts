// Repair of response heads before they reach the parser.
import assert from 'node:assert/strict';
import test from 'node:test';
import { HeadReader, ResponseHeadFilter } from './response-head.ts';

/** Input of the parser for a response that arrives in chunks of that size. */
function filtered(text: string, pieceBytes = text.length): string {
  const filter = new ResponseHeadFilter();
  const bytes = Buffer.from(text, 'latin1');
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes) parts.push(filter.push(bytes.subarray(at, at + pieceBytes)));
  return Buffer.concat([...parts, filter.end()]).toString('latin1');
}

const cases: readonly (readonly [name: string, head: string, repaired: string])[] = [
  ['a usual head is unchanged', 'A: b\r\nC: d\xe9', 'A: b\r\nC: d\xe9'],
  ['space around a length is removed', 'Content-Length : 2 ', 'Content-Length: 2'],
  ['equal lengths become one', 'Content-Length: 2\r\nA: b\r\ncontent-length: 2', 'Content-Length: 2\r\nA: b'],
  ['equal lengths in one line become one', 'Content-Length: 2, 2', 'Content-Length: 2'],
  ['a folded line is joined', 'A: b\r\n\tc\r\n  d\r\nE: f', 'A: b c d\r\nE: f'],
  ['a length folded to its own line is joined', 'Content-Length:\r\n 2', 'Content-Length: 2'],
  ['bare line feeds end lines', 'A: b\nC: d', 'A: b\r\nC: d'],
  ['control characters become spaces', 'A: b\0c\rd\x7f\te', 'A: b c d \te'],
  [
    'no length beside a transfer encoding',
    'Content-Length: 9\r\nTransfer-Encoding: chunked',
    'Transfer-Encoding: chunked',
  ],
  [
    'several encodings become one list',
    'Transfer-Encoding: gzip\r\nA: b\r\ntransfer-encoding: chunked',
    'Transfer-Encoding: gzip, chunked\r\nA: b',
  ],
  ['the identity encoding is removed', 'Transfer-Encoding: identity\r\nContent-Length: 2', 'Content-Length: 2'],
];

for (const [name, head, repaired] of cases) {
  test(`${name}, in one chunk or in many`, () => {
    const body = '\n\nContent-Length: 1\r\n folded\0';
    const end = head.includes('\r') ? '\r\n' : '\n';
    const response = `HTTP/1.1 200 OK${end}${head}${end}${end}${body}`;
    for (const pieceBytes of [1, 2, 7, response.length]) {
      const got = filtered(response, pieceBytes);
      assert.equal(got, `HTTP/1.1 200 OK\r\n${repaired}\r\n\r\n${body}`, `${pieceBytes} at a time`);
    }
  });
}

test('every interim response is repaired, and so is the final one', () => {
  const interim = 'HTTP/1.1 103 Early Hints\r\nLink: a,\r\n b\r\n\r\n';
  const final = '\r\nHTTP/1.1 200 OK\r\nContent-Length: 2 \r\n\r\nok\r\n\r\n';
  for (const pieceBytes of [1, 5, 1000]) {
    const got = filtered(interim + interim + final, pieceBytes);
    const head = 'HTTP/1.1 103 Early Hints\r\nLink: a, b\r\n\r\n';
    assert.equal(got, `${head}${head}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok\r\n\r\n`);
  }
});

test('another protocol is recognized by its first bytes', () => {
  const starts: Readonly<Record<string, readonly string[]>> = {
    NOT_HTTP: [
      'SSH-2.0-OpenSSH_9.2\r\n',
      'RTSP/1.0 200 OK\r\n\r\n',
      'ICY 200 OK\r\n\r\n',
      'HTTX',
      '\0\0\0\x01\0\0\0\0\0',
    ],
    ONLY_HTTP2: ['\0\0\x06\x04\0\0\0\0\0\0\x03\0\0\0\x64', '\0\0\x08\x07\0\0\0\0\0'],
    ONLY_TLS: ['\x15\x03\x01\0\x02\x02\x46'],
  };
  for (const [code, texts] of Object.entries(starts))
    for (const text of texts)
      for (const pieceBytes of [1, 100])
        assert.throws(() => filtered(text, pieceBytes), { code }, JSON.stringify(text));
});

test('an invalid head is passed on without its invalid lines, which are reported', () => {
  const invalid: readonly (readonly [lines: string, kept: string, problem: string])[] = [
    ['Content-Length: 2\r\nA: b\r\nContent-Length: 3\r\n\r\n', 'A: b\r\n', 'HPE_UNEXPECTED_CONTENT_LENGTH'],
    ['Content-Length: 2, 3\r\n\r\n', '', 'HPE_UNEXPECTED_CONTENT_LENGTH'],
    ['Content-Length: two\r\n\r\n', '', 'HPE_INVALID_CONTENT_LENGTH'],
    ['Content-Length: -2\r\n\r\n', '', 'HPE_INVALID_CONTENT_LENGTH'],
    ['what is this\r\nA: b\r\n\r\n', 'A: b\r\n', 'HPE_INVALID_HEADER_TOKEN'],
    ['A b: c\r\n\r\n', '', 'HPE_INVALID_HEADER_TOKEN'],
    ['A: b\r\nX-Half: ', '', 'ECONNRESET'],
    [`A: b\r\nB: ${'c'.repeat(65_536)}`, '', 'HPE_HEADER_OVERFLOW'],
  ];
  for (const [lines, kept, problem] of invalid) {
    const filter = new ResponseHeadFilter();
    const passed = Buffer.concat([filter.push(Buffer.from(`HTTP/1.1 503 Oops\r\n${lines}`)), filter.end()]);
    assert.equal(passed.toString(), `HTTP/1.1 503 Oops\r\n${kept}\r\n`);
    assert.equal(filter.problem, problem);
  }
});

test('an endless head is rejected once it is larger than 64 kB', () => {
  const filter = new ResponseHeadFilter();
  const line = Buffer.from(` ${'a'.repeat(998)}\n`);
  let passed = filter.push(Buffer.from('HTTP/1.1 200 OK\r\nA: b\r\n')).length;
  for (let sent = 0; sent < 65; sent++) passed += filter.push(line).length;
  assert.equal(passed, 0);
  assert.equal(filter.push(line).toString(), 'HTTP/1.1 200 OK\r\n\r\n');
});

test('the rest of an unfinished status line is passed on at the end', () => {
  assert.equal(filtered('HTTP/1.1 200 O'), 'HTTP/1.1 200 O');
  assert.equal(filtered('HT'), 'HT');
});

test('a reader returns a head with its status and the rest, and counts its bytes', () => {
  const response = Buffer.from('\r\n\nHTTP/1.1 200 OK\r\nA: b\r\nnonsense\r\nContent-Length: two\r\n\r\nrest');
  const reader = new HeadReader();
  assert.equal(reader.add(response.subarray(0, 10)), null);
  assert.equal(reader.size, 10);
  const complete = reader.add(response.subarray(10));
  assert.deepEqual(complete?.head, {
    statusLine: 'HTTP/1.1 200 OK',
    status: 200,
    fields: [['A', 'b']],
    lengthProblem: 'HPE_INVALID_CONTENT_LENGTH',
    isMalformed: true,
    size: response.length - 4,
  });
  assert.equal(complete.rest.toString(), 'rest');
  const statuses = ['HTTP/1.1 204', 'HTTP/1.1 000 No', 'HTTP/1.1 2000 No', 'HTTP/1.1 OK'].map(
    (line) => new HeadReader().add(Buffer.from(`${line}\n\n`))?.head.status,
  );
  assert.deepEqual(statuses, [204, 0, null, null]);
});
