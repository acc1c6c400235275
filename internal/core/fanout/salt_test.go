package fanout

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// crowd has an owner with more dependents than one pass takes.
func crowd(owner string, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "a/%s#1", owner)
	for i := range n {
		fmt.Fprintf(&b, "; b/%s%d#1 -> a/%s", owner, i, owner)
	}
	return b.String()
}

// all returns the names of all dependents, in the order of Next.
func (r *rig) all() (names []string) {
	r.Helper()
	for turn := 0; len(r.m.Owners()) > 0; turn++ {
		if id := r.m.Next(r.v.Nodes); id != 0 {
			names = append(names, r.v.Node(id).Key().Name)
		}
		if turn%5000 > 0 { // a check looks at all objects
			continue
		}
		if err := r.m.Check(r.v.Nodes); err != nil {
			r.Fatal(err)
		}
	}
	return names
}

// ofSeed returns the order of a machine with a seed.
func ofSeed(t *testing.T, seed uint64, objects string, owners ...string) []string {
	r := newRig(t, objects)
	r.m = New(seed)
	r.push(owners...)
	return r.all()
}

// TestSalt: each dependent comes once, in every order. Few dependents have the order of the graph,
// and many have one for each seed.
func TestSalt(t *testing.T) {
	for _, c := range []struct {
		n      int
		differ bool
		reason string
	}{
		{1, false, "one"},
		{large, false, "the order does not matter for few"},
		{large + 1, true, "many"},
		{1000, true, "many"},
	} {
		plain := ofSeed(t, 0, crowd("o", c.n), "o")
		for seed := range uint64(8) {
			got := ofSeed(t, seed+1, crowd("o", c.n), "o")
			if slices.Equal(got, plain) == c.differ {
				t.Errorf("%s: seed %d has another order: %t", c.reason, seed+1, !c.differ)
			}
			slices.Sort(got)
			want := slices.Sorted(slices.Values(plain))
			if !slices.Equal(got, want) || len(want) != c.n {
				t.Errorf("%s: seed %d brings %d dependents, want each of %d once", c.reason, seed+1, len(got), c.n)
			}
		}
	}
}

// TestSaltsMeetSeldom: of two orders the first quarter has few dependents together.
func TestSaltsMeetSeldom(t *testing.T) {
	one, two := ofSeed(t, 1, crowd("o", 4000), "o"), ofSeed(t, 2, crowd("o", 4000), "o")
	both := 0
	for _, name := range one[:1000] {
		if slices.Contains(two[:1000], name) {
			both++
		}
	}
	if both > 500 {
		t.Errorf("%d of the first 1,000 are in both orders, want about a quarter", both)
	}
}

// TestSaltBeginsAnew: an owner that changes in a later pass brings all dependents again.
func TestSaltBeginsAnew(t *testing.T) {
	r := newRig(t, crowd("o", 500))
	r.m = New(7)
	r.push("o")
	for r.m.salt.pass < 5 {
		r.m.Next(r.v.Nodes)
	}
	r.push("o")
	got := r.all()
	slices.Sort(got)
	if n := len(slices.Compact(got)); n != 500 {
		t.Errorf("%d dependents after the change, want 500", n)
	}
}

// TestSaltOfFormerNode: a new node with the id of an owner that went in a later pass brings all its
// dependents.
func TestSaltOfFormerNode(t *testing.T) {
	r := newRig(t, crowd("o", 500))
	r.m = New(7)
	r.push("o")
	for r.m.salt.pass < 5 {
		r.m.Next(r.v.Nodes)
	}
	id := r.id("o")
	r.v.Table.SetFanning(r.v.Graph, id, false) // as that of a new node
	r.m.Push(r.v.Nodes, id)
	got := r.all()
	slices.Sort(got)
	if n := len(slices.Compact(got)); n != 500 {
		t.Errorf("%d dependents of the new node, want 500", n)
	}
}

// TestSaltOfMembers: the passes over a large owner end, and then its fan-out comes to each other node
// with its UID once.
func TestSaltOfMembers(t *testing.T) {
	world := strings.ReplaceAll(crowd("o", 500), "a/o", "a/o@u") + "; b/x#1 -> a/x@u; b/y#1 -> a/y@u"
	plain, salted := ofSeed(t, 0, world, "o"), ofSeed(t, 7, world, "o")
	slices.Sort(plain)
	if slices.Sort(salted); !slices.Equal(salted, plain) || len(plain) != 502 {
		t.Errorf("%d dependents, want each of %d once, and 502 of these", len(salted), len(plain))
	}
}

// TestSaltOfOwners: the seed chooses among several owners, and none waits for ever while others come.
func TestSaltOfOwners(t *testing.T) {
	var text []string
	var owners []string
	for i := range 60 {
		owner := fmt.Sprintf("o%02d-", i)
		owners = append(owners, owner)
		text = append(text, crowd(owner, 1))
	}
	world := strings.Join(text, "; ")
	plain, salted := ofSeed(t, 0, world, owners...), ofSeed(t, 3, world, owners...)
	if slices.Equal(plain, salted) || len(salted) != len(plain) {
		t.Errorf("the order of the owners is %v, want another one of all", salted)
	}
	r := newRig(t, world)
	r.m = New(3)
	r.push(owners[:6]...)
	last := r.id(owners[5])
	for turn := 0; slices.Contains(r.m.Owners(), last); turn++ {
		if turn > 200 {
			t.Fatal("an owner waits while others come again and again")
		}
		if id := r.m.Next(r.v.Nodes); id != 0 {
			r.push(owners[turn%5])
		}
	}
}

// BenchmarkNext fans out 50,000 dependents of one owner, in the order of the graph and in an order
// of its own.
func BenchmarkNext(b *testing.B) {
	for _, seed := range []uint64{0, 1} {
		b.Run(fmt.Sprintf("seed=%d", seed), func(b *testing.B) {
			r := newRig(b, crowd("o", 50_000))
			r.m = New(seed)
			owner := r.id("o")
			for b.Loop() {
				for r.m.Push(r.v.Nodes, owner); len(r.m.Owners()) > 0; {
					r.m.Next(r.v.Nodes)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/50_000, "ns/dependent")
		})
	}
}
