/**
 * Lambda gives a function its credentials in the environment. Bundles have this in the place of the SDK's default chain
 * (infra/bundles/build.ts), which looks at files, single sign-on and instance metadata besides: a quarter of a bundle.
 */
export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';
