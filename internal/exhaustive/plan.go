package exhaustive

// Plan returns the stages that lead to a scope on graphs of n objects: first the
// actions without faults, by an engine that may be late, then with a new listing,
// with a crash, and with both; each of these with a single action before with all.
func Plan(n int, full Scope) []Stage {
	late := full
	late.Late, late.Crashes, late.Listings = true, 0, 0
	stages := []Stage{{Objects: n, Scope: late, Whole: true}}
	for _, whole := range [...]bool{true, false} {
		s := full
		if whole {
			s.Actions = 1
		}
		if whole && full.Actions <= 1 {
			continue
		}
		faults := []Scope{s, s, s}
		faults[0].Crashes, faults[1].Listings = 0, 0
		for i, f := range faults {
			missing := f.Crashes+f.Listings == 0 || i == 2 && (f.Crashes == 0 || f.Listings == 0)
			if !missing && !(whole && i == 2) {
				stages = append(stages, Stage{Objects: n, Scope: f, Whole: whole})
			}
		}
	}
	return stages
}

// Small returns the complete scopes on graphs of two objects that go beyond the
// plan's: a third action, two calls at once, one kind, a timeout that comes early.
func Small() []Stage {
	return []Stage{
		{Objects: 2, Scope: Scope{Actions: 3, Late: true}, Whole: true},
		{Objects: 2, Scope: Scope{Actions: 2, Calls: 2, Late: true}, Whole: true},
		{Objects: 2, Scope: Scope{Actions: 2, Waits: 1}, Whole: true},
		{Objects: 2, Kinds: 1, Scope: Scope{Actions: 2, Crashes: 1}, Whole: true},
		{Objects: 2, Scope: Scope{Actions: 2, Crashes: 1, Listings: 1}, Whole: true},
	}
}
