/** The style of what floats over the page. It would be printed on each sheet, over the rows that are there. */
export const UNPRINTED = { '@media print': { display: 'none' } } as const
