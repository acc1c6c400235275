package graph

import (
	"strings"
)

// cloneKey returns a key whose text is a copy of its own, in one allocation. The copy
// keeps no text of a caller alive.
func cloneKey(k *Key) Key {
	var text strings.Builder
	text.Grow(keyLen(k))
	return cloneKeyTo(k, &text)
}

func keyLen(k *Key) int { return len(k.Kind) + len(k.Scope) + len(k.Name) + len(k.UID) }

// cloneKeyTo returns a key whose text is a part of b, which has space for it.
func cloneKeyTo(k *Key, b *strings.Builder) Key {
	add := func(s string) string {
		start := b.Len()
		b.WriteString(s)
		return b.String()[start:]
	}
	return Key{Kind: Kind(add(string(k.Kind))), Scope: add(k.Scope), Name: add(k.Name), UID: UID(add(string(k.UID)))}
}
