import type { Stage } from '../../../infra/stages.ts';
import { TOPIC, withAlarms } from '../../../test/helpers/alarms.ts';
import { KEY_ARN, ofPartner } from '../../../test/helpers/stack-rules.ts';
import type { ExchangeSettings } from '../../infra/settings.ts';
import { exchangeTemplate } from './template.ts';

export const inNetwork = (stage: Stage) => ({ ...stage, network: ofPartner });
export const encrypted = (encryption: Stage['encryption']) => (stage: Stage) => ({ ...stage, encryption });

type Variant = [title: string, name: string, change: (stage: Stage) => Stage, settings?: Partial<ExchangeSettings>];

export const variants: Variant[] = [
  ['prod', 'prod', (stage) => stage],
  ['local', 'local', (stage) => stage],
  ['a key of the stack', 'prod', encrypted('stack-key')],
  [
    'a given key and topic, a network and a client certificate',
    'prod',
    (stage) => withAlarms({ notify: TOPIC })(inNetwork(encrypted(KEY_ARN)(stage))),
    { clientCertificate: true },
  ],
];

/** The templates that test/infra/cloudformation.test.ts checks. */
export const checkedTemplates = () =>
  Object.fromEntries(variants.map(([title, ...settings]) => [`exchange, ${title}`, exchangeTemplate(...settings)]));
