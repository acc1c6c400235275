package inflight

import "testing"

// TestPurposes: a purpose tells whether its call reads, acts, and is about one object.
func TestPurposes(t *testing.T) {
	for _, c := range []struct {
		purpose           Purpose
		reads, key, write bool
		reason            string
	}{
		{PurposeUnset, false, false, false, "no call"},
		{Read, true, true, false, "of an owner"},
		{Reread, true, true, false, "of the object itself"},
		{ReadHolder, true, true, false, "of the holder of a sweep"},
		{Patch, false, true, true, "a write"},
		{Delete, false, true, true, "a write"},
		{Fence, false, false, false, "about all kinds"},
		{List, false, false, false, "about one kind"},
		{Handle, false, true, true, "the outside acts for the engine"},
		{Select, false, false, false, "about one kind"},
		{Judge, false, true, false, "about one root, without a call of the store"},
	} {
		if c.purpose.IsRead() != c.reads || c.purpose.HasKey() != c.key || c.purpose.Acts() != c.write {
			t.Errorf("%s: read %t, key %t, acts %t: %s", c.purpose, c.purpose.IsRead(), c.purpose.HasKey(), c.purpose.Acts(), c.reason)
		}
	}
}
