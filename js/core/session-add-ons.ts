// The add-ons that a session may need, in one file with what imports this: the script of a worker is not split.

import { bytes as agentOs } from "../glue/add-ons/agent-os.js";
import { bytes as binary } from "../glue/add-ons/binary.js";
import { bytes as chio } from "../glue/add-ons/chio.js";
import { bytes as dialects } from "../glue/add-ons/dialects.js";
import { bytes as guard } from "../glue/add-ons/guard.js";
import { bytes as hector } from "../glue/add-ons/hector.js";
import { bytes as ngaf } from "../glue/add-ons/ngaf.js";
import { bytes as openSearch } from "../glue/add-ons/open-search.js";
import { bytes as strict } from "../glue/add-ons/strict.js";

export const sessionAddOns: readonly string[] = [agentOs, binary, chio, dialects, guard, hector, ngaf, openSearch, strict];
