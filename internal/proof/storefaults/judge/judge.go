package judge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// Breach is a broken rule.
type Breach struct {
	// Rule is the name of the rule, as the package comment has it.
	Rule string
	Text string
}

// String returns the rule and the text.
func (b Breach) String() string { return b.Rule + ": " + b.Text }

// Judge returns every breach of a database at rest. The order is always the same.
//
//test:by TestSound TestPlanted
func Judge(h *History, c *Content) []Breach {
	j := &judging{content: c, births: map[graph.UID]*Call{}, deletes: map[graph.UID][]*Call{}, adopts: map[graph.UID][]*Call{},
		released: map[graph.UID]bool{}, late: map[pair]bool{}, live: map[graph.UID]graph.Object{}, byPlace: map[graph.Key]graph.UID{}}
	j.index(h.Calls())
	for _, text := range c.Faults {
		j.add("tables", "%s", text)
	}
	j.replay()
	j.answers()
	for _, uid := range j.order {
		j.object(uid)
	}
	j.rows()
	j.entries()
	for _, text := range Waiting(c.Objects) {
		j.add("waiting", "%s", text)
	}
	return j.found
}

// judging is one judgement.
type judging struct {
	content  *Content
	calls    []*Call
	order    []graph.UID // of the creations
	births   map[graph.UID]*Call
	deletes  map[graph.UID][]*Call
	adopts   map[graph.UID][]*Call
	released map[graph.UID]bool // a user may have removed FinalizerHold
	late     map[pair]bool      // the first state with the reference has the mark
	live     map[graph.UID]graph.Object
	byPlace  map[graph.Key]graph.UID // every object that ever was there
	found    []Breach
}

// pair is a reference.
type pair struct{ dependent, owner graph.UID }

func (j *judging) add(rule, format string, args ...any) {
	j.found = append(j.found, Breach{rule, fmt.Sprintf(format, args...)})
}

// index finds the calls of each object. A creation of unknown outcome has the UID that the
// database shows at its place, because each place is used once.
func (j *judging) index(calls []*Call) {
	j.calls = calls
	for _, o := range j.content.Objects {
		j.live[o.UID] = o
		j.byPlace[o.Place()] = o.UID
	}
	for _, c := range j.content.Changes {
		j.byPlace[c.Object.Place()] = c.Object.UID
		for _, r := range c.Object.Owners {
			p := pair{c.Object.UID, r.UID}
			if _, seen := j.late[p]; !seen {
				j.late[p] = c.Object.Deleting
			}
		}
	}
	for _, c := range calls {
		switch c.Verb {
		case Create:
			uid := c.Key.UID
			if c.Outcome == Unknown {
				uid = j.byPlace[c.Object.Place()]
			}
			if uid != "" {
				j.births[uid] = c
				j.order = append(j.order, uid)
			}
		case Delete:
			j.deletes[c.Key.UID] = append(j.deletes[c.Key.UID], c)
		case Adopt:
			j.adopts[c.Key.UID] = append(j.adopts[c.Key.UID], c)
		case Release:
			j.released[c.Key.UID] = j.released[c.Key.UID] || c.MayBeDone()
		}
	}
}

// deletion returns a deletion that may be done, or nil.
func (j *judging) deletion(uid graph.UID) *Call {
	for _, c := range j.deletes[uid] {
		if c.MayBeDone() {
			return c
		}
	}
	return nil
}

// owners returns the references that users gave the object: those of calls that are done, and of
// all calls that may be done.
func (j *judging) owners(uid graph.UID) (certain, possible []graph.Owner) {
	certain, possible = append(certain, j.births[uid].Object.Owners...), append(possible, j.births[uid].Object.Owners...)
	for _, c := range j.adopts[uid] {
		if c.Outcome == Done && !j.late[pair{uid, c.Owner.UID}] { // after the mark, a reference keeps no object
			certain = append(certain, c.Owner)
		}
		if c.MayBeDone() {
			possible = append(possible, c.Owner)
		}
	}
	return certain, possible
}

// object judges the end of one object.
func (j *judging) object(uid graph.UID) {
	birth := j.births[uid]
	o, lives := j.live[uid]
	certain, possible := j.owners(uid)
	orphaner, orphaned := j.orphaner(birth, possible)
	switch {
	case lives:
		j.livingObject(o, certain, possible)
		if orphaned && slices.ContainsFunc(o.Owners, func(r graph.Owner) bool { return r.UID == orphaner }) {
			j.add("orphan", "%s still refers to its orphaning owner", o)
		}
	case birth.Outcome != Done || j.deletion(uid) != nil:
	case !slices.ContainsFunc(possible, mayDelete):
		j.add("lost", "%s is gone: it had no owner whose end deletes it, and no user deleted it", birth)
	case orphaned:
		j.add("orphan", "%s is gone: its only owner was deleted as an orphaning one", birth)
	default:
		if owner, ok := j.keeper(certain, possible); ok {
			j.add("lost", "%s is gone: no user deleted it, and its owner %s lives", birth, owner)
		}
	}
}

// livingObject judges the references and finalizers of an object that is there.
func (j *judging) livingObject(o graph.Object, certain, possible []graph.Owner) {
	refers := func(uid graph.UID) bool {
		return slices.ContainsFunc(o.Owners, func(r graph.Owner) bool { return r.UID == uid })
	}
	for _, r := range certain {
		if j.lives(r) && !refers(r.UID) {
			j.add("lost", "%s has lost its reference to %s, which lives", o, r.Key)
		}
	}
	for _, r := range o.Owners {
		if !slices.ContainsFunc(possible, func(p graph.Owner) bool { return p.UID == r.UID && p.OnDelete == r.OnDelete }) {
			j.add("definite", "%s has the reference %s, which no user gave it", o, r)
		}
	}
	for _, f := range o.Finalizers {
		given := slices.Contains(j.births[o.UID].Object.Finalizers, f)
		if !given && f != graph.FinalizerForeground && f != graph.FinalizerOrphan {
			j.add("definite", "%s has the finalizer %s, which no user gave it", o, f)
		}
	}
}

// orphaner returns the only owner of an object, if it was certainly deleted as an
// orphaning one after the object was there, and never otherwise.
func (j *judging) orphaner(birth *Call, possible []graph.Owner) (graph.UID, bool) {
	if birth.Outcome != Done || len(possible) != 1 || len(birth.Object.Owners) != 1 {
		return "", false
	}
	owner := possible[0].UID
	above := j.births[owner]
	if above == nil {
		return "", false
	}
	if _, owners := j.owners(owner); len(owners) > 0 {
		return "", false // a collector may have deleted the owner
	}
	done := false
	for _, c := range j.deletes[owner] {
		switch {
		case !c.MayBeDone():
		case c.Propagation != graph.Orphan, c.Began < birth.Ended:
			return "", false
		default:
			done = true
		}
	}
	_, lives := j.live[owner]
	return owner, done && !lives
}

// answers judges each definite answer by the database.
func (j *judging) answers() {
	for _, c := range j.calls {
		o, lives := j.live[c.Key.UID]
		if c.Key.UID == "" {
			lives = false
		}
		switch {
		case c.Verb == Create && (c.Outcome == Refused || c.Outcome == Absent):
			if uid, ok := j.byPlace[c.Object.Place()]; ok {
				j.add("definite", "%s, and the object was created with uid %s", c, uid)
			}
		case c.Verb == Create && c.Outcome == Done:
			if uid, ok := j.byPlace[c.Object.Place()]; !ok || uid != c.Key.UID {
				j.add("definite", "%s, and the database never had it", c)
			}
		case c.Outcome == Absent && lives:
			j.add("definite", "%s, and the object is there: %s", c, o)
		case c.Verb == Delete && c.Outcome == Done && lives && !o.Deleting:
			j.add("definite", "%s, and the object is there unmarked: %s", c, o)
		}
	}
}

// rows judges the rows of the user.
func (j *judging) rows() {
	rows := map[graph.UID]int{}
	for _, r := range j.content.Rows {
		rows[r.UID]++
		if o, ok := j.live[r.UID]; !ok || o.Name != r.Name {
			j.add("tables", "the user's row %q of uid %s has no object", r.Name, r.UID)
		}
	}
	for _, uid := range j.order {
		want := 0
		if _, lives := j.live[uid]; lives && j.births[uid].Payload {
			want = 1
		}
		if rows[uid] != want {
			j.add("tables", "%s has %d rows of the user, want %d", j.births[uid].Key, rows[uid], want)
		}
	}
}

// Text returns the breaches, a line each.
func Text(list []Breach) string {
	var lines []string
	for _, b := range list {
		lines = append(lines, b.String())
	}
	return strings.Join(lines, "\n")
}
