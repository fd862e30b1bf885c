declare module 'dynalite' {
  import type { Server } from 'node:http';

  interface DynaliteOptions {
    /** Milliseconds that a table stays in CREATING. */
    createTableMs?: number;
    deleteTableMs?: number;
    updateTableMs?: number;
    /** A LevelDB folder; in memory when absent. */
    path?: string;
  }

  /** A server that has not begun to listen; it also takes requests through `emit('request', request, response)`. */
  export default function dynalite(options?: DynaliteOptions): Server;
}
