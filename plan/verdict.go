package plan

import (
	"fmt"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// Verdict is the judgement of a guard about the deletion of its root. A plan has it as a
// forecast. It is a value.
type Verdict struct {
	Root graph.Key
	// Guard is the name of the guard, or its position in the settings.
	Guard string
	// Always says that the guard refuses every deletion.
	Always bool
	// Protected has the protected objects that the deletion would end, by key, at most 8, if
	// the guard refuses these. ProtectedMore counts the others.
	Protected     []graph.Key
	ProtectedMore int
	// Restricted has the objects that have to go with the root and that other objects restrict, the root
	// included, by key, at most 8. RestrictedMore counts the others. Each guard refuses these (RULES, E4).
	Restricted     []graph.Key
	RestrictedMore int
	// Ends counts the objects beside the root that the deletion ends, or may end. They are those
	// of the root's own plan, also where a request has several targets. A marked object counts
	// only if it would stay without the deletion. Objects count that go once a foreign finalizer
	// is off, though the plan keeps them. Above says that the guard refuses more than Limit.
	Ends  int
	Above bool
	Limit int
	// Unknown says that members of a sweep by labels are not selected, or that more than 64
	// other guarded roots are judged with the root. The guard then refuses. An engine selects
	// the members before its verdict, so there only such a number remains.
	Unknown bool
}

// Refused reports whether the guard refuses the deletion.
func (v *Verdict) Refused() bool {
	return v.Always || len(v.Protected)+len(v.Restricted) > 0 || v.Above && v.Ends > v.Limit || v.Unknown
}

// Causes returns the causes of a refusal in words.
func (v *Verdict) Causes() (out []string) {
	if v.Always {
		out = append(out, "every deletion needs an approval")
	}
	if len(v.Protected) > 0 {
		out = append(out, "protected: "+namesAnd(v.Protected, v.ProtectedMore))
	}
	if len(v.Restricted) > 0 {
		out = append(out, "restricted by others: "+namesAnd(v.Restricted, v.RestrictedMore))
	}
	if v.Above && v.Ends > v.Limit {
		out = append(out, fmt.Sprintf("%s, and the limit is %d", ending(v.Ends), v.Limit))
	}
	if v.Unknown {
		out = append(out, "the plan may lack objects: labels are not selected, or too many guarded roots are judged with it")
	}
	return out
}

// String returns the verdict in one line.
func (v *Verdict) String() string {
	if !v.Refused() {
		return fmt.Sprintf("guard %s lets the deletion of %s pass: %s", word(v.Guard), name(v.Root), ending(v.Ends))
	}
	return fmt.Sprintf("guard %s refuses the deletion of %s: %s", word(v.Guard), name(v.Root), strings.Join(v.Causes(), "; "))
}

func namesAnd(keys []graph.Key, more int) string {
	text := strings.Join(names(keys), ", ")
	if more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// ending returns "1 object ends", "2 objects end".
func ending(n int) string {
	if n == 1 {
		return "1 object ends"
	}
	return number(n, "object") + " end"
}
