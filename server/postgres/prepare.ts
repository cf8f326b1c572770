import { findBinaries } from './binaries.ts'

// Makes ready what a user who may not write to the packages could not: for container images and system installs.
findBinaries()
