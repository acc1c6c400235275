package pause

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/internal/core/jsonread"
)

// jsonPause is a pause in the record.
type jsonPause struct {
	All   bool      `json:"all,omitempty"`
	Kind  string    `json:"kind,omitempty"`
	Scope *string   `json:"scope,omitempty"`
	Since time.Time `json:"since,omitzero"`
}

// WriteList returns the pauses as JSON for the record.
//
//test:by TestLists
func WriteList(list []Pause) []byte {
	out := make([]jsonPause, len(list))
	for i, x := range list {
		out[i] = jsonPause{All: x.What.All, Kind: string(x.What.Kind), Since: x.Since.UTC()}
		if x.What.InScope {
			out[i].Scope = &x.What.Scope
		}
	}
	text, _ := json.Marshal(out) // texts, flags and times have no error
	return text
}

// Add returns a list with a pause of the extent, since now if the list lacks one.
//
//test:by TestAddRemove
func Add(list []Pause, what Extent, now time.Time) []Pause {
	if slices.ContainsFunc(list, func(x Pause) bool { return x.What == what }) {
		return list
	}
	return append(list, Pause{What: what, Since: now})
}

// Remove returns a list without a pause of the extent.
//
//test:by TestAddRemove
func Remove(list []Pause, what Extent) []Pause {
	return slices.DeleteFunc(list, func(x Pause) bool { return x.What == what })
}

// ReadList reads the pauses of a record. An error names the place and the cause. A field
// that this version does not know is an error, because it may widen the pause.
//
//test:by TestLists TestListsRefused
func ReadList(value []byte) (list []Pause, err error) {
	if err := jsonread.Array(value, &list, readPause); err != nil {
		return nil, err
	}
	if len(list) > Max {
		return nil, errMany
	}
	return list, nil
}

func readPause(value []byte, x *Pause) error {
	err := jsonread.Object(value, []jsonread.Field{
		jsonread.Flag("all", &x.What.All),
		jsonread.StringField("kind", false, &x.What.Kind),
		{Name: "scope", Read: func(value []byte) error {
			x.What.InScope = true
			return jsonread.String(value, &x.What.Scope)
		}},
		{Name: "since", Read: func(value []byte) error {
			var text string
			if err := jsonread.String(value, &text); err != nil {
				return err
			}
			since, err := time.Parse(time.RFC3339Nano, text)
			if err != nil {
				return jsonread.Fault("%.50q is no time", text)
			}
			x.Since = since
			return nil
		}},
	})
	if err == nil && x.What.Check() != nil {
		err = jsonread.Fault("%v", x.What.Check())
	}
	return err
}
