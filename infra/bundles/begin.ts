import { beginProjectBundles } from './project-bundles.ts';

/** Import this file before the CDK: the functions are bundled while the CDK loads. */
beginProjectBundles();
