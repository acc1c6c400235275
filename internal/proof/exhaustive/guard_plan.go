package exhaustive

// Guarded returns the stages of CI with guards, brakes and pauses. Each guard has graphs of two
// objects with a late engine and late verdicts, and graphs of three. Some have a crash, a restore
// of the store, or a sick kind. Others have a second engine with other settings.
func Guarded() (out []Stage) {
	for _, g := range guards() {
		out = append(out,
			guardStage(2, Scope{Actions: 2, Late: true, Verdicts: true}, g),
			guardStage(3, Scope{Actions: 2}, g),
			guardStage(2, Scope{Actions: 1, Crashes: 1}, g))
	}
	out = append(out,
		guardStage(2, Scope{Actions: 2, Crashes: 1, Verdicts: true}, GuardNone),
		guardStage(2, Scope{Actions: 1, Rewinds: 1}, GuardNone),
		guardStage(2, Scope{Actions: 1, Rewinds: 1}, GuardOrder),
		guardStage(2, Scope{Actions: 1, Outages: 1}, GuardAlways),
		guardStage(2, Scope{Actions: 1, Outages: 1}, GuardOrder))
	out = append(out, braked()...)
	for _, pair := range pairs() {
		out = append(out, guardStage(2, Scope{Actions: 1, Engines: 2, Switches: 3}, pair[:]...))
	}
	return out
}

// braked returns the stages of CI with a brake or a pause. Each brake has graphs of two objects
// with a late engine and a crash, and graphs of three. Pauses also have a crash, a guard, or a
// second engine that acts.
func braked() (out []Stage) {
	for _, g := range brakes() {
		set := []Guard{g}
		out = append(out,
			Stage{Objects: 2, Scope: Scope{Actions: 2, Late: true, Guards: set}, Whole: true},
			Stage{Objects: 2, Scope: Scope{Actions: 1, Crashes: 1, Guards: set}, Whole: true},
			Stage{Objects: 3, Scope: Scope{Actions: 1, Guards: set}, Whole: true})
	}
	return append(out,
		Stage{Objects: 2, Scope: Scope{Actions: 2, Pauses: 1, Late: true}, Whole: true},
		Stage{Objects: 2, Scope: Scope{Actions: 1, Pauses: 1, Crashes: 1}, Whole: true},
		Stage{Objects: 2, Scope: Scope{Actions: 1, Pauses: 1, Engines: 2, Switches: 3}, Whole: true},
		Stage{Objects: 3, Scope: Scope{Actions: 1, Pauses: 1}, Whole: true},
		guardStage(2, Scope{Actions: 1, Pauses: 1, Verdicts: true}, GuardNone),
		guardStage(2, Scope{Actions: 1, Pauses: 1}, GuardOrder))
}

// brakes returns each brake once.
func brakes() []Guard { return []Guard{GuardBrake, GuardBraked, GuardWindow} }

// guards returns each guard once.
func guards() []Guard {
	return []Guard{GuardAlways, GuardProtected, GuardNone, GuardMany, GuardRule, GuardOrder}
}

// pairs returns the settings of two engines that do not agree.
func pairs() [][2]Guard {
	return [][2]Guard{
		{GuardProtected, GuardUnset}, {GuardOrder, GuardUnset}, {GuardRule, GuardUnset},
		{GuardNone, GuardMany}, {GuardAlways, GuardMany}, {GuardRule, GuardOrder},
	}
}

func guardStage(objects int, s Scope, guards ...Guard) Stage {
	s.Users, s.Guards = Guarding, guards
	return Stage{Objects: objects, Guarded: true, Scope: s, Whole: true}
}

// longGuarded returns the stages with a guarded root that take minutes.
func longGuarded() (out []Stage) {
	for _, pair := range pairs() {
		out = append(out,
			guardStage(2, Scope{Actions: 2, Engines: 2, Switches: 3}, pair[:]...),
			guardStage(2, Scope{Actions: 1, Engines: 2, Switches: 3, Crashes: 1}, pair[:]...))
	}
	for _, g := range guards() {
		out = append(out,
			guardStage(2, Scope{Actions: 3, Verdicts: true}, g),
			guardStage(3, Scope{Actions: 2, Late: true, Verdicts: true}, g),
			guardStage(3, Scope{Actions: 1, Crashes: 1, Listings: 1}, g))
	}
	return out
}
