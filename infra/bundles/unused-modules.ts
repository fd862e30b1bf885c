import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';

const reexport = (modules: string[]) => modules.map((module) => `export * from './${module}';`).join('\n');

/**
 * Modules that bring more than any function uses, and what stands in their place. Behind `import()` esbuild evaluates all that a
 * module re-exports, so it keeps all of it. A name that is used and not there any more fails the build.
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
  // DynamoDB's client makes one, and none of its commands looks into it.
  [/[\\/]@aws-sdk[\\/]endpoint-cache[\\/]dist-es[\\/]EndpointCache\.js$/, 'export class EndpointCache {}'],
];

/** Leaves out of bundles what esbuild must keep and no function uses. */
export const unusedModules: Plugin = {
  name: 'unused-modules',
  setup({ onLoad }) {
    for (const [filter, contents] of replacements) onLoad({ filter }, () => ({ contents, loader: 'js' }));
    // Clients say their version in each request; the rest of the file is for npm.
    onLoad({ filter: /[\\/]@aws-sdk[\\/]client-[^\\/]+[\\/]package\.json$/ }, ({ path }) => {
      const { version } = JSON.parse(readFileSync(path, 'utf8')) as { version: string };
      return { contents: JSON.stringify({ version }), loader: 'json' };
    });
  },
};
