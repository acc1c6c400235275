package sqlstore

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// words are what one write adds to the trail of its object (archive.Trail). The statements add them to the words that
// {trails} has, so that a write reads no trail.
type words struct {
	explicit, orphaning bool
	cause               []byte // of encodeCause, empty for none
	holder              string // of the cause
	finalizers          string // of quoteTexts, of the object before its mark, "" for none
	keep                int64  // microseconds for which an explicit entry of the kind stays, 0 for no end
	seals               bool   // the payload is sealed before it reaches the entry
	sealed              []byte // the payload, on Postgres
	shape               string // of its row, "" for none
}

// wordsOf returns the words of a write on a live object, nil if it adds none. Del has the options of a deletion. The
// words of a removal are not nil.
func (s *Store) wordsOf(live *graph.Object, out *finalizer.Outcome, del *graph.DeleteOptions) *words {
	if !s.conf.keeps(live.Kind) || del == nil && !live.Deleting {
		return nil
	}
	var t archive.Trail
	if del != nil {
		t = t.Deleted(*live, del.Cause)
	} else if t = t.Changed(*live, out.Object); !t.Orphaning && out.Effect != finalizer.Removed {
		return nil
	}
	w := s.wordsOfDeletion(live.Kind, del)
	w.explicit, w.orphaning = t.Explicit, t.Orphaning
	w.finalizers = quoteTexts(t.Finalizers)
	return w
}

// quoteTexts returns texts as one text. JSON would change a text that is no UTF-8.
func quoteTexts(list []string) string {
	var parts []string
	for _, text := range list {
		parts = append(parts, strconv.Quote(text))
	}
	return strings.Join(parts, " ")
}

func unquoteTexts(text string) (list []string, err error) {
	for text != "" {
		part, err := strconv.QuotedPrefix(text)
		if err != nil {
			return nil, errBody
		}
		one, err := strconv.Unquote(part)
		if err != nil {
			return nil, errBody
		}
		list, text = append(list, one), strings.TrimPrefix(text[len(part):], " ")
	}
	return list, nil
}

// wordsOfDeletion returns the words of a deletion that removes an object without finalizers, nil if its kind gets no
// entries.
func (s *Store) wordsOfDeletion(kind graph.Kind, del *graph.DeleteOptions) *words {
	if !s.conf.keeps(kind) {
		return nil
	}
	w := &words{explicit: del != nil && del.Cause == nil, keep: s.conf.keepOf(kind), seals: s.conf.seals(kind)}
	if del != nil && del.Cause != nil {
		w.cause, w.holder = encodeCause(del.Cause), string(del.Cause.Holder.UID)
	}
	return w
}

func encodeCause(c *graph.Cause) (b []byte) {
	for _, k := range []graph.Key{c.Root, c.Holder} {
		b = appendText(appendText(appendText(appendText(b, string(k.Kind)), k.Scope), k.Name), string(k.UID))
	}
	return b
}

func decodeCause(b []byte) (c graph.Cause, err error) {
	if len(b) == 0 {
		return c, nil
	}
	r := bodyReader{rest: string(b)}
	for _, k := range []*graph.Key{&c.Root, &c.Holder} {
		*k = graph.Key{Kind: graph.Kind(r.text()), Scope: r.text(), Name: r.text(), UID: graph.UID(r.text())}
	}
	if r.bad || r.rest != "" {
		return graph.Cause{}, fmt.Errorf("cause: %w", errBody)
	}
	return c, nil
}

// named is an owner that an entry names. Leads says that a restore may reach the entry through it.
type named struct {
	owner string
	leads bool
}

// namesOf returns the owners that the entry of an object names, without the holder of a sweep. It is sorted.
func namesOf(o *graph.Object) (list []named) {
	for _, uid := range (&archive.Entry{Object: *o}).Names() {
		leads := slices.ContainsFunc(o.Owners, func(r graph.Owner) bool { return r.UID == uid && r.OnDelete != graph.OnDeleteRelease })
		list = append(list, named{string(uid), leads})
	}
	return list
}

// tooLarge is the error of a payload above the bound. Its removal is refused, so that nothing is lost.
func (s *Store) tooLarge(key graph.Key, size int) error {
	return fmt.Errorf("archive %s: payload: %d bytes, more than Archive.MaxBytes (%d): %w", name(key), size, s.conf.Archive.Bound(), graph.ErrRefused)
}
