package archive

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// Sealing encrypts the payloads of some kinds before the store writes them (RULES, A1). Then the right to read the archive
// is no right to read these payloads. Package adapters/age has the functions for recipients of age. A program with a
// service of keys has its own. The zero value seals nothing.
//
// Several goroutines call the functions at the same time. Seal runs in the transaction of a removal, which holds locks.
type Sealing struct {
	// Kinds are the kinds whose payloads are sealed.
	Kinds []graph.Kind
	// Seal encrypts a payload. An error keeps the object. The payload belongs to the caller. Nil stands for a program
	// without recipients, such as one that restores alone: its removals of objects of Kinds are refused.
	Seal func(ctx context.Context, payload []byte) (sealed []byte, err error)
	// Open returns the payload that Seal has got. It refuses bytes that Seal has not returned, so the encryption
	// has to authenticate. Its error wraps ErrIdentity if another identity may open them. Nil stands for a program
	// without an identity: it writes sealed entries, and restores none.
	Open func(ctx context.Context, sealed []byte) (payload []byte, err error)
}

// ErrIdentity says that no identity of the program opens a sealed payload. Another program may have one that does.
var ErrIdentity = errors.New("no identity of this program opens the payload")

// errSealed says that sealed bytes are cut, forged or of another entry.
var errSealed = errors.New("the sealed payload is not that of the entry")

// sealFormat is the first byte of a sealed payload, and of the text that is encrypted. The rest of that text is the kind,
// the UID and the payload.
const sealFormat = 1

// Has reports whether the payloads of the kind are sealed.
func (s Sealing) Has(kind graph.Kind) bool { return slices.Contains(s.Kinds, kind) }

// SealPayload returns the payload of an object for its entry. The kind and the UID are encrypted with it, so that no other
// entry can have it. The payload does not change.
//
// The error is that of Seal, and wraps graph.ErrRefused. The store removes nothing then.
//
//test:by TestSealing FuzzOpenPayload
func (s Sealing) SealPayload(ctx context.Context, k graph.Key, payload []byte) ([]byte, error) {
	if s.Seal == nil {
		return nil, fmt.Errorf("seal the payload of %s: Sealing.Seal is nil: %w", k, graph.ErrRefused)
	}
	plain := appendSealedText(appendSealedText([]byte{sealFormat}, string(k.Kind)), string(k.UID))
	sealed, err := s.Seal(ctx, append(plain, payload...))
	switch {
	case err != nil:
		return nil, fmt.Errorf("seal the payload of %s: %w: %w", k, err, graph.ErrRefused)
	case len(sealed) == 0:
		return nil, fmt.Errorf("seal the payload of %s: Sealing.Seal has returned nothing: %w", k, graph.ErrRefused)
	}
	return append([]byte{sealFormat}, sealed...), nil
}

// OpenPayload returns the payload that SealPayload has sealed for the entry of the object. It refuses all other bytes: cut
// and forged ones, those of another entry, and a format of a later version.
//
// The error is the cause alone, for Entry.Unreadable. It wraps ErrIdentity, if another program may open the payload.
//
//test:by TestSealing FuzzOpenPayload
func (s Sealing) OpenPayload(ctx context.Context, k graph.Key, sealed []byte) ([]byte, error) {
	switch {
	case s.Open == nil:
		return nil, fmt.Errorf("the payload is sealed, and Sealing.Open is nil: %w", ErrIdentity)
	case len(sealed) == 0:
		return nil, errSealed
	case sealed[0] != sealFormat:
		return nil, fmt.Errorf("the sealed payload has format %d, and this program knows %d", sealed[0], sealFormat)
	}
	plain, err := s.Open(ctx, sealed[1:])
	if err != nil {
		return nil, fmt.Errorf("open the sealed payload: %w", err)
	}
	if len(plain) == 0 || plain[0] != sealFormat {
		return nil, errSealed
	}
	kind, rest, ok := cutSealedText(plain[1:])
	uid, payload, last := cutSealedText(rest)
	switch {
	case !ok || !last:
		return nil, errSealed
	case graph.Kind(kind) != k.Kind || graph.UID(uid) != k.UID:
		return nil, fmt.Errorf("%w: it was sealed for uid %.80q of kind %.80q", errSealed, uid, kind)
	}
	return payload, nil
}

func appendSealedText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

func cutSealedText(b []byte) (text string, rest []byte, ok bool) {
	n, size := binary.Uvarint(b)
	if size <= 0 || n > uint64(len(b)-size) {
		return "", nil, false
	}
	b = b[size:]
	return string(b[:n]), b[n:], true
}
