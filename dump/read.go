package dump

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

const (
	// maxBytes bounds one input.
	maxBytes = 1 << 30
	// maxLists bounds the nesting of lists. The JSON decoder bounds the depth of other
	// values.
	maxLists = 16
)

// ErrTooLarge says that an input has more than 1 GiB.
var ErrTooLarge = errors.New("too large")

// Content has every object of one input, sorted by key, and their kinds, sorted by
// name. It is a value, and the caller owns it.
type Content struct {
	Objects []graph.Object
	// Kinds are the kinds with an object, and those of WithListed. The input contains
	// nothing about other kinds, and unknown never deletes anything.
	Kinds []graph.KindInfo
	// Unlisted are the other kinds that owner references name, sorted by name. A dump lists the
	// kinds of its request, so it does not tell whether they are served and have objects. Scoped is
	// false, too, for a kind whose scope Read does not know. The references to such a kind are
	// Unresolved.
	Unlisted []graph.KindInfo
	// MarkedAt has the instants of the deletion marks, as far as the input has them.
	MarkedAt map[graph.Key]time.Time
	// Conditions has the conditions of each Namespace that are true, sorted by type.
	Conditions map[graph.Key][]Condition
	// Writers has the last writers of the finalizers of each marked object. They are in
	// metadata.managedFields, which kubectl prints with --show-managed-fields.
	//
	//test:by TestWriters
	Writers map[graph.Key][]Writer
}

// Read reads JSON documents from r until it ends: objects, and lists of them (any kind
// that ends in "List"), as kubectl prints them. An error begins with "read NAME". It
// has the document, the item, the offset in bytes, the object and the field. It wraps
// ErrTooLarge for an input beyond the bound, and the error of r.
//
// Read takes the memory of the result and of one item. It is safe for concurrent use.
//
//test:by TestReadErrors TestReadLimit FuzzRead
func Read(r io.Reader, name string) (Content, error) {
	return readUpTo(r, name, maxBytes)
}

func readUpTo(r io.Reader, name string, limit int64) (Content, error) {
	d := newDecoder(r, limit)
	if err := d.documents(name); err != nil {
		return Content{}, err
	}
	if len(d.inventory.objects) == 0 {
		return Content{}, fmt.Errorf("read %s: no object in %d documents", name, d.number-1)
	}
	return d.inventory.content(), nil
}

// unmarked reads spaces in place of the byte order mark that Windows writes. So the offsets
// stay those of the input.
func unmarked(r io.Reader) io.Reader {
	const mark = "\ufeff"
	b := bufio.NewReader(r)
	if head, _ := b.Peek(len(mark)); string(head) != mark { // an error comes again with the first read
		return b
	}
	_, _ = b.Discard(len(mark))
	return io.MultiReader(strings.NewReader("   "), b)
}

// inventory collects objects and refuses those that contradict earlier ones.
type inventory struct {
	objects []graph.Object
	places  map[graph.Key]graph.UID
	uids    map[graph.UID]graph.Key
	scoped  map[graph.Kind]bool
	marks   map[graph.Key]time.Time

	conditions  map[graph.Key][]Condition
	writers     map[graph.Key][]Writer
	definitions map[graph.Kind]string // the name of the definition of each kind
}

func newInventory() *inventory {
	return &inventory{
		places: make(map[graph.Key]graph.UID),
		uids:   make(map[graph.UID]graph.Key),
		scoped: make(map[graph.Kind]bool),
		marks:  make(map[graph.Key]time.Time),

		conditions:  make(map[graph.Key][]Condition),
		writers:     make(map[graph.Key][]Writer),
		definitions: make(map[graph.Kind]string),
	}
}

func (s *inventory) add(o graph.Object) error {
	if uid, taken := s.places[o.Place()]; taken {
		return fmt.Errorf("metadata.name: a second object at this place, the first has UID %s", uid)
	}
	if key, taken := s.uids[o.UID]; taken {
		return fmt.Errorf("metadata.uid: %s is the UID of %s too (if two API groups serve one object, leave one out)", o.UID, key.Text())
	}
	if err := s.checkScope(o); err != nil {
		return err
	}
	s.places[o.Place()] = o.UID
	s.uids[o.UID] = o.Key
	s.scoped[o.Kind] = o.Scope != ""
	s.objects = append(s.objects, o)
	return nil
}

// addMark adds the instant of an object's mark, and the writers of its finalizers.
func (s *inventory) addMark(key graph.Key, m *metadata) {
	if at, known := m.markedAt(); known {
		s.marks[key] = at
	}
	if m.DeletionTimestamp == nil {
		return
	}
	if list := FinalizerWriters(m.ManagedFields, m.Finalizers); len(list) > 0 {
		s.writers[key] = list
	}
}

func (s *inventory) content() Content {
	c := Content{Objects: s.objects, MarkedAt: s.marks, Conditions: s.conditions, Writers: s.writers}
	for i := range c.Objects {
		s.resolve(&c.Objects[i])
	}
	slices.SortFunc(c.Objects, func(a, b graph.Object) int { return a.Compare(b.Key) })
	for kind, scoped := range s.scoped {
		c.Kinds = append(c.Kinds, graph.KindInfo{
			Kind: kind, Scoped: scoped, NoOwner: isEvent(kind), Container: container(kind), Definition: s.definitions[kind],
		})
	}
	slices.SortFunc(c.Kinds, byName)
	c.Unlisted = s.unlisted(c.Objects)
	return c
}

func byName(a, b graph.KindInfo) int { return cmp.Compare(a.Kind, b.Kind) }

// limitedReader returns an error at its limit. An io.LimitReader would end the input,
// and a truncated input is not complete.
type limitedReader struct {
	from        io.Reader
	left, limit int64
	err         error // permanent, because the JSON decoder may read again
}

func (l *limitedReader) Read(p []byte) (int, error) {
	if l.err != nil {
		return 0, l.err
	}
	if int64(len(p)) > l.left+1 {
		p = p[:l.left+1]
	}
	n, err := l.from.Read(p)
	if int64(n) > l.left {
		n = int(l.left)
		err = fmt.Errorf("%w: more than %d bytes", ErrTooLarge, l.limit)
	}
	l.left -= int64(n)
	l.err = err
	return n, err
}
