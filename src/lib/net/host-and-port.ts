// Writes a host with its port.

/** `192.0.2.1:443`, `[2001:db8::1]:443`. */
export function hostAndPort(host: string, port: number): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
