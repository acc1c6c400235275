package sweep

import (
	"maps"
	"reflect"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/core/fingerprint"
	"github.com/ownergraph/ownergraph/internal/core/selecting"
	"github.com/ownergraph/ownergraph/internal/core/seq"
)

// unhashed names the fields that are no part of the hash, with the reason.
var unhashed = map[string]string{
	"Sweeps.plans": "one Config", "Sweeps.override": "one Config", "Sweeps.page": "one Config",
	"Sweeps.holders": "follows from the graph", "Sweeps.known": "follows from the graph", "Sweeps.of": "follows from the runs",
	"Sweeps.detached": "follows from the runs", "Sweeps.labels": "see labels", "Sweeps.last": "an id decides nothing",
	"Sweeps.counts": "a report", "Sweeps.looked": "the cost of a step",
	"run.unlisted": "saves a walk over the kinds", "run.failed": "a report", "run.members": "follows from the members", "run.left": "follows from the members",
	"run.open": "follows from the members", "run.first": "one Config", "run.total": "a report", "run.gone": "a report",
	"run.kinds": "follows from the members", "run.held": "a report", "run.blocked": "a report", "run.sample": "a report",
	"membership.kind": "follows from the node", "membership.by": "follows from the graph and the labels",
	"labels.rules": "one Config", "labels.selects": "see selects",
}

// filled returns a rig with a run of tenant 1 and the member volume 1-a, and with a value in
// every hashed field.
func filled(t *testing.T) *rig {
	t.Helper()
	s := byName()
	s.Members = append(s.Members, guard.Members{By: guard.ByLabel, Label: "of"})
	r := newRig(t, s)
	r.put("tenant/1#1[x.io/tenant]; volume/1-a#1")
	r.marked()
	sw, x := &r.sw, r.sw.runs[1]
	x.need, x.proofAfter, x.proved, x.seen = r.stamps.Stamp(), r.stamps.Stamp(), r.stamps.Stamp(), 1
	x.listsWanted, x.next = r.stamps.Stamp(), start.Add(time.Second)
	sw.walk, sw.again, sw.began, sw.walked = 1, false, r.stamps.Stamp(), 1
	sw.due = start.Add(time.Minute)
	sw.dying[x.node], sw.staleAt, sw.latest, sw.releases[holderName{0, "", "1"}] = 1, 1, 1, 1
	l, k := &sw.labels, selecting.Key{Rule: 0, Kind: "volume"}
	l.matches[r.match()] = match{version: "1", value: "x", began: r.stamps.Stamp()}
	l.selections = map[selecting.Key]selection{k: {began: r.stamps.Last(), pace: selecting.Pace{Next: start.Add(time.Second), Begun: 1}}}
	l.wanted = []selecting.Key{k}
	l.at, l.under, l.began, l.selector, l.label, l.after, l.call = k, true, r.stamps.Stamp(), "of in (1)", "of", "1", 9
	return r
}

// match returns the key of the member's match.
func (r *rig) match() matchKey { return matchKey{r.id(r.object("volume/1-a").Key), 0} }

func (r *rig) sum(sw *Sweeps) uint64 {
	p := fingerprint.New(r.nodes.Graph, start, nil)
	sw.Hash(p, r.view())
	return p.Sum()
}

// fieldChange changes one field.
type fieldChange struct {
	field  string
	change func(r *rig, sw *Sweeps)
}

// TestHash: each field that decides anything changes the hash.
func TestHash(t *testing.T) {
	r := filled(t)
	want, changed := r.sum(&r.sw), map[string]bool{}
	for _, c := range append(append(sweepsChanges(), runChanges()...), labelChanges()...) {
		sw := r.sw.Clone()
		c.change(r, &sw)
		if changed[c.field] = true; r.sum(&sw) == want {
			t.Errorf("%s: the change leaves the hash as it is", c.field)
		}
	}
	for _, kept := range []any{Sweeps{}, run{}, membership{}, labels{}, selects{}, selection{}, match{}} {
		for i, s := 0, reflect.TypeOf(kept); i < s.NumField(); i++ {
			if f := s.Name() + "." + s.Field(i).Name; changed[f] == (unhashed[f] != "") {
				t.Errorf("%s has to be either tried or left out with a reason", f)
			}
		}
	}
	if r.sum(&r.sw) != want {
		t.Error("a change of a clone changes the original")
	}
}

const late seq.Stamp = 1 << 40

func flip(b *bool) { *b = !*b }

func sweepsChanges() []fieldChange {
	of := func(field string, change func(sw *Sweeps)) fieldChange {
		return fieldChange{"Sweeps." + field, func(_ *rig, sw *Sweeps) { change(sw) }}
	}
	member := func(field string, change func(m *membership)) fieldChange {
		return fieldChange{"membership." + field, func(r *rig, sw *Sweeps) {
			m := sw.members[r.match().node][0]
			change(&m)
			sw.members[r.match().node] = []membership{m}
		}}
	}
	return []fieldChange{
		of("runs", func(sw *Sweeps) { clear(sw.runs) }),
		of("members", func(sw *Sweeps) { clear(sw.members) }),
		of("walk", func(sw *Sweeps) { sw.walk = 0 }),
		of("again", func(sw *Sweeps) { flip(&sw.again) }),
		of("began", func(sw *Sweeps) { sw.began = 1 }),
		of("walked", func(sw *Sweeps) { sw.walked = late }),
		of("dirty", func(sw *Sweeps) { flip(&sw.dirty) }),
		of("due", func(sw *Sweeps) { sw.due = time.Time{} }),
		of("dying", func(sw *Sweeps) { sw.dying[sw.runs[1].node] = late }),
		of("releases", func(sw *Sweeps) {
			for name := range maps.Clone(sw.releases) {
				sw.releases[name] = late
			}
		}),
		of("latest", func(sw *Sweeps) { sw.latest = late }),
		of("staleAt", func(sw *Sweeps) { sw.staleAt = late }),
		of("proofs", func(sw *Sweeps) { sw.proofs = start.Add(time.Second) }),
		of("ends", func(sw *Sweeps) { sw.ends = start.Add(time.Second) }),
		member("run", func(m *membership) { m.run = 0 }),
		member("phase", func(m *membership) { m.phase = 1 }),
		member("since", func(m *membership) { m.since = late }),
		member("owned", func(m *membership) { flip(&m.owned) }),
		member("fixed", func(m *membership) { flip(&m.fixed) }),
	}
}

func runChanges() []fieldChange {
	of := func(field string, change func(r *run)) fieldChange {
		return fieldChange{"run." + field, func(_ *rig, sw *Sweeps) { change(sw.runs[1]) }}
	}
	return []fieldChange{
		{"run.fenced", func(r *rig, sw *Sweeps) { sw.runs[1].fenced = r.stamps.Last() }},
		{"run.labelsChanged", func(r *rig, sw *Sweeps) { sw.runs[1].labelsChanged = r.stamps.Last() }},
		of("plan", func(r *run) { r.plan = 1 }),
		of("node", func(r *run) { r.node = 0 }),
		of("holder", func(r *run) { r.holder.Version = "9" }),
		of("since", func(r *run) { r.since = 0 }),
		of("seen", func(r *run) { r.seen = late }),
		of("need", func(r *run) { r.need = 0 }),
		of("proofAfter", func(r *run) { r.proofAfter = 0 }),
		of("proved", func(r *run) { r.proved = 0 }),
		of("listsWanted", func(r *run) { r.listsWanted = 1 }),
		of("read", func(r *run) { flip(&r.read) }),
		of("halted", func(r *run) { flip(&r.halted) }),
		of("over", func(r *run) { flip(&r.over) }),
		of("unguarded", func(r *run) { flip(&r.unguarded) }),
		of("done", func(r *run) { flip(&r.done) }),
		of("fenceDelayed", func(r *run) { flip(&r.fenceDelayed) }),
		of("waves", func(r *run) { r.waves++ }),
		of("next", func(r *run) { r.next = time.Time{} }),
	}
}

func labelChanges() []fieldChange {
	of := func(field string, change func(l *labels)) fieldChange {
		return fieldChange{field, func(_ *rig, sw *Sweeps) { change(&sw.labels) }}
	}
	page := func(field string, change func(s *selection)) fieldChange {
		return of("selection."+field, func(l *labels) {
			s := l.selections[selecting.Key{Rule: 0, Kind: "volume"}]
			change(&s)
			l.selections[selecting.Key{Rule: 0, Kind: "volume"}] = s
		})
	}
	matched := func(field string, change func(m *match)) fieldChange {
		return fieldChange{"match." + field, func(r *rig, sw *Sweeps) {
			m := sw.labels.matches[r.match()]
			change(&m)
			sw.labels.matches[r.match()] = m
		}}
	}
	return []fieldChange{
		of("labels.matches", func(l *labels) { clear(l.matches) }),
		of("selects.selections", func(l *labels) { clear(l.selections) }),
		of("selects.wanted", func(l *labels) { l.wanted = nil }),
		of("selects.at", func(l *labels) { l.at.Kind = "tenant" }),
		of("selects.under", func(l *labels) { l.under = false }),
		of("selects.began", func(l *labels) { l.began = 1 }),
		of("selects.selector", func(l *labels) { l.selector = "of" }),
		of("selects.label", func(l *labels) { l.label = "" }),
		of("selects.after", func(l *labels) { l.after = "2" }),
		of("selects.call", func(l *labels) { l.call = 0 }),
		of("selects.unmet", func(l *labels) { l.unmet = true }),
		page("began", func(s *selection) { s.began = 1 }),
		page("unmet", func(s *selection) { s.unmet = true }),
		page("pace", func(s *selection) { s.pace.Next = s.pace.Next.Add(1) }),
		page("pace", func(s *selection) { s.pace.Begun = 2 }),
		page("externallyBlocked", func(s *selection) { s.externallyBlocked = true }),
		page("err", func(s *selection) { s.err = "x" }),
		matched("version", func(m *match) { m.version = graph.Version("4") }),
		matched("value", func(m *match) { m.value = "y" }),
		matched("began", func(m *match) { m.began = 1 }),
	}
}
