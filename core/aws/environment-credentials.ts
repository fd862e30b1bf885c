/**
 * Reads credentials from the environment, where Lambda puts them. Bundles contain this instead of the SDK's default chain
 * (infra/bundles/build.ts). The default chain also supports files, single sign-on and instance metadata, and is a quarter
 * of a bundle.
 */
export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';
