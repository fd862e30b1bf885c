import * as cdk from 'aws-cdk-lib';
import { ThumbnailsStack } from '../lib/thumbnails-stack.ts';

// The CDK's validation takes four times as long as the rest.
const app = new cdk.App({ builtinCloudFormationValidation: false });
new ThumbnailsStack(app, 'ThumbnailsStack', {});
