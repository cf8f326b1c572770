import { Component, type ReactNode } from 'react'
import { Broken } from './Broken.tsx'

/** Catches errors outside of the router's pages, such as a script that could not be loaded. */
export class Boundary extends Component<{ children: ReactNode }, { broken: boolean }> {
  override state = { broken: false }

  static getDerivedStateFromError() {
    return { broken: true }
  }

  override render() {
    return this.state.broken ? <Broken /> : this.props.children
  }
}
