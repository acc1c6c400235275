// Package relocate moves seeded bugs after the source. A change of the source moves
// declarations to other packages and renames them. A bug then has no place, or it
// does not compile.
//
//	go run ./internal/proof/mutants/cmd/mutants -relocate
//	go run ./internal/proof/mutants/cmd/mutants -relocate -dry -names renames.txt
//
// Run takes the old declaration of such a bug from git: from the newest commit at
// which the bug applies. It compares the old declaration with each declaration of the
// production packages, token by token. Three cases follow.
//
//   - A declaration has the old text exactly once. The bug gets a new anchor.
//   - A declaration is similar enough. The alignment of the two declarations gives the
//     new old text and the new names. The bug gets a new anchor and new texts.
//   - No declaration is similar enough, two are, or the result does not compile. Run
//     prints the bug with the best candidates, and the best proposal if there is one.
//
// Run is repeated after each step of a restructuring. Bugs that apply and compile stay
// as they are.
package relocate
