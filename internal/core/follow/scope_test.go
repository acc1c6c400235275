package follow

import (
	"strings"
	"testing"
)

// TestScopes: an object in a scope owns in that scope alone. This is true for a reference, for a claim
// on the UID alone, while the root exists, after its end, and for an end during the walk.
func TestScopes(t *testing.T) {
	for _, c := range []struct{ root, objects, ends, left, reason string }{
		{"p/one/r", "p/one/a -> p/one/r; p/two/b -> p/one/r; k/c -> p/one/r", "", "a r", "the root exists"},
		{"p/one/r", "p/one/a -> p/one/r; p/two/b -> p/one/r; k/c -> p/one/r", "p/one/r", "a", "the root is gone"},
		{"p/one/r", "p/one/a -> p/one/r?; p/two/b -> p/one/r?; k/c -> p/one/r?", "", "a r", "claims on the UID of the root"},
		{"p/one/r", "p/one/a -> p/one/r?; p/two/b -> p/one/r?; k/c -> p/one/r?", "p/one/r", "a", "claims on the UID of a root that is gone"},
		{"p/one/r", "p/one/m -> p/one/r; p/one/a -> p/one/m; p/two/b -> p/one/m", "p/one/m", "a r", "an object between is gone"},
		{"p/one/r", "p/one/a -> p/one/r; p/two/b -> p/one/a; p/two/d -> p/two/b", "p/two/b", "a r", "an object that is no member goes"},
		{"k/r", "p/one/a -> k/r; p/two/b -> p/one/a; p/two/d -> k/r?; k/c -> k/r", "", "a c d r", "a global root"},
		{"k/r", "p/one/a -> k/r; p/two/d -> k/r?; k/c -> k/r", "k/r", "a c d", "a global root that is gone"},
		{"k/r", "p/one/a -> k/r; p/two/d -> k/r; p/two/r; p/two/e -> p/two/r", "", "a d r", "the name of the root in a scope"},
	} {
		for _, walked := range []bool{true, false} {
			r := newRig(t, "k/x")
			r.Close(r.graph)
			r.Follower = nil
			root := parse(t, c.root)[0].Key
			r.put(c.root + "; " + c.objects)
			r.Follower = open(r.graph, root)
			r.Begin(r.view(), root)
			if walked {
				r.walk()
			}
			r.end(c.ends)
			r.walk()
			if got := strings.Join(r.names(), " "); got != c.left {
				t.Errorf("the members are %q, want %q: %s, walked before: %t", got, c.left, c.reason, walked)
			}
			if c := r.Counts(r.view()); c.Gone > 1 {
				t.Errorf("%+v: more gone than ended", c)
			}
		}
	}
}

// TestGoneBeforeInScopes: an object that went before the call leads to members only in a scope in
// which the root may own. No owner of the root leads to one.
func TestGoneBeforeInScopes(t *testing.T) {
	for _, c := range []struct{ root, objects, left, reason string }{
		{"p/one/r", "p/one/a -> p/one/never@n; p/two/b -> p/two/never@m; k/c -> k/never@o", "a", "never seen, in a scope"},
		{"k/r", "p/one/a -> p/one/never@n; p/two/b -> p/two/never@m; k/c -> k/never@o", "a b c", "never seen, and global"},
		{"p/one/r", "p/one/r~* -> p/one/up@u; p/one/y -> p/one/up@u; p/one/a -> p/one/never@n", "a r", "the objects beside a marked root, below its owner"},
		{"p/one/r", "p/one/r~* -> k/up@u; k/y -> k/up@u; p/one/z -> k/up@u", "r", "the same below a global owner"},
		{"p/one/r", "p/one/up; p/one/r~* -> p/one/up; p/one/a -> p/one/never@n", "r", "its owner exists, so the root is its own"},
	} {
		r := newRig(t, "k/x")
		r.Close(r.graph)
		r.Follower = nil
		root := parse(t, c.root)[0].Key
		r.put(c.objects)
		r.ends.open = true
		r.Follower = open(r.graph, root)
		r.Begin(r.view(), root)
		r.walk()
		if got := strings.Join(r.names(), " "); got != c.left {
			t.Errorf("the members are %q, want %q: %s", got, c.left, c.reason)
		}
	}
}
