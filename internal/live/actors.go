package live

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/lineage"
)

// contained is a container of the first objects.
type contained struct {
	key     graph.Key
	content graph.Content
	graph.Container
}

// containers are the containers of the first objects, and the kinds of all.
type containers struct {
	served []graph.KindInfo
	kinds  map[graph.Kind]*graph.KindInfo // of served
	list   []contained
}

func newContainers(kinds []graph.KindInfo, objects []graph.Object) (c containers) {
	c.served, c.kinds = kinds, make(map[graph.Kind]*graph.KindInfo, len(kinds))
	for i := range kinds {
		c.kinds[kinds[i].Kind] = &kinds[i]
	}
	for i := range objects {
		kind := c.kinds[objects[i].Kind]
		if kind == nil {
			continue
		}
		if of := graph.ContentOf(kind, objects[i].Name); of.Name != "" {
			c.list = append(c.list, contained{objects[i].Key, of, kind.Container})
		}
	}
	return c
}

// contentsOf returns the contents to which an object belongs.
func (c *containers) contentsOf(o *graph.Object) [2]graph.Content {
	if kind := c.kinds[o.Kind]; kind != nil {
		return graph.ContentsOf(kind, o.Scope)
	}
	return [2]graph.Content{}
}

// below returns the indexes of an object and of all objects below it, none if it is not there.
func (c *containers) below(objects []graph.Object, key graph.Key) []int {
	return lineage.New(c.served, objects).Below(key)
}

// is reports whether an object of a kind is a container.
func (c *containers) is(key graph.Key) bool {
	kind := c.kinds[key.Kind]
	return kind != nil && kind.Container.Members != graph.MembershipUnset
}

// act does the work of the actors of containers: see graph.Container. It deletes the members of
// each container that has a mark or is gone, and then takes the actor's finalizer off the empty
// container. It returns the number of writes, 0 if no work is left.
//
//test:by cmd/internal/cli.TestRunOfContainers
func (s *Session) act(ctx context.Context) (writes int, err error) {
	if len(s.containers.list) == 0 {
		return 0, nil
	}
	objects := byKey(s.Store.Objects())
	ending := map[graph.Content]*contained{}
	for i := range s.containers.list {
		c := &s.containers.list[i]
		if at, there := find(objects, c.key); !there || objects[at].Deleting {
			ending[c.content] = c
		}
	}
	left := map[graph.Content]int{}
	for i := range objects {
		o := &objects[i]
		var by *contained
		for _, of := range s.containers.contentsOf(o) {
			if c := ending[of]; c != nil {
				left[of]++
				by = cmp.Or(by, c)
			}
		}
		if by == nil || o.Deleting {
			continue
		}
		if err := s.Delete(ctx, o.Key, graph.Background); err == nil {
			s.Reasons.note(o.Key, "deleted by "+by.Actor)
			writes++
		} else if !passed(err) {
			return writes, err
		}
	}
	return s.release(ctx, objects, left, writes)
}

// release takes the finalizers off the containers with a mark and without a member.
func (s *Session) release(ctx context.Context, objects []graph.Object, left map[graph.Content]int, writes int) (int, error) {
	for _, c := range s.containers.list {
		at, there := find(objects, c.key)
		if !there || !objects[at].Deleting || left[c.content] > 0 || c.Finalizer == "" || !objects[at].HasFinalizer(c.Finalizer) {
			continue
		}
		pre := graph.Precondition{UID: c.key.UID, Version: objects[at].Version}
		if err := s.Store.Patch(ctx, c.key, pre, graph.Change{DropFinalizer: c.Finalizer}); err == nil {
			writes++
		} else if !passed(err) {
			return writes, err
		}
	}
	return writes, nil
}

// passed reports whether the collector wrote first.
func passed(err error) bool {
	return errors.Is(err, graph.ErrNotFound) || errors.Is(err, graph.ErrConflict)
}

// find returns the index of the object with a key, in objects by key.
func find(objects []graph.Object, key graph.Key) (int, bool) {
	return slices.BinarySearchFunc(objects, key, func(o graph.Object, k graph.Key) int { return o.Compare(k) })
}
