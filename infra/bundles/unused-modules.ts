import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';

const reexport = (modules: string[]) => modules.map((module) => `export * from './${module}';`).join('\n');

/**
 * Modules that contain more than the functions use, and their replacements. esbuild keeps everything that a module re-exports if
 * the module is loaded with `import()`. If a function uses a name that a replacement lacks, the build fails.
 */
const replacements: [module: RegExp, contents: string][] = [
  [
    /[\\/]@peculiar[\\/]asn1-cms[\\/]build[\\/]es2015[\\/]index\.js$/,
    reexport([
      'attribute',
      'attributes/index',
      'certificate_choices',
      'content_info',
      'encapsulated_content_info',
      'issuer_and_serial_number',
      'object_identifiers',
      'signed_data',
      'signer_identifier',
      'signer_info',
      'types',
    ]),
  ],
  [
    /[\\/]@peculiar[\\/]asn1-x509[\\/]build[\\/]es2015[\\/]index\.js$/,
    reexport([
      'algorithm_identifier',
      'attribute',
      'certificate',
      'extension',
      'extensions/subject_key_identifier',
      'general_name',
      'general_names',
      'name',
      'object_identifiers',
      'time',
    ]),
  ],
  [
    // No function reads an IP address in a name, but a name may contain one.
    /[\\/]@peculiar[\\/]asn1-x509[\\/]build[\\/]es2015[\\/]ip_converter\.js$/,
    `export class IpConverter {
       static toString(bytes) { return Buffer.from(bytes).toString('hex'); }
       static fromString(text) { return Buffer.from(text, 'hex'); }
     }`,
  ],
  [/[\\/]@peculiar[\\/]asn1-x509-attr[\\/]build[\\/]es2015[\\/]index\.js$/, reexport(['attribute_certificate'])],
  [/[\\/]@peculiar[\\/]utils[\\/]build[\\/]esm[\\/]index\.js$/, reexport(['bytes/index.js'])],
  [/[\\/]@peculiar[\\/]utils[\\/]build[\\/]esm[\\/]encoding[\\/]index\.js$/, "export * as hex from './hex.js';"],
  [
    // S3 has one operation with an event stream, SelectObjectContent.
    /[\\/]@smithy[\\/]core[\\/]dist-es[\\/]submodules[\\/]event-streams[\\/]index\.js$/,
    `export { resolveEventStreamSerdeConfig } from './eventstream-serde-config-resolver/EventStreamSerdeConfig';
     export const eventStreamSerdeProvider = () => undefined;
     export class EventStreamSerde {
       constructor() { throw new Error('Bundles have no event streams: infra/bundles/unused-modules.ts leaves them out.'); }
     }`,
  ],
  [
    // The functions only put events.
    /[\\/]@aws-sdk[\\/]client-eventbridge[\\/]dist-es[\\/]index\.js$/,
    reexport(['EventBridgeClient', 'commands/PutEventsCommand']),
  ],
  // DynamoDB's client creates one, but none of its commands uses it.
  [/[\\/]@aws-sdk[\\/]endpoint-cache[\\/]dist-es[\\/]EndpointCache\.js$/, 'export class EndpointCache {}'],
];

/** Leaves modules out of the bundles that esbuild would keep although no function uses them. */
export const unusedModules: Plugin = {
  name: 'unused-modules',
  setup({ onLoad }) {
    for (const [filter, contents] of replacements) onLoad({ filter }, () => ({ contents, loader: 'js' }));
    // Clients send their version in each request; they need nothing else from this file.
    onLoad({ filter: /[\\/]@aws-sdk[\\/]client-[^\\/]+[\\/]package\.json$/ }, ({ path }) => {
      const { version } = JSON.parse(readFileSync(path, 'utf8')) as { version: string };
      return { contents: JSON.stringify({ version }), loader: 'json' };
    });
  },
};
