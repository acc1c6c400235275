package guard

import "github.com/ownergraph/ownergraph/graph"

// Guard judges the deletions of roots before their cascades. A root carries two finalizers of
// the guard. The engine puts them on every root that it observes. After the deletion mark it
// plans the cascade, and takes one of the two off: see the package documentation, "Guards".
//
// Kinds, Scopes, Names and Where select the roots, and a Guard without any of them is an error.
// Always, Protected and Above say when it refuses. The functions must be pure. It is data apart
// from them.
//
// A guard delays the writes of engines. Another actor may delete the content of a root at the
// mark, without owner references. Then the guard protects nothing but the empty root. In
// Kubernetes the API server deletes the instances of a CustomResourceDefinition so, and the
// namespace controller the content of a Namespace. Refuse the deletion of such a root itself,
// by an admission policy.
type Guard struct {
	// Name is the name of the guard in reports. Empty stands for its position.
	Name string
	// Kinds, Scopes and Names, if set, list the kinds, scopes and names of the roots.
	Kinds  []graph.Kind
	Scopes []string
	Names  []string
	// Where, if set, is a further condition.
	Where func(o graph.Object) bool

	// Always refuses every deletion, so that each one needs an approval.
	Always bool
	// Protected refuses a deletion whose plan has a protected object.
	Protected bool
	// Above, if not nil, refuses a deletion that ends more than this number of objects
	// beside the root.
	Above *int

	// Phases run in order. An object of the cascade is in the first phase that takes it, and
	// in a last one if none does. If an object of an earlier phase can go only after it, the
	// object goes in that earlier phase (RULES, G7). Each phase begins after the end of the phases
	// before, with or without After. The first phase may not have After.
	Phases []Phase
}
