/** The monospaced font of MAC addresses, serial numbers and logins. A system font causes no layout shift. */
export const mono = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace'
