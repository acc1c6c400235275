package graph

import (
	"cmp"
	"maps"
	"slices"
)

// contents finds containers by name, and the members of a container.
//
// Its invariants, which Check verifies as I10: each place with a scope stands in the list of its
// scope once, and each observed object of a container kind is found under its name.
type contents struct {
	scopes      map[string]placeID   // the first place of a scope
	definitions map[string][]kindID  // the kinds that an object of this name defines, by name
	containers  map[Content][]NodeID // the observed containers with these members, by id
}

// Content names the members of a container: those of a scope, or those of the kinds of a
// definition. It is a value.
type Content struct {
	Members Membership
	Name    string
}

// ContentOf returns the content of an object of a kind, by its name. It is zero for a kind that is
// no container.
func ContentOf(kind *KindInfo, name string) Content {
	if kind.Container.Members == MembershipUnset {
		return Content{}
	}
	return Content{kind.Container.Members, name}
}

// ContentsOf returns the contents to which an object of a kind belongs, by its scope: that of the
// scope and that of the kind's definition. A content without a name is none.
func ContentsOf(kind *KindInfo, scope string) [2]Content {
	return [2]Content{{ScopeMembers, scope}, {KindMembers, kind.Definition}}
}

func newContents() contents {
	return contents{scopes: map[string]placeID{}, definitions: map[string][]kindID{}, containers: map[Content][]NodeID{}}
}

func (c *contents) clone() contents {
	own := contents{maps.Clone(c.scopes), maps.Clone(c.definitions), maps.Clone(c.containers)}
	for k, list := range own.definitions {
		own.definitions[k] = slices.Clone(list)
	}
	for k, list := range own.containers {
		own.containers[k] = slices.Clone(list)
	}
	return own
}

// Container returns the declaration of the node's kind, zero for a kind without members.
func (n innerNode) Container() Container {
	return n.g.kinds[n.g.places[n.at().place].kind].info.Container
}

// Content returns the content of an observed container, zero for any other node.
func (n innerNode) Content() Content {
	info := &n.g.kinds[n.g.places[n.at().place].kind].info
	if info.Container.Members == MembershipUnset || n.State() != Observed {
		return Content{}
	}
	return ContentOf(info, string(n.g.name(n.id)))
}

// Contents returns the contents to which the node belongs, whether their containers exist or not:
// that of its scope and that of its kind's definition. A content without a name is none.
func (n innerNode) Contents() [2]Content {
	at := &n.g.places[n.at().place]
	return ContentsOf(&n.g.kinds[at.kind].info, at.scope)
}

// Containers returns the observed containers that have the node as a member, by id. Nearly every
// store has at most two: the scope and the definition of the node. Of several objects with one
// name, each counts, since the events of their ends are late. The caller owns the result.
//
//test:by TestContents
func (n innerNode) Containers() (out []NodeID) {
	for _, c := range n.Contents() {
		if c.Name != "" {
			out = append(out, n.g.contents.containers[c]...)
		}
	}
	slices.Sort(out)
	return slices.DeleteFunc(out, func(id NodeID) bool { return id == n.id })
}

// StartContents puts an open cursor on the first member of an observed container. Next then
// returns nodes in any state, since references invent nodes: only observed ones are members.
//
//test:by TestContents TestContentsMeanwhile
func (c *Cursor) StartContents(g *Graph, id NodeID) { c.StartContent(g, Node{g, id}.inner().Content()) }

// StartContent puts an open cursor on the first member of a content, as StartContents does. The
// container may be gone.
func (c *Cursor) StartContent(g *Graph, of Content) {
	*c = Cursor{of: of}
	switch of.Members {
	case ScopeMembers:
		c.member = g.firstAt(g.contents.scopes[of.Name])
	case KindMembers:
		c.member = g.firstDefined(of.Name, 0)
	}
}

// CountContent returns the number of observed members.
//
//test:by TestContents
func (g inner) CountContent(of Content) (members int) {
	switch of.Members {
	case ScopeMembers:
		for at := g.contents.scopes[of.Name]; at != 0; at = g.places[at].next {
			members += g.places[at].alive
		}
	case KindMembers:
		for _, k := range g.contents.definitions[of.Name] {
			members += g.kinds[k].objects
		}
	}
	return members
}

// nextMember returns the member at the cursor, and moves the cursor.
func (c *Cursor) nextMember(g *Graph) NodeID {
	id := c.member
	c.member = g.memberAfter(id, &c.of)
	return id
}

// memberAfter returns the member after a node, 0 at the end. After a node whose kind has got another
// definition it is one of the later kinds.
//
//test:by TestContentsOfAnotherDefinition
func (g *Graph) memberAfter(id NodeID, of *Content) NodeID {
	x := g.at(id)
	at := &g.places[x.place]
	switch {
	case of.Members != KindMembers:
		return cmp.Or(g.inPlace(x.nextKind, x.place), g.firstAt(at.next))
	case g.kinds[at.kind].info.Definition != of.Name: // it has another one now
		return g.firstDefined(of.Name, g.definedFrom(of.Name, g.kinds[at.kind].info.Kind))
	}
	return cmp.Or(x.nextKind, g.firstDefined(of.Name, g.kinds[at.kind].defined+1))
}

// firstAt returns the first node of a place. The place 0 ends a list, and has the claims.
func (g *Graph) firstAt(at placeID) NodeID {
	if at == 0 {
		return 0
	}
	return g.places[at].first
}

// firstDefined returns the first node of the kinds of a definition, from a place in their list on.
//
//test:by TestContentsOfManyKinds
func (g *Graph) firstDefined(name string, from int) NodeID {
	for _, k := range g.contents.definitions[name][from:] {
		if g.kinds[k].first != 0 {
			return g.kinds[k].first
		}
	}
	return 0
}

// definedFrom returns the place of a kind in the list of a definition, or that of the next kind. The
// list is in the order of the kinds.
func (g *Graph) definedFrom(name string, kind Kind) int {
	at, _ := slices.BinarySearchFunc(g.contents.definitions[name], kind, func(k kindID, want Kind) int {
		return cmp.Compare(g.kinds[k].info.Kind, want)
	})
	return at
}

// inPlace returns the node if it stands at the place, or else 0.
func (g *Graph) inPlace(id NodeID, at placeID) NodeID {
	if id != 0 && g.at(id).place != at {
		return 0
	}
	return id
}

// passMember moves the cursors past a node that leaves.
func (g *Graph) passMember(id NodeID) {
	for _, c := range g.cursors {
		if c.member == id {
			c.member = g.memberAfter(id, &c.of)
		}
	}
}

// joinScope puts a place into the list of its scope.
func (g *Graph) joinScope(id placeID) {
	at := &g.places[id]
	if at.scope == "" {
		return
	}
	if at.next = g.contents.scopes[at.scope]; at.next != 0 {
		g.places[at.next].prev = id
	}
	g.contents.scopes[at.scope] = id
}

func (g *Graph) leaveScope(at *place) {
	switch {
	case at.scope == "":
		return
	case at.prev != 0:
		g.places[at.prev].next = at.next
	case at.next != 0:
		g.contents.scopes[at.scope] = at.next
	default:
		delete(g.contents.scopes, at.scope)
	}
	if at.next != 0 {
		g.places[at.next].prev = at.prev
	}
}

// noteContainer notes that a node becomes an observed container, or is one no longer.
func (g *Graph) noteContainer(id NodeID, members Membership, is bool) {
	if members == MembershipUnset {
		return
	}
	k := Content{members, string(g.name(id))}
	list := g.contents.containers[k]
	at, found := slices.BinarySearch(list, id)
	switch {
	case is && !found:
		list = slices.Insert(list, at, id)
	case !is && found:
		list = slices.Delete(list, at, at+1)
	}
	if g.contents.containers[k] = list; len(list) == 0 {
		delete(g.contents.containers, k)
	}
}

// describe gives a kind its description. A new declaration of containers concerns the kind's
// observed nodes.
func (g *Graph) describe(id kindID, info KindInfo) {
	k := &g.kinds[id]
	was, is := k.info.Container.Members, info.Container.Members
	k.info = info
	if was == is {
		return
	}
	for n := range g.chain(k.first) {
		if g.at(n).state() == Observed {
			g.noteContainer(n, was, false)
			g.noteContainer(n, is, true)
		}
	}
}

// define finds the kinds of each definition. A kind that is no longer served keeps its nodes and
// its definition, as it keeps its scopes.
//
//test:by TestContentsOfVanishedKind
func (g *Graph) define() {
	clear(g.contents.definitions)
	for i := range g.kinds {
		if k := &g.kinds[i]; k.info.Definition != "" {
			g.contents.definitions[k.info.Definition] = append(g.contents.definitions[k.info.Definition], kindID(i))
		}
	}
	for _, list := range g.contents.definitions {
		slices.SortFunc(list, func(a, b kindID) int { return cmp.Compare(g.kinds[a].info.Kind, g.kinds[b].info.Kind) })
		g.number(list, 0)
	}
}

// number notes the places of kinds in the list of their definition, from one of them on.
func (g *Graph) number(list []kindID, from int) {
	for i := from; i < len(list); i++ {
		g.kinds[list[i]].defined = i
	}
}

// undefine takes a kind without nodes out of the list of its definition.
func (g *Graph) undefine(id kindID) {
	k := &g.kinds[id]
	list := g.contents.definitions[k.info.Definition]
	if k.defined >= len(list) || list[k.defined] != id {
		return
	}
	if list = slices.Delete(list, k.defined, k.defined+1); len(list) == 0 {
		delete(g.contents.definitions, k.info.Definition)
		return
	}
	g.contents.definitions[k.info.Definition] = list
	g.number(list, k.defined)
}
