package cli

import (
	"fmt"
	"strings"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/ownergraph/ownergraph/internal/spell"
)

// rename is one value of --rename.
type rename struct {
	text        string
	from        string // a UID, or the text of a place
	scope, name string
	scoped      bool // the scope changes, too
}

// renames are the values of --rename.
type renames []rename

// parseRenames reads FROM=[SCOPE/]NAME.
//
//test:by TestRestoreRename
func parseRenames(list []string) (out renames, err error) {
	for _, text := range list {
		from, to, _ := strings.Cut(text, "=")
		r := rename{text: text, from: from}
		if r.scope, r.name, r.scoped = strings.Cut(to, "/"); !r.scoped {
			r.scope, r.name = "", to
		}
		if from == "" || r.name == "" || strings.ContainsAny(r.name, "/=") || r.scoped && r.scope == "" {
			return nil, printing.UsageError(fmt.Sprintf("--rename %s: want UID=[SCOPE/]NAME, or KIND/[SCOPE/]NAME=[SCOPE/]NAME", spell.Clip(text)))
		}
		out = append(out, r)
	}
	return out, nil
}

func (r *rename) means(k graph.Key) bool {
	return r.from == string(k.UID) || r.from == k.Text() || r.from == k.PlaceString()
}

// of returns the scope and the name of a restored object.
func (list renames) of(k graph.Key) (scope, name string) {
	for i := range list {
		if r := &list[i]; r.means(k) {
			if r.scoped {
				return r.scope, r.name
			}
			return k.Scope, r.name
		}
	}
	return k.Scope, k.Name
}

// check refuses a rename that no member has, such as a misspelt one, and one that several members have.
//
//test:by TestRestoreRename
func (list renames) check(members []archive.Member) error {
	by := map[graph.UID]string{}
	for i := range list {
		r, n := &list[i], 0
		for _, m := range members {
			k := m.Entry.Object.Key
			if !r.means(k) {
				continue
			}
			if n++; by[k.UID] != "" {
				return fmt.Errorf("--rename %s: %s has another new name by --rename %s", spell.Clip(r.text), k.Text(), spell.Clip(by[k.UID]))
			}
			by[k.UID] = r.text
		}
		switch {
		case n == 0:
			return fmt.Errorf("--rename %s: the restore brings back no such object", spell.Clip(r.text))
		case n > 1:
			return fmt.Errorf("--rename %s: %d restored objects have this name: give the UID", spell.Clip(r.text), n)
		}
	}
	return nil
}
