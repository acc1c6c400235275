package grouptest

func lawsOfLeaving() []law {
	return []law{
		{name: "leave/at-once", run: (*trial).leaveAtOnce, why: "each orderly stop delays a part for the time of a lease"},
		{name: "leave/again", run: (*trial).leaveAgain, why: "a member that does not know whether it has left cannot repeat it"},
		{name: "leave/other-instance", run: (*trial).leaveOther, why: "a former process of a name ends the lease of its successor"},
		{name: "leave/other-process", run: (*trial).leaveElsewhere, why: "a process that has lost its connection cannot leave by another one"},
	}
}

// leaveAtOnce: a member that has left is gone for the others, and may join again.
func (t *trial) leaveAtOnce() {
	a, b := t.two()
	x, y := member("x"), member("y")
	a.renew(x, long)
	b.renew(y, long)
	a.leave(x)
	t.shows(b.renew(y, long), y)
	t.shows(a.renew(x, long), x, y)
	t.shows(b.renew(y, long), x, y)
}

// leaveAgain: a second Leave has no effect, and so has that of a member that never joined.
func (t *trial) leaveAgain() {
	a, b := t.two()
	x, y := member("x"), member("y")
	a.leave(x)
	a.renew(x, long)
	b.renew(y, long)
	for range 2 {
		a.leave(x)
		t.shows(b.renew(y, long), y)
	}
}

// leaveOther: Leave of another instance of the name has no effect.
func (t *trial) leaveOther() {
	a, b := t.two()
	x, y := member("x"), member("y")
	a.renew(x, long)
	a.leave(member(x.Name))
	b.leave(member(x.Name))
	t.shows(b.renew(y, long), x, y)
	t.shows(a.renew(x, long), x, y)
}

// leaveElsewhere: an instance is the same one by another coordinator.
func (t *trial) leaveElsewhere() {
	a, b := t.two()
	x, y := member("x"), member("y")
	a.renew(x, long)
	t.shows(b.renew(x, long), x)
	t.shows(a.renew(y, long), x, y)
	b.leave(x)
	t.shows(a.renew(y, long), y)
}
