// The doctor's finding on script isolation: each level has its own text and lists what is not contained.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scriptFinding } from './doctor.ts';
import type { Finding } from './finding.ts';
import type { Containment } from '#sandbox/containment/containment.ts';
import { doctorContainmentOf } from './doctor-command.ts';

/** Reasons why the stronger levels failed. */
function foundAt(containment: Containment, hasGroups = true): Finding {
  return scriptFinding(doctorContainmentOf({ containment, refused: ['bubblewrap: there is none'] }, hasGroups));
}

test('doctor reports only that isolation could not be tested', () => {
  const why = 'script containment cannot be tested: bubblewrap: timeout';
  assert.deepEqual(scriptFinding(doctorContainmentOf(why)), {
    what: 'scripts',
    grade: 'warning',
    message: `${why}; scripts do not run until this test succeeds; check disk space and load, then try again`,
  });
});

test('doctor lists what the limits of contained scripts do not count', () => {
  const shm = { bubblewrap: '', namespaces: ' files in `/dev/shm`,' };
  for (const level of ['bubblewrap', 'namespaces'] as const) {
    assert.deepEqual(foundAt(level), {
      what: 'scripts',
      grade: 'ok',
      message: `contained by ${level}; the egress policy applies (TCP only); their limits do not count \`memfd\` memory,${shm[level]} deleted files that are still open (docs/security.md, "Scripts")`,
    });
  }
});

test('doctor warns that scripts run as another user and lists what they can reach', () => {
  const { grade, message } = foundAt('user');
  assert.equal(grade, 'warning');
  assert.match(message, /run as another user, without further isolation \(user\)\. The egress policy does not apply/);
  assert.match(message, /so they can reach loopback, private networks, cloud metadata and Tocsin’s database/);
  assert.match(message, /processes of Tocsin and the machine: can only see them; /);
  assert.match(message, /cannot see, signal or inspect other runs: no: all runs share a user; /);
  assert.match(message, /cannot read Tocsin’s data, keys and database: depends on file permissions; /);
  assert.match(message, /limits do not count `memfd` memory, files in `\/dev\/shm`, deleted files/);
  assert.match(message, /Install bubblewrap or allow user namespaces: bubblewrap: there is none$/);
  assert.doesNotMatch(message, /limits on memory and processes|all processes of a run|root privileges/);
});

test('doctor warns that processes can escape when runs have no group of their own', () => {
  const { message } = foundAt('user', false);
  assert.match(message, /limits on memory and processes: except processes that change parent, session and folder/);
  assert.match(message, /all processes of a run end with it: except processes that change parent, session and folder/);
});

test('doctor warns that scripts are not isolated and lists what they can reach', () => {
  const { grade, message } = foundAt('process');
  assert.equal(grade, 'warning');
  assert.match(message, /run as the same user as Tocsin, without isolation \(process\)/);
  assert.match(message, /limits on memory and processes: except processes that change parent, session and folder/);
  assert.match(message, /all processes of a run end with it: except processes that change parent, session and folder/);
  assert.match(message, /cannot read Tocsin’s data, keys and database: no; /);
  assert.match(message, /has no root privileges and cannot gain them: unless Tocsin runs as root; /);
  assert.match(message, /limits do not count `memfd` memory, files in `\/dev\/shm`, deleted files/);
});
