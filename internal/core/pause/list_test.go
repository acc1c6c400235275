package pause

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestLists: a later program reads the pauses that the record got.
func TestLists(t *testing.T) {
	list := []Pause{{What: all, Since: start}, {What: pods}, {What: world, Since: start.Add(5)}, {What: Extent{InScope: true, Scope: "\u00e9 \"x\""}}}
	text := WriteList(list)
	want := `[{"all":true,"since":"1970-01-01T00:16:40Z"},{"kind":"pod"},{"scope":"","since":"1970-01-01T00:16:40.000000005Z"},{"scope":"\u00e9 \"x\""}]`
	if string(text) != strings.ReplaceAll(want, `\u00e9`, "\u00e9") {
		t.Errorf("the text is %s, want %s", text, want)
	}
	got, err := ReadList(text)
	if err != nil || !slices.EqualFunc(got, list, func(x, y Pause) bool { return x.What == y.What && x.Since.Equal(y.Since) }) {
		t.Errorf("read %v, error %v, want %v", got, err, list)
	}
	if got, err := ReadList(WriteList(nil)); err != nil || len(got) != 0 {
		t.Errorf("read %v, error %v, want no pause", got, err)
	}
}

// TestAddRemove: a pause of the list stays as it is, and others have no part in a removal.
func TestAddRemove(t *testing.T) {
	list := Add(nil, pods, start)
	list = Add(Add(list, all, start.Add(1)), pods, start.Add(2))
	want := []Pause{{What: pods, Since: start}, {What: all, Since: start.Add(1)}}
	if !slices.Equal(list, want) {
		t.Errorf("the list is %v, want %v", list, want)
	}
	if list = Remove(Remove(list, pods), world); !slices.Equal(list, want[1:]) {
		t.Errorf("the list is %v after the removal, want %v", list, want[1:])
	}
}

// TestListsRefused: a pause that this version does not understand is an error, and never counts as
// absent.
func TestListsRefused(t *testing.T) {
	for _, c := range []struct{ reason, text, want string }{
		{"it is no list", `{}`, "found an object, want an array"},
		{"it is null", `null`, "found null, want an array"},
		{"it covers nothing", `[{"since":"1970-01-01T00:16:40Z"}]`, "[0]: want exactly one of everything, a scope and a kind"},
		{"it covers a kind in a scope", `[{"all":true},{"kind":"a","scope":"b"}]`, "[1]: want exactly one of everything, a scope and a kind"},
		{"it covers names", `[{"name":"a"}]`, `[0]."name": unknown field`},
		{"the field has other letters", `[{"Kind":"a"}]`, `[0]."Kind": unknown field`},
		{"the scope is null", `[{"scope":null}]`, "[0].scope: found null, want a string"},
		{"the time is none", `[{"all":true,"since":"now"}]`, `[0].since: "now" is no time`},
		{"the time is a number", `[{"all":true,"since":1}]`, `[0].since: found a number, want a string`},
		{"there are too many", "[" + strings.Repeat(`{"all":true},`, Max) + `{"all":true}]`, fmt.Sprintf("more than %d pauses", Max)},
	} {
		if got, err := ReadList([]byte(c.text)); err == nil || err.Error() != c.want || got != nil {
			t.Errorf("%s: read %v, error %v, want %s", c.reason, got, err, c.want)
		}
	}
}
