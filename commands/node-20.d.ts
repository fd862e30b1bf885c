/** Only functions call this, on Node 24. The command line shares their types, and also runs on Node 20. */
declare module 'node:tls' {
  export function getCACertificates(): string[];
}
