package plan

import "github.com/ownergraph/ownergraph/graph"

// Request asks for the plan of a deletion. Without a target it asks for the writes that
// are due without any deletion. The zero value works. It is a value.
type Request struct {
	// Delete has the objects that a user deletes, each once and at most 10,000.
	Delete []Target
	// Removed names foreign finalizers whose controllers remove them in time. Every other
	// foreign finalizer stays.
	Removed []string
	// Failing names finalizers whose handlers fail. Every other handler succeeds.
	Failing []string
	// Limit bounds the objects of the plan, and its steps. 0 is no bound. Truncated and
	// StepsTruncated count the rest.
	Limit int
	// RefuseProtected makes DeletePlanned refuse the plan if a target is protected, or if a
	// protected object stays that the deletion would have ended. By default that object stays, and
	// all others go. A protected target goes too by default, because the user deletes it.
	RefuseProtected bool
}

// Target is one object of a request. It is a value.
type Target struct {
	// Key names the object. An empty UID stands for the object at the coordinates.
	Key graph.Key
	// Propagation is that of the deletion. Unset leaves it to the object's own finalizer.
	// Without such a finalizer the store chooses, and the plan assumes background.
	Propagation graph.Propagation
}

// Plan is the forecast of a deletion. The caller owns it. Its methods change nothing, so
// they are safe for concurrent use.
type Plan struct {
	// Request is the question, with the UIDs of the objects.
	Request Request
	// Objects are the objects that the deletion affects, by key.
	Objects []Object
	// Steps are the writes and runs of handlers, in an order that the engine may take.
	// Step n is Steps[n-1].
	Steps []Step
	// Truncated counts the affected objects that Request.Limit leaves out of Objects. The
	// totals, the cost and the fingerprint count them in.
	Truncated int
	// StepsTruncated counts the steps that Request.Limit leaves out of Steps.
	StepsTruncated int
	// Totals counts the objects by kind, in order of kinds.
	Totals []Total
	// Scopes counts the objects that go by scope, in order of scopes.
	Scopes []ScopeTotal
	// Waves is the number of waves. The steps of one wave wait only for earlier ones.
	Waves int
	Cost  Cost
	// Verdicts has the judgement of each guarded target, in the order of the request. The
	// plan itself is that of a deletion which has passed.
	Verdicts []Verdict
	// Refusals has the targets whose deletion the store refuses, in the order of the request. Such a
	// target stays, and nothing goes because of it. Only a store of level 3 refuses.
	//
	//test:by ownergraph.TestPlanRestricted
	Refusals []Refusal
	// Assumptions are the facts that the plan takes for granted (RULES, P4), sorted.
	Assumptions []Assumption
	// WithoutBlocker has the targets in the foreground that have dependents, and none that blocks
	// (graph.Owner.Block), in the order of the request. Such a target does not wait for its dependents,
	// so it may go before them. Targets that wait for other objects are left out: holders, containers,
	// and roots of an order in phases.
	//
	//test:by ownergraph.TestPlanWithoutBlocker
	WithoutBlocker []graph.Key
	// BestEffort says that the store has no fences, or that a write goes on without a fence
	// after the longest wait. A foreground or orphan deletion may then miss a dependent.
	BestEffort bool
	// Torn says that the objects kept changing during the copy, so that the plan is of no
	// one instant (P1). It also says so where more than 4,096 wrong references name one UID.
	Torn bool
	// Busy says that the collector had work under way. The plan is true for a store at rest,
	// and includes the end of that work (P3).
	Busy bool
	// Fingerprint is a hash of the facts of the decisions: UIDs, owners, finalizers and
	// marks, without versions (P5). It has 64 hexadecimal digits.
	Fingerprint string
}

// Total counts the objects of one kind by their outcome. It is a value.
type Total struct {
	Kind                                     graph.Kind
	Removed, Orphaned, Trimmed, Kept, Held   int
	Possible /* of all of these */, Affected int
}

// ScopeTotal counts the objects of one scope that go. It is a value.
type ScopeTotal struct {
	Scope   string
	Removed int
}

// Cost counts the requests of the engine and the runs of handlers. It is a value.
type Cost struct {
	// Writes counts patches and deletes, with those of the user. It is exact at rest,
	// unless Varies.
	Writes int
	// Reads and Fences are upper bounds at rest for one engine.
	Reads, Fences int
	// Handlers counts the runs of handlers. The plan has one run for an object whose
	// handler fails.
	Handlers int
	// Varies says that the number of writes depends on the order of the writes.
	Varies bool
}

// At returns the object with the key, and whether the plan has it.
func (p *Plan) At(k graph.Key) (Object, bool) {
	i, ok := search(p.Objects, k)
	if !ok {
		return Object{}, false
	}
	return p.Objects[i], true
}
