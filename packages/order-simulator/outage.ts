import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Makes a server stop listening, and listen again on the same port. Its state stays, and calls under way finish. */
export class Outage {
  private readonly server: Server;
  private readonly port: number;

  constructor(server: Server) {
    this.server = server;
    this.port = (server.address() as AddressInfo).port;
  }

  begin(): void {
    if (!this.server.listening) return;
    this.server.close();
    this.server.closeIdleConnections();
  }

  async end(): Promise<void> {
    if (this.server.listening) return;
    const listening = once(this.server, 'listening');
    this.server.listen(this.port, '127.0.0.1');
    await listening;
  }
}
