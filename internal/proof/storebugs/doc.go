// Command storebugs measures how well the conformance kit, adapters/storetest,
// finds the mistakes of store authors.
//
// Store is a correct store over SQLite, of level 2. Each Bug is one mistake,
// planted at one point of it. The command runs the kit in its default configuration
// on the store with each bug. It prints the number of runs that found the bug,
// their median time, and the first red law:
//
//	GOWORK=off go -C internal/proof/storebugs run . -runs 10
//	GOWORK=off go -C internal/proof/storebugs run . -runs 10 -only 'Names|Fences'
//	GOWORK=off go -C internal/proof/storebugs run . -correct 50
//
// Each run is a process of its own. It ends with its first red law, or after a
// minute. README.md has the table.
package main
