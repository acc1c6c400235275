package archive_test

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"errors"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
)

// sealingWith seals with a key of 32 bytes. A program with a service of keys does the like.
func sealingWith(t testing.TB, key byte) archive.Sealing {
	t.Helper()
	block, err := aes.NewCipher(bytes.Repeat([]byte{key}, 32))
	if err != nil {
		t.Fatal(err)
	}
	gcm, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		t.Fatal(err)
	}
	return archive.Sealing{
		Kinds: []graph.Kind{"secret"},
		Seal:  func(_ context.Context, plain []byte) ([]byte, error) { return gcm.Seal(nil, nil, plain, nil), nil },
		Open: func(_ context.Context, sealed []byte) ([]byte, error) {
			plain, err := gcm.Open(nil, nil, sealed, nil)
			if err != nil {
				return nil, errors.Join(err, archive.ErrIdentity)
			}
			return plain, nil
		},
	}
}

var secretKey = graph.Key{Kind: "secret", Scope: "one", Name: "a", UID: "U1"}

// TestSealing: a payload comes back for its own entry alone. Each other use has an error with the cause.
func TestSealing(t *testing.T) {
	s, payload := sealingWith(t, 1), []byte("password\x00\xff")
	sealed, err := s.SealPayload(t.Context(), secretKey, payload)
	if err != nil || bytes.Contains(sealed, []byte("password")) {
		t.Fatalf("%q, %v", sealed, err)
	}
	if got, err := s.OpenPayload(t.Context(), secretKey, sealed); err != nil || !bytes.Equal(got, payload) {
		t.Fatalf("%q, %v, want %q", got, err, payload)
	}
	other, closed, future := secretKey, s, bytes.Clone(sealed)
	other.UID, closed.Open, future[0] = "U2", nil, 2
	kind := secretKey
	kind.Kind = "secrets"
	raw := func(text string) []byte {
		sealed, err := s.Seal(t.Context(), []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return append([]byte{1}, sealed...)
	}
	for _, c := range []struct {
		s        archive.Sealing
		k        graph.Key
		sealed   []byte
		want     string
		identity bool
		reason   string
	}{
		{s, other, sealed, `sealed for uid "U1"`, false, "the payload of another entry"},
		{s, kind, sealed, `of kind "secret"`, false, "the payload of another kind"},
		{s, secretKey, future, "format 2", false, "a format of a later version"},
		{s, secretKey, nil, "not that of the entry", false, "no bytes"},
		{s, secretKey, raw("no format"), "not that of the entry", false, "an encrypted text of another program"},
		{s, secretKey, raw("\x02\x06secret\x02U1password"), "not that of the entry", false, "an encrypted text of a later format"},
		{s, secretKey, raw("\x01\x06secret\x09U1"), "not that of the entry", false, "an encrypted text that is cut in the UID"},
		{s, secretKey, raw(""), "not that of the entry", false, "no text"},
		{s, secretKey, sealed[:len(sealed)-1], "authentication failed", true, "a cut payload"},
		{closed, secretKey, sealed, "Open is nil", true, "a program without an identity"},
		{sealingWith(t, 2), secretKey, sealed, "no identity", true, "another key"},
	} {
		_, err := c.s.OpenPayload(t.Context(), c.k, c.sealed)
		if err == nil || errors.Is(err, archive.ErrIdentity) != c.identity || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.reason, err, c.want)
		}
	}
}

// TestSealingRefused: a payload that cannot be sealed is an error, so that the store keeps the object.
func TestSealingRefused(t *testing.T) {
	broken := errors.New("no key")
	for _, c := range []struct {
		seal   func(context.Context, []byte) ([]byte, error)
		want   string
		reason string
	}{
		{nil, "Seal is nil", "no function"},
		{func(context.Context, []byte) ([]byte, error) { return nil, nil }, "nothing", "a function that returns nothing"},
		{func(context.Context, []byte) ([]byte, error) { return nil, broken }, "no key", "a service of keys that fails"},
	} {
		s := archive.Sealing{Kinds: []graph.Kind{"secret"}, Seal: c.seal}
		if _, err := s.SealPayload(t.Context(), secretKey, nil); !errors.Is(err, graph.ErrRefused) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.reason, err, c.want)
		}
	}
}

// FuzzOpenPayload: a sealed payload with any other byte, length or entry is refused. Bytes that open are no other payload.
func FuzzOpenPayload(f *testing.F) {
	f.Add([]byte("payload"), 0, uint8(1), 0, "U1")
	f.Add([]byte(""), 5, uint8(0), 3, "U2")
	f.Add([]byte("payload"), 1, uint8(0), 0, "U1")
	s := sealingWith(f, 1)
	f.Fuzz(func(t *testing.T, payload []byte, at int, flip uint8, cut int, uid string) {
		sealed, err := s.SealPayload(t.Context(), secretKey, payload)
		if err != nil {
			t.Fatal(err)
		}
		changed := bytes.Clone(sealed)
		if at >= 0 {
			changed[at%len(changed)] ^= flip
		}
		if cut > 0 {
			changed = changed[:len(changed)-cut%(len(changed)+1)]
		}
		k := secretKey
		k.UID = graph.UID(uid)
		got, err := s.OpenPayload(t.Context(), k, changed)
		same := bytes.Equal(changed, sealed) && k == secretKey
		if same != (err == nil) || same && !bytes.Equal(got, payload) {
			t.Errorf("%q, %v, same: %t", got, err, same)
		}
		// Any text may be encrypted by a program with the key. It needs the kind and the UID, too.
		raw, err := s.Seal(t.Context(), append([]byte{1}, payload...))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.OpenPayload(t.Context(), secretKey, append([]byte{1}, raw...)); err == nil && !bytes.HasPrefix(payload, []byte("\x06secret\x02U1")) {
			t.Errorf("the text %q is no payload of the entry", payload)
		}
	})
}
