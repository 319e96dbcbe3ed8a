import type { Catalogue } from "../shared/endpoint.js";

export declare const catalogue: Catalogue;
export declare const fetchInPage: typeof fetch;
