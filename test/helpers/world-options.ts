import type {
  DeliveryWrapper,
  EntryRefusal,
  InvokeWrapper,
  LocalAwsOptions,
  RequestWrapper,
} from '@business-loan-orders/embedded-aws';
import type { SimulatorSettings } from '@business-loan-orders/order-simulator';

export interface WorldOptions {
  /** Opens a new world in any case, for tests that count everything from the beginning. */
  isNew?: boolean;
  /** Executions go on from one test of the file to the next. Otherwise they end with their test, and cost the next ones nothing. */
  ordersGoOn?: boolean;
  settings?: Partial<SimulatorSettings>;
  /** Whether the secret gets the simulator's credentials; true by default. */
  credentials?: boolean;
  /** A changed copy of the stack; by default the deployed stack. */
  assemblyDirectory?: string;
  /** Wraps every invocation of a function, so that a test can interrupt it. */
  invokeWrapper?: InvokeWrapper;
  /** Wraps every request to the embedded AWS. */
  requestWrapper?: RequestWrapper;
  /** Wraps every delivery of an event. */
  deliveryWrapper?: DeliveryWrapper;
  /** Refuses single entries of PutEvents. */
  entryRefusal?: EntryRefusal;
  /** Variables of the functions that differ from the stack's. */
  environment?: Record<string, string>;
  /** Additional permissions of the functions, for an `environment` that points them to other resources. */
  statements?: LocalAwsOptions['functionStatements'];
}
