import type { Account } from '../account.ts';
import type { Services } from '../services.ts';

/** What the provisioning of a resource works with. */
export interface Provisioning {
  account: Account;
  services: Services;
  /** Work that takes time, all done before the embedded AWS is ready. */
  startup: (() => Promise<void>)[];
}
