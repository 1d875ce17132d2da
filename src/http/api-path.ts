/** Under which all calls of the interface are. */
export const API_PATH = 'api/v1';
