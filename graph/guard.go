package graph

// The finalizers of guards. Every engine knows them, with any settings (RULES, G3). Each is a
// qualified name, as Kubernetes asks for.
const (
	// FinalizerHold holds the cascade of a guarded root. It goes off when a guard lets the
	// deletion pass, and when a user approves it.
	FinalizerHold = "ownergraph.github.io/hold"
	// FinalizerNew marks a guarded root that no guard has judged. It goes off when a guard
	// refuses the deletion.
	FinalizerNew = "ownergraph.github.io/new"
	// FinalizerProtect protects one object. The engine does not delete an object that
	// carries it.
	FinalizerProtect = "ownergraph.github.io/protect"
)

// IsGuardFinalizer reports whether the finalizer is one of the guards. No handler, no sweep and
// no controller may have it.
func IsGuardFinalizer(name string) bool {
	return name == FinalizerHold || name == FinalizerNew || name == FinalizerProtect
}

// MarkWithheld reports whether the object is marked, and a guard's hold or the finalizer of
// protection is on it. Such a mark counts for no dependent: the object is solid (RULES, G3).
func (o Object) MarkWithheld() bool {
	return o.Deleting && (o.HasFinalizer(FinalizerHold) || o.HasFinalizer(FinalizerProtect))
}
