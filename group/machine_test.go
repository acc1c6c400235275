package group

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/share"
)

var errTest = errors.New("made by the test")

// bench drives a machine with a lease of 12 s and a renewal of 4 s, by steps in words.
type bench struct {
	m   machine
	now time.Time
	o   order
}

func newBench() *bench {
	b := &bench{m: newMachine(Member{Name: "a", Instance: "1"}, 12*time.Second, 4*time.Second), now: time.Unix(1e9, 0)}
	b.o = b.m.next(b.now)
	return b
}

func (b *bench) step(word string) {
	switch word {
	case "ready":
		b.m.see(b.now, sighting{fit: fitAll})
	case "some":
		b.m.see(b.now, sighting{fitSome, "b is not listed"})
	case "sick":
		b.m.see(b.now, sighting{fitSick, "b is sick"})
	case "down":
		b.m.see(b.now, sighting{fitNone, "the watch is down"})
	case "stop":
		b.m.stop(b.now)
	case "ok":
		b.m.done(b.now, []Member{{"a", "1", 0}}, nil)
	case "two":
		b.m.done(b.now, []Member{{"b", "2", 0}, {"a", "1", 0}}, nil)
	case "other":
		b.m.done(b.now, []Member{{"a", "2", 0}}, nil)
	case "absent":
		b.m.done(b.now, []Member{{"b", "2", 0}}, nil)
	case "double":
		b.m.done(b.now, []Member{{"a", "1", 0}, {"a", "1", 0}}, nil)
	case "fails":
		b.m.done(b.now, nil, errTest)
	case "taken":
		b.m.done(b.now, nil, ErrTaken)
	case "invalid":
		b.m.done(b.now, nil, graph.ErrInvalid)
	case "refused":
		b.m.done(b.now, nil, graph.ErrRefused)
	default:
		d, err := time.ParseDuration(word)
		if err != nil {
			panic(err)
		}
		b.now = b.now.Add(d)
	}
	b.o = b.m.next(b.now)
}

// String describes the last request: the state, the set with the time left, and the call.
func (b *bench) String() string {
	var out []string
	out = append(out, b.m.state(b.now).String())
	if b.o.set != share.None() {
		out = append(out, fmt.Sprintf("%d for %v", b.o.set.Len(), b.o.until.Sub(b.now)))
	}
	switch {
	case b.o.cancel:
		out = append(out, "cancel")
	case b.m.call == callRenew && b.m.began.Equal(b.now):
		out = append(out, fmt.Sprintf("renew in %v", b.o.limit))
	case b.m.call == callRenew:
		out = append(out, "renewing")
	case b.m.call == callLeave:
		out = append(out, "leave")
	}
	return strings.Join(out, ", ")
}

// TestMachine: the requests of a machine after some steps. A lease has 12 s, and a renewal 4 s.
func TestMachine(t *testing.T) {
	for _, c := range []struct{ steps, want, reason string }{
		{"", "out", "it has not looked at the collector"},
		{"down", "out", "the collector cannot work"},
		{"down 1h", "out", "the collector cannot work: no call"},
		{"some 1h some", "out", "a collector joins only when it is synced"},
		{"ready", "joining, renew in 4s", "a collector that can work renews at once"},
		{"ready 1s", "joining, renewing", "one call at a time"},
		{"ready 1s ok", "member, 4096 for 11s", "the lease counts from the beginning of the renewal"},
		{"ready two", "joining", "the other member writes to the part until it renews"},
		{"ready ok 4s", "member, 4096 for 8s, renew in 4s", "the next renewal"},
		{"ready ok 4s ok", "member, 4096 for 12s", "the lease is renewed"},
		{"ready two 4s two", "member, 2040 for 12s", "the others have given the part up"},
		{"ready two 4s fails", "joining", "the others may not have renewed"},
		{"ready two 4s fails 8s two 4s two", "member, 2040 for 12s", "a new lease begins in the same way"},
		{"ready ok 4s fails 8s two", "joining", "after a lost lease the others have the part"},
		{"ready ok 4s two", "member, 2040 for 12s", "another member: the set changes"},
		{"ready two 4s ok", "member, 4096 for 12s", "the other member has gone"},
		{"ready ok some", "member, 4096 for 12s", "a member goes on with some kinds"},
		{"ready ok sick", "member, 4096 for 12s", "a member goes on with some kinds"},

		{"ready ok 4s fails", "member, 4096 for 8s", "an error keeps the set"},
		{"ready ok 4s fails 1s", "member, 4096 for 7s, renew in 3.5s", "the next try comes soon, and leaves time for another"},
		{"ready ok 4s fails 1s fails 1s", "member, 4096 for 6s", "the pause doubles"},
		{"ready ok 4s fails 1s fails 2s", "member, 4096 for 5s, renew in 2.5s", "the pause doubles"},
		{"ready ok 4s fails 7s", "member, 4096 for 1s, renew in 1s", "no renewal goes on past the end"},
		{"ready ok 4s 8s", "lost, renewing", "the lease has ended during a renewal"},
		{"ready ok 4s 8s fails", "lost", "the set stays none"},
		{"ready ok 4s fails 8s", "lost, renew in 4s", "a collector without a lease goes on trying"},
		{"ready ok 4s fails 8s ok", "member, 4096 for 12s", "the coordinator is back"},
		{"ready 12s ok", "joining", "an answer after the end of the lease is none"},
		{"ready absent", "joining", "the coordinator does not list the member"},
		{"ready double", "joining", "the coordinator lists a name twice"},

		{"ready fails 1s fails 2s", "joining, renew in 4s", "two renewals without an answer"},
		{"ready fails 1s fails 2s fails", "joining, leave", "three of them may have begun leases that hold a part"},
		{"ready fails 1s fails 2s fails ok 11s", "joining", "the others have the part for the time of a lease"},
		{"ready fails 1s fails 2s fails fails 11s", "joining", "a Leave that fails changes nothing: the lease ends by itself"},
		{"ready fails 1s fails 2s fails ok 12s", "joining, renew in 4s", "the next try"},
		{"ready fails 1s fails 2s fails ok 12s fails", "joining, leave", "still no answer"},
		{"ready fails 1s fails 2s refused 4s fails 4s fails 4s", "joining, renew in 4s", "an answer came in between"},
		{"ready fails 1s fails 2s fails ok 12s ok", "member, 4096 for 12s", "the answers come again"},
		{"ready fails 1s fails 2s fails down", "out, leave", "the Leave is under way already"},

		{"ready taken", "joining", "the name is taken"},
		{"ready taken 3s", "joining", "the next try comes with the next renewal"},
		{"ready taken 4s", "joining, renew in 4s", "the name may be free"},
		{"ready taken 4s taken 4s taken 4s", "joining, renew in 4s", "the pause stays"},
		{"ready ok 4s taken", "lost", "another collector has the name: none at once"},
		{"ready ok 4s other", "lost", "a coordinator that lists another instance says the same"},
		{"ready invalid 4s invalid 4s", "joining", "the pause of an invalid name doubles"},
		{"ready invalid 4s invalid 8s", "joining, renew in 4s", "the pause of an invalid name doubles"},
		{"ready refused 4s refused 8s refused 12s refused 12s", "joining, renew in 4s", "the pause ends with the lease"},
		{"ready ok 4s refused", "member, 4096 for 8s", "no other member has the part before the lease ends"},

		{"ready ok down", "out, leave", "the collector cannot work: none at once"},
		{"ready ok down 1s ok", "out", "it has left"},
		{"ready ok down 1s ok 1h", "out", "it leaves once"},
		{"ready ok down fails", "out", "the next try comes with the next renewal"},
		{"ready ok down fails 4s", "out, leave", "a Leave after an error"},
		{"ready ok down fails 4s fails 4s", "out, leave", "the last try"},
		{"ready ok down fails 4s fails 4s fails 1h", "out", "the lease has ended by itself"},
		{"ready ok down fails 4s fails ready ok down fails 4s", "out, leave", "a later lease has its own tries"},
		{"ready ok down ready", "joining, leave", "one call at a time"},
		{"ready ok down ready ok", "joining, renew in 4s", "it joins again"},
		{"ready ok down ready fails", "joining, renew in 4s", "it joins again, and needs no Leave"},
		{"ready fails down", "out, leave", "after an error the lease may have begun"},
		{"ready down", "out, cancel", "a renewal that has lost its use"},
		{"ready down ok", "out, leave", "its result does not count"},
		{"ready down ready", "joining, cancel", "the result of that renewal does not count"},
		{"ready down ready ok", "joining, renew in 4s", "the result of that renewal does not count"},
		{"ready ok 4s taken down", "out, leave", "a Leave of no lease does nothing"},

		{"sick 59s sick", "out", "sick kinds may become well"},
		{"sick 60s sick", "joining, renew in 4s", "sick kinds do not keep it out for ever"},
		{"sick 59s some 1s sick 1s sick", "out", "another kind is listed meanwhile"},
		{"ready ok down 1s ok sick 1s sick", "out", "a collector that was out joins when it is synced"},

		{"stop", "out", "nothing has begun"},
		{"ready ok stop", "out, leave", "the end"},
		{"ready ok stop ready", "out, leave", "the end is for ever"},
		{"ready ok stop fails 1h", "out", "one try at the end"},
		{"ready stop", "out, cancel", "a renewal is under way at the end"},
		{"ready stop ok", "out, leave", "that renewal may have begun a lease"},
	} {
		b := newBench()
		for _, word := range strings.Fields(c.steps) {
			b.step(word)
		}
		if got := b.String(); got != c.want {
			t.Errorf("%s: %s, want %s: %s", c.steps, got, c.want, c.reason)
		}
		if over := c.steps == "stop" || strings.HasSuffix(c.steps, "stop fails 1h"); b.m.isOver() != over {
			t.Errorf("%s: over %t, want %t", c.steps, b.m.isOver(), over)
		}
	}
}

// TestManyMembers: the members of a group are bounded.
func TestManyMembers(t *testing.T) {
	for _, c := range []struct {
		n      int
		state  State
		reason string
	}{
		{MaxMembers, StateMember, "the largest group"},
		{MaxMembers + 1, StateJoining, "a larger one is an error"},
	} {
		b := newBench()
		b.step("ready")
		members := []Member{{Name: "a", Instance: "1"}}
		for i := range c.n - 1 {
			members = append(members, Member{Name: fmt.Sprintf("b%d", i)})
		}
		b.m.done(b.now, members, nil)
		b.step("4s")
		b.m.done(b.now, members, nil)
		if s := b.m.status(b.now); s.State != c.state || (s.Err == nil) != (c.state == StateMember) || errors.Is(s.Err, ErrTaken) {
			t.Errorf("%d members: state %v, error %v, want %v: %s", c.n, s.State, s.Err, c.state, c.reason)
		}
	}
}
