/** What the questions before deleting a client have in common. */
export const deletion = {
  title: ({ name }: { name: string }) => `Delete ${name}?`,
  yes: 'Delete',
  input: ({ name, mac, expiry }: { name: string; mac: string | null; expiry: string }) => ({
    name,
    mac,
    expiry,
  }),
}
