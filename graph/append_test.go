package graph

import (
	"encoding/binary"
	"testing"
)

// TestAppend: the bytes of a node are those of its object, in each form of its record.
func TestAppend(t *testing.T) {
	g := New(Config{})
	apply(t, g, Event{Type: KindsKnown, Kinds: []KindInfo{{Kind: "a"}}})
	for _, text := range []string{"a#1", "a/b@3f0a9c1e-0000-4000-8000-000000000001#x1[x.io/f,foreground] -> a", "a/c#3[x.io/f] -> a!, a/b", "a/d#4~[orphan]",
		"a/e#5 -> a!:release", "a/f#6 -> a, a/b^?:restrict"} {
		o, err := ParseObject(text)
		if err != nil {
			t.Fatal(err)
		}
		apply(t, g, Event{Type: Put, Object: o})
		n, _ := g.Lookup(o.Key)
		if got := n.inner().AppendKey(nil); string(got) != string(appendKey(nil, &o.Key)) {
			t.Errorf("%s: key %q", text, got)
		}
		if got := n.inner().AppendVersion(nil); string(got) != string(appendField(nil, string(o.Version))) {
			t.Errorf("%s: version %q", text, got)
		}
		for i := range o.Owners {
			if got := n.inner().AppendOwner(nil, i); string(got) != string(appendOwner(nil, &o.Owners[i])) {
				t.Errorf("%s: owner %d %q", text, i, got)
			}
		}
		for _, limit := range []int{0, 8, 100} { // x.io/f takes 7 bytes
			want, kept := []byte(nil), 0
			for _, f := range o.Finalizers {
				if next := appendField(want, f); len(next) <= limit {
					want, kept = next, kept+1
					continue
				}
				break
			}
			head := binary.AppendUvarint(binary.AppendUvarint(nil, uint64(len(o.Finalizers))), uint64(kept))
			if got := n.inner().AppendFinalizers(nil, limit); string(got) != string(head)+string(want) {
				t.Errorf("%s: finalizers up to %d bytes: %q, want %q", text, limit, got, string(head)+string(want))
			}
		}
	}
}
