package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// Manifests are objects as files declare them, before a store has them. It is a value, and no
// function changes its parts.
type Manifests struct {
	// Objects are in any order. Two of them at one place are an error.
	Objects []Manifest
	// Kinds are the kinds whose scope the files or each cluster tell, in any order. A kind with a
	// Definition is one that the files define, and its description counts before others. Of the
	// others the first counts.
	Kinds []graph.KindInfo
	// Scope is the scope of the objects of scoped kinds that name none, "" if it is not known.
	Scope string
	// Store is the store that the files are for, nil if it is not known. An owner may be there.
	Store *Input
}

// Manifest is one object of a file. It is a value.
type Manifest struct {
	// Object has no UID and no version where the file has none. So have its owners, and their
	// scopes do not count: an owner is in the scope of its dependent, or it is global. The scope of
	// an object of a global kind does not count either. A Kubernetes server drops it.
	Object
	// Generated says that the store completes the name, of which Name is the begin.
	Generated bool
	// At is the place in the files, such as "web.yaml, document 2".
	At string
	// Flaws are the fields that are missing or malformed. No kind or name stands for a missing one.
	Flaws []FieldFlaw
}

// FieldFlaw is the flaw of one field of a Manifest. It is a value.
type FieldFlaw struct{ Field, Cause string }

// CheckManifests returns the faults of ownership that files have before a store takes them. It
// needs no UID. A reference without one leads to the object with its kind and name, in the files
// or in the store. The findings tell no fate. Config.Handlers, PerCode and Ignore count.
//
// An owner that the files lack may exist if the store is not known. It is missing if Store lists
// its kind in full. For a proof, the caller reads the places of MissingPlaces again first.
//
// An error wraps graph.ErrInvalid, as that of Check.
//
//test:by TestManifests TestManifestErrors
func CheckManifests(m Manifests, cfg Config) (Report, error) {
	c, err := newManifestChecker(m, cfg)
	if err != nil {
		return Report{}, err
	}
	for i := range m.Objects {
		c.manifest(&m.Objects[i])
	}
	return c.report(), nil
}

// MissingPlaces returns the places of owners and containers that neither the files nor the store
// have, though the store lists their kinds in full, each once, sorted. An error is that of
// CheckManifests.
//
//test:by TestManifestsMissing
func (m Manifests) MissingPlaces() (list []graph.Key, err error) {
	c, err := newManifestChecker(m, Config{})
	if err != nil {
		return nil, err
	}
	for i := range m.Objects {
		o := &m.Objects[i]
		scope := c.scopeOf(o)
		if c.scopes.lack(scope) {
			for _, k := range c.scopes.kinds {
				list = append(list, graph.Key{Kind: k, Name: scope})
			}
		}
		for _, r := range o.Owners {
			kind := c.kindNamed(r.Kind)
			if kind == nil || !kind.Listed || r.Name == "" {
				continue
			}
			if at := c.ownerPlace(o, r, kind); !c.there(at) {
				list = append(list, at)
			}
		}
	}
	slices.SortFunc(list, graph.Key.Compare)
	return slices.Compact(list), nil
}

// WithoutUID returns the number of references that have no UID yet.
func (m Manifests) WithoutUID() (n int) {
	for i := range m.Objects {
		for _, r := range m.Objects[i].Owners {
			if r.UID == "" {
				n++
			}
		}
	}
	return n
}

// manifestChecker is one run of CheckManifests.
type manifestChecker struct {
	ledger
	m        Manifests
	kinds    map[graph.Kind]*Kind
	lower    map[graph.Kind]*Kind
	handlers []string
	files    map[graph.Key]graph.UID // by place
	stored   map[graph.Key]graph.UID // by place
	uids     map[graph.UID]graph.Key
	names    map[graph.Key]string // the least scope of the objects with a kind and name
	scopes   scopes
}

func newManifestChecker(m Manifests, cfg Config) (*manifestChecker, error) {
	cfg = cfg.withDefaults()
	c := &manifestChecker{
		ledger: ledger{ignore: cfg.Ignore, perCode: cfg.PerCode}, m: m, handlers: cfg.Handlers,
		files: map[graph.Key]graph.UID{}, stored: map[graph.Key]graph.UID{}, uids: map[graph.UID]graph.Key{}, names: map[graph.Key]string{},
	}
	if err := c.learnKinds(); err != nil {
		return nil, err
	}
	var all []*Object
	if m.Store != nil {
		for i := range m.Store.Objects {
			o := &m.Store.Objects[i]
			c.stored[o.Place()], c.uids[o.UID] = o.UID, o.Key
			c.named(o.Place())
			all = append(all, o)
		}
	}
	at := map[graph.Key]string{}
	for i := range m.Objects {
		o := &m.Objects[i]
		place := c.placeOf(o)
		if first, twice := at[place]; twice && !o.Generated && o.Name != "" && o.Kind != "" {
			return nil, fmt.Errorf("check %s: name: a second object at the place of %s: %w", short(o.At), short(first), graph.ErrInvalid)
		}
		at[place] = o.At
		if o.Kind != "" && o.Name != "" && !o.Generated {
			c.files[place] = o.UID
			c.named(place)
			all = append(all, &o.Object)
		}
	}
	if m.Store != nil {
		c.scopes = newScopes(m.Store.Kinds, all)
	}
	return c, nil
}

// learnKinds takes the kinds of the store, and then those of the files. The store lists no object
// of a kind that the files define.
func (c *manifestChecker) learnKinds() (err error) {
	c.kinds = map[graph.Kind]*Kind{}
	if c.m.Store != nil {
		if c.kinds, err = c.m.Store.kinds(); err != nil {
			return err
		}
		if c.m.Store.Kubernetes {
			c.lower = lowerCase(c.kinds)
		}
	}
	for _, defined := range []bool{true, false} {
		for _, k := range c.m.Kinds {
			switch {
			case k.Kind == "":
				return fmt.Errorf("check kinds of the files: kind: empty: %w", graph.ErrInvalid)
			case defined != (k.Definition != ""):
			case c.kinds[k.Kind] == nil && (c.m.Store == nil || defined):
				c.kinds[k.Kind] = &Kind{KindInfo: k, Listed: c.m.Store != nil}
			case defined: // the definition of the files may add versions to the served ones
				own := *c.kinds[k.Kind]
				own.Versions = nil
				c.kinds[k.Kind] = &own
			}
		}
	}
	return nil
}

// named notes the scope of an object by its kind and name.
func (c *manifestChecker) named(place graph.Key) {
	of := graph.Key{Kind: place.Kind, Name: place.Name}
	if least, is := c.names[of]; !is || place.Scope < least {
		c.names[of] = place.Scope
	}
}

func (c *manifestChecker) kindNamed(k graph.Kind) *Kind {
	if kind := c.kinds[k]; kind != nil {
		return kind
	}
	return c.lower[k]
}

// scopeOf returns the scope of an object, that of the files for an object of a scoped kind that
// names none. An object of a global kind has none, also where its file names one.
func (c *manifestChecker) scopeOf(o *Manifest) string {
	switch kind := c.kindNamed(o.Kind); {
	case kind != nil && !kind.Scoped:
		return ""
	case kind != nil && o.Scope == "":
		return c.m.Scope
	}
	return o.Scope
}

func (c *manifestChecker) placeOf(o *Manifest) graph.Key {
	return graph.Key{Kind: o.Kind, Scope: c.scopeOf(o), Name: o.Name}
}

// ownerPlace returns the place to which a reference leads.
func (c *manifestChecker) ownerPlace(o *Manifest, r graph.Owner, kind *Kind) graph.Key {
	at := graph.Key{Kind: r.Kind, Name: r.Name}
	if kind != nil {
		at.Kind = kind.Kind
	}
	if kind == nil || kind.Scoped {
		at.Scope = c.scopeOf(o)
	}
	return at
}

// there reports whether the files or the store have an object at a place.
func (c *manifestChecker) there(at graph.Key) bool {
	_, file := c.files[at]
	_, stored := c.stored[at]
	return file || stored
}

// found adds a finding, unless a list or a bound leaves it out.
func (c *manifestChecker) found(code Code, s Severity, o *Manifest, field, format string, args ...any) {
	at := c.placeOf(o)
	at.UID = o.UID
	if c.admits(code, at) {
		c.findings = append(c.findings, Finding{Code: code, Severity: s, Object: at, Field: field, Message: fmt.Sprintf(format, args...)})
	}
}

// manifest checks one object.
func (c *manifestChecker) manifest(o *Manifest) {
	for _, f := range o.Flaws {
		c.found(Malformed, Error, o, f.Field, "%s: %s.", short(o.At), short(f.Cause))
	}
	if scope := c.scopeOf(o); c.scopes.lack(scope) {
		c.found(AbsentContainer, Error, o, "scope", "%s", c.scopes.absence(scope))
	}
	if o.Kind != "" {
		c.references(o)
	}
	c.controllers(o)
	c.finalizers(o)
}

// controllers finds a second controller.
func (c *manifestChecker) controllers(o *Manifest) {
	first := -1
	for j, r := range o.Owners {
		switch {
		case !r.Controller:
		case first < 0:
			first = j
		case !sameOwner(o.Owners[first], r):
			c.found(TwoControllers, Error, o, fmt.Sprintf("owners[%d].controller", j), "owners[%d] is the controller already.", first)
			return
		}
	}
}

// sameOwner reports whether two references name one object: by UID, or by kind and name.
func sameOwner(a, b graph.Owner) bool {
	if a.UID != "" && b.UID != "" {
		return a.UID == b.UID
	}
	return a.Kind == b.Kind && a.Name == b.Name
}

// finalizers checks the forms of the finalizers, and their handlers.
func (c *manifestChecker) finalizers(o *Manifest) {
	if o.HasFinalizer(graph.FinalizerOrphan) && o.HasFinalizer(graph.FinalizerForeground) {
		c.found(TwoPropagations, Error, o, "finalizers", "The object has the finalizers of both propagations, which contradict each other.")
	}
	for j, f := range o.Finalizers {
		field := fmt.Sprintf("finalizers[%d]", j)
		switch {
		case f == graph.FinalizerOrphan || f == graph.FinalizerForeground:
		case finalizerFlaw(f) != "":
			c.found(Malformed, Error, o, field, "%s: The finalizer %q %s.", short(o.At), short(f), finalizerFlaw(f))
		case !strings.Contains(f, "/"):
			c.found(UnqualifiedFinalizer, Warning, o, field, "The finalizer %q names no domain.", short(f))
		case c.handlers != nil && !slices.Contains(c.handlers, f):
			c.found(NoHandler, Warning, o, field, "No handler is known for the finalizer %q.", short(f))
		}
	}
}
