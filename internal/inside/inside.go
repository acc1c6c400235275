// Package inside names the rights of this module that its users do not have. The proofs
// and the tests of the module open an engine or a store with a Key. A program outside of
// the module cannot import the package, and so it cannot make a Key.
package inside

// Key opens the inside of an engine or a store.
type Key struct{ _ struct{} }
