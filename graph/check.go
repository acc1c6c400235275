package graph

import (
	"errors"
	"fmt"
)

// Check verifies the invariants of Graph and returns an error that names the first broken
// one. It walks the whole graph, so it is for tests and audits.
//
//test:by TestCheckNamesTheInvariant
func (g *Graph) Check() error {
	for _, check := range []func() error{
		g.checkPages, g.checkIndex, g.checkKeys, g.checkBuckets, g.checkDuplicates, g.checkOwners, g.checkDependents, g.checkKinds, g.checkContents, g.checkRestrictions, g.checkFree,
	} {
		if err := check(); err != nil {
			return fmt.Errorf("graph invariant %w", err)
		}
	}
	return nil
}

func (g *Graph) checkKeys() error {
	used, observed, others := 0, 0, 0
	for id := range g.ids() {
		x, k := g.at(id), g.key(id)
		if used++; x.state() == Observed {
			observed++
		} else if g.ownerRecordOf(id).firstDep == 0 {
			return fmt.Errorf("I5: %s %s has no dependent", x.state(), k)
		}
		if x.is(groupMemberMark) {
			others++
		}
		if g.lookup(&k) != id {
			return fmt.Errorf("I1: %s is not found under its key", k)
		}
	}
	if used != g.live || observed != g.observed || others != len(g.groupNodes) || others != len(g.groupLinks) {
		return fmt.Errorf("I1: %d nodes, counted as %d; %d observed, counted as %d; %d members of groups, %d found, %d in lists",
			used, g.live, observed, g.observed, others, len(g.groupNodes), len(g.groupLinks))
	}
	return nil
}

// checkDuplicates walks the list of each UID that several nodes have. For another UID the
// node itself has the state.
func (g *Graph) checkDuplicates() error {
	found, linked, want := 0, 0, 0
	for u, f := range g.groups {
		prev := NodeID(0)
		for id := f.alive; id != 0; id = g.duplicates[id].next {
			x, t := g.at(id), g.duplicates[id]
			if x.state() != Observed || g.key(id).UID != u || t.prev != prev {
				return fmt.Errorf("I2: %s %s is in the list of UID %q", x.state(), g.key(id), u)
			}
			if prev = id; t != (links{}) {
				linked++
			}
			found++
		}
	}
	for id := range g.ids() {
		x := g.at(id)
		if x.state() == Observed && x.is(groupHeadMark|groupMemberMark) {
			want++
		}
		if _, in := g.duplicates[id]; in != x.is(duplicateMark) {
			return fmt.Errorf("I2: %s has the mark of a duplicate: %t", g.key(id), !in)
		}
	}
	if found != want || linked != len(g.duplicates) {
		return fmt.Errorf("I2: %d observed, %d found under their UIDs; %d duplicates, %d in lists", want, found, len(g.duplicates), linked)
	}
	return g.checkGroups()
}

func (g *Graph) checkGroups() error {
	shared, members := 0, 0
	for id := range g.ids() {
		if g.at(id).is(groupHeadMark) {
			shared++
		}
	}
	for u, f := range g.groups {
		prev, claims, fan := NodeID(0), false, f.fan == 0
		for id := f.first; id != 0; id = g.groupLinks[id].next {
			if !g.at(id).is(groupMemberMark) || g.key(id).UID != u || g.groupLinks[id].prev != prev {
				return fmt.Errorf("I2: %s is in the group of UID %q", g.key(id), u)
			}
			prev, claims, fan = id, claims || id == f.claim, fan || id == f.fan
			members++
		}
		first := g.withUID(g.packUID(u), u)
		if claims = claims || first == f.claim; f.first == 0 || !claims && f.claim != 0 || f.claim != 0 && !g.isClaim(f.claim) {
			return fmt.Errorf("I2: UID %q has no second node, or a foreign claim", u)
		}
		if !fan {
			return fmt.Errorf("I8: UID %q: its cursor stands elsewhere", u)
		}
		if err := g.checkElsewhere(u, f, first); err != nil {
			return err
		}
	}
	if shared != len(g.groups) || members != len(g.groupLinks) {
		return fmt.Errorf("I2: %d groups, %d marked; %d members, %d in lists", len(g.groups), shared, len(g.groupLinks), members)
	}
	return nil
}

// checkOwners walks the references of each node, and checkDependents walks the references
// to each node. Both find every edge in use once.
func (g *Graph) checkOwners() error {
	found := 0
	for id := range g.ids() {
		e := g.firstEdge(id)
		for i, r := range g.object(id).Owners {
			if r.UID == "" {
				continue
			}
			d := g.edge(e)
			if e == 0 || int(d.slot) != i || d.dep != id || d.block != r.Block ||
				g.key(d.owner) != g.resolve(g.places[g.at(id).place].scope, r) {
				return fmt.Errorf("I3: %s: reference %d has no edge, or another's", g.key(id), i)
			}
			if e&furtherEdge != 0 {
				found++
			}
			e = d.nextOwner
		}
		if e != 0 {
			return fmt.Errorf("I3: %s: more edges than references", g.key(id))
		}
		if _, wide := g.page(id).owners[slotOf(id)]; wide != g.at(id).is(ownersMark) {
			return fmt.Errorf("I3: %s: a list of references is kept: %t", g.key(id), wide)
		}
	}
	if found != g.edges.used {
		return fmt.Errorf("I3: %d edges in use, %d in lists of owners", g.edges.used, found)
	}
	return nil
}

func (g *Graph) checkDependents() error {
	found, want := 0, g.edges.used
	for id := range g.ids() {
		if g.firstEdge(id) != 0 {
			want++
		}
		n, err := g.checkList(id)
		if err != nil {
			return err
		}
		found += n
	}
	if found != want {
		return fmt.Errorf("I3: %d edges in use, %d in lists of dependents", want, found)
	}
	return nil
}

// checkList walks the dependents of a node and returns their number.
func (g *Graph) checkList(id NodeID) (found int, err error) {
	h := g.ownerRecordOf(id)
	refs, blocks, fan, prev := int32(0), int32(0), h.fan == 0, edgeID(0)
	for e := h.firstDep; e != 0; {
		d := g.edge(e)
		if d.owner != id || d.prev != prev {
			return 0, fmt.Errorf("I3: %s: its list of dependents is broken", g.key(id))
		}
		fan, prev = fan || e == h.fan, e
		found++
		if e = d.next; g.leadsBack(d.dep, id) {
			continue
		}
		refs++
		if d.block {
			blocks++
		}
	}
	if refs != h.refs || blocks != h.blocks {
		return 0, fmt.Errorf("I4: %s: counts %d/%d, has %d/%d", g.key(id), h.refs, h.blocks, refs, blocks)
	}
	if !fan {
		return 0, fmt.Errorf("I8: %s: its cursor stands elsewhere", g.key(id))
	}
	return found, nil
}

func (g *Graph) checkKinds() error {
	listed, known, miscounted := 0, 0, error(nil)
	for i := range g.kinds {
		k := &g.kinds[i]
		at, prev, objects := k.pruneAt == 0, NodeID(0), 0
		for id := k.first; id != 0; id = g.at(id).nextKind {
			x := g.at(id)
			if g.places[x.place].kind != kindID(i) || x.prevKind != prev {
				return fmt.Errorf("I6: %s stands in the list of kind %q", g.key(id), k.info.Kind)
			}
			at, prev = at || id == k.pruneAt, id
			if listed++; x.state() == Observed {
				objects++
			}
		}
		if !at || k.pruneAt != 0 && !k.pruning {
			return fmt.Errorf("I8: kind %q: its pruning stands elsewhere", k.info.Kind)
		}
		if objects != k.objects {
			miscounted = fmt.Errorf("I6: kind %q has %d objects, counted as %d", k.info.Kind, objects, k.objects)
		}
		if k.info.Kind == "" {
			continue
		}
		if known++; g.byKind[k.info.Kind] != kindID(i) || !k.known && k.first == 0 {
			return fmt.Errorf("I6: kind %q is not found, or kept for nothing", k.info.Kind)
		}
	}
	if listed != g.live || known != len(g.byKind) {
		return fmt.Errorf("I6: %d nodes, %d in lists of kinds; %d kinds, %d found", g.live, listed, known, len(g.byKind))
	}
	if miscounted != nil {
		return miscounted
	}
	return g.checkPlaces()
}

func (g *Graph) checkPlaces() error {
	used, alive := make([]int, len(g.places)), make([]int, len(g.places))
	for id := range g.ids() {
		if used[g.at(id).place]++; g.at(id).state() == Observed {
			alive[g.at(id).place]++
		}
	}
	found := 0
	for i := range g.places {
		at := &g.places[i]
		if at.used != used[i] {
			return fmt.Errorf("I6: place %d has %d nodes, counted as %d", i, used[i], at.used)
		}
		if at.alive != alive[i] {
			return fmt.Errorf("I6: place %d has %d observed nodes, counted as %d", i, alive[i], at.alive)
		}
		if i == 0 || at.used > 0 {
			if found++; g.byPlace[placeKey{at.kind, at.scope}] != placeID(i) || at.name != g.kinds[at.kind].info.Kind {
				return fmt.Errorf("I6: place %d is not found", i)
			}
		}
	}
	if found != len(g.byPlace) {
		return fmt.Errorf("I6: %d places, %d found", found, len(g.byPlace))
	}
	return g.checkTogether()
}

// checkTogether: the nodes of one place stand together in the list of their kind.
func (g *Graph) checkTogether() error {
	found := 0
	for i := range g.places {
		for id := g.places[i].first; id != 0; id = g.inPlace(g.at(id).nextKind, placeID(i)) {
			if g.at(id).place != placeID(i) {
				return fmt.Errorf("I6: %s stands among the nodes of place %d", g.key(id), i)
			}
			found++
		}
	}
	if found != g.live {
		return fmt.Errorf("I6: %d nodes, %d found at their places", g.live, found)
	}
	return nil
}

// checkFree also checks the records with the number 0, which stand for no node and no
// edge. Data there would look like data of every record.
func (g *Graph) checkFree() error {
	if *g.at(0) != (node{}) || g.edges.len() > 0 && *g.edges.at(0) != (edge{}) {
		return errors.New("I7: the record of no node or edge is in use")
	}
	for _, err := range []error{
		freeList("edge", g.edges.free, max(g.edges.len()-1, 0)-g.edges.used, func(id uint32) bool { return *g.edges.at(id) == edge{} }),
		freeList("kind", g.freeKinds, len(g.kinds)-1-len(g.byKind), func(id kindID) bool { return g.kinds[id] == kind{} }),
		freeList("place", g.freePlaces, len(g.places)-len(g.byPlace), func(id placeID) bool { return g.places[id] == place{} }),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

// freeList compares a list of free ids with the expected number.
func freeList[ID ~uint32](what string, free []ID, want int, unused func(ID) bool) error {
	seen := map[ID]bool{0: true}
	for _, id := range free {
		if seen[id] || !unused(id) {
			return fmt.Errorf("I7: %s %d is free and in use, or free twice", what, id)
		}
		seen[id] = true
	}
	if len(free) != want {
		return fmt.Errorf("I7: %d %ss are unused, %d are free", want, what, len(free))
	}
	return nil
}
