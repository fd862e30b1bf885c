import {
  type LocalAws,
  type LocalAwsOptions,
  startLocalAws,
  type VirtualClock,
} from '@business-loan-orders/embedded-aws';
import { type Simulator, startSimulator } from '@business-loan-orders/order-simulator';
import { environmentOf, type Profile, settingsOf } from './profiles.ts';

/** Timeout of calls to the order service, in real milliseconds. A timeout is the only fault that takes real time. */
const CALL_TIMEOUT = 3_000;

export function openSimulator(clock: VirtualClock, profile: Profile): Promise<Simulator> {
  return startSimulator({ now: () => clock.now(), settings: settingsOf(profile) });
}

/** Starts the embedded AWS with functions that talk to the simulator. Closes the simulator if this fails. */
export async function openAws(simulator: Simulator, profile: Profile, options: LocalAwsOptions): Promise<LocalAws> {
  try {
    return await startLocalAws({
      ...options,
      // The simulation limits how many invocations run at once (turns.ts), so that a paused one blocks no other.
      lambdaConcurrency: 1_000,
      lambdaThreads: 'one for each sandbox',
      holdSchedules: true,
      functionEnvironment: {
        ...environmentOf(profile),
        ORDER_SERVICE_URL: simulator.url,
        TOKEN_URL: `${simulator.authorizationUrl}/oauth2/token`,
        POWERTOOLS_LOG_LEVEL: 'ERROR',
        // No source maps: nobody reads stack traces here, and parsing the maps takes time.
        NODE_OPTIONS: '',
        // The same as the service asks for.
        POLL_DEFAULT_SECONDS: String(simulator.settings.pollAfterSeconds),
        AWS_MAX_ATTEMPTS: '2',
        CALL_TIMEOUT_MILLISECONDS: String(CALL_TIMEOUT),
        FILE_TIMEOUT_MILLISECONDS: String(CALL_TIMEOUT),
        FILE_IDLE_TIMEOUT_MILLISECONDS: String(CALL_TIMEOUT),
      },
    });
  } catch (error) {
    await simulator.close();
    throw error;
  }
}
