package clientgo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/ownergraph/ownergraph/adapters/clientgo/internal/fakenet"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/group"
)

// TestGroupHostile: a Lease with any content ends no member, and makes none for longer than an
// hour after each write of it.
func TestGroupHostile(t *testing.T) {
	for _, c := range []struct {
		name   string
		labels map[string]string
		spec   string
		first  string        // the members at once
		lasts  time.Duration // the time for which it is a member
		left   string        // the Leases after that
		reason string
	}{
		{"gc-x", marked(), `{"holderIdentity":"x","leaseDurationSeconds":-1}`, "a x", time.Second, "a", "a negative time is the shortest"},
		{"gc-x", marked(), `{"holderIdentity":"x","leaseDurationSeconds":0}`, "a x", time.Second, "a", "and so is none"},
		{"gc-x", marked(), `{"holderIdentity":"x"}`, "a x", time.Second, "a", "a missing one"},
		{"gc-x", marked(), `{"holderIdentity":"x","leaseDurationSeconds":2147483647}`, "a x", time.Hour, "a", "a huge time is the longest"},
		{"gc-x", marked(), `{"holderIdentity":"x","leaseDurationSeconds":9223372036854775807}`, "a x", time.Hour, "a", "it does not overflow"},
		{"gc-x", marked(), `{"holderIdentity":"x","leaseDurationSeconds":9223372036854775808}`, "a", 0, "a x", "no number of Go is no Lease"},
		{"gc-x", marked(), `{"holderIdentity":7}`, "a", 0, "a x", "a holder is a text"},
		{"gc-x", marked(), `7`, "a", 0, "a x", "a spec is an object"},
		{"gc-x", marked(), `null`, "a", time.Second, "a", "no spec, no member"},
		{"gc-x", marked(), `{"holderIdentity":"","leaseDurationSeconds":10}`, "a", leaseTime, "a", "no holder, no member"},
		{"gc-x", nil, `{"holderIdentity":"x","leaseDurationSeconds":10}`, "a", 0, "a x", "without the label it is of no group"},
		{"gc-x", map[string]string{GroupLabel: "other"}, `{"holderIdentity":"x","leaseDurationSeconds":10}`, "a", 0, "a x", "that of another group"},
		{"x", marked(), `{"holderIdentity":"x","leaseDurationSeconds":10}`, "a", 0, "a x", "a name without the group's"},
		{"gcx", marked(), `{"holderIdentity":"x","leaseDurationSeconds":10}`, "a", 0, "a gcx", "that of another group's beginning"},
	} {
		groupBubble(t, func(r *groupRig) {
			r.putLease(c.name, c.labels, c.spec)
			g := r.process()
			r.expect(r.renew(g, "a"), c.first, c.reason+": at first")
			if c.lasts > 0 {
				pass(c.lasts - time.Millisecond)
				r.expect(r.renew(g, "a"), c.first, c.reason+": before its end")
			}
			pass(time.Millisecond)
			r.expect(r.renew(g, "a"), "a", c.reason+": at its end")
			r.renew(g, "a")
			var names []string
			r.locked(func() {
				for _, o := range r.kindOf("coordination.k8s.io/Lease").sorted() {
					names = append(names, strings.TrimPrefix(o.Name, "gc-"))
				}
			})
			r.expect(strings.Join(names, " "), c.left, c.reason+": what is left")
		})
	}
}

// TestGroupBounds: names, instances and times that no Lease can have, and more Leases than a group
// may have. Expired Leases above the bound go all the same.
func TestGroupBounds(t *testing.T) {
	for _, c := range []struct {
		self     group.Member
		duration time.Duration
		want     string
		reason   string
	}{
		{group.Member{Instance: "x"}, leaseTime, `renew member "": name: empty: invalid`, "it has no name"},
		{group.Member{Name: "A", Instance: "x"}, leaseTime, `renew member "A": name: "gc-A" is no name of a Lease: `, "a capital letter"},
		{group.Member{Name: "a/b", Instance: "x"}, leaseTime, `renew member "a/b": name: `, "it would be another path"},
		{group.Member{Name: strings.Repeat("a", 251), Instance: "x"}, leaseTime, "renew member", "254 bytes"},
		{group.Member{Name: strings.Repeat("ä", 1<<20), Instance: "x"}, leaseTime, "renew member", "an error has a bound"},
		{group.Member{Name: "a"}, leaseTime, `renew member "a": instance: empty: invalid`, "two collectors would be one"},
		{group.Member{Name: "a", Instance: "\xff"}, leaseTime, `renew member "a": instance: no valid UTF-8: invalid`, "the server keeps another text"},
		{group.Member{Name: "a", Instance: strings.Repeat("x", 1025)}, leaseTime, `renew member "a": instance: longer than 1024 bytes: invalid`, "a text has a bound"},
		{member("a"), time.Hour + 1, `renew member "a": lease: 1h0m0.000000001s, want more than 0 and at most 1h0m0s: invalid`, "the others would cut it"},
		{member("a"), 0, `renew member "a": lease: 0s, want more than 0 and at most 1h0m0s: invalid`, "no time"},
	} {
		groupBubble(t, func(r *groupRig) {
			_, err := r.process().Renew(r.t.Context(), c.self, c.duration)
			if !errors.Is(err, graph.ErrInvalid) || !strings.HasPrefix(err.Error(), c.want) || len(err.Error()) > 2048 {
				t.Errorf("%s: %v, want %s", c.reason, err, c.want)
			}
			if calls := r.takeCalls(); len(calls) > 0 {
				t.Errorf("%s: it sends %q", c.reason, calls)
			}
		})
	}
	groupBubble(t, func(r *groupRig) {
		for i := range maxLeases {
			r.putLease(fmt.Sprintf("gc-m%04d", i), marked(), `{"holderIdentity":"x","leaseDurationSeconds":10}`)
		}
		last, first := r.process(), r.process()
		const beyond = `renew member "z": more than 1000 Leases have the label ownergraph.github.io/group=gc, and the own one is not among the first: refused`
		r.expect(r.renew(last, "z"), beyond, "one more than the bound")
		if got := strings.Fields(r.renew(first, "a")); len(got) != maxLeases || got[0] != "a" || got[maxLeases-1] != "m0998" {
			t.Errorf("the first one sees %d members, %q", len(got), got)
		}
		pass(leaseTime)
		r.expect(r.renew(first, "a"), "a", "the others are over")
		r.expect(r.renew(last, "z"), "a z", "some of them are deleted")
		if len(last.seen) > maxLeases {
			t.Errorf("it remembers %d Leases", len(last.seen))
		}
	})
}

// TestGroupHostileLists: a server, or another writer, that sends answers without an end.
func TestGroupHostileLists(t *testing.T) {
	for _, c := range []struct {
		body   string
		want   string
		reason string
	}{
		{`{"metadata":{"continue":"1"},"items":[]}`, "more than 1000 Leases", "a list without an end"},
		{`{"items":[` + strings.Repeat(" ", maxLeaseBytes) + `]}`, "250 Leases are longer than 4 MiB", "a page without an end"},
		{`{"items":[{"metadata":7}]}`, "its Lease has gone since", "an object that is no Lease"},
		{`{"items":7}`, "the server's answer is not a Lease", "no list"},
		{`{"items"`, "the server's answer is not a Lease", "a broken answer"},
	} {
		groupBubble(t, func(r *groupRig) {
			g := r.process()
			r.renew(g, "a")
			r.locked(func() {
				r.fault = func(q *http.Request) *fakeResponse {
					if q.Method == http.MethodGet {
						return &fakeResponse{code: 200, body: c.body}
					}
					return nil
				}
			})
			if got := r.renew(g, "a"); !strings.Contains(got, c.want) {
				t.Errorf("%s: %q, want %q", c.reason, got, c.want)
			}
			if calls := r.takeCalls(); len(calls) > 2+1+maxLeasePages {
				t.Errorf("%s: %d requests", c.reason, len(calls))
			}
		})
	}
}

// TestGroupSelectorsIgnored: a server that ignores selectors sends Leases of others. They are no
// members, are not deleted, and are not taken for the own one.
func TestGroupSelectorsIgnored(t *testing.T) {
	groupBubble(t, func(r *groupRig) {
		g := r.process()
		r.renew(g, "a")
		for _, name := range []string{"gc-0", "other"} {
			r.putLease(name, nil, `{"holderIdentity":"a_1","leaseDurationSeconds":10}`)
		}
		r.ignoreSelectors()
		r.expect(r.renew(g, "a"), "a", "it lists all")
		pass(time.Minute)
		r.ignoreSelectors()
		if err := r.process().Leave(r.t.Context(), member("a")); err != nil || r.leaseNames() != "0 other" {
			t.Errorf("it leaves with %v, and %q stay", err, r.leaseNames())
		}
	})
}

// ignoreSelectors makes the fake answer each list with all of the present Leases, and one of
// another namespace.
func (r *groupRig) ignoreSelectors() {
	list := r.leases()
	list = append(list, list[0])
	list[len(list)-1].Namespace, list[len(list)-1].Name, list[len(list)-1].Labels = "elsewhere", "gc-e", marked()
	body, err := json.Marshal(map[string]any{"items": list})
	if err != nil {
		r.t.Fatal(err)
	}
	r.locked(func() {
		r.fault = func(q *http.Request) *fakeResponse {
			if q.Method == http.MethodGet {
				return &fakeResponse{code: 200, body: string(body)}
			}
			return nil
		}
	})
}

// TestGroupErrors: a missing right is ErrRefused, and names the verb, the namespace and the rights.
// Other errors may pass. None of them is a reason to forget the own Lease.
func TestGroupErrors(t *testing.T) {
	const rights = "it takes the rights to create, list, update and delete leases.coordination.k8s.io in the namespace tools"
	absent := newAnswer()
	fakenet.WriteError(absent, apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, groupSpace))
	noSpace := fakeResponse{code: 404, body: absent.body.String()}
	for _, c := range []struct {
		method, verb string
		fault        fakeResponse
		is           error // nil: it may pass
		want         string
		reason       string
	}{
		{"POST", "create Lease tools/gc-a", fakeResponse{code: 403}, graph.ErrRefused, rights, "the right to create"},
		{"PUT", "update Lease tools/gc-a", fakeResponse{code: 403}, graph.ErrRefused, rights, "the right to update"},
		{"GET", "list Lease tools/gc-*", fakeResponse{code: 403}, graph.ErrRefused, rights, "the right to list"},
		{"DELETE", "delete Lease tools/gc-a", fakeResponse{code: 403}, graph.ErrRefused, rights, "the right to delete"},
		{"POST", "create Lease tools/gc-a", noSpace, graph.ErrRefused, `namespaces "tools" not found`, "no namespace"},
		{"PUT", "update Lease tools/gc-a", fakeResponse{code: 422}, graph.ErrRefused, "rejected our request", "an admission policy"},
		{"PUT", "update Lease tools/gc-a", fakeResponse{code: 401}, nil, "credentials", "a token that is renewed"},
		{"PUT", "update Lease tools/gc-a", fakeResponse{code: 404, body: "404 page not found"}, nil, "the server may not serve coordination.k8s.io/v1", "a proxy"},
		{"PUT", "update Lease tools/gc-a", fakeResponse{code: 500}, nil, "a fault", "the server fails"},
		{"GET", "list Lease tools/gc-*", fakeResponse{code: 503, after: 3}, nil, "unable to handle the request", "the server is busy"},
		{"PUT", "update Lease tools/gc-a", fakeResponse{code: 200, body: "{}"}, nil, "the server's answer is not a Lease", "another answer"},
		{"DELETE", "delete Lease tools/gc-a", fakeResponse{code: 500}, nil, "a fault", "the server fails"},
	} {
		groupBubble(t, func(r *groupRig) {
			g := r.process()
			if c.method != http.MethodPost {
				r.renew(g, "a")
			}
			r.locked(func() {
				r.fault = func(q *http.Request) *fakeResponse {
					if q.Method == c.method {
						return &c.fault
					}
					return nil
				}
			})
			_, err := g.Renew(r.t.Context(), member("a"), leaseTime)
			if c.method == http.MethodDelete {
				err = g.Leave(r.t.Context(), member("a"))
			}
			if err == nil || sentinel(err) != c.is || !strings.HasPrefix(err.Error(), c.verb+": ") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %s: ...%s (%v)", c.reason, err, c.verb, c.want, c.is)
			}
			var later interface{ RetryAfter() time.Duration }
			if errors.As(err, &later) != (c.fault.after > 0) {
				t.Errorf("%s: %v and RetryAfter", c.reason, err)
			}
			r.locked(func() { r.fault = nil })
			r.expect(r.renew(g, "a"), "a", c.reason+": afterwards")
		})
	}
}

// TestGroupEnds: Renew and Leave end with their context, also while the server is down.
func TestGroupEnds(t *testing.T) {
	groupBubble(t, func(r *groupRig) {
		g := r.process()
		r.renew(g, "a")
		r.locked(func() { r.fault = func(*http.Request) *fakeResponse { return &fakeResponse{hang: true} } })
		for what, do := range map[string]func(context.Context) error{
			"renew": func(ctx context.Context) error { _, err := g.Renew(ctx, member("a"), leaseTime); return err },
			"leave": func(ctx context.Context) error { return g.Leave(ctx, member("a")) },
		} {
			ctx, cancel := context.WithTimeout(r.t.Context(), time.Second)
			begun := time.Now()
			if err := do(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(begun) != time.Second {
				t.Errorf("%s: %v after %v", what, err, time.Since(begun))
			}
			cancel()
			r.takeCalls()
			if err := do(ctx); !errors.Is(err, context.DeadlineExceeded) || len(r.takeCalls()) > 0 {
				t.Errorf("%s with a context that is over: %v", what, err)
			}
		}
		r.net.SetDown(true)
		if _, err := g.Renew(r.t.Context(), member("a"), leaseTime); err == nil || sentinel(err) != nil {
			t.Errorf("the server is down: %v", err)
		}
		r.net.SetDown(false)
		r.locked(func() { r.fault = nil })
		r.expect(r.renew(g, "a"), "a", "the server is up again")
	})
}
