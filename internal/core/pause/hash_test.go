package pause

import (
	"reflect"
	"testing"

	"github.com/ownergraph/ownergraph/internal/core/fingerprint"
)

// unhashed names the fields that are no part of the hash, with the reason.
var unhashed = map[string]string{
	"Pauses.unknown": "a report", "Pause.Since": "a report", "unread.since": "a report", "unread.why": "a report",
}

// TestHash: each field that decides anything changes the hash.
func TestHash(t *testing.T) {
	g, ids := graphOf(t, "a/1@u1#1", "b/1@u2#1")
	base := func() *Pauses {
		return &Pauses{list: []Pause{{What: Extent{Kind: "a"}}, {What: Extent{InScope: true, Scope: "s"}}}, at: ids[0]}
	}
	sum := func(x *Pauses) uint64 {
		p := fingerprint.New(g, start, nil)
		x.Hash(p)
		return p.Sum()
	}
	want, changed := sum(base()), map[string]bool{}
	for _, c := range []struct {
		field  string
		change func(x *Pauses)
	}{
		{"Pauses.list", func(x *Pauses) { x.list = x.list[:1] }},
		{"Pauses.at", func(x *Pauses) { x.at = ids[1] }},
		{"Pauses.at", func(x *Pauses) { x.at = 0 }},
		{"Pauses.again", func(x *Pauses) { x.again = true }},
		{"Pauses.record", func(x *Pauses) { x.record = unread{is: true} }},
		{"unread.is", func(x *Pauses) { x.record.is = true }},
		{"Pause.What", func(x *Pauses) { x.list[0].What = Extent{Kind: "b"} }},
		{"Pause.Recorded", func(x *Pauses) { x.list[0].Recorded = true }},
		{"Extent.All", func(x *Pauses) { x.list[0].What.All = true }},
		{"Extent.Kind", func(x *Pauses) { x.list[0].What.Kind = "c" }},
		{"Extent.InScope", func(x *Pauses) { x.list[1].What.InScope = false }},
		{"Extent.Scope", func(x *Pauses) { x.list[1].What.Scope = "r" }},
	} {
		x := base()
		c.change(x)
		if changed[c.field] = true; sum(x) == want {
			t.Errorf("%s: the change leaves the hash as it is", c.field)
		}
	}
	for _, kept := range []any{Pauses{}, Pause{}, unread{}, Extent{}} {
		for i, s := 0, reflect.TypeOf(kept); i < s.NumField(); i++ {
			if f := s.Name() + "." + s.Field(i).Name; changed[f] == (unhashed[f] != "") {
				t.Errorf("%s has to be either tried or left out with a reason", f)
			}
		}
	}
}
