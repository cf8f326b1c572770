/** The face of identifiers: MAC addresses, serial numbers, logins in tables. It is the system's own, so it never jumps. */
export const mono = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace'
