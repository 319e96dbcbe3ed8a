// The core for tests that are bundled with the package: its sessions know who drives them.

import * as driver from "ag-ui-wasm/core/driver";
import { follow, Session } from "../fake-core.mjs";

follow(driver);

export { Session };
