import type { Account } from '../account.ts';
import type { Services } from '../services.ts';

/** What provisioning functions use. */
export interface Provisioning {
  account: Account;
  services: Services;
  /** Asynchronous work to do before the embedded AWS is ready. */
  startup: (() => Promise<void>)[];
}
