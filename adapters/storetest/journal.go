package storetest

import (
	"fmt"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// journal lists the writes of a law, in order. The law compares a watch with it.
type journal struct{ entries []entry }

// entry is one commit. Its number is its place in the journal, from 1.
type entry struct {
	number int
	object ownergraph.Object // the object after the commit, or its last state
	gone   bool
}

func (e entry) String() string {
	if e.gone {
		return fmt.Sprintf("the end of %s", e.object.Key)
	}
	return e.object.String()
}

// put adds the state of an object after a commit, and returns it.
func (j *journal) put(o ownergraph.Object) ownergraph.Object {
	j.entries = append(j.entries, entry{len(j.entries) + 1, o, false})
	return o
}

// gone adds the removal of an object.
func (j *journal) gone(o ownergraph.Object) {
	j.entries = append(j.entries, entry{len(j.entries) + 1, o, true})
}

// last returns the number of the latest entry.
func (j *journal) last() int { return len(j.entries) }

// find returns the entry that an event reports.
func (j *journal) find(e ownergraph.Event) (entry, bool) {
	for _, x := range j.entries {
		switch {
		case e.Type == graph.Put && !x.gone && x.object.Key == e.Object.Key && x.object.Version == e.Object.Version:
			return x, true
		case e.Type == graph.Gone && x.gone && x.object.Key == e.Key:
			return x, true
		}
	}
	return entry{}, false
}

// end returns the removal of an object, if there was one.
func (j *journal) end(key ownergraph.Key) (entry, bool) {
	return j.find(ownergraph.Event{Type: graph.Gone, Key: key})
}

// reader follows a watch, by the numbers of the entries that the watch has
// reported.
type reader struct {
	*journal
	shown   map[ownergraph.Key]int // the newest entry of each object
	listing map[ownergraph.Kind]map[ownergraph.Key]bool
}

func (j *journal) reader() *reader {
	return &reader{j, map[ownergraph.Key]int{}, map[ownergraph.Kind]map[ownergraph.Key]bool{}}
}

// applyEvent follows one event.
func (r *reader) applyEvent(e ownergraph.Event) {
	switch e.Type {
	case graph.ListBegun:
		r.listing[e.Kind] = map[ownergraph.Key]bool{}
	case graph.ListEnded:
		r.endListing(e.Kind)
	case graph.Put:
		if l := r.listing[e.Object.Kind]; l != nil {
			l[e.Object.Key] = true
		}
		r.advance(e)
	case graph.Gone:
		r.advance(e)
	}
}

func (r *reader) advance(e ownergraph.Event) {
	if x, ok := r.find(e); ok {
		r.shown[x.object.Key] = max(r.shown[x.object.Key], x.number)
	}
}

// endListing notes the removal of each known object that is not in the listing.
func (r *reader) endListing(kind ownergraph.Kind) {
	for key := range r.shown {
		if end, ok := r.end(key); ok && key.Kind == kind && r.listing[kind] != nil && !r.listing[kind][key] {
			r.shown[key] = max(r.shown[key], end.number)
		}
	}
	r.listing[kind] = nil
}

// covers reports whether the watch has reported the entry, or a later entry of the
// object.
func (r *reader) covers(x entry) bool { return r.shown[x.object.Key] >= x.number }

// behind returns the first entry of the kind up to number that the watch has not
// reported, and whether there is one. It skips an object that was removed before
// the watch reported it.
func (r *reader) behind(kind ownergraph.Kind, number int) (entry, bool) {
	for _, x := range r.entries[:number] {
		if x.object.Kind != kind || r.covers(x) {
			continue
		}
		if end, ok := r.end(x.object.Key); ok && r.shown[x.object.Key] == 0 && end.number <= number {
			continue
		}
		return x, true
	}
	return entry{}, false
}
