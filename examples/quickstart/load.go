package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

const (
	// maxBytes bounds one input.
	maxBytes = 1 << 30
	// maxLists bounds how deep lists may lie in lists. The JSON decoder bounds
	// the depth of everything else.
	maxLists = 16
)

var errTooLarge = errors.New("too large")

// cluster is what one input holds: every object, sorted by key, and the kinds
// that they belong to, sorted by kind. Only kinds with an object are there: an
// input says nothing about the others, and unknown never deletes anything.
type cluster struct {
	objects []graph.Object
	kinds   []graph.KindInfo
}

// load reads JSON documents from r until it ends: objects, and lists of them
// (any kind that ends in "List"), as kubectl prints them. Errors start with
// "read NAME" and say the document, the item, the offset in bytes, the object
// and the field. The caller owns the result. Held by TestLoadErrors, FuzzLoad.
func load(r io.Reader, name string) (cluster, error) {
	return loadUpTo(r, name, maxBytes)
}

func loadUpTo(r io.Reader, name string, limit int64) (cluster, error) {
	d := decoder{
		json:   json.NewDecoder(&limitedReader{from: r, left: limit, limit: limit}),
		shelf:  newShelf(),
		number: 1,
	}
	for {
		err := d.document()
		if err == io.EOF {
			break
		}
		if err != nil {
			return cluster{}, fmt.Errorf("read %s: %w", name, d.locate(err))
		}
		d.number++
	}
	if len(d.shelf.objects) == 0 {
		return cluster{}, fmt.Errorf("read %s: no object in %d documents", name, d.number-1)
	}
	return d.shelf.cluster(), nil
}

// shelf gathers objects and refuses those that cannot stand beside the others.
type shelf struct {
	objects []graph.Object
	places  map[graph.Key]graph.UID
	uids    map[graph.UID]graph.Key
	scoped  map[graph.Kind]bool
}

func newShelf() *shelf {
	return &shelf{
		places: make(map[graph.Key]graph.UID),
		uids:   make(map[graph.UID]graph.Key),
		scoped: make(map[graph.Kind]bool),
	}
}

func (s *shelf) add(o graph.Object) error {
	if uid, taken := s.places[o.Place()]; taken {
		return fmt.Errorf("metadata.name: a second object at this place, the first has UID %s", uid)
	}
	if key, taken := s.uids[o.UID]; taken {
		return fmt.Errorf("metadata.uid: %s is the UID of %s too (if two API groups serve one object, leave one out)", o.UID, spell(key))
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

func (s *shelf) cluster() cluster {
	c := cluster{objects: s.objects}
	for i := range c.objects {
		s.resolve(&c.objects[i])
	}
	slices.SortFunc(c.objects, func(a, b graph.Object) int { return a.Compare(b.Key) })
	for kind, scoped := range s.scoped {
		c.kinds = append(c.kinds, graph.KindInfo{Kind: kind, Scoped: scoped, NoOwner: isEvent(kind)})
	}
	slices.SortFunc(c.kinds, func(a, b graph.KindInfo) int { return cmp.Compare(a.Kind, b.Kind) })
	return c
}

// limitedReader fails where an io.LimitReader would pretend that the input
// ends: a cut input is not a whole one.
type limitedReader struct {
	from        io.Reader
	left, limit int64
	err         error // stays, as the JSON decoder may ask again
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
		err = fmt.Errorf("%w: more than %d bytes", errTooLarge, l.limit)
	}
	l.left -= int64(n)
	l.err = err
	return n, err
}
