<?php
// A receiver of Tocsin's webhooks: verifies, answers at once, acts on each delivery once and on none that is late.
// PHP 8.1 or newer with SQLite: SECRET='…' php -S 127.0.0.1:8080 receiver.php

declare(strict_types=1);

/** How far the clocks may be apart, and how long an attempt may be on its way. */
const TOLERANCE_MS = 5 * 60_000;
const ENCODED = '~^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4}))$~D';

/**
 * Whether one of our secrets signed this body, with its id and the time of the attempt, and not too long ago.
 *
 * @param array<string, string> $headers names in lower case
 * @param list<string> $secrets
 */
function verify(array $headers, string $body, array $secrets, int $nowMs): string
{
    $seconds = $headers['webhook-timestamp'] ?? '';
    $signed = ($headers['webhook-id'] ?? '') . '.' . $seconds . '.' . $body;
    $isSigned = false;
    foreach ($secrets as $secret) {
        $expected = 'v1,' . base64_encode(hash_hmac('sha256', $signed, key_of($secret), true));
        foreach (explode(' ', $headers['webhook-signature'] ?? '') as $given) {
            // Compares in constant time.
            $isSigned = hash_equals($expected, $given) || $isSigned;
        }
    }
    if (!$isSigned) {
        return 'forged';
    }
    return abs($nowMs - (int) $seconds * 1000) <= TOLERANCE_MS ? 'genuine' : 'expired';
}

/** A secret written whsec_ and base64 stands for the decoded bytes, any other text for itself. */
function key_of(string $secret): string
{
    return preg_match(ENCODED, $secret, $found) === 1 ? base64_decode($found[1]) : $secret;
}

/** What has come, kept in a file: a process of PHP lives for one request. */
final class Inbox
{
    /** @param list<string> $secrets */
    public function __construct(private readonly PDO $rows, private readonly array $secrets)
    {
        $rows->exec('CREATE TABLE IF NOT EXISTS ids (id TEXT PRIMARY KEY, at INTEGER NOT NULL)');
        $rows->exec('CREATE TABLE IF NOT EXISTS newest (name TEXT PRIMARY KEY, created INTEGER NOT NULL)');
    }

    /** @param array<string, string> $headers names in lower case */
    public function take(array $headers, string $body, int $nowMs): string
    {
        $verdict = verify($headers, $body, $this->secrets, $nowMs);
        if ($verdict !== 'genuine') {
            return $verdict;
        }
        $this->ask('DELETE FROM ids WHERE at < ?', [$nowMs - 7 * 86_400_000]);
        if ($this->ask('INSERT OR IGNORE INTO ids VALUES (?, ?)', [$headers['webhook-id'], $nowMs]) === 0) {
            return 'repeated';
        }
        // A replay tells of the past: it moves nothing.
        if (isset($headers['x-service-replay-of'])) {
            return 'replay';
        }
        // Set by the channel: {"key": "x-check-id", "value": "{{CHECK_ID}}"}.
        $moved = $this->ask(
            'INSERT INTO newest VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET created = excluded.created '
                . 'WHERE excluded.created >= newest.created',
            [$headers['x-check-id'] ?? '', (int) $headers['x-service-timestamp']],
        );
        return $moved === 0 ? 'late' : 'accepted';
    }

    /** @param list<int|string> $values */
    private function ask(string $statement, array $values): int
    {
        $prepared = $this->rows->prepare($statement);
        $prepared->execute($values);
        return $prepared->rowCount();
    }
}

/** What you do about an alert. It runs after the answer: Tocsin waits 30 s at most, and then sends again. */
function act(string $outcome, array $headers, string $body): void
{
    $line = ['outcome' => $outcome, 'id' => $headers['webhook-id'] ?? null, 'bytes' => strlen($body)];
    file_put_contents('php://stdout', json_encode($line) . "\n");
}

if (PHP_SAPI === 'cli-server' || PHP_SAPI === 'fpm-fcgi') {
    $body = file_get_contents('php://input');
    $headers = array_change_key_case(getallheaders());
    $rows = new PDO('sqlite:' . (getenv('INBOX') ?: sys_get_temp_dir() . '/tocsin-inbox.sqlite'));
    $inbox = new Inbox($rows, preg_split('/ +/', (string) getenv('SECRET'), -1, PREG_SPLIT_NO_EMPTY));
    $outcome = $inbox->take($headers, $body, (int) (microtime(true) * 1000));
    http_response_code(in_array($outcome, ['forged', 'expired'], true) ? 400 : 200);
    if (function_exists('fastcgi_finish_request')) {
        fastcgi_finish_request();
    }
    act($outcome, $headers, $body);
}
