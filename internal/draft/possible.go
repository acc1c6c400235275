package draft

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/excerpt"
	"github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/policy"
)

// Question has the facts about the parts of a plan.
type Question struct {
	// Parts are the objects, by key. Dependents has the indexes of each part's dependents. These
	// include the ones that refer to a part that orphans by its UID alone.
	Parts      []excerpt.Part
	Dependents [][]int32
	// Below has the parts that go with each part, too: see Index.Dependents. Nil stands for
	// Dependents.
	Below [][]int32
	// Targets has the propagation of each object that a user deletes, by the index.
	Targets map[int32]graph.Propagation
	// Members has the indexes of the members that the sweep of each part deletes. Nil stands
	// for no sweep. Foreground says that a sweep deletes in the foreground.
	Members    [][]int32
	Foreground bool
	// Override says that the engine deletes with its own propagation, and not with the one
	// that an object carries.
	Override bool
	// Stays reports whether a marked object keeps the finalizer.
	Stays func(finalizer string) bool
	// Unknown reports whether an owner of the part is unknown, so that the part may stay. Nil
	// stands for no such part.
	Unknown func(part int32) bool
	// Fixed reports whether the part stays, and keeps the references that block others: it is
	// flawed, or a holder that its sweep has not released. Nil stands for no such part.
	Fixed func(part int32) bool
	// Kept reports whether the part is protected, so that nothing goes because of it. Nil stands
	// for no such part.
	Kept func(part int32) bool
	// Container reports whether the part is a container whose actor deletes its Members, in the
	// background. Nil stands for no container.
	Container func(part int32) bool
	// Open reports whether the end of the part depends on more than the parts. Nil stands
	// for no such part.
	Open func(part int32) bool
}

// Possible returns, for each part, whether its end may depend on the order of the writes
// (RULES, P3). The rule of P3 is about orphaning beside another deletion. Foreign
// finalizers make more ends depend on the order, since a marked object that stays is
// waiting or solid by its propagation. So an end is possible by these rules:
//
//  1. An owner that may orphan, beside another owner that goes or is absent, both by unset
//     references. Or an owner whose orphaning has ended, and that goes in the foreground now.
//  2. Two owners that go, one of them perhaps in the foreground, where something stays
//     below the object, above it, or in a ring with it.
//  3. A propagation that is foreground or background by the order of the writes, where
//     something stays at the object or below it.
//  4. An object below a possible one, a member of a possible holder, and a holder that may
//     go of a possible member. A release or restrict reference deletes nothing: only the reference
//     of such an object is possible, and no rule goes on below it.
//  5. An owner that a possible object blocks, where something stays at the object or
//     below it.
//  6. An object whose end depends on more than the parts.
//  7. An owner that a possible object restricts, and that may go or is marked.
//  8. A release reference of an object that stays, if it does not block its owner, and the owner goes in
//     the foreground and has a finalizer that stays: the wait may end before the reference goes.
//
// Rules 2 and 3 are about owners of unset and cascade references, since the others delete nothing.
//
// An object stays for a finalizer, for a flaw, or for an unknown owner beside none that stays.
// An object of rule 6 may stay.
//
// A protected object stays, and no rule goes on below it. An object that is neither removed nor
// marked, and has no owner that may go, is definite.
//
//test:by TestPossible TestPossibleOfSweep TestPossibleByOverride TestPossibleOfRestrictedMark
//test:by internal/proof/properties.TestPlanIsTheRun
func Possible(q Question) []bool {
	possible, _ := chances(q)
	return possible
}

// chances returns the possible parts, and those of them that may go.
func chances(q Question) (possible, ends []bool) {
	s := newSurvey(q)
	possible, ends = make([]bool, len(q.Parts)), make([]bool, len(q.Parts))
	var todo []int32
	add := func(i int32) {
		if !ends[i] && q.Parts[i].State == excerpt.Exists {
			possible[i], ends[i] = true, true
			todo = append(todo, i)
		}
	}
	for i := range q.Parts {
		if q.Open != nil && q.Open(int32(i)) {
			add(int32(i))
		}
		if q.Parts[i].Member && (s.mixed(int32(i)) || s.contended(int32(i)) || s.rings[i] && s.foreground[i] || s.uncertain(int32(i))) {
			add(int32(i))
		}
		possible[i] = possible[i] || q.Parts[i].Member && s.loose(int32(i))
	}
	spared := make([]int32, len(q.Parts)) // the last owner that may go and spares a part, from 1
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		kept := s.isKept(i)
		for _, r := range s.owners[i] {
			if r.owner >= 0 && r.restricts() && (s.goes[r.owner] || q.Parts[r.owner].Object.Deleting) {
				add(r.owner)
			}
		}
		if !kept {
			for _, d := range s.spared[i] {
				spared[d] = i + 1
			}
			for _, d := range s.Below[i] {
				if possible[d] = possible[d] || q.Parts[d].State == excerpt.Exists; spared[d] != i+1 || s.goes[d] {
					add(d)
				}
			}
			s.addMembers(i, add)
		}
		if !kept && !s.stuck[i] {
			continue
		}
		for _, r := range s.owners[i] {
			if r.owner >= 0 && r.block && s.goes[r.owner] {
				add(r.owner)
			}
		}
	}
	return possible, ends
}

// addMembers adds the members of a holder, and the holders of a member that may go. They wait
// for it.
func (s *survey) addMembers(i int32, add func(int32)) {
	if s.Members == nil {
		return
	}
	for _, m := range s.Members[i] {
		add(m)
	}
	for _, h := range s.holders[i] {
		if s.goes[h] {
			add(h)
		}
	}
}

// survey has the facts about the parts that the rules use, by index.
type survey struct {
	Question
	owners     [][]link
	holders    [][]int32 // the inverse of Members
	goes       []bool    // a target, marked, or below one: it may be deleted
	foreground []bool    // it may be deleted in the foreground
	orphans    []bool    // its deletion may orphan
	held       []bool    // a finalizer of it stays, an unknown owner keeps it, or it is open or fixed
	rings      []bool    // in a ring of owner references
	stuck      []bool    // held, or above a held object, or in a ring
	// deleted has the dependents of each part that its end may delete. Without policies these are
	// all Dependents.
	deleted [][]int32
	// spared has the other dependents of each part.
	spared [][]int32
}

// link has the references of one part to another one. Owner is -1 for a reference that leads to no
// part that exists.
type link struct {
	owner      int32
	references int32
	block      bool
	uses       uses
}

func newSurvey(q Question) *survey {
	n := len(q.Parts)
	if q.Below == nil {
		q.Below = q.Dependents
	}
	s := &survey{
		Question: q, owners: make([][]link, n), goes: make([]bool, n), foreground: make([]bool, n),
		orphans: make([]bool, n), held: make([]bool, n), stuck: make([]bool, n),
	}
	s.linkOwners()
	s.linkDeleted()
	s.linkHolders()
	for i := range q.Parts {
		o := &q.Parts[i].Object
		s.held[i] = slices.ContainsFunc(o.Finalizers, q.Stays) || q.Open != nil && q.Open(int32(i)) || q.Fixed != nil && q.Fixed(int32(i))
		s.orphans[i] = q.Parts[i].Orphaned || s.propagationOf(int32(i)) == graph.Orphan
		if _, target := q.Targets[int32(i)]; target || o.Deleting || s.lost(int32(i)) {
			s.reach(int32(i), s.propagationOf(int32(i)) == graph.Foreground)
		}
	}
	for i := range q.Parts {
		s.held[i] = s.held[i] || q.Unknown != nil && q.Unknown(int32(i)) && !s.secure(int32(i))
	}
	s.spreadStuck()
	return s
}

// secure reports whether an object has an owner that does not go. It then loses the
// references to the others.
func (s *survey) secure(i int32) bool {
	return slices.ContainsFunc(s.owners[i], func(l link) bool { return l.counts() && l.owner >= 0 && !s.goes[l.owner] })
}

// linkOwners is the inverse of Dependents, with the references that lead to no part. It looks at
// each reference once.
//
//test:by TestLinkOwners
func (s *survey) linkOwners() {
	index := NewIndex(s.Parts)
	linked := make([]int32, len(s.Parts)) // the last owner of a part, from 1
	for i := range s.Parts {
		if s.Parts[i].State != excerpt.Exists {
			continue
		}
		for _, d := range s.Dependents[i] {
			if linked[d] != int32(i)+1 {
				linked[d] = int32(i) + 1
				s.owners[d] = append(s.owners[d], link{owner: int32(i)})
			}
			s.owners[d][len(s.owners[d])-1].references++
		}
	}
	of := make([]named, len(s.Parts)) // by a part with the UID
	for i := range s.Parts {
		s.linkOwnersOf(int32(i), &index, of)
	}
}

// named has the references of one part to a UID.
type named struct {
	part   int32 // from 1
	blocks bool  // one of them does
	uses   uses
	direct int32 // lead to an object that exists, or are unresolved
	other  bool  // others count by the UID
}

// linkOwnersOf completes the links of a part. A reference that leads to no part is one of them,
// unless it counts by its UID: then Dependents has more references than those that lead to the owner.
func (s *survey) linkOwnersOf(i int32, index *Index, of []named) {
	o := &s.Parts[i].Object
	leads := func(r *graph.Owner) bool {
		at, ok := index.Of(r.Key)
		return ok && s.Parts[at].State == excerpt.Exists
	}
	for j := range o.Owners {
		r := &o.Owners[j]
		at, ok := index.first[r.UID]
		if !ok {
			continue
		}
		if of[at].part != i+1 {
			of[at] = named{part: i + 1}
		}
		of[at].blocks, of[at].uses = of[at].blocks || r.Block, of[at].uses|useOf(r)
		if r.Unresolved || leads(r) {
			of[at].direct++
		}
	}
	for n := range s.owners[i] {
		l := &s.owners[i][n]
		if x := &of[index.first[s.Parts[l.owner].Object.UID]]; x.part == i+1 {
			l.block, l.uses, x.other = x.blocks, x.uses, x.other || l.references > x.direct
		}
	}
	for j := range o.Owners {
		r := &o.Owners[j]
		if r.Unresolved || r.UID == o.UID || leads(r) {
			continue
		}
		if at, ok := index.first[r.UID]; !ok || !of[at].other {
			s.owners[i] = append(s.owners[i], link{owner: -1, block: r.Block, uses: useOf(r)})
		}
	}
}

// linkHolders is the inverse of Members.
func (s *survey) linkHolders() {
	s.holders = make([][]int32, len(s.Members))
	for h, members := range s.Members {
		for _, m := range members {
			s.holders[m] = append(s.holders[m], int32(h))
		}
	}
}

// lost reports whether an object has owners that do not exist, and no other. One cascade reference to
// such an owner is enough.
func (s *survey) lost(i int32) bool {
	gone, there := false, false
	for _, l := range s.owners[i] {
		switch {
		case l.owner < 0 && l.cascades():
			return true
		case l.counts():
			gone, there = gone || l.owner < 0, there || l.owner >= 0
		}
	}
	return gone && !there
}

// reach notes that an object may be deleted, and so may the objects below it.
func (s *survey) reach(i int32, foreground bool) {
	if s.goes[i] && (s.foreground[i] || !foreground) {
		return
	}
	type step struct {
		i          int32
		foreground bool
	}
	todo := []step{{i, foreground}}
	for len(todo) > 0 {
		x := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if s.goes[x.i] && (s.foreground[x.i] || !x.foreground) || s.isKept(x.i) {
			continue
		}
		s.goes[x.i], s.foreground[x.i] = true, s.foreground[x.i] || x.foreground
		for _, d := range s.deleted[x.i] {
			todo = append(todo, step{d, x.foreground || s.propagationOf(d) == graph.Foreground})
		}
		if s.Members != nil {
			for _, m := range s.Members[x.i] {
				todo = append(todo, step{m, s.Foreground || s.propagationOf(m) == graph.Foreground})
			}
		}
	}
}

// propagationOf returns the propagation of a part by itself. The user's one replaces the one that
// the part carries.
func (s *survey) propagationOf(i int32) graph.Propagation {
	if p := s.Targets[i]; p != graph.Unset {
		return p
	}
	return s.Parts[i].Object.Propagation()
}

// isKept reports whether a part is not deleted. A target is.
func (s *survey) isKept(i int32) bool {
	_, target := s.Targets[i]
	return !target && s.Kept != nil && s.Kept(i)
}

// spreadStuck finds the objects that are held, and the owners and holders above them. An
// object in a ring counts as held.
func (s *survey) spreadStuck() {
	var todo []int32
	s.rings = s.findRings()
	for i := range s.Parts {
		if s.held[i] || s.rings[i] {
			s.stuck[i] = true
			todo = append(todo, int32(i))
		}
	}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		add := func(up int32) {
			if up >= 0 && !s.stuck[up] {
				s.stuck[up] = true
				todo = append(todo, up)
			}
		}
		for _, r := range s.owners[i] {
			add(r.owner)
		}
		if s.Members != nil {
			for _, h := range s.holders[i] {
				add(h)
			}
		}
	}
}

// mixed is rule 1.
func (s *survey) mixed(i int32) bool {
	orphaning, others := false, 0
	for _, r := range s.owners[i] {
		switch {
		case !r.deletes():
		case r.owner >= 0 && s.goes[r.owner] && s.foreground[r.owner] && s.Parts[r.owner].Orphaned:
			return true // it dies of the owner that waits, or is orphaned at its end
		case !r.counts():
		case r.owner < 0 || s.goes[r.owner]:
			others++
			orphaning = orphaning || r.owner >= 0 && s.orphans[r.owner]
		}
	}
	return orphaning && others > 1
}

// contended is rule 2.
func (s *survey) contended(i int32) bool {
	going, foreground, stuck, free := 0, false, s.stuck[i], false
	for _, r := range s.owners[i] {
		if !r.deletes() {
			continue
		}
		if r.owner < 0 || s.goes[r.owner] {
			going++
		}
		if r.owner >= 0 && s.goes[r.owner] {
			foreground = foreground || s.foreground[r.owner]
			stuck = stuck || s.stuck[r.owner]
			free = free || s.foreground[r.owner] && s.held[r.owner] && !r.block
		}
	}
	return going > 1 && foreground && stuck || free
}

// uncertain is rule 3. The only owner waits for an object that blocks it, so the delete of
// that object is in the foreground. So is the delete of an object that carries a
// propagation, unless Override. The sweep of a holder may delete an object in the background before the
// owner's wait is known. The actor of a container may do so too, or before the engine takes its
// reference off.
func (s *survey) uncertain(i int32) bool {
	o := &s.Parts[i].Object
	if _, target := s.Targets[i]; target || o.Deleting || s.isKept(i) {
		return false
	}
	contained, bySweep := s.isTaken(i)
	if contained && s.carries(i) {
		return true
	}
	if !s.stuck[i] {
		return false
	}
	varies := len(s.Dependents[i]) > 0 && (o.Propagation() == graph.Unset || s.Override)
	for _, r := range s.owners[i] {
		if r.owner < 0 || !r.deletes() || !s.goes[r.owner] || !s.foreground[r.owner] {
			continue
		}
		several := len(s.owners[i]) > 1
		if varies && (contained || bySweep || several || !r.block) || contained && several && r.block {
			return true
		}
	}
	return false
}

// carries reports whether an object that the engine deletes, too, carries a propagation that decides
// the ends of its dependents. The engine's delete keeps the propagation, unless Override. That of the
// actor is in the background.
func (s *survey) carries(i int32) bool {
	own := s.Parts[i].Object.Propagation()
	return !s.Override && len(s.Dependents[i]) > 0 && len(s.owners[i]) > 0 && !s.secure(i) && (own == graph.Orphan || own == graph.Foreground && s.stuck[i])
}

// isTaken reports whether the actor of a container may delete a part, and whether a sweep may.
func (s *survey) isTaken(i int32) (contained, bySweep bool) {
	if len(s.holders) == 0 {
		return false, false
	}
	for _, h := range s.holders[i] {
		if s.goes[h] {
			actor := s.Container != nil && s.Container(h)
			contained, bySweep = contained || actor, bySweep || !actor
		}
	}
	return contained, bySweep
}

// Targets returns the propagation of each object that a user deletes, by the index. The engine
// repeats a deletion in the foreground, if the dependents of the object go in phases.
//
//test:by TestTargets
func (x *Index) Targets(deleted []plan.Target, steps []plan.Step) map[int32]graph.Propagation {
	out := make(map[int32]graph.Propagation, len(deleted))
	for _, t := range deleted {
		if i, ok := x.Of(t.Key); ok {
			out[i] = t.Propagation
		}
	}
	for i := range steps {
		if at, ok := x.Of(steps[i].Key); ok && (steps[i].Reason == policy.OrderNeedsForeground || steps[i].Reason == policy.GraceNeedsForeground) {
			out[at] = graph.Foreground
		}
	}
	return out
}
