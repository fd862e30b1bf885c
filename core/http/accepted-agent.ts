import { Agent, type AgentOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';

/**
 * Milliseconds that a request waits for the server to accept or refuse the connection. Most servers send a session ticket at once,
 * which ends the wait.
 */
const LONGEST_WAIT = 500;

type Created = (error: Error | null, socket?: Duplex) => void;

/**
 * Makes a new connection for each request, and gives it to the request only when the server has had time to refuse the client.
 * With TLS 1.3 the client's handshake ends before the server has looked at the client's certificate. A request that is written at
 * once may meet the refusal, and then nobody knows what became of it. A request that waits was certainly not sent.
 */
export class AcceptedAgent extends Agent {
  constructor(options: AgentOptions = {}) {
    // A resumed session would skip the check of the certificates.
    super({ ...options, keepAlive: false, maxCachedSessions: 0 });
  }

  override createConnection(options: AgentOptions, created: Created): undefined {
    const socket = super.createConnection(options) as TLSSocket;
    const refused = (error?: Error) => settle(() => created(error ?? closed()));
    const closedEarly = () => refused();
    const idle = () => socket.destroy(new Error(`no progress for ${options.timeout} ms`));
    const accepted = () => settle(() => created(null, socket));
    // A write inside the session event is lost. After a wait, a refusal that has arrived in the meantime is read first.
    const acceptedSoon = () => setImmediate(accepted);
    let wait: NodeJS.Timeout | undefined;
    let isSettled = false;
    const settle = (tell: () => void) => {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(wait);
      socket.off('close', closedEarly).off('timeout', idle).off('session', acceptedSoon).off('error', refused);
      // A late error has no other listener if the request has given up.
      if (socket.destroyed) socket.on('error', () => undefined);
      tell();
    };
    socket.once('error', refused).once('close', closedEarly).once('timeout', idle);
    socket.once('secureConnect', () => {
      // Up to TLS 1.2 the server has checked the certificate by now.
      if (socket.getProtocol() !== 'TLSv1.3') return accepted();
      socket.once('session', acceptedSoon);
      wait = setTimeout(acceptedSoon, LONGEST_WAIT);
    });
    return undefined;
  }
}

function closed(): Error {
  return Object.assign(new Error('the connection was closed during the handshake'), { code: 'ECONNRESET' });
}
