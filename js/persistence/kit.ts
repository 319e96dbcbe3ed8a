// The helpers of the first bundle, which this chunk is given as it comes.

import type { SavesKit } from "./open.js";

export const kit = {} as SavesKit;
