import { Inbox } from 'lucide-react'

export const quietIcon = <Inbox aria-hidden size={32} strokeWidth={1.25} />
