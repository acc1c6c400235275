package feed_test

import (
	"context"
	"fmt"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/feed"
	"github.com/ownergraph/ownergraph/graph"
)

var (
	_ ownergraph.Store  = store{}
	_ ownergraph.Fencer = store{}
	_ ownergraph.Lister = store{}
)

// books is a Log with one kind, fixed objects and a growing list of entries.
type books struct {
	objects []graph.Object // by place
	entries []feed.Entry
}

func (s *books) ReadLog(_ context.Context, from uint64, limit int) (feed.LogPage, error) {
	page := feed.LogPage{Kinds: []graph.KindInfo{{Kind: "book"}}, Next: uint64(len(s.entries)) + 1}
	for _, e := range s.entries {
		if e.Position >= from && len(page.Entries) < limit {
			page.Entries = append(page.Entries, e)
		}
	}
	return page, nil
}

func (s *books) ReadObjects(_ context.Context, _ graph.Kind, after graph.Key, limit int) (feed.ObjectPage, error) {
	page := feed.ObjectPage{Next: uint64(len(s.entries)) + 1}
	for _, o := range s.objects {
		if o.Place().Compare(after) > 0 && len(page.Objects) < limit {
			page.Objects = append(page.Objects, o.Clone())
		}
	}
	return page, nil
}

func (s *books) AppendFence(_ context.Context, token uint64) (uint64, error) {
	return s.append(feed.Entry{Fence: token}), nil
}

func (s *books) append(e feed.Entry) uint64 {
	e.Position = uint64(len(s.entries)) + 1
	s.entries = append(s.entries, e)
	return e.Position
}

// A watch lists the objects, and reports the entries behind the listing. A fence passes behind
// the entry that was there before it.
func Example() {
	novel := graph.Object{Key: graph.Key{Kind: "book", Name: "novel", UID: "u1"}, Version: "1"}
	s := &books{objects: []graph.Object{novel}}
	f, err := feed.New(s, feed.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	err = f.Watch(ctx, func(batch []graph.Event) error {
		for _, e := range batch {
			switch {
			case e.Type == graph.ListEnded:
				s.append(feed.Entry{Object: novel, Removed: true})
				_, err := f.Fence(ctx)
				fmt.Println("list-ended, then a removal and a fence:", err)
			case e.Type == graph.FencePassed && e.Kind == "":
				fmt.Println("fence-passed by the set of kinds")
				stop()
			case e.Type == graph.Put:
				fmt.Println("put", e.Object)
			case e.Type == graph.Gone:
				fmt.Println("gone", e.Key)
			default:
				fmt.Println(e.Type)
			}
		}
		return nil
	})
	fmt.Println(err)
	// Output:
	// kinds-known
	// list-begun
	// put book/novel@u1#1
	// list-ended, then a removal and a fence: <nil>
	// gone book/novel@u1
	// fence-passed
	// fence-passed by the set of kinds
	// context canceled
}
