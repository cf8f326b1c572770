import { copyText } from './parts/copy.ts'
import { useNotice } from './parts/notices/Notices.tsx'

/** Returns the function that copies a text, with a notice, and returns whether it could. */
export function useCopy(): (text: string) => Promise<boolean> {
  const notice = useNotice()
  return async (text) => {
    if (!(await copyText(text))) {
      notice.error(NOT_COPIED)
      return false
    }
    notice.settle(NOT_COPIED)
    notice.success('Copied')
    return true
  }
}

const NOT_COPIED = 'Error copying. Please try again.'
