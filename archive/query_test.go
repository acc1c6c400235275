package archive_test

import (
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
)

// TestMatches: each field of a query narrows it.
func TestMatches(t *testing.T) {
	at := time.Unix(1000, 0)
	key := func(uid graph.UID) graph.Key { return graph.Key{Kind: "k", Scope: "s", Name: "n", UID: uid} }
	e := archive.Entry{Object: graph.Object{Key: key("u"), Owners: []graph.Owner{{Key: key("o"), OnDelete: graph.OnDeleteRelease}}}, At: at}
	byHolder, back, user := e, e, e
	byHolder.Cause.Holder, back.Restored, user.Explicit = key("h"), key("u2"), true
	for _, c := range []struct {
		q      archive.Query
		e      archive.Entry
		want   bool
		reason string
	}{
		{archive.Query{}, e, true, "the zero query selects all"},
		{archive.Query{UIDs: []graph.UID{"x", "u"}}, e, true, "its UID is in the list"},
		{archive.Query{UIDs: []graph.UID{"o"}}, e, false, "an owner is not the object"},
		{archive.Query{Owners: []graph.UID{"x", "o"}}, e, true, "a reference of any policy counts"},
		{archive.Query{Owners: []graph.UID{"u", "h"}}, e, false, "it names neither"},
		{archive.Query{Owners: []graph.UID{"h"}}, byHolder, true, "the holder of its sweep counts"},
		{archive.Query{Explicit: true}, e, false, "an engine deleted it"},
		{archive.Query{Explicit: true}, user, true, "a user deleted it"},
		{archive.Query{Unrestored: true}, e, true, "it did not come back"},
		{archive.Query{Unrestored: true}, back, false, "it came back"},
		{archive.Query{Unrestored: true, Owners: []graph.UID{"o"}}, back, false, "it came back, below an owner too"},
		{archive.Query{Owners: []graph.UID{"o"}}, back, true, "without the field it counts"},
		{archive.Query{Kind: "other"}, e, false, "another kind"},
		{archive.Query{Scope: "other"}, e, false, "another scope"},
		{archive.Query{Name: "other"}, e, false, "another name"},
		{archive.Query{Kind: "k", Scope: "s", Name: "n", Before: at.Add(1)}, e, true, "all fields fit"},
		{archive.Query{Before: at}, e, false, "it ended at that time"},
	} {
		if got := c.q.Matches(&c.e); got != c.want {
			t.Errorf("%s: %t, want %t", c.reason, got, c.want)
		}
	}
}

// TestRefusedError: the error has each cause once.
func TestRefusedError(t *testing.T) {
	e := &archive.Entry{Object: graph.Object{Key: graph.Key{Kind: "k", Name: "n", UID: "u"}}, Unreadable: "column c has gone"}
	owner := graph.Owner{Key: graph.Key{Kind: "k", Name: "o", UID: "o1"}}
	for _, c := range []struct {
		refused []archive.Left
		want    string
		reason  string
	}{
		{[]archive.Left{{Entry: e, Why: archive.PayloadUnreadable}}, "restore k/n@u: its payload cannot be read (column c has gone)", "the store has the cause"},
		{[]archive.Left{{Entry: e, Why: archive.CascadeMissing, Owner: owner}, {Entry: e, Why: archive.Purged}}, "restore k/n@u: a cascade owner is missing (k/o@o1), and 1 more root is refused", "the owner, and the number of others"},
	} {
		if got := (&archive.RefusedError{Refused: c.refused}).Error(); got != c.want {
			t.Errorf("%s: %s, want %s", c.reason, got, c.want)
		}
	}
}
