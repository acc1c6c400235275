package graph

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ownergraph/ownergraph/internal/core/swar"
)

// Limits bounds the size of one object. The zero value works, because a limit that is not
// positive has its default. It is a value and safe for concurrent use.
type Limits struct {
	// Owners and Finalizers bound the number of each that an object has, 1,024 if zero.
	Owners, Finalizers int
	// Text bounds every name, in bytes, 1,024 if zero.
	Text int
}

// defaultLimit is the value of a limit that is not set.
const defaultLimit = 1024

func limit(n int) int {
	if n <= 0 {
		return defaultLimit
	}
	return n
}

// Validate returns the first rule of the model that o breaks, nil if it breaks none. The
// error wraps ErrInvalid and names the object and the field, such as "validate pod/ns/a:
// owners[3].uid: empty: invalid". A store calls Validate before it stores an object. The
// object's own UID and version may be empty, because the store makes them. The limits
// bound the work.
//
// The rules are those of Kubernetes' object metadata, and four more: one reference for
// each owner UID, no reference to the object itself, a known OnDelete, and the limits.
//
//test:by TestValidate
func Validate(o Object, l Limits) error {
	if err := l.sizes(&o); err != nil {
		return err
	}
	switch {
	case o.Kind == "":
		return flawed(o, "kind", "empty")
	case o.Name == "":
		return flawed(o, "name", "empty")
	case o.GraceSeconds < 0:
		return flawed(o, "graceSeconds", "negative")
	}
	if err := validateOwners(o); err != nil {
		return err
	}
	return validateFinalizers(o)
}

// sizes checks the limits of numbers and of text. It runs before every walk of the
// object.
func (l Limits) sizes(o *Object) error {
	if n, most := len(o.Owners), limit(l.Owners); n > most {
		return flawed(*o, "owners", fmt.Sprintf("%d, more than %d", n, most))
	}
	if n, most := len(o.Finalizers), limit(l.Finalizers); n > most {
		return flawed(*o, "finalizers", fmt.Sprintf("%d, more than %d", n, most))
	}
	if field, cause := l.key(o.Key); cause != "" {
		return flawed(*o, field, cause)
	}
	if cause := l.text(string(o.Version)); cause != "" {
		return flawed(*o, "version", cause)
	}
	for i, r := range o.Owners {
		if field, cause := l.key(r.Key); cause != "" {
			return flawed(*o, fmt.Sprintf("owners[%d].%s", i, field), cause)
		}
	}
	for i, f := range o.Finalizers {
		if cause := l.text(f); cause != "" {
			return flawed(*o, fmt.Sprintf("finalizers[%d]", i), cause)
		}
	}
	return nil
}

// key returns the first field of k with unsound text, and the cause.
func (l Limits) key(k Key) (field, cause string) {
	for _, f := range [...]struct{ field, text string }{
		{"kind", string(k.Kind)}, {"scope", k.Scope}, {"name", k.Name}, {"uid", string(k.UID)},
	} {
		if cause := l.text(f.text); cause != "" {
			return f.field, cause
		}
	}
	return "", ""
}

// text returns the cause for which s is unsound text, "" if it is sound.
func (l Limits) text(s string) string {
	if swar.IsPlain(s) && len(s) <= limit(l.Text) {
		return ""
	}
	if most := limit(l.Text); len(s) > most {
		return fmt.Sprintf("%d bytes, more than %d", len(s), most)
	}
	if !utf8.ValidString(s) {
		return "not UTF-8"
	}
	for _, r := range s {
		if unicode.IsControl(r) {
			return fmt.Sprintf("control character %U", r)
		}
	}
	return ""
}

func validateOwners(o Object) error {
	first := make(map[UID]int, len(o.Owners))
	controller := -1
	for i, r := range o.Owners {
		bad := func(field, cause string) error {
			return flawed(o, fmt.Sprintf("owners[%d].%s", i, field), cause)
		}
		switch {
		case r.Kind == "":
			return bad("kind", "empty")
		case r.Name == "":
			return bad("name", "empty")
		case r.UID == "":
			return bad("uid", "empty")
		case r.UID == o.UID:
			return bad("uid", "the object itself")
		case r.Place() == o.Place():
			return bad("name", "the object's own coordinates")
		case !r.OnDelete.known():
			return bad("onDelete", r.OnDelete.String()+" is unknown")
		}
		if j, twice := first[r.UID]; twice {
			return bad("uid", fmt.Sprintf("the same as owners[%d].uid", j))
		}
		first[r.UID] = i
		if r.Controller && controller >= 0 {
			return bad("controller", fmt.Sprintf("owners[%d] is one already", controller))
		}
		if r.Controller {
			controller = i
		}
	}
	return nil
}

func validateFinalizers(o Object) error {
	first := make(map[string]int, len(o.Finalizers))
	for i, f := range o.Finalizers {
		field := fmt.Sprintf("finalizers[%d]", i)
		if f == "" {
			return flawed(o, field, "empty")
		}
		if strings.HasPrefix(f, FinalizerUnreadable) {
			return flawed(o, field, "reserved for the reports of stores")
		}
		if j, twice := first[f]; twice {
			return flawed(o, field, fmt.Sprintf("the same as finalizers[%d]", j))
		}
		first[f] = i
	}
	if o.HasFinalizer(FinalizerOrphan) && o.HasFinalizer(FinalizerForeground) {
		return flawed(o, "finalizers", "both "+FinalizerOrphan+" and "+FinalizerForeground)
	}
	return nil
}

func flawed(o Object, field, cause string) error {
	return fmt.Errorf("validate %s: %s: %s: %w", o.subject(), field, cause, ErrInvalid)
}

// subject names the object in a message by its key. A UID that the store has not made yet
// is left out. A long text is cut, since its length may be the fault.
func (o Object) subject() string {
	text := o.Key.String()
	if o.UID == "" {
		text = o.PlaceString()
	}
	if len(text) > maxName {
		text = strings.ToValidUTF8(text[:maxName], "") + "..."
	}
	return text
}

const maxName = 200 // bytes of a name in a message
