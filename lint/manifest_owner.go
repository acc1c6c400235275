package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// references checks the owner references of a manifest.
func (c *manifestChecker) references(o *Manifest) {
	if n := len(o.Owners); n > maxJudged {
		c.found(Malformed, Error, o, "owners", "%s: The object has %d references, more than %d.", short(o.At), n, maxJudged)
	}
	for j, r := range o.Owners[:min(len(o.Owners), maxJudged)] {
		if r.Kind == "" || r.Name == "" {
			continue // a flaw says so
		}
		twice := slices.IndexFunc(o.Owners[:j], func(before graph.Owner) bool { return r.UID != "" && before.UID == r.UID || sameOwner(before, r) })
		switch {
		case twice >= 0 && o.Owners[twice].Kind == r.Kind && o.Owners[twice].Name == r.Name:
			c.found(RepeatedReference, Warning, o, at(j, "uid"), "The reference is the same as owners[%d].", twice)
		case twice >= 0:
			c.found(TwoPlaces, Error, o, at(j, "uid"), "The UID stands at other coordinates in owners[%d].", twice)
		case c.wrong(o, j, r) && r.Block:
			c.found(VoidBlock, Warning, o, at(j, "block"), "The reference does not lead to an owner, so no deletion waits for the object.")
		}
	}
}

func at(j int, field string) string { return fmt.Sprintf("owners[%d].%s", j, field) }

// wrong checks a reference: first its kind, then its place. It reports whether the collector finds
// no owner by the reference, though the kind is served.
func (c *manifestChecker) wrong(o *Manifest, j int, r graph.Owner) bool {
	kind := c.kindNamed(r.Kind)
	name := short(r.Kind.Text())
	own := c.kindNamed(o.Kind)
	switch {
	case kind == nil && c.m.Store != nil && !c.undiscovered(r.Kind):
		c.found(UnservedKind, Error, o, at(j, "kind"), "The store does not serve the kind %q, and the files do not define it.", name)
		return false
	case kind == nil && c.there(c.ownerPlace(o, r, nil)):
		return false
	case kind == nil && c.there(graph.Key{Kind: r.Kind, Name: r.Name}):
		c.found(UnlistedOwner, Warning, o, at(j, "kind"), "The owner %s names no scope, and the files do not tell whether its kind is global.", ownerText(r))
		return false
	case kind == nil:
		c.found(UnlistedOwner, Warning, o, at(j, "kind"), "The files do not have the owner %s, and do not tell the scope of its kind.", ownerText(r))
		return false
	case kind.Versions != nil && j < len(o.OwnerVersions) && o.OwnerVersions[j] != "" && !slices.Contains(kind.Versions, o.OwnerVersions[j]):
		c.found(UnservedVersion, Error, o, at(j, "version"), "The store does not serve the kind %q in the version %q.", name, short(o.OwnerVersions[j]))
		return false
	case kind.NoOwner:
		c.found(BannedOwner, Error, o, at(j, "kind"), "Objects of the kind %q may not own.", name)
		return false
	case kind.Scoped && own != nil && !own.Scoped:
		c.found(ScopedOwner, Error, o, at(j, "scope"), "A global object cannot have an owner of the scoped kind %q.", name)
		return true
	}
	if kind.Kind != r.Kind {
		c.found(LowerCaseKind, Note, o, at(j, "kind"), "The kind is %q, and Kubernetes takes the spelling %q for it.", short(kind.Kind.Text()), name)
	}
	return c.misplaced(o, j, r, kind)
}

// undiscovered reports whether the store cannot describe the kinds of a group now.
func (c *manifestChecker) undiscovered(k graph.Kind) bool {
	all := c.kinds[k[:strings.LastIndex(string(k), "/")+1]+"*"]
	return all != nil && !all.Listed
}

// misplaced checks the place of an owner whose kind can own the object.
func (c *manifestChecker) misplaced(o *Manifest, j int, r graph.Owner, kind *Kind) bool {
	place := c.ownerPlace(o, r, kind)
	if place == c.placeOf(o) && !o.Generated {
		c.found(SelfReference, Error, o, at(j, "uid"), "The object names itself as its owner.")
		return false
	}
	if uid, file := c.files[place]; file && (uid == "" || r.UID == "" || uid == r.UID) {
		return false
	}
	stored, is := c.stored[place]
	if is && (r.UID == "" || stored == r.UID) {
		return false
	}
	if c.byUID(o, j, r) {
		return true
	}
	other, elsewhere := c.names[graph.Key{Kind: place.Kind, Name: place.Name}]
	switch unknown := kind.Scoped && place.Scope == ""; {
	case is || c.there(place):
		c.found(MissingOwner, Error, o, at(j, "uid"), "The owner %s has another UID than the reference.", ownerText(r))
	case elsewhere && unknown:
		c.found(OtherScope, Warning, o, at(j, "scope"), "The object names no scope, and the owner %s is in the scope %q.", ownerText(r), short(other))
		return false
	case elsewhere:
		c.found(OtherScope, Error, o, at(j, "scope"), "The owner %s is in the scope %q, and the object's scope is %q.", ownerText(r), short(other), short(place.Scope))
	case kind.Listed && !unknown:
		c.found(MissingOwner, Error, o, at(j, "name"), "Neither the files nor the store have the owner %s.", ownerText(r))
	default:
		c.found(UnlistedOwner, Warning, o, at(j, "name"), "The files do not have the owner %s, and it may exist%s.", ownerText(r), because(kind))
		return false
	}
	return true
}

// byUID finds the object with the UID of a reference at another place of the store.
func (c *manifestChecker) byUID(o *Manifest, j int, r graph.Owner) bool {
	alive, is := c.uids[r.UID]
	if r.UID == "" || !is {
		return false
	}
	switch {
	case alive.Kind != r.Kind:
		c.found(OtherKind, Error, o, at(j, "kind"), "The object with this UID has the kind %q.", short(alive.Kind.Text()))
	case alive.Name != r.Name:
		c.found(OtherName, Error, o, at(j, "name"), "The object with this UID has the name %q.", short(alive.Name))
	default:
		c.found(OtherScope, Error, o, at(j, "scope"), "The object with this UID is in the scope %q.", short(alive.Scope))
	}
	return true
}

func ownerText(r graph.Owner) string {
	return short(graph.Key{Kind: r.Kind, Name: r.Name}.Text())
}

// because says why a kind is not listed.
func because(kind *Kind) string {
	if kind.Reason == "" {
		return ""
	}
	return " (" + short(kind.Reason) + ")"
}

// finalizerFlaw returns the rule that the text of a finalizer breaks, or "". A finalizer is a name,
// or a domain and a name.
//
//test:by TestFinalizerForms
func finalizerFlaw(f string) string {
	domain, name, qualified := strings.Cut(f, "/")
	if !qualified {
		domain, name = "", f
	}
	switch {
	case strings.Contains(name, "/"):
		return "has more than one slash"
	case name == "" || qualified && domain == "":
		return "lacks its domain or its name"
	case len(name) > 63 || len(domain) > 253:
		return "is longer than 63 characters, or its domain than 253"
	case !plainName(name, true) || qualified && !plainName(domain, false):
		return "has a character that no finalizer has"
	}
	return ""
}

// plainName reports whether a text has letters, digits, dots and dashes alone, with a letter or digit
// at both ends. A name may have capital letters and underscores, too.
func plainName(s string, upper bool) bool {
	for i := 0; i < len(s); i++ {
		b, end := s[i], i == 0 || i == len(s)-1
		switch {
		case b >= 'a' && b <= 'z', b >= '0' && b <= '9', upper && b >= 'A' && b <= 'Z':
		case !end && (b == '-' || b == '.' || upper && b == '_'):
		default:
			return false
		}
	}
	return true
}
