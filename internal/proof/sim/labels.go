package sim

import (
	"math/rand/v2"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/core/selector"
	"github.com/ownergraph/ownergraph/internal/proof/world"
)

// The labels of worlds of sweeps. One names the tenant. The other keeps its objects
// from being taken.
const tenantLabel, keepLabel = "of", "keep"

// tags are labels, as in "of=a,keep=".
type tags string

// String returns the labels, "none" if there are none.
func (l tags) String() string {
	if l == "" {
		return "none"
	}
	return string(l)
}

func (l tags) set() map[string]string {
	out := map[string]string{}
	for _, part := range strings.Split(string(l), ",") {
		if name, value, ok := strings.Cut(part, "="); ok {
			out[name] = value
		}
	}
	return out
}

// labelled reports whether labels tell the members.
func (y tenancy) labelled() bool { return y.labels || y.chosen }

// drawLabels draws the use of labels, from a generator of its own.
func (o *options) drawLabels() {
	r := rand.New(rand.NewPCG(o.seed, 0x1abe1))
	switch r.IntN(6) {
	case 0, 1:
		o.tenancy.labels = true
	case 2:
		o.tenancy.chosen = true
	case 3:
		o.tenancy.labels, o.tenancy.chosen = true, true
	}
	o.tenancy.page = 1 + r.IntN(3)
}

// byLabels returns the members of tenants, with those by labels.
func (y tenancy) byLabels(members []guard.Members) []guard.Members {
	selectors := [...]string{"!" + keepLabel, keepLabel + "!=yes", keepLabel + " notin (yes,no)"} // a witness tells them apart
	if y.chosen {
		for i := range members {
			if len(members[i].Kinds) == 0 {
				members[i].Selector = selectors[i%len(selectors)]
			}
		}
	}
	if y.labels {
		m := guard.Members{By: guard.ByLabel, Label: tenantLabel}
		if y.chosen {
			m.Selector = keepLabel + "!=yes"
		}
		members = append(members, m)
	}
	return members
}

// drawTags draws labels: of a tenant, of a tenant that does not exist, or none.
func (o options) drawTags(r *rand.Rand) tags {
	var parts []string
	if i := r.IntN(len(o.tenancy.names) + 3); i < len(o.tenancy.names) && selector.ValidValue(o.tenancy.names[i]) {
		parts = append(parts, tenantLabel+"="+o.tenancy.names[i])
	} else if i == len(o.tenancy.names) {
		parts = append(parts, tenantLabel+"=nobody")
	}
	if o.tenancy.chosen && r.IntN(3) == 0 {
		parts = append(parts, keepLabel+"="+[]string{"", "yes", "no"}[r.IntN(3)])
	}
	return tags(strings.Join(parts, ","))
}

// labelAll labels the first objects of the world. The labels of an object depend on its
// place in the pool.
func (s *sim) labelAll() {
	if !s.o.tenancy.labelled() {
		return
	}
	r := rand.New(rand.NewPCG(s.o.seed, 0x1abe2))
	for _, k := range s.pool {
		if l := s.o.drawTags(r); l != "" {
			s.w.Label(k, l.set())
		}
	}
	s.backup = s.w.Store
}

// relabel draws an object and its new labels. It prefers objects that have labels.
func (s *sim) relabel(objects []graph.Object) step {
	o := objects[s.rng.IntN(len(objects))]
	for range 2 {
		if len(s.w.Store.Labels()[o.Key]) == 0 && s.rng.IntN(2) == 0 {
			o = objects[s.rng.IntN(len(objects))]
		}
	}
	st := s.acts(opLabel, graph.Object{Key: o.Key})
	st.labels = s.o.drawTags(s.rng)
	return st
}

// selectionText returns the subject of a selection and its answer.
func selectionText(f world.InFlight) string {
	line := string(f.Select.Kind) + " " + f.Select.Selector
	if f.Select.After != "" {
		line += " after " + f.Select.After
	}
	for _, o := range f.Answer.Selected.Objects {
		line += " " + o.Key.String() + "#" + string(o.Version)
	}
	if f.Answer.Selected.More != "" {
		line += " ..."
	}
	return line
}
