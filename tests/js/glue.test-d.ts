// The glue as wasm-bindgen has made it must be what js/ was compiled against. Needs a built package.

import * as declared from "../../js/glue/core.js";
import { bytes } from "../../js/glue/bytes.js";
import * as declaredFull from "../../js/glue/full.js";
import * as made from "../../pkg/glue/core.js";
import * as madeFull from "../../pkg/glue/full.js";
import * as inlined from "../../pkg/glue/bytes.js";

const session: typeof declared.CoreSession = made.CoreSession;
const init: typeof declared.default = made.default;
const stepper: typeof declaredFull.Stepper = madeFull.Stepper;
const compact: typeof declaredFull.compact = madeFull.compact;
const full: typeof declaredFull = madeFull;
const text: typeof bytes = inlined.bytes;

export { compact, full, init, session, stepper, text };
