// What client commands say of an error response.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '#contract/caller.ts';
import { ServerRefusal } from './connect.ts';

test('texts of the server cannot change a terminal', () => {
  const attributes = { 'na\u001b[2Jme': 'is\r\nwrong\u202e' };
  const { message } = new ServerRefusal(new ServiceError(400, 'Check \u001b]0;x\u0007 is bad.', attributes, 'r1'));
  assert.equal(message, 'Check \\u001b]0;x\\u0007 is bad.\n  na\\u001b[2Jme: is wrong\\u202e');
});
