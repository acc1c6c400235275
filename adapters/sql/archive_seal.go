package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
)

// seals reports whether the payloads of the kind are sealed. Such a removal takes no short way: its payload passes through
// the program, in the transaction of the removal and before it.
func (c Config) seals(kind graph.Kind) bool { return c.keeps(kind) && c.Archive.Sealing.Has(kind) }

// sources are the places of the payloads by kind, as {payloads} has them: a table, and the word sealed. A kind without both
// has none.
func (c Config) sources() map[graph.Kind]string {
	out := map[graph.Kind]string{}
	for _, kind := range c.payloadKinds() {
		t := c.Archive.Tables[kind]
		out[kind] = t.place(c, t.Name) + " (" + quoteName(t.UID) + ")"
	}
	for _, kind := range c.Archive.Sealing.Kinds {
		if c.keeps(kind) {
			if out[kind] == "" {
				out[kind] = "labels"
			}
			out[kind] += sealedMark
		}
	}
	return out
}

// sealedMark ends the source of a sealed kind.
const sealedMark = ", sealed"

// openPayload is the payload of an entry as it is before it is sealed. The shape has a row if the object had one.
type openPayload struct {
	labels     string
	shape, row sql.NullString
}

// encode returns the payload as bytes.
func (p *openPayload) encode() []byte {
	b := appendText(nil, p.labels)
	if p.shape.Valid {
		b = appendText(appendText(b, p.shape.String), p.row.String)
	}
	return b
}

func decodePayload(b []byte) (p openPayload, err error) {
	r := bodyReader{rest: string(b)}
	p.labels = r.text()
	if r.rest != "" {
		p.shape = sql.NullString{String: r.text(), Valid: true}
		p.row = sql.NullString{String: r.text(), Valid: true}
	}
	if r.bad || r.rest != "" {
		return openPayload{}, errBody
	}
	return p, nil
}

// seal returns the payload of an object for its entry. One above the bound is refused, as it is without the encryption.
func (s *Store) seal(ctx context.Context, k graph.Key, p *openPayload) ([]byte, error) {
	sealed, err := s.conf.Archive.Sealing.SealPayload(ctx, k, p.encode())
	if err == nil && len(sealed) > s.conf.Archive.Bound() {
		err = s.tooLarge(k, len(sealed))
	}
	return sealed, err
}

var errColumns = errors.New("the columns are not those of the entry")

// errClear refuses a payload that another program may have put in the place of a sealed one.
var errClear = errors.New("the payload is in the clear, and its kind is sealed: call Reseal for entries from before the sealing")

// open replaces the sealed payload of an entry by the open one. It refuses one in the clear.
func (x *ended) open(ctx context.Context, s *Store) error {
	if !x.entry.Sealed {
		return errClear
	}
	b, err := s.conf.Archive.Sealing.OpenPayload(ctx, x.entry.Object.Key, x.sealed)
	if err != nil {
		return err
	}
	p, err := decodePayload(b)
	if err == nil && p.shape != x.shape {
		err = errColumns
	}
	if err != nil {
		return fmt.Errorf("the sealed payload: %w", err)
	}
	x.labels, x.payload, x.sealed, x.isOpen = p.labels, p.row, nil, true
	return nil
}

// needsOpen reports whether the payload has to be a sealed one.
func (x *ended) needsOpen(s *Store) bool { return x.entry.Sealed || s.conf.seals(x.entry.Object.Kind) }

// sealedColumns are the columns of readEnded for a listing. Without Sealing.Open no payload is read.
func (s *Store) sealedColumns() string {
	if s.conf.Archive.Sealing.Open == nil {
		return `a.sealed IS NOT NULL, NULL, NULL`
	}
	return `a.sealed IS NOT NULL, a.sealed, NULL`
}

// judge notes why the program cannot open the payload of a listed entry, and drops the payload. It opens each one: a restore
// has to know before its first write.
func (x *ended) judge(ctx context.Context, s *Store) {
	if !x.needsOpen(s) {
		return
	}
	if err := x.open(ctx, s); err != nil {
		x.entry.Unreadable = err.Error()
	}
	x.labels, x.payload, x.sealed = "", sql.NullString{}, nil
}
