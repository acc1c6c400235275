package plan

import (
	"fmt"
	"slices"
	"strings"
)

// Sum returns the last line of Text, without its line break: how many objects go, lose an owner,
// stay and are held. It counts all objects, also those that Request.Limit leaves out. It names the
// other scopes in which objects go. If more than 10 objects go, it names their scope in any case.
//
//	5 objects go, 1 of them in another scope (payments); 1 stays and loses an owner; 0 are held
//	501 objects go, 500 of them in prod; 0 are held
//
//test:by TestSum TestSumScopes
func (p Plan) Sum() string {
	t := p.total()
	list := []string{number(t.Removed, "object") + verb(t.Removed, " goes", " go") + p.places(t.Removed)}
	if len(p.Request.Delete) == 0 {
		list[0] = "without a deletion " + list[0]
	}
	if n := t.Orphaned + t.Trimmed; n > 0 {
		list = append(list, fmt.Sprint(n, verb(n, " stays and loses", " stay and lose"), " an owner"))
	}
	if t.Kept > 0 {
		list = append(list, number(t.Kept, "other")+verb(t.Kept, " stays", " stay"))
	}
	list = append(list, fmt.Sprint(t.Held, verb(t.Held, " is", " are"), " held"))
	if t.Possible > 0 {
		list = append(list, fmt.Sprint(t.Possible, " of these ends", verb(t.Possible, " is", " are"), " not certain"))
	}
	return strings.Join(list, "; ")
}

// Goes returns the number of objects that go, also of those that Request.Limit leaves out.
// Plan.Scopes has it for each scope.
//
//test:by TestSumScopes
func (p Plan) Goes() int { return p.total().Removed }

// total returns the counts of all kinds.
func (p *Plan) total() (t Total) {
	for i := range p.Totals {
		t.add(&p.Totals[i])
	}
	return t
}

// places tells where the objects go that a reader may not expect there: those in other scopes
// than the deleted objects. Of many objects it names the scope in any case.
func (p *Plan) places(n int) string {
	home, other := map[string]bool{}, ""
	for i := range p.Request.Delete {
		home[p.Request.Delete[i].Key.Scope] = true
		if p.Request.Delete[i].Key.Scope != "" {
			other = "other "
		}
	}
	if len(home) == 0 {
		home[""] = true
	}
	var far, near []ScopeTotal
	for _, s := range p.Scopes {
		switch {
		case s.Removed == 0:
		case !home[s.Scope]:
			far = append(far, s)
		case s.Scope != "":
			near = append(near, s)
		}
	}
	switch {
	case len(far) > 0:
		return where(far, n, other)
	case len(near) > 0 && n > maxAlike:
		return where(near, n, "")
	}
	return ""
}

// where returns ", 500 of them in prod" for counts in scopes, of n objects.
func where(list []ScopeTotal, n int, other string) string {
	most, sum := slices.MaxFunc(list, func(a, b ScopeTotal) int { return a.Removed - b.Removed }), 0
	for _, s := range list {
		sum += s.Removed
	}
	text := fmt.Sprintf(", %d of them in ", sum)
	switch {
	case n == 1:
		text = " in "
	case sum == n:
		text = ", all of them in "
	}
	scope := "the global scope"
	if most.Scope != "" {
		scope = quoted(most.Scope)
	}
	switch {
	case len(list) > 1:
		return fmt.Sprintf("%s%d %sscopes (%d in %s)", text, len(list), other, most.Removed, scope)
	case other != "":
		return text + "another scope (" + scope + ")"
	}
	return text + scope
}

// words lists the counts that are not zero.
func (t *Total) words() string {
	var list []string
	add := func(n int, one, several string) {
		if n > 0 {
			list = append(list, fmt.Sprint(n, verb(n, one, several)))
		}
	}
	add(t.Removed, " goes", " go")
	add(t.Orphaned+t.Trimmed, " loses an owner", " lose an owner")
	add(t.Kept, " stays", " stay")
	add(t.Held, " is held", " are held")
	add(t.Affected-t.Removed-t.Orphaned-t.Trimmed-t.Kept-t.Held, " has no end", " have no end")
	add(t.Possible, " is not certain", " are not certain")
	if len(list) == 0 {
		return "no objects"
	}
	return strings.Join(list, ", ")
}

// verb chooses the form of a verb by the number of its subject.
func verb(n int, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}

func number(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
