<?php
// Prints what docs/receivers/receiver.php says of each line on stdin: now, secrets, headers and body, apart by tabs, in base64;
// each header a line "name: value".
require $argv[1] . '/receiver.php';

while (($line = fgets(STDIN)) !== false) {
    [$now, $secrets, $lines, $body] = array_map('base64_decode', explode("\t", rtrim($line, "\n")));
    $headers = [];
    foreach (explode("\n", $lines) as $header) {
        [$name, $value] = explode(': ', $header, 2);
        $headers[$name] = $value;
    }
    echo verify($headers, $body, preg_split('/ +/', $secrets, -1, PREG_SPLIT_NO_EMPTY), (int) $now), "\n";
}
