package policy

// Acknowledged reports whether an object's controller has observed its latest generation,
// which the deletion mark has raised. For the configured kinds, an orphan
// deletion waits until the controller has done so. Otherwise the controller could adopt the
// freed dependents again (proposal, "Orphan adoption"). In a store without generations,
// Acknowledged returns true. The engine bounds the wait.
//
//test:by TestAcknowledged
func Acknowledged(generation, seen int64) bool { return seen >= generation }
