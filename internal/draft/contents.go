package draft

import (
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/excerpt"
)

// Contents follows the containers of a plan and their members (RULES, P4). The actor of a marked
// container deletes the members, and then takes its finalizer off. A nil Contents has no
// container. It is not safe for concurrent use.
type Contents struct {
	parts   []excerpt.Part
	kinds   map[graph.Kind]graph.KindInfo
	members map[graph.Content][]int32 // that exist at the beginning, by part
	left    map[graph.Content]int     // of these now
	of      map[graph.Content][]int32 // the containers, by part
	emptied map[int32]bool            // the containers that an actor empties
	todo    []int32                   // the containers at which an actor has something to do
}

// NewContents returns the contents of the parts. It leaves out the containers of a kind that the
// engine empties itself.
func NewContents(parts []excerpt.Part, kinds []graph.KindInfo, own func(graph.KindInfo) bool) *Contents {
	c := &Contents{
		parts: parts, kinds: map[graph.Kind]graph.KindInfo{}, members: map[graph.Content][]int32{},
		left: map[graph.Content]int{}, of: map[graph.Content][]int32{}, emptied: map[int32]bool{},
	}
	some := false
	for _, k := range kinds {
		if k.Container != (graph.Container{}) && own(k) {
			k.Container = graph.Container{}
		}
		c.kinds[k.Kind], some = k, some || k.Container != graph.Container{}
	}
	if !some {
		return nil
	}
	for i := range parts {
		if parts[i].State == excerpt.Exists {
			c.add(int32(i))
		}
	}
	return c
}

func (c *Contents) add(i int32) {
	own := c.contentOf(i)
	if own.Name != "" {
		c.of[own] = append(c.of[own], i)
	}
	for _, content := range c.contentsOf(i) {
		if content.Name != "" && content != own { // no container is its own member
			c.members[content] = append(c.members[content], i)
			c.left[content]++
		}
	}
}

// contentOf returns the content of a container, without a name for another part.
func (c *Contents) contentOf(i int32) graph.Content {
	o := &c.parts[i].Object
	kind := c.kinds[o.Kind]
	return graph.ContentOf(&kind, o.Name)
}

// contentsOf returns the contents to which a part belongs. One without a name is none.
func (c *Contents) contentsOf(i int32) [2]graph.Content {
	o := &c.parts[i].Object
	kind := c.kinds[o.Kind]
	return graph.ContentsOf(&kind, o.Scope)
}

// ContainerOf returns the first container of a part, or -1.
func (c *Contents) ContainerOf(i int32) int32 {
	if c == nil {
		return -1
	}
	for _, content := range c.contentsOf(i) {
		for _, h := range c.of[content] {
			if content.Name != "" && h != i {
				return h
			}
		}
	}
	return -1
}

// Container returns the declaration of a container, zero for another part.
func (c *Contents) Container(i int32) graph.Container {
	if c == nil {
		return graph.Container{}
	}
	return c.kinds[c.parts[i].Object.Kind].Container
}

// Ends reports whether an actor takes the finalizer off containers.
func (c *Contents) Ends(finalizer string) bool {
	if c == nil {
		return false
	}
	for _, k := range c.kinds {
		if k.Container.Finalizer == finalizer && finalizer != "" {
			return true
		}
	}
	return false
}

// With returns the members of each container by part, behind those of sweeps.
func (c *Contents) With(sweeps [][]int32) [][]int32 {
	if c == nil {
		return sweeps
	}
	out := make([][]int32, len(c.parts))
	for i := range sweeps {
		out[i] = append(out[i], sweeps[i]...)
	}
	for content, containers := range c.of {
		for _, h := range containers {
			out[h] = append(out[h], c.members[content]...)
		}
	}
	return out
}

// Note takes the state of a part after a write: it is marked or gone.
func (c *Contents) Note(i int32, gone bool) {
	if c == nil {
		return
	}
	own := c.contentOf(i)
	if own.Name != "" && !c.emptied[i] {
		c.emptied[i] = true
		c.todo = append(c.todo, i)
	}
	if !gone {
		return
	}
	for _, content := range c.contentsOf(i) {
		if content.Name == "" || content == own {
			continue
		}
		if c.left[content]--; c.left[content] > 0 {
			continue
		}
		for _, h := range c.of[content] {
			if c.emptied[h] {
				c.todo = append(c.todo, h)
			}
		}
	}
}

// Next returns a container at which an actor has something to do, and its members, of which some
// may be gone. It returns false for none.
//
//test:by TestContents
func (c *Contents) Next() (container int32, members []int32, ok bool) {
	if c == nil || len(c.todo) == 0 {
		return 0, nil, false
	}
	container, c.todo = c.todo[0], c.todo[1:]
	return container, c.members[c.contentOf(container)], true
}

// IsEmpty reports whether a container has no member left.
func (c *Contents) IsEmpty(container int32) bool { return c.left[c.contentOf(container)] == 0 }
