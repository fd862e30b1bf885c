#!/usr/bin/env node
import './compile-cache.ts';

import '../commands/main.ts';
