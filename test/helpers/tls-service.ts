import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions, type Server as TlsServer } from 'node:https';
import { type AddressInfo, connect, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import {
  type CertificateOptions,
  makeAuthority,
  makeSigner,
  toPem,
} from '@business-loan-orders/detached-signatures/certificates';
import { inject } from 'vitest';
import { freePort } from './listening.ts';

export interface Pem {
  cert: string;
  key: string;
}

export const EXPIRED = { notBefore: new Date(Date.UTC(2020, 0, 1)), notAfter: new Date(Date.UTC(2021, 0, 1)) };
export const NOT_YET = { notBefore: new Date(Date.UTC(2048, 0, 1)), notAfter: new Date(Date.UTC(2049, 0, 1)) };

export const authority = makeAuthority({ commonName: 'Bank authority' });
export const authorityPem = toPem(authority.certificate);

export function issue(commonName: string, options: CertificateOptions = {}): Pem {
  const { certificate, privateKey } = makeSigner('p-256', { authority, commonName, ...options });
  return { cert: toPem(certificate), key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
}

export const secretOf = ({ cert, key }: Pem) => cert + key;

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A server that requires a client certificate. It counts connections, and the requests by the client's name. */
export class TlsService {
  readonly clients: string[] = [];
  connections = 0;
  readonly url: string;
  private readonly server: TlsServer;
  private readonly settings: ServerOptions;

  private constructor(url: string, server: TlsServer, settings: ServerOptions) {
    this.url = url;
    this.server = server;
    this.settings = settings;
  }

  static async start(answer: Answer, options: ServerOptions = {}): Promise<TlsService> {
    const settings = {
      requestCert: true,
      rejectUnauthorized: true,
      ca: [authorityPem],
      ...issue('localhost'),
      ...options,
    };
    const server = createTlsServer(settings);
    const url = `https://localhost:${await listen(server)}`;
    const service = new TlsService(url, server, settings);
    server.on('secureConnection', () => (service.connections += 1));
    server.on('request', (incoming, response) => {
      const { subject } = (incoming.socket as TLSSocket).getPeerCertificate();
      service.clients.push(String(subject?.CN));
      answer(incoming, response);
    });
    return service;
  }

  trustOnly(ca: string): void {
    this.server.setSecureContext({ ...this.settings, ca: [ca] });
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((closed) => this.server.close(closed));
  }
}

export function passOn(to: string): Answer {
  return (incoming, response) => {
    const { method, headers, url } = incoming;
    const outgoing = request(new URL(url ?? '', to), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    outgoing.on('error', () => response.destroy());
    incoming.pipe(outgoing);
  };
}

export const opensslInstalled = ((): boolean => {
  try {
    return execFileSync('openssl', ['version']).length > 0;
  } catch {
    return false;
  }
})();

/** OpenSSL's own server. It refuses client certificates in the handshake with alerts, as most gateways do and Node does not. */
export class OpensslServer {
  readonly url: string;
  private readonly child: ChildProcess;

  private constructor(url: string, child: ChildProcess) {
    this.url = url;
    this.child = child;
  }

  static async start(...options: string[]): Promise<OpensslServer> {
    const folder = inject('temporaryDirectory');
    const [own, ca] = [join(folder, 'openssl-server.pem'), join(folder, 'openssl-authority.pem')];
    await writeFile(own, secretOf(issue('localhost')));
    await writeFile(ca, authorityPem);
    const port = await freePort();
    const strict = ['-Verify', '3', '-verify_return_error', '-quiet'];
    const listening = ['s_server', '-accept', `localhost:${port}`, '-cert', own, '-CAfile', ca];
    const child = spawn('openssl', [...listening, ...strict, ...options], { stdio: ['pipe', 'pipe', 'ignore'] });
    await untilListening(port);
    return new OpensslServer(`https://localhost:${port}`, child);
  }

  /** Answers the next request. OpenSSL prints what it receives, and sends what it reads. */
  answerNext(response: string): void {
    this.child.stdout?.once('data', () => this.child.stdin?.write(response));
  }

  async close(): Promise<void> {
    const ended = new Promise((exited) => this.child.once('exit', exited));
    this.child.kill();
    await ended;
  }
}

export async function listen(server: Server): Promise<number> {
  await new Promise<void>((listening) => server.listen(0, 'localhost', listening));
  return (server.address() as AddressInfo).port;
}

async function untilListening(port: number): Promise<void> {
  for (let looks = 0; looks < 200; looks += 1) {
    const isListening = await new Promise<boolean>((told) => {
      const socket = connect(port, 'localhost');
      socket.once('connect', () => told(true)).once('error', () => told(false));
      socket.once('connect', () => socket.destroy());
    });
    if (isListening) return;
    await delay(50);
  }
  throw new Error('openssl s_server does not listen.');
}
