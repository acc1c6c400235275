package sqlstore

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/adapters/storetest"
	"github.com/ownergraph/ownergraph/adapters/storetest/grouptest"
	"github.com/ownergraph/ownergraph/group"
)

// TestGroup runs the laws of coordinators on each database. Each coordinator has a pool of its
// own, as a process has it.
func TestGroup(t *testing.T) {
	for _, name := range sortedNames(newDatabases) {
		t.Run(name, func(t *testing.T) { grouptest.Run(t, groupKit(newDatabases[name])) })
	}
}

// TestGroupDrivers runs each statement with each further driver.
func TestGroupDrivers(t *testing.T) {
	for _, name := range sortedNames(furtherDrivers) {
		t.Run(name, func(t *testing.T) {
			g := furtherDrivers[name](t).mustHandle(t, nil).mustGroup(t, "g")
			g.joins(t, memberOf("é"), "é")
			g.joins(t, memberOf("x"), "x", "é")
			if _, err := g.Renew(t.Context(), group.Member{Name: "x", Instance: "another"}, minute); !errors.Is(err, group.ErrTaken) {
				t.Errorf("a taken name: %v", err)
			}
			if err := g.Leave(t.Context(), memberOf("é")); err != nil {
				t.Error(err)
			}
			g.joins(t, memberOf("x"), "x")
		})
	}
}

func groupKit(newDatabase func(storetest.TB) *database) grouptest.Config {
	return grouptest.Config{
		Lease: time.Second,
		New: func(tb testing.TB) grouptest.System {
			d := newDatabase(tb)
			return grouptest.System{
				Open: func(name string) group.Coordinator { return d.mustHandle(tb, nil).mustGroup(tb, name) },
				Outage: func() (end func()) {
					d.faults.outage.Store(true)
					return func() { d.faults.outage.Store(false) }
				},
			}
		},
	}
}

func (h *handle) mustGroup(tb testing.TB, name string) *Group {
	tb.Helper()
	g, err := h.Group(tb.Context(), name)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

// minute is a lease that does not end during a test.
const minute = time.Minute

// memberOf returns a member whose instance is "1" and its name.
func memberOf(name string) group.Member { return group.Member{Name: name, Instance: "1" + name} }

// joins renews a member, which then sees these names.
func (g *Group) joins(t *testing.T, m group.Member, want ...string) {
	t.Helper()
	list, err := g.Renew(t.Context(), m, minute)
	var names []string
	for _, m := range list {
		names = append(names, m.Name)
	}
	if err != nil || !slices.Equal(names, want) {
		t.Errorf("%q sees %.200q, error %v, want %.200q", m.Name, names, err, want)
	}
}
