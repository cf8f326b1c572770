import { Inbox } from 'lucide-react'

/** Of a table that is empty. */
export const quietIcon = <Inbox aria-hidden size={32} strokeWidth={1.25} />
