import * as cdk from 'aws-cdk-lib';
import { ThumbnailsStack } from '../lib/thumbnails-stack.ts';

const app = new cdk.App();
new ThumbnailsStack(app, 'ThumbnailsStack', {});
