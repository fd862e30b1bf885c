/** Only functions call it, and they run on Node 24. Types that the command line shares with them lead here. */
declare module 'node:tls' {
  export function getCACertificates(): string[];
}
