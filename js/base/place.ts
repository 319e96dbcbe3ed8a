/** Whether what is global belongs to one user: a page, or a worker. A server has pages of several. */
export const inPage = (): boolean => "document" in globalThis || "WorkerGlobalScope" in globalThis;
