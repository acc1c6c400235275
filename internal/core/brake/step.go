package brake

import "time"

// HasWork reports whether Step has something to do.
func (m *Machine) HasWork(now time.Time, listed bool) bool {
	return m.walk.slot != 0 || m.pending.Len() > 0 || m.isListed(listed) || m.isRoomy() || m.isFilled(now)
}

// isListed reports whether nodes wait for listings that have come.
func (m *Machine) isListed(listed bool) bool {
	return listed && m.listing.live > 0 && !m.listing.called
}

// isFilled reports whether a node waits for a token that is there.
func (m *Machine) isFilled(now time.Time) bool {
	if m.window.live == 0 {
		return false
	}
	b := m.bucket.at(now)
	return b.tokens > m.called
}

// Step goes on with the walks, and asks for decisions of nodes that wait no longer. It looks at about
// budget references. It reports whether there was anything to do.
func (m *Machine) Step(v View, budget int) bool {
	if m.set.Window > 0 {
		m.bucket.fill(v.Now) // it fills from the first step on
	}
	if !m.HasWork(v.Now, v.Listed) {
		return false
	}
	if m.isListed(v.Listed) {
		m.wake(v, &m.listing)
	}
	budget = m.stepWalk(v, budget)
	m.callRoomy(v, max(budget, 1))
	m.callNext(v, max(budget, 1))
	return true
}

// At returns the time of the next token that a node waits for. It returns false for none.
func (m *Machine) At() (time.Time, bool) {
	if m.window.live == 0 || m.bucket.began.IsZero() {
		return time.Time{}, false
	}
	return m.bucket.next(), true
}

// Rewind takes back the counts of objects, the approvals and the exemptions: they rest on a
// former history. The deletes that were handed out still count, and so do refusals.
func (m *Machine) Rewind(v View) {
	m.stopWalk(v)
	var s slot
	for m.pending.Pop(&s) {
	}
	for i := range m.cascades {
		switch c := &m.cascades[i]; c.state {
		case Approved:
			if m.keeps { // the record would bring the approval back
				m.trip(v, slot(i), ApprovalExpired)
				continue
			}
			fallthrough
		case Counting, Open:
			c.state, c.seeds, c.until = StateUnset, nil, time.Time{}
			m.wake(v, &c.held)
		}
	}
	for s := range m.cascades {
		if s > 0 && m.index[m.at(slot(s)).key] == slot(s) {
			m.noteEnd(slot(s))
		}
	}
	m.listed = false
	m.exempt.Purge()
}
