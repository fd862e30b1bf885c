/** Only functions call this, and they run on Node 24. The command line, which runs on Node 20, shares types with them. */
declare module 'node:tls' {
  export function getCACertificates(): string[];
}
