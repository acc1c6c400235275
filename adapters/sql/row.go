package sqlstore

import (
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"fmt"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// row is one object as the tables store it.
type row struct {
	id     int64 // the order of creation
	kind   int64 // the number of the kind
	place  []byte
	at     position
	object graph.Object
	labels string // JSON, or "" for none
	stamp  int64  // by which the row was read, if one statement has found it

	words      *words // what the write adds to the trail of the object, with an archive alone
	restricted bool   // an object may restrict it, if a write has found the row
}

// placeOf returns a scope and a name as one text of at most maxPlace bytes, because
// databases limit the length of an indexed key. A longer text ends with its hash. So each
// two places stay apart, in any collation. The text keeps its beginning, so that the rows
// of similar names are on a few pages of the index.
//
//test:by TestHostileNames
func placeOf(key graph.Key) []byte {
	b := binary.AppendUvarint(make([]byte, 0, maxPlace), uint64(len(key.Scope)))
	b = append(append(b, key.Scope...), key.Name...)
	if len(b) < maxPlace {
		return b
	}
	h := sha256.Sum256(b)
	return append(b[:maxPlace-len(h)], h[:]...)
}

// maxPlace is the length of every place that has a hash, and of no other one.
const maxPlace = 128

// next returns the row after a write.
func (r *row) next(o graph.Object) *row {
	n := *r
	n.object = o
	return &n
}

// held reports whether a deletion would leave the object in the store.
func (r *row) held() bool { return len(r.object.Finalizers) > 0 || r.object.GraceSeconds != 0 }

// setAt sets the position of the last write, and so the version.
func (r *row) setAt(at position) {
	r.at = at
	r.object.Version = at.version()
}

// scanRow reads a row of a page. A whole row also has its place and its labels. The columns behind
// these go to more.
func scanRow(rows *sql.Rows, whole bool, add func(*row) error, more ...any) error {
	r := &row{}
	var uid string
	var body sql.RawBytes
	into := []any{&r.id, &r.kind, &uid, &r.object.Scope, &r.object.Name, &r.at.pos, &r.at.seq, &body}
	if whole {
		into = append(into, &r.place, &r.labels)
	}
	if err := rows.Scan(append(into, more...)...); err != nil {
		return err
	}
	r.object.UID = graph.UID(uid)
	r.setAt(r.at)
	if err := decodeBody(body, &r.object); err != nil {
		return err
	}
	return add(r)
}

// owners returns the UIDs of the object's owners, each once. Validate refuses two
// references with one UID, but a table may have been edited.
func owners(o *graph.Object) []string {
	list := make([]string, 0, len(o.Owners))
	seen := make(map[graph.UID]bool, len(o.Owners))
	for _, r := range o.Owners {
		if !seen[r.UID] {
			list = append(list, string(r.UID))
		}
		seen[r.UID] = true
	}
	return list
}

// difference returns the owners that only one of two states has.
func difference(old, next *graph.Object) (removed, added []string) {
	was, is := owners(old), owners(next)
	return without(was, is), without(is, was)
}

func without(list, other []string) []string {
	drop := make(map[string]bool, len(other))
	for _, s := range other {
		drop[s] = true
	}
	out := make([]string, 0, len(list))
	for _, s := range list {
		if !drop[s] {
			out = append(out, s)
		}
	}
	return out
}

// name returns the key for a message, without the suffix of an empty UID. It cuts a long
// text.
func name(key graph.Key) string {
	for _, part := range []*string{&key.Scope, &key.Name, (*string)(&key.Kind)} {
		if len(*part) > maxMessage {
			*part = strings.ToValidUTF8((*part)[:maxMessage], "") + "..."
		}
	}
	return strings.TrimSuffix(key.String(), `@""`)
}

const maxMessage = 200 // bytes of a name in a message

func refused(verb string, key graph.Key, field, cause string) error {
	return fmt.Errorf("%s %s: %s: %s: %w, %w", verb, name(key), field, cause, graph.ErrRefused, graph.ErrInvalid)
}

const uidDigits = "234567ABCDEFGHIJKLMNOPQRSTUVWXYZ" // in the order of their bytes

// newUID returns a UID that no user can foresee: 100 random bits behind the time in
// milliseconds. The time keeps the rows of objects that were made together on a few pages
// of each index, so that a transaction writes fewer pages.
func newUID() graph.UID {
	var b [uidTime]byte
	for i, ms := uidTime-1, time.Now().UnixMilli(); i >= 0; i, ms = i-1, ms>>5 {
		b[i] = uidDigits[ms&31]
	}
	return graph.UID(string(b[:]) + rand.Text()[:uidRandom])
}

const (
	uidTime   = 9  // digits of 5 bits each, enough for 1,000 years
	uidRandom = 20 // digits
)
