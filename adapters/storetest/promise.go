package storetest

import "fmt"

// Promise is something that a store may say it does not promise, in
// Config.Lacks.
type Promise uint8

// PromiseUnset is no promise.
const PromiseUnset Promise = iota

// String returns the promise in lower case.
func (p Promise) String() string { return fmt.Sprintf("promise(%d)", uint8(p)) }
