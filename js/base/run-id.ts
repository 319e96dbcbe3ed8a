/** Whether a run is that one, or follows on its calls: it has its id and a number then. */
export const belongs = (runId: string, id: string): boolean => runId === id || runId.replace(/-\d+$/, "") === id;
