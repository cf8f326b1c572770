import { join } from 'node:path'

/**
 * The folder of a certificate for 127.0.0.1, for a hundred years, with its key and the authority that has signed it,
 * whose key is gone.
 */
export const CERTIFICATES = join(import.meta.dirname, 'certificates')
