// Package owners changes the owners of objects in a store, for users of the store. Each change
// is one conditional write, so it never overwrites the change of another client. No engine
// needs to run.
//
//   - [Adopt] adds an owner, and [AdoptAll] brings a whole store under ownership.
//   - [Replace] replaces an owner by another in one step.
//   - [Remove] removes an owner.
//
// The functions keep nothing. They are safe for concurrent use, like the store.
package owners
