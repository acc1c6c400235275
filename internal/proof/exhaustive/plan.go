package exhaustive

import "slices"

// Plan returns the stages that lead to a scope on graphs of n objects:
//
//   - the actions without faults, with a late engine
//   - one action with all faults
//   - all actions with a new listing
//   - all actions with a crash
//   - in the time that is left, the whole scope
func Plan(n int, full Scope) []Stage {
	late, one, listing, crash := full, full, full, full
	late.Late, late.Crashes, late.Listings = true, 0, 0
	one.Actions = min(full.Actions, 1)
	listing.Crashes, crash.Listings = 0, 0
	var stages []Stage
	for _, s := range [...]Scope{late, one, listing, crash} {
		if !s.equal(full) && !slices.ContainsFunc(stages, func(x Stage) bool { return x.Scope.equal(s) }) {
			stages = append(stages, Stage{Objects: n, Scope: s, Whole: true})
		}
	}
	return append(stages, Stage{Objects: n, Scope: full})
}

// Small returns the complete scopes beyond the plan's. Nearly all have graphs of two
// objects. They have a third action, two calls at once, late tokens, one kind, an early timeout,
// foreign finalizers, unresolved references, touches, a restore, a sick kind, or a store of level 3. Of
// three objects there are a few graphs with three actions of few sorts.
func Small() []Stage {
	return []Stage{
		{Objects: 2, Scope: Scope{Actions: 3, Late: true}, Whole: true},
		{Objects: 2, Scope: Scope{Actions: 2, Calls: 2, Late: true}, Whole: true},
		{Objects: 2, Scope: Scope{Actions: 2, Tokens: true}, Whole: true},
		{Objects: 2, Scope: Scope{Actions: 2, Waits: 1}, Whole: true},
		{Objects: 2, Kinds: 1, Scope: Scope{Actions: 2, Crashes: 1}, Whole: true},
		{Objects: 2, Scope: Scope{Actions: 2, Crashes: 1, Listings: 1}, Whole: true},
		{Objects: 2, Foreign: true, Scope: Scope{Actions: 2, Late: true}, Whole: true},
		{Objects: 2, Doubts: true, Scope: Scope{Actions: 2, Late: true}, Whole: true},
		{Objects: 2, Scope: Scope{Actions: 3, Users: Touching}, Whole: true},
		{Objects: 2, Scope: Scope{Actions: 2, Users: Restoring, Rewinds: 1}, Whole: true},
		{Objects: 2, Scope: Scope{Actions: 2, Outages: 1}, Whole: true},
		{Objects: 2, Scope: Scope{Actions: 4, Users: Foreseeing}, Whole: true},
		{Objects: 2, Scope: Scope{Actions: 3, Late: true, Strict: true}, Whole: true},
		{Objects: 3, Foreign: true, To: 8, Scope: Scope{Actions: 3, Users: Adopting}, Whole: true},
		{Objects: 3, Foreign: true, To: 30, Scope: Scope{Actions: 3, Users: Deleting, Late: true}, Whole: true},
	}
}

// Policies returns the scopes with policies of references. Those in which an object may restrict
// another one are at level 3.
func Policies() []Stage {
	return []Stage{
		{Objects: 2, Scope: Scope{Actions: 2, Policies: true, Late: true}, Whole: true},
		{Objects: 2, Scope: Scope{Actions: 2, Policies: true, Strict: true, Users: Rebinding, Late: true}, Whole: true},
		{Objects: 2, Scope: Scope{Actions: 2, Policies: true, Strict: true, Users: Rebinding, Crashes: 1}, Whole: true},
		{Objects: 3, Scope: Scope{Actions: 1, Policies: true, Users: Deleting, Late: true}, Whole: true},
		{Objects: 3, Scope: Scope{Actions: 1, Policies: true, Strict: true, Users: Rebinding, Late: true}, Whole: true},
	}
}

// Standard returns the stages of a run without other flags: the small scopes, those with
// guards, with shares, with policies and with entries, then the plan for three objects, two actions, a crash and a new listing.
func Standard() []Stage {
	return slices.Concat(Small(), Guarded(), Shared(), Policies(), Archived(), Plan(3, Scope{Actions: 2, Crashes: 1, Listings: 1}))
}

// Sure returns the stages of Standard that run to their end with -sure. They are the first
// ones, up to those that share the time that is left.
func Sure() []Stage {
	return slices.DeleteFunc(Standard(), func(s Stage) bool {
		return !s.Whole || s.Objects > 2 && s.Scope.Actions > 1 && s.Scope.Crashes > 0
	})
}

// Find returns the stage of Sure with the words of Stage.String.
func Find(words string) (Stage, bool) {
	all := Sure()
	i := slices.IndexFunc(all, func(s Stage) bool { return s.String() == words })
	if i < 0 {
		return Stage{}, false
	}
	return all[i], true
}

// Quick returns the stages that show most in a few seconds. They begin with a little of
// every graph and every fault. Only states bound them, so that they are the same in
// every run.
func Quick() []Stage {
	return []Stage{
		{Objects: 3, Scope: Scope{Actions: 1}},
		{Objects: 2, Scope: Scope{Actions: 2, Late: true}},
		{Objects: 2, Scope: Scope{Actions: 2, Listings: 1}},
		{Objects: 2, Scope: Scope{Actions: 1, Listings: 1, Tokens: true}},
		{Objects: 2, Scope: Scope{Actions: 1, Crashes: 1, Listings: 1}},
		{Objects: 3, To: 16, Scope: Scope{Actions: 2}},
		{Objects: 2, Selves: true, Scope: Scope{Actions: 1, Listings: 1}},
		{Objects: 2, Scope: Scope{Actions: 1, Engines: 2, Switches: 3}},
		{Objects: 2, Scope: Scope{Actions: 2, Calls: 2, Waits: 1, States: 4000}},
		{Objects: 3, Scope: Scope{Actions: 1, Late: true}},
		{Objects: 3, Scope: Scope{Actions: 1, Listings: 1, States: 900}},
		{Objects: 3, Scope: Scope{Actions: 1, Crashes: 1, States: 600}},
		{Objects: 2, Scope: Scope{Actions: 2, Crashes: 1}},
		{Objects: 3, From: 24, Every: 23, Scope: Scope{Actions: 2}},
		{Objects: 4, Every: 400, Scope: Scope{Actions: 1}},
	}
}

// Named returns the stages of a name, none for an unknown one. They take minutes to
// hours, and are run once.
func Named(name string) []Stage {
	three := func(s Scope) Stage { return Stage{Objects: 3, Scope: s, Whole: true} }
	switch name {
	case "listing":
		return []Stage{three(Scope{Actions: 2, Listings: 1}), three(Scope{Actions: 1, Listings: 1, Late: true})}
	case "crash":
		return []Stage{three(Scope{Actions: 2, Crashes: 1}), three(Scope{Actions: 1, Crashes: 1, Listings: 1})}
	case "full":
		return []Stage{three(Scope{Actions: 2, Crashes: 1, Listings: 1})}
	case "calls2":
		return []Stage{
			three(Scope{Actions: 2, Calls: 2}),
			three(Scope{Actions: 1, Calls: 2, Listings: 1, Late: true}),
			three(Scope{Actions: 2, Calls: 2, Listings: 1}),
			three(Scope{Actions: 1, Calls: 2, Crashes: 1, Listings: 1}),
		}
	case "engines2":
		return []Stage{
			{Objects: 2, Scope: Scope{Actions: 2, Engines: 2, Switches: 3, Listings: 1}, Whole: true},
			three(Scope{Actions: 1, Engines: 2, Switches: 3}),
			three(Scope{Actions: 1, Engines: 2, Switches: 3, Listings: 1}),
		}
	case "four":
		return []Stage{
			{Objects: 4, Scope: Scope{Actions: 1}, Whole: true},
			{Objects: 4, Scope: Scope{Actions: 1, Listings: 1}, Whole: true},
		}
	case "loops":
		return []Stage{
			{Objects: 3, Selves: true, Scope: Scope{Actions: 1, Late: true}, Whole: true},
			{Objects: 3, Selves: true, Scope: Scope{Actions: 1, Crashes: 1, Listings: 1}, Whole: true},
			{Objects: 3, Selves: true, Scope: Scope{Actions: 2, Listings: 1}, Whole: true},
		}
	case "guards":
		return longGuarded()
	case "shares":
		return longShared()
	case "all":
		var all []Stage
		for _, n := range Names()[1:] {
			all = append(all, Named(n)...)
		}
		return all
	}
	return nil
}

// Names returns the names that Named knows. The first one stands for all others.
func Names() []string {
	return []string{"all", "listing", "crash", "calls2", "engines2", "loops", "guards", "shares", "four", "full"}
}
