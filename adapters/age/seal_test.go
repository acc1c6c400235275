package ageseal

import (
	"bytes"
	"errors"
	"testing"

	"filippo.io/age"
	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
)

func newIdentity(t testing.TB) *age.X25519Identity {
	t.Helper()
	i, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// newSealing seals for some identities, and opens by the first one.
func newSealing(kind graph.Kind, identities ...*age.X25519Identity) archive.Sealing {
	c := Config{Kinds: []graph.Kind{kind}, Identities: []age.Identity{identities[0]}}
	for _, i := range identities {
		c.Recipients = append(c.Recipients, i.Recipient())
	}
	return New(c)
}

var token = graph.Key{Kind: "token", Name: "a", UID: "U1"}

// TestNew: each recipient opens a payload. Others cannot, and a sealing without keys has no function.
func TestNew(t *testing.T) {
	a, b, other, payload := newIdentity(t), newIdentity(t), newIdentity(t), bytes.Repeat([]byte("secret\x00"), 50_000)
	both := newSealing("token", a, b)
	sealed, err := both.SealPayload(t.Context(), token, payload)
	if err != nil || bytes.Contains(sealed, []byte("secret")) {
		t.Fatalf("%d bytes, %v", len(sealed), err)
	}
	for _, c := range []struct {
		s      archive.Sealing
		opens  bool
		reason string
	}{
		{newSealing("token", a), true, "the first recipient"},
		{newSealing("token", b), true, "the second recipient"},
		{newSealing("token", other), false, "another identity"},
		{New(Config{Recipients: []age.Recipient{a.Recipient()}}), false, "a program that only writes"},
	} {
		got, err := c.s.OpenPayload(t.Context(), token, sealed)
		if c.opens && (err != nil || !bytes.Equal(got, payload)) || !c.opens && !errors.Is(err, archive.ErrIdentity) {
			t.Errorf("%s: %d bytes, %v", c.reason, len(got), err)
		}
	}
	none := New(Config{Kinds: []graph.Kind{"token"}})
	if none.Seal != nil || none.Open != nil {
		t.Error("a sealing without keys has functions")
	}
	if _, err := New(Config{Recipients: []age.Recipient{brokenRecipient{}}}).SealPayload(t.Context(), token, payload); !errors.Is(err, graph.ErrRefused) || !errors.Is(err, errBroken) {
		t.Errorf("a recipient that fails: %v", err)
	}
}

type brokenRecipient struct{}

var errBroken = errors.New("no key")

func (brokenRecipient) Wrap([]byte) ([]*age.Stanza, error) { return nil, errBroken }

// TestTampered: a changed payload is refused, in any byte of the header or the text, in its length, and for another entry.
func TestTampered(t *testing.T) {
	s := newSealing("token", newIdentity(t))
	rapid.Check(t, func(r *rapid.T) {
		payload := rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(r, "payload")
		sealed, err := s.SealPayload(t.Context(), token, payload)
		if err != nil {
			r.Fatal(err)
		}
		changed, k := bytes.Clone(sealed), token
		switch rapid.SampledFrom([]string{"flip", "cut", "append", "entry", "kind", "none"}).Draw(r, "change") {
		case "flip":
			changed[rapid.IntRange(0, len(changed)-1).Draw(r, "at")] ^= 1 << rapid.IntRange(0, 7).Draw(r, "bit")
		case "cut":
			changed = changed[:rapid.IntRange(0, len(changed)-1).Draw(r, "end")]
		case "append":
			changed = append(changed, rapid.SliceOfN(rapid.Byte(), 1, 20).Draw(r, "more")...)
		case "entry":
			k.UID = graph.UID(rapid.StringN(0, 4, 4).Draw(r, "uid"))
		case "kind":
			k.Kind = graph.Kind(rapid.StringN(0, 4, 4).Draw(r, "kind"))
		}
		got, err := s.OpenPayload(t.Context(), k, changed)
		if same := bytes.Equal(changed, sealed) && k == token; same != (err == nil) || same && !bytes.Equal(got, payload) {
			r.Fatalf("%d bytes, %v, unchanged: %t", len(got), err, same)
		}
	})
}
