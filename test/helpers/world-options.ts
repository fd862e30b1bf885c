import type { DeliveryWrapper, InvokeWrapper, LocalAwsOptions, RequestWrapper } from '../../local/aws/index.ts';
import type { SimulatorSettings } from '../../simulator/index.ts';

export interface WorldOptions {
  /** A world of its own, whatever else is asked for: for files that count from the very beginning. */
  isNew?: boolean;
  settings?: Partial<SimulatorSettings>;
  /** Whether the secret gets the simulator's credentials; true by default. */
  credentials?: boolean;
  /** A changed copy of the stack; the one that is deployed by default. */
  assemblyDirectory?: string;
  /** Stands around every invocation of a function: where faults are put in. */
  invokeWrapper?: InvokeWrapper;
  /** Stands around every request to the embedded AWS. */
  requestWrapper?: RequestWrapper;
  /** Stands around every delivery of an event. */
  deliveryWrapper?: DeliveryWrapper;
  /** Variables of the functions that differ from the stack's. */
  environment?: Record<string, string>;
  /** What the functions may do besides what the stack lets them do: where `environment` points them to other things. */
  statements?: LocalAwsOptions['functionStatements'];
}
