package brake

import (
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/kinds"
)

// The rig checks after each of its judgements that the machine is as before: see judged.

// reports returns the number of reports since the last reset of the effects.
func (r *rig) reports() (n int) {
	for _, x := range r.out.Items() {
		if x.Type == effect.Report {
			n++
		}
	}
	return n
}

// TestJudgeLater: a judgement answers for the time of its view, which may be later than the last step.
// The machine stays as it was, also for the next judgement of an earlier time.
func TestJudgeLater(t *testing.T) {
	r := newRig(t, Settings{PerCascade: 1, Window: 2, Per: time.Minute}, "a; b/0 -> a; b/1 -> a; c")
	r.m.Step(r.view(), 9)
	r.judge("b/0", "a")
	r.m.TryApprove(r.view(), key("a"), r.now.Add(time.Hour), 9)
	at := func(name string, after time.Duration, roots ...graph.Key) Answer {
		v := r.view()
		v.Now = v.Now.Add(after)
		return r.judged(v, name, roots).Answer
	}
	for range 2 {
		for _, c := range []struct {
			name   string
			after  time.Duration
			roots  []graph.Key
			want   Answer
			reason string
		}{
			{"c", 0, nil, NeedToken, "the bucket is empty"},
			{"c", 30 * time.Second, nil, Go, "a token comes"},
			{"b/0", 0, []graph.Key{key("a")}, NeedToken, "the approval lasts"},
			{"b/0", time.Minute, []graph.Key{key("a")}, Go, "the approval lasts, and a token is there"},
			{"b/0", time.Hour, []graph.Key{key("a")}, Held, "the approval has expired"},
		} {
			if a := at(c.name, c.after, c.roots...); a != c.want {
				t.Errorf("%s after %v: %v, want %v: %s", c.name, c.after, a, c.want, c.reason)
			}
		}
	}
	if n := r.m.Counts().Trips; n != 1 || r.m.bucket.tokens != 0 {
		t.Errorf("%d trips and %d tokens, want the trip of the commit alone", n, r.m.bucket.tokens)
	}
}

// TestJudgeUnknown: a judgement answers for cascades that are not known as if their counts had begun,
// and begins none. The commit begins them, and its answer is that after the counts.
func TestJudgeUnknown(t *testing.T) {
	gap := &kinds.Gap{Kinds: []graph.Kind{"c"}}
	unlisted := func(r *rig, v *View) { v.Listed = false }
	for _, c := range []struct {
		reason  string
		roots   []graph.Key
		before  func(r *rig, v *View)
		want    Answer
		begins  bool
		carried Answer
	}{
		{"no root", nil, nil, Go, false, Go},
		{"a small cascade", []graph.Key{key("a/0")}, nil, NeedCount, true, Go},
		{"a cascade beyond the limit", []graph.Key{key("a/1")}, nil, NeedCount, true, Held},
		{"the same root twice", []graph.Key{key("a/0"), key("a/0")}, nil, NeedCount, true, Go},
		{"a known root beside it", []graph.Key{key("a/0"), key("a/2")}, func(r *rig, v *View) { r.begin("a/2") }, NeedCount, true, Go},
		{"a known root alone", []graph.Key{key("a/2")}, func(r *rig, v *View) { r.begin("a/2") }, Go, false, Go},
		{"an exempt root", []graph.Key{key("a/1")}, func(r *rig, v *View) { r.m.Exempt(*v, key("a/1")) }, Go, false, Go},
		{"roots that are left out", []graph.Key{LeftOut()}, nil, Held, true, Held},
		{"roots that are left out beside another", []graph.Key{key("a/0"), LeftOut()}, nil, Held, true, Held},
		{"more roots than places", []graph.Key{key("a/0"), key("a/1"), key("a/2")}, nil, NeedRoom, false, NeedRoom},
		{"a listing is awaited", []graph.Key{key("a/0")}, unlisted, NeedListings, false, NeedListings},
		{"a listing is awaited for left out roots", []graph.Key{LeftOut()}, unlisted, NeedListings, false, NeedListings},
		{"a count that is outdated", []graph.Key{key("a/0")}, func(r *rig, v *View) {
			v.Gap = gap
			r.m.begin(*v, key("a/0"), nil, 0)
			v.Returned, r.returned = 1, 1
		}, NeedCount, true, Go},
		{"an outdated count with all its deletes", []graph.Key{key("a/0")}, func(r *rig, v *View) {
			v.Gap = gap
			r.judgeIn(*v, "b/0", []graph.Key{key("a/0")})
			r.take(1)
			v.Returned, r.returned = 1, 1
		}, NeedCount, true, Held},
		{"a count after a rewind", []graph.Key{key("a/0")}, func(r *rig, v *View) {
			r.begin("a/0")
			r.m.Rewind(*v)
		}, NeedCount, true, Go},
	} {
		t.Run(c.reason, func(t *testing.T) {
			r := newRig(t, Settings{PerCascade: 1, Cascades: 2}, "a/0; a/1; a/2; b/0 -> a/0; b/1 -> a/1; c -> a/1")
			v := r.view()
			if c.before != nil {
				c.before(r, &v)
			}
			if j := r.judged(v, "b/0", c.roots); j.Answer != c.want || j.Begins != c.begins {
				t.Errorf("%v, begins %t; want %v, %t", j.Answer, j.Begins, c.want, c.begins)
			}
			if a := r.judgeIn(v, "b/0", c.roots); a != c.carried || r.last.Begins {
				t.Errorf("%v after the commit, want %v", a, c.carried)
			}
		})
	}
}

// TestCommitTrips: a judgement finds a trip, and its commit carries it out once, also if several
// references lead to the cascade.
func TestCommitTrips(t *testing.T) {
	r := newRig(t, Settings{PerCascade: 1}, "a; b/0 -> a; c -> a")
	r.m.begin(r.view(), key("a"), nil, 0) // without a walk, which would find too many
	r.judge("b/0", "a")
	r.take(1)
	roots := []graph.Key{key("a"), key("a")}
	for range 3 {
		if j := r.judged(r.view(), "c", roots); j.Answer != Held || r.m.Counts().Trips != 0 {
			t.Fatalf("%v with %d trips, want that it would trip", j.Answer, r.m.Counts().Trips)
		}
	}
	for range 2 {
		if a := r.judgeIn(r.view(), "c", roots); a != Held || r.m.Counts().Trips != 1 || r.reports() != 1 {
			t.Errorf("%v with %d trips and %d reports, want one of each", a, r.m.Counts().Trips, r.reports())
		}
	}
}
