import { beginProjectBundles } from './project-bundles.ts';

/** Imported before the CDK: the functions are bundled while it loads. Every stack has functions without constants. */
beginProjectBundles();
